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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Chooses how a method runs under its lock, by its return type. What a skipped call
 * returns is in {@code EmptyResult}.
 */
record LockedInvocationSelector(Supplier<LockService> service) {

	private static final boolean COROUTINES = ReactiveTypes.AVAILABLE && KotlinDetector.isKotlinReflectPresent()
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt",
					LockedInvocationSelector.class.getClassLoader());

	/**
	 * Results that a framework, usually Spring MVC, calls or waits for.
	 */
	private static final List<String> DEFERRED = List.of("java.util.concurrent.Callable",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	private static final String HTTP_ENTITY = "org.springframework.http.HttpEntity";

	LockedInvocation of(AnnotatedMethod method) {
		if (ReactiveTypes.isSimple(method.method().getReturnType()) && !method.isSuspending()) {
			return new BlockingInvocation(this.service, ownTransactionOf(method));
		}
		Class<?> deferred = deferredBy(method);
		if (deferred != null) {
			throw unsupported(method, deferred,
					"Return the value, or a CompletableFuture, Mono or Flux of it; Spring MVC takes these as well.");
		}
		if (method.isSuspending()) {
			return suspending(method);
		}
		Class<?> type = method.resultType();
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			if (!type.isAssignableFrom(CompletableFuture.class)) {
				throw unsupported(method, "Return CompletableFuture, CompletionStage or Future.");
			}
			return new FutureInvocation(this.service, ownTransactionOf(method), method.isAsync());
		}
		if (method.returns("kotlinx.coroutines.Job")) {
			throw unsupported(method, "Make it a suspending function that returns the value.");
		}
		ReactiveAdapter adapter = ReactiveTypes.adapterFor(method);
		if (adapter == null) {
			String remedy = ReactiveTypes.remedy(method);
			if (remedy != null) {
				throw unsupported(method, remedy);
			}
			return new BlockingInvocation(this.service, ownTransactionOf(method));
		}
		if (!ReactiveTypes.makes(adapter, type)) {
			throw noSubtype(method, ReactiveTypes.made(adapter));
		}
		return new ReactiveInvocation(this.service, adapter, ownTransactionOf(method));
	}

	/**
	 * Return the type in the result that a framework calls, waits for or subscribes to:
	 * the result itself, or the body of a response.
	 */
	private static @Nullable Class<?> deferredBy(AnnotatedMethod method) {
		Class<?> type = method.resultType();
		if (isDeferred(type)) {
			return type;
		}
		ResolvableType declared = ResolvableType.forMethodReturnType(method.method(), method.targetClass());
		Class<?> body = bodyOf(declared);
		return (body != null) ? body : bodyOf(declared.getGeneric(0));
	}

	private static boolean isDeferred(Class<?> type) {
		return DEFERRED.stream().anyMatch((name) -> AnnotatedMethod.isNamed(type, name));
	}

	private static @Nullable Class<?> bodyOf(ResolvableType type) {
		Class<?> body = AnnotatedMethod.isNamed(type.resolve(), HTTP_ENTITY) ? type.getGeneric(0).resolve() : null;
		return (body != null && (isDeferred(body) || ReactiveTypes.isPublisher(body))) ? body : null;
	}

	private LockedInvocation suspending(AnnotatedMethod method) {
		if (!COROUTINES) {
			throw unsupported(method,
					"Add kotlinx-coroutines-reactor and kotlin-reflect, which Spring needs for suspending functions.");
		}
		Class<?> type = method.resultType();
		if (Future.class.isAssignableFrom(type) || method.returns("kotlinx.coroutines.Job")
				|| (ReactiveTypes.isPublisher(type) && !method.returns(ReactiveTypes.FLOW))) {
			throw unsupported(method, "Await the result in the suspending function and return the value.");
		}
		if (method.returns(ReactiveTypes.FLOW) && !type.getName().equals(ReactiveTypes.FLOW)) {
			throw noSubtype(method, ReactiveTypes.FLOW);
		}
		return new ReactiveInvocation(this.service, Objects.requireNonNull(ReactiveTypes.adapterFor(method)),
				ownTransactionOf(method));
	}

	private static @Nullable String ownTransactionOf(AnnotatedMethod method) {
		return AmbientTransaction.ownOf(method.method(), method.qualifiedName());
	}

	private static InvalidLockDefinitionException unsupported(AnnotatedMethod method, String action) {
		return unsupported(method, method.resultType(), action);
	}

	private static InvalidLockDefinitionException unsupported(AnnotatedMethod method, Class<?> type, String action) {
		return method.invalid("", "",
				"It is not known when the work of a method that returns " + type.getName() + " is done.", action);
	}

	private static InvalidLockDefinitionException noSubtype(AnnotatedMethod method, String made) {
		return method.invalid("", "", "The caller would get a " + made
				+ ", which takes the lock at its subscription and is no " + method.resultType().getName() + ".",
				"Return " + made + ".");
	}

}
