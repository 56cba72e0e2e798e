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

import java.util.function.Supplier;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.EmptyResult;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.ReactiveTypes;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;

/**
 * Answers a call with an empty result.
 *
 * @param result {@code null} if the result is {@code null}
 */
record SkippingHandler(AnnotatedMethod method, @Nullable Supplier<?> result, SkipLog log) implements ContentionHandler {

	static SkippingHandler of(AnnotatedMethod method, SkipLog log) {
		Class<?> type = method.resultType();
		if (type.isPrimitive() && type != void.class) {
			throw invalid(method, "The method returns " + type.getName() + ", which has no empty value.",
					"Return Optional or void");
		}
		Supplier<?> result = EmptyResult.of(type);
		if (result == null) {
			ReactiveAdapter adapter = ReactiveTypes.adapterFor(method);
			if (adapter != null) {
				if (!adapter.supportsEmpty()) {
					throw invalid(method, "The method returns " + type.getName() + ", which cannot be empty.",
							"Return a type that can");
				}
				result = () -> ReactiveTypes.empty(adapter);
			}
			if (adapter == null || method.isSuspending()) {
				checkNullable(method, type);
			}
		}
		return new SkippingHandler(method, result, log);
	}

	private static void checkNullable(AnnotatedMethod method, Class<?> type) {
		if (EmptyResult.mustNotBeNull(method)) {
			throw invalid(method, "The function returns " + type.getSimpleName() + ", which cannot be null.",
					"Return " + type.getSimpleName() + "? or Unit");
		}
	}

	/**
	 * A job has no attribute for it.
	 */
	private static InvalidLockDefinitionException invalid(AnnotatedMethod method, String problem, String types) {
		return method.job()
				? method.invalid("", "", problem, types + ": a call for a fire time that was run is skipped.")
				: method.invalid("onContention", "SKIP", problem, types
						+ ", or replace onContention = SKIP by a fallbackMethod that gives the result of a skipped call.");
	}

	@Override
	public @Nullable Object handle(LockedCall call, LockNotAcquiredException busy, String purpose) {
		this.log.skipped(this.method, "is skipped", busy, purpose);
		return nothing();
	}

	@Override
	public @Nullable Object nothing() {
		return (this.result != null) ? this.result.get() : null;
	}

	@Override
	public String describe() {
		return "skip";
	}

}
