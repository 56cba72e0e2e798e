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

import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;

/**
 * Whether a call needs the lock at all.
 *
 * @param method the method
 * @param text the condition as it is written
 * @param expression the condition
 */
record LockCondition(AnnotatedMethod method, String text, LockExpression expression) {

	/**
	 * Evaluate the condition.
	 * @param context the call
	 * @return whether the lock is needed
	 * @throws InvalidLockDefinitionException if the answer is neither true nor false;
	 * doubt never means "without the lock"
	 */
	boolean isTrue(LockEvaluationContext context) {
		Object answer;
		try {
			answer = this.expression.value(context);
		}
		catch (EvaluationException ex) {
			throw failure("It cannot be evaluated: " + ex.getMessage() + ".", ex);
		}
		if (answer instanceof Boolean needed) {
			return needed;
		}
		if ("true".equals(answer) || "false".equals(answer)) {
			return "true".equals(answer);
		}
		throw failure("It gave " + ((answer != null) ? "an object of " + answer.getClass().getName() : "null") + ".",
				null);
	}

	private InvalidLockDefinitionException failure(String problem, @Nullable Throwable cause) {
		return new InvalidLockDefinitionException(Kind.EXPRESSION, this.method, "condition", this.text, problem,
				"Write an expression that is true or false for all arguments, as in #amount > 100.", cause);
	}

}
