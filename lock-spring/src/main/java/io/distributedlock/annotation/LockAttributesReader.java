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

package io.distributedlock.annotation;

import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockAttributes;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Turns the attributes of a merged annotation into a {@link LockAttributes}.
 */
final class LockAttributesReader {

	private static final long NOT_GIVEN = Long.MIN_VALUE;

	private static final int NO_PERMITS_GIVEN = Integer.MIN_VALUE;

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final String PLACEHOLDER = "${";

	private static final Pattern PLACEHOLDER_NAME = Pattern.compile("\\$\\{([\\p{L}_$][\\p{L}\\p{N}_$]*)([^{}:]*)}");

	/**
	 * The attributes, by the subjects of the rules of
	 * {@link io.distributedlock.LockOptions}.
	 */
	private static final Map<String, String> SUBJECTS = Map.of("The lease", "timeout", "The wait", "waitTime",
			"The renewal interval", "renewInterval", "The minimum hold", "minHold", "The maximum hold", "maxHold",
			"The permits", "permits", "A shared lock", "permits");

	private final StringValueResolver placeholders;

	private final StringValueResolver placeholdersAndExpressions;

	LockAttributesReader(ConfigurableBeanFactory beanFactory) {
		this.placeholders = beanFactory::resolveEmbeddedValue;
		this.placeholdersAndExpressions = new EmbeddedValueResolver(beanFactory);
	}

	LockAttributes read(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method) {
		Reading reading = new Reading(annotation, method);
		LockAttributes attributes = new LockAttributes(reading.names(), reading.duration("timeout"),
				reading.duration("waitTime"), annotation.getBoolean("autoRenew"), reading.duration("renewInterval"),
				reading.duration("minHold"), reading.duration("maxHold"),
				annotation.getEnum("onLost", LossReaction.class),
				annotation.getEnum("onContention", OnContention.class), annotation.getString("fallbackMethod"),
				reading.text("condition", annotation.getString("condition")), annotation.getBoolean("fenced"),
				reading.permits(), reading.permitsExpression(), annotation.getEnum("mode", LockMode.class),
				reading.written());
		try {
			attributes.check();
		}
		catch (IllegalArgumentException ex) {
			throw contradiction(method, attributes, ex);
		}
		return attributes;
	}

	static InvalidLockDefinitionException contradiction(AnnotatedMethod method, LockAttributes attributes,
			IllegalArgumentException cause) {
		String problem = String.valueOf(cause.getMessage());
		Map<String, String> written = attributes.written();
		String attribute = SUBJECTS.entrySet()
			.stream()
			.filter((subject) -> problem.startsWith(subject.getKey()))
			.flatMap((subject) -> Stream.of(subject.getValue(), subject.getValue() + "String"))
			.filter(written::containsKey)
			.findFirst()
			.orElseGet(() -> written.keySet().stream().findFirst().orElse(""));
		if (attribute.startsWith("permits")) {
			return method.invalid(attribute, written.getOrDefault(attribute, ""), problem,
					"Change the permits or the mode of the annotation, or the permits under distributed-lock.locks that apply to it.",
					cause);
		}
		return method.invalid(attribute, written.getOrDefault(attribute, ""), problem,
				"Change the durations of the annotation, or those under distributed-lock.defaults and distributed-lock.locks that apply to it.",
				cause);
	}

	private final class Reading {

		private final MergedAnnotation<DistributedLock> annotation;

		private final AnnotatedMethod method;

		private final TimeUnit unit;

		private final Map<String, String> written = new LinkedHashMap<>();

		Reading(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method) {
			this.annotation = annotation;
			this.method = method;
			this.unit = annotation.getEnum("timeUnit", TimeUnit.class);
		}

		List<String> names() {
			return Arrays.stream(this.annotation.getStringArray("name")).map((name) -> text("name", name)).toList();
		}

		String text(String attribute, String value) {
			return value.contains(PLACEHOLDER) ? resolve(attribute, value, LockAttributesReader.this.placeholders)
					: value;
		}

		@Nullable Duration duration(String attribute) {
			String text = this.annotation.getString(attribute + "String");
			long number = this.annotation.getLong(attribute);
			if (StringUtils.hasText(text)) {
				if (number != NOT_GIVEN) {
					throw failure(attribute + "String", text,
							attribute + " = " + written(number) + " is given as well.", "Remove one of the two.", null);
				}
				this.written.put(attribute + "String", text);
				return parse(attribute + "String", text);
			}
			if (number == NOT_GIVEN) {
				return null;
			}
			this.written.put(attribute, written(number));
			return convert(attribute, number);
		}

		@Nullable Integer permits() {
			int number = this.annotation.getInt("permits");
			String text = permitsText();
			if (!text.isEmpty() && number != NO_PERMITS_GIVEN) {
				throw invalidPermits(text, "permits = " + number + " is given as well.", "Remove one of the two.",
						null);
			}
			if (number != NO_PERMITS_GIVEN) {
				this.written.put("permits", String.valueOf(number));
				return number;
			}
			try {
				return NUMBER.matcher(text).matches() ? Integer.valueOf(text) : null;
			}
			catch (NumberFormatException ex) {
				throw invalidPermits(text, "The number is too large.", "Use mode = LockMode.SHARED for no limit.", ex);
			}
		}

		String permitsExpression() {
			String text = permitsText();
			return NUMBER.matcher(text).matches() ? "" : text;
		}

		private String permitsText() {
			String text = this.annotation.getString("permitsString");
			if (StringUtils.hasText(text)) {
				this.written.put("permitsString", text);
			}
			return text("permitsString", text).strip();
		}

		private InvalidLockDefinitionException invalidPermits(String value, String problem, String action,
				@Nullable Throwable cause) {
			return this.method.invalid("permitsString", value, problem, action, cause);
		}

		Map<String, String> written() {
			return this.written;
		}

		private String written(long number) {
			return number + ((this.unit != TimeUnit.SECONDS) ? " " + this.unit : "");
		}

		private Duration parse(String attribute, String value) {
			String text = (value.indexOf('{') < 0) ? value
					: resolve(attribute, value, LockAttributesReader.this.placeholdersAndExpressions);
			try {
				return DurationFormatterUtils.detectAndParse(text.strip(),
						DurationFormat.Unit.fromChronoUnit(this.unit.toChronoUnit()));
			}
			catch (IllegalArgumentException | ArithmeticException ex) {
				throw failure(attribute, value, "'" + text + "' is not a duration.",
						"Write for example \"30s\", \"1m30s\", \"500ms\" or \"PT30S\".", ex);
			}
		}

		private Duration convert(String attribute, long number) {
			String value = written(number);
			if (number < 0) {
				throw failure(attribute, value, "A duration must not be negative.", adviceForNegative(attribute), null);
			}
			try {
				return Duration.of(number, this.unit.toChronoUnit());
			}
			catch (ArithmeticException ex) {
				throw failure(attribute, value, "The duration is too long.", "Use at most 3650 days.", ex);
			}
		}

		/**
		 * Other libraries renew a lease of -1, or wait forever.
		 */
		private static String adviceForNegative(String attribute) {
			return switch (attribute) {
				case "timeout" ->
					"Write autoRenew = true to keep the lock until the method has returned, or leave the attribute out to get the configured lease.";
				case "waitTime" ->
					"Write how long to wait, as in waitTime = 60, or leave the attribute out to get the configured wait. No call waits forever.";
				default -> "Leave the attribute out to get the configured default.";
			};
		}

		private String resolve(String attribute, String value, StringValueResolver resolver) {
			String resolved;
			try {
				resolved = resolver.resolveStringValue(value);
			}
			catch (RuntimeException ex) {
				throw unresolved(attribute, value, String.valueOf(ex.getMessage()), ex);
			}
			if (resolved == null || resolved.contains(PLACEHOLDER)) {
				throw unresolved(attribute, value, "nothing has a value for " + resolved, null);
			}
			return resolved;
		}

		private InvalidLockDefinitionException unresolved(String attribute, String value, String reason,
				@Nullable Throwable cause) {
			return this.method.invalid(attribute, value, "It cannot be resolved: " + reason + ".",
					adviceForUnresolved(value), cause);
		}

		private String adviceForUnresolved(String value) {
			Matcher placeholder = PLACEHOLDER_NAME.matcher(value);
			List<String> parameters = Arrays.stream(this.method.method().getParameters())
				.map(Parameter::getName)
				.toList();
			return placeholder.find() && parameters.contains(placeholder.group(1))
					? "Did you mean #{#" + placeholder.group(1) + placeholder.group(2) + "}?"
					: "Define the property, or give a default value after a colon, as in ${some.property:value}.";
		}

		private InvalidLockDefinitionException failure(String attribute, String value, String problem, String action,
				@Nullable Throwable cause) {
			return this.method.invalid(attribute, value, problem, action, cause);
		}

	}

}
