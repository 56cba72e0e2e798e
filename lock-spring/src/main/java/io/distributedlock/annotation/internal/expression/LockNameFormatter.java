/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.distributedlock.annotation.internal.expression;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockWarningFilter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Turns the result of an expression into the texts of lock names. A value has the same
 * text in every instance, however the expression is written; a value that cannot have one
 * is rejected.
 *
 * @param expression the expression as it is written
 */
public record LockNameFormatter(String expression, AnnotatedMethod method, AtomicBoolean warned) {

	private static final Log logger = LogFactory.getLog(LockNameFormatter.class);

	/**
	 * The text that records, data classes and generators of {@code toString()} create
	 * from several fields.
	 */
	private static final Pattern ALL_FIELDS = Pattern
		.compile("[\\p{L}_$][\\p{L}\\p{N}_$.]*[\\[({][\\p{L}_$][\\p{L}\\p{N}_$]*=[^=]*, [\\p{L}_$][\\p{L}\\p{N}_$]*=");

	/**
	 * The trace of {@link Object#toString()} in the text of an object that contains an
	 * array, or a record that contains an object without a text of its own.
	 */
	private static final Pattern ARRAY_IDENTITY = Pattern
		.compile("\\[+(?:[BCDFIJSZ]|L[\\p{L}\\p{N}_$.]+;)@[0-9a-f]{1,8}");

	private static final Pattern OBJECT_IDENTITY = Pattern
		.compile("(?:[\\p{L}\\p{N}_$]+\\.)+\\p{Lu}[\\p{L}\\p{N}_$]*@[0-9a-f]{1,8}(?![\\p{L}\\p{N}_.@-])");

	LockNameFormatter(String expression, AnnotatedMethod method) {
		this(expression, method, new AtomicBoolean());
	}

	/**
	 * Return the texts of a value, or of the elements of a collection or array: at least
	 * one.
	 */
	List<String> texts(@Nullable Object value) {
		List<String> texts = new ArrayList<>(1);
		collect(value, texts);
		return texts;
	}

	/**
	 * Return the text of a value that is a part of a name.
	 * @param where the wording of messages about the part
	 */
	String text(@Nullable Object value, String where) {
		if (value instanceof String text && !text.isBlank()) {
			return text;
		}
		if (value instanceof Long || value instanceof Integer) {
			return value.toString();
		}
		Object content = content(value);
		if (content != null && (isCollection(content) || content.getClass().isArray())) {
			throw failure(
					"gave a collection" + where + ", which is only a part of the name. Give each element a name of "
							+ "its own with a projection, as in #ids" + ((value instanceof Optional) ? "?" : "")
							+ ".!['order:' + #this].");
		}
		return textOf(content, where);
	}

	private void collect(@Nullable Object value, List<String> texts) {
		Object content = content(value);
		int before = texts.size();
		if (content instanceof Iterable<?> elements && isCollection(content)) {
			elements.forEach((element) -> collect(element, texts));
		}
		else if (content != null && content.getClass().isArray()) {
			for (int i = 0; i < Array.getLength(content); i++) {
				collect(Array.get(content, i), texts);
			}
		}
		else {
			texts.add(textOf(content, ""));
		}
		if (texts.size() == before) {
			throw failure("gave an empty collection. A lock needs at least one name.");
		}
	}

	private static boolean isCollection(Object value) {
		return value instanceof Iterable<?> && !(value instanceof Path);
	}

	private static @Nullable Object content(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return content(optional.orElse(null));
		}
		if (value instanceof OptionalLong optional) {
			return optional.isPresent() ? optional.getAsLong() : null;
		}
		if (value instanceof OptionalInt optional) {
			return optional.isPresent() ? optional.getAsInt() : null;
		}
		if (value instanceof OptionalDouble optional) {
			return optional.isPresent() ? optional.getAsDouble() : null;
		}
		return value;
	}

	private String textOf(@Nullable Object value, String where) {
		if (value == null) {
			throw failure("gave null" + where
					+ ". Call the method with a value, or let the expression handle null, as in #id ?: 'none'.");
		}
		if (value instanceof Map<?, ?>) {
			throw failure("gave a map" + where
					+ ", whose entries may be in another order in every instance. Use the entries that identify it, as in #map['id'], or #map?.get('id') for an Optional.");
		}
		String text = plain(value);
		if (text == null || text.isBlank()) {
			throw failure("gave a blank text" + where
					+ ". A blank name would lock unrelated calls against each other. Call the method with a value.");
		}
		if (!(value instanceof CharSequence) && ALL_FIELDS.matcher(text).lookingAt()) {
			warnOfAllFields(value.getClass(), where);
		}
		if (!(value instanceof CharSequence) && text.indexOf('@') >= 0) {
			requireTextOfItsOwn(value, text, where);
		}
		return text;
	}

	private static @Nullable String plain(Object value) {
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof Date date) {
			return instantOf(date);
		}
		return ((value instanceof Calendar calendar) ? calendar.toInstant() : value).toString();
	}

	/**
	 * The text of a date would depend on the time zone of the instance. Dates and times
	 * of SQL have no instant, and a text that does not.
	 */
	private static String instantOf(Date date) {
		try {
			return date.toInstant().toString();
		}
		catch (UnsupportedOperationException ex) {
			return date.toString();
		}
	}

	private void requireTextOfItsOwn(Object value, String text, String where) {
		String type = value.getClass().getName();
		if (text.contains(ObjectUtils.identityToString(value))) {
			throw failure("gave an object of " + type + where
					+ ", which has no toString() of its own: its name would differ in every instance. Use a property that identifies it.");
		}
		if (ARRAY_IDENTITY.matcher(text).find() || (value instanceof Record && OBJECT_IDENTITY.matcher(text).find())) {
			throw failure("gave an object of " + type + where
					+ ", whose text contains an array, or an object without a toString() of its own: its name would differ in every instance. Use the properties that identify it.");
		}
	}

	/**
	 * Mistakes that the declared type of a parameter reveals are reported at the start.
	 */
	private void warnOfAllFields(Class<?> type, String where) {
		boolean told = hasTextOfAllFields(type)
				&& Arrays.asList(this.method.method().getParameterTypes()).contains(type);
		if (!told && this.warned.compareAndSet(false, true)) {
			LockFinding finding = textOfAllFields(this.method, "The lock name expression \"" + this.expression
					+ "\" gave an object" + where + " of " + type.getName(), "");
			LockWarningFilter.of(List.of(finding), this.method).forEach(logger::warn);
		}
	}

	/**
	 * Return whether the compiler has given a class a text with all of its fields. That
	 * of a record is final then. A native image does not know the members of each class.
	 */
	public static boolean hasTextOfAllFields(Class<?> type) {
		if (NativeDetector.inNativeImage()) {
			return false;
		}
		if (type.isRecord()) {
			Method text = ClassUtils.getMethod(type, "toString");
			return type.getRecordComponents().length > 1 && Modifier.isFinal(text.getModifiers());
		}
		return KotlinDetector.isKotlinType(type) && ClassUtils.hasMethod(type, "component2")
				&& Arrays.stream(type.getMethods()).anyMatch((method) -> method.getName().equals("copy$default"));
	}

	/**
	 * @param value the value, as the beginning of a sentence
	 * @param example how to name a property, or an empty text
	 */
	public static LockFinding textOfAllFields(AnnotatedMethod method, String value, String example) {
		return method.warning(value
				+ ", whose text has the values of several fields: when one of them changes, the same object gets another lock, and can have two holders.",
				"Write the properties that identify it%s, or give the class a toString() of its own with nothing else in it."
					.formatted(example));
	}

	InvalidLockNameException failure(String problem) {
		return failure(problem, null);
	}

	InvalidLockNameException failure(String problem, @Nullable Throwable cause) {
		return new InvalidLockNameException(this.expression,
				"The lock name expression \"" + this.expression + "\" on " + this.method.description() + " " + problem,
				cause);
	}

}
