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

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;

/**
 * Answers a call with an empty result.
 */
final class SkippingHandler implements ContentionHandler {

	private static final Map<Class<?>, Supplier<?>> EMPTY = Map.of(Optional.class, Optional::empty, OptionalInt.class,
			OptionalInt::empty, OptionalLong.class, OptionalLong::empty, OptionalDouble.class, OptionalDouble::empty,
			Future.class, () -> CompletableFuture.completedFuture(null), CompletionStage.class,
			() -> CompletableFuture.completedFuture(null), CompletableFuture.class,
			() -> CompletableFuture.completedFuture(null));

	private final AnnotatedMethod method;

	private final @Nullable Supplier<?> result;

	private final SkipLog log;

	private SkippingHandler(AnnotatedMethod method, @Nullable Supplier<?> result, SkipLog log) {
		this.method = method;
		this.result = result;
		this.log = log;
	}

	static SkippingHandler of(AnnotatedMethod method, SkipLog log) {
		Class<?> type = method.resultType();
		if (type.isPrimitive() && type != void.class) {
			throw method.invalid(Kind.SKIP_RESULT, "onContention", "SKIP",
					"The method returns " + type.getName() + ", which has no empty value.",
					"Return Optional or void, or name a fallbackMethod that gives the result of a skipped call.");
		}
		Supplier<?> result = EMPTY.get(type);
		if (result == null) {
			ReactiveAdapter adapter = LockedInvocationSelector.reactiveAdapterFor(method);
			if (adapter != null) {
				if (!adapter.supportsEmpty()) {
					throw method.invalid(Kind.SKIP_RESULT, "onContention", "SKIP",
							"The method returns " + type.getName() + ", which cannot be empty.",
							"Return a type that can, or name a fallbackMethod that gives the result of a skipped call.");
				}
				result = adapter.getDescriptor()::getEmptyValue;
			}
			if (adapter == null || method.isSuspending()) {
				checkNullable(method, type);
			}
		}
		return new SkippingHandler(method, result, log);
	}

	/**
	 * Kotlin does not check what a function returns that cannot return null.
	 */
	private static boolean mustNotBeNull(AnnotatedMethod method, Class<?> type) {
		return type != void.class && !type.getName().equals("kotlin.Unit")
				&& !method.returns(LockedInvocationSelector.FLOW)
				&& KotlinDetector.isKotlinType(method.method().getDeclaringClass())
				&& KotlinDetector.isKotlinReflectPresent()
				&& Nullness.forMethodReturnType(method.method()) == Nullness.NON_NULL;
	}

	private static void checkNullable(AnnotatedMethod method, Class<?> type) {
		if (mustNotBeNull(method, type)) {
			throw method.invalid(Kind.SKIP_RESULT, "onContention", "SKIP",
					"The function returns " + type.getSimpleName() + ", which cannot be null.",
					"Return " + type.getSimpleName()
							+ "? or Unit, or name a fallbackMethod that gives the result of a skipped call.");
		}
	}

	/**
	 * Check that a call that only the leader runs can be skipped. What a publisher or a
	 * suspending function does begins after the call, when another instance may lead.
	 * @throws InvalidLockDefinitionException if it cannot
	 */
	static void requireEmptyResult(AnnotatedMethod method, String leadership) {
		Class<?> type = method.resultType();
		String problem = null;
		if (method.isSuspending()) {
			problem = "The method is a suspending function, and would ask before it runs.";
		}
		else if (EMPTY.containsKey(type)) {
			return;
		}
		else if (LockedInvocationSelector.reactiveAdapterFor(method) != null) {
			problem = "The method returns " + type.getSimpleName() + ", and would ask long before it is subscribed to.";
		}
		else if ((type.isPrimitive() && type != void.class) || mustNotBeNull(method, type)) {
			problem = "The method returns " + type.getSimpleName() + ", which has no empty value for a skipped call.";
		}
		if (problem != null) {
			throw method.invalid(Kind.SKIP_RESULT, "value", leadership, problem,
					"Return void, Optional or a future, or ask isLeader() of the Leadership in the method.");
		}
	}

	/**
	 * Return the result of a skipped call.
	 */
	static @Nullable Object emptyResult(Class<?> type) {
		Supplier<?> result = EMPTY.get(type);
		return (result != null) ? result.get() : null;
	}

	@Override
	public @Nullable Object handle(LockedCall call, LockNotAcquiredException busy) {
		this.log.skipped(this.method, "is skipped", busy);
		return (this.result != null) ? this.result.get() : null;
	}

	@Override
	public String describe() {
		return "skip";
	}

}
