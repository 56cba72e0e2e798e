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

package io.distributedlock.annotation.internal;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;

/**
 * The results for callers of a method that does not run.
 */
public final class EmptyResult {

	private static final Map<Class<?>, Supplier<?>> EMPTY = Map.of(Optional.class, Optional::empty, OptionalInt.class,
			OptionalInt::empty, OptionalLong.class, OptionalLong::empty, OptionalDouble.class, OptionalDouble::empty,
			Future.class, () -> CompletableFuture.completedFuture(null), CompletionStage.class,
			() -> CompletableFuture.completedFuture(null), CompletableFuture.class,
			() -> CompletableFuture.completedFuture(null));

	private EmptyResult() {
	}

	/**
	 * Return {@code null} if the type has no empty result but {@code null}.
	 */
	public static @Nullable Supplier<?> of(Class<?> type) {
		return EMPTY.get(type);
	}

	/**
	 * Kotlin does not check what a function returns.
	 */
	public static boolean mustNotBeNull(AnnotatedMethod method) {
		Class<?> type = method.resultType();
		return type != void.class && !type.getName().equals("kotlin.Unit") && !method.returns(ReactiveTypes.FLOW)
				&& KotlinDetector.isKotlinType(method.method().getDeclaringClass())
				&& KotlinDetector.isKotlinReflectPresent()
				&& Nullness.forMethodReturnType(method.method()) == Nullness.NON_NULL;
	}

}
