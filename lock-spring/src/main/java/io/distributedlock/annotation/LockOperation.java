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

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.annotation.internal.LockAttributes;
import io.distributedlock.annotation.internal.LockFence;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.annotation.internal.expression.EvaluationProblem;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.distributedlock.annotation.internal.expression.LockNameExpressions;
import io.distributedlock.annotation.internal.validation.InspectedMethod;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/**
 * Everything that is known about one lock of a method before a call. Created once per
 * method.
 *
 * @param declaredName the literal name, if there is one, or else class and method
 * @param condition whether the lock is needed, or {@code null} if always
 * @param options come from the configuration, and are resolved when they are first needed
 * @param sources where each option comes from
 * @param handlePosition the position of the parameter that receives the handle, or
 * negative if there is none
 * @param permits the permits of each call, or {@code null} if the options say it
 * @param guarded makes a guard for each call, or {@code null} if the work of a call that
 * has the lock is always done
 * @param guard that of one call
 */
record LockOperation(String declaredName, LockNameExpressions names, @Nullable CallExpression condition,
		Supplier<LockOptions> options, Supplier<Map<String, String>> sources, ContentionHandler onContention,
		int handlePosition, LockAttributes attributes, LockExpressionParser.Scope scope, LockFence fence,
		@Nullable CallExpression permits, WorkGuards.@Nullable Guarded guarded,
		WorkGuard guard) implements InspectedMethod.Lock {

	/**
	 * Return the names to lock for a call, none if it does not need the lock.
	 */
	List<String> namesFor(LockedCall call) {
		return (this.condition != null && !this.condition.isTrue(call)) ? List.of() : this.names.evaluate(call);
	}

	LockOperation named(List<String> evaluated) {
		return new LockOperation(this.declaredName, this.names.as(evaluated), null, this.options, this.sources,
				this.onContention, this.handlePosition, this.attributes, this.scope, this.fence, this.permits,
				this.guarded, this.guard);
	}

	/**
	 * Return this operation with the options and the guard for one call, which needs the
	 * lock.
	 */
	LockOperation forCall(LockedCall call) {
		boolean ofCall = this.permits != null && this.options.get().permits() == LockAttribute.PERMITS_OF_CALL;
		CallExpression evaluated = ofCall ? this.permits : null;
		if (evaluated == null && this.guarded == null) {
			return this;
		}
		LockOptions options = (evaluated != null) ? this.options.get().withPermits(evaluated.permits(call))
				: this.options.get();
		return new LockOperation(this.declaredName, this.names, this.condition, () -> options, this.sources,
				this.onContention, this.handlePosition, this.attributes, this.scope, this.fence, null, null,
				(this.guarded != null) ? this.guarded.guard(call) : WorkGuard.NONE);
	}

	@Nullable Object[] argumentsFor(LockedCall call, @Nullable LockHandle handle) {
		@Nullable Object[] arguments = call.arguments();
		if (this.handlePosition < 0) {
			return arguments;
		}
		@Nullable Object[] result = arguments.clone();
		result[this.handlePosition] = handle;
		return result;
	}

	@Nullable Object onBusy(LockedCall call, LockNotAcquiredException busy) throws Throwable {
		return this.onContention.handle(call, busy, this.guard.purpose());
	}

	@Override
	public List<LockFinding> warnings(LockOptions options) {
		return (this.guarded != null) ? this.guarded.warnings(options) : List.of();
	}

	@Override
	public void prepareFence() {
		this.fence.prepare();
	}

	/**
	 * Return the human-readable declaration. Resolves the options.
	 * @throws InvalidLockDefinitionException if they contradict each other
	 */
	DeclaredLock declared() {
		return new Declared(this.declaredName, List.copyOf(this.names.asWritten()), this.scope.method().description(),
				this.options.get(), this.sources.get(), this.onContention.describe(), this.attributes.fenced(),
				this.names);
	}

	private record Declared(String declaredName, List<String> names, String location, LockOptions options,
			Map<String, String> sources, String onContention, boolean fenced,
			LockNameExpressions expressions) implements DeclaredLock {

		@Override
		public Match match(String name) {
			Match match = this.expressions.match(name);
			return (match != Match.NAME && this.declaredName.equals(name)) ? Match.DECLARATION : match;
		}

	}

	/**
	 * An expression beside the names, evaluated at each call. Doubt about its result
	 * never means "without the lock" or "any number": the call fails.
	 *
	 * @param text the expression as it is written
	 * @param action how to correct it
	 */
	record CallExpression(LockExpressionParser.Scope scope, String attribute, String text, Expression expression,
			String action) {

		static CallExpression condition(LockExpressionParser.Scope scope, String text) {
			return new CallExpression(scope, "condition", text, scope.condition(text),
					"Write an expression that is true or false for all arguments, as in #amount > 100.");
		}

		static CallExpression fireTime(LockExpressionParser.Scope scope, String text) {
			return new CallExpression(scope, "fireTime", text, scope.fireTime(text), WorkGuards.FIRE_TIME_ACTION);
		}

		static CallExpression permits(LockExpressionParser.Scope scope, String text) {
			return new CallExpression(scope, "permitsString", text, scope.permits(text),
					"Write an expression that is a positive number for all arguments, as in #tenant.parallelExports.");
		}

		boolean isTrue(LockedCall call) {
			Object answer = evaluate(call);
			if (answer instanceof Boolean needed) {
				return needed;
			}
			if ("true".equals(answer) || "false".equals(answer)) {
				return "true".equals(answer);
			}
			throw failure(
					"It gave " + ((answer != null) ? "an object of " + answer.getClass().getName() : "null") + ".",
					null);
		}

		int permits(LockedCall call) {
			Object answer = evaluate(call);
			int permits = LockAttributes.permitsOf(answer);
			if (permits < 1) {
				throw failure("It gave %s, which is not a whole number of at least 1."
					.formatted(Printable.of(String.valueOf(answer))), null);
			}
			return permits;
		}

		@Nullable Object evaluate(LockedCall call) {
			try {
				return this.expression.getValue(this.scope.contextOf(call));
			}
			catch (EvaluationException ex) {
				throw failure("It cannot be evaluated. " + EvaluationProblem.of(ex), ex);
			}
		}

		private InvalidLockDefinitionException failure(String problem, @Nullable Throwable cause) {
			return this.scope.method().invalid(this.attribute, this.text, problem, this.action, cause);
		}

	}

}
