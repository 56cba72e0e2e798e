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

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;

/**
 * Says why an expression could not be evaluated for the arguments of a call, and what to
 * do. The messages of SpEL begin with a code, and name classes of this library.
 */
public final class EvaluationProblem {

	private static final Pattern CODE = Pattern.compile("^EL\\d+E: ");

	private static final String NULL = " Call the method with a value, or let the expression handle null, as in #order?.id ?: 'none'.";

	private EvaluationProblem() {
	}

	/**
	 * Return the problem and an action, in sentences.
	 */
	public static String of(EvaluationException failure) {
		if (failure instanceof SpelEvaluationException spel) {
			@Nullable Object @Nullable [] given = spel.getInserts();
			@Nullable Object[] inserts = (given != null) ? given : new Object[0];
			switch (spel.getMessageCode()) {
				case PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL -> {
					return "'%s' is read from null.".formatted(inserts) + NULL;
				}
				case METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED -> {
					return "%s is called on null.".formatted(inserts) + NULL;
				}
				case CANNOT_INDEX_INTO_NULL_VALUE -> {
					return "An element is read from null." + NULL;
				}
				case PROPERTY_OR_FIELD_NOT_READABLE -> {
					return "There is no readable property '%s' in %s. Use a property that every argument has."
						.formatted(inserts[0], owner(inserts[1]));
				}
				case METHOD_NOT_FOUND -> {
					return "There is no method %s in %s. Use a method that every argument has.".formatted(inserts[0],
							owner(inserts[1]));
				}
				case ARRAY_INDEX_OUT_OF_BOUNDS, COLLECTION_INDEX_OUT_OF_BOUNDS -> {
					return "There is no element [%2$s] among %1$s. Call the method with more elements, or use one that is always there."
						.formatted(inserts);
				}
				case EXCEPTION_DURING_BEAN_RESOLUTION -> {
					return "There is no bean '%s', or it cannot be created. Define the bean, or name another one."
						.formatted(inserts);
				}
				default -> {
					// The message of SpEL is a sentence, after its code
				}
			}
		}
		String message = CODE.matcher(String.valueOf(failure.getMessage())).replaceFirst("");
		return message.endsWith(".") ? message : message + ".";
	}

	private static String owner(@Nullable Object type) {
		return LockExpressionRoot.class.getName().equals(type) ? "#root, which has method, target, targetClass and args"
				: "an object of type " + type;
	}

}
