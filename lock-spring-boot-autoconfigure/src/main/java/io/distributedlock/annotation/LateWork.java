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

import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Knows the return types whose work is done after the method has returned, and cannot be
 * followed.
 */
final class LateWork {

	/**
	 * What somebody else calls or waits for, mostly Spring MVC.
	 */
	private static final List<String> DEFERRED = List.of("java.util.concurrent.Callable",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	private static final String HTTP_ENTITY = "org.springframework.http.HttpEntity";

	private static final String SEQUENCE = "kotlin.sequences.Sequence";

	private LateWork() {
	}

	/**
	 * Return the type in the result of a method that somebody else calls, waits for or
	 * subscribes to: the result itself, or the body of a response.
	 * @param method the method
	 * @return the type, or {@code null} if there is none
	 */
	static @Nullable Class<?> deferredBy(AnnotatedMethod method) {
		Class<?> type = method.resultType();
		if (isDeferred(type)) {
			return type;
		}
		ResolvableType declared = ResolvableType.forMethodReturnType(method.method(), method.targetClass());
		Class<?> body = bodyOf(declared);
		return (body != null) ? body : bodyOf(declared.getGeneric(0));
	}

	private static boolean isDeferred(Class<?> type) {
		return DEFERRED.stream().anyMatch((name) -> LockedInvocationSelector.isNamed(type, name));
	}

	/**
	 * Return the body of a response if it is written later.
	 */
	private static @Nullable Class<?> bodyOf(ResolvableType type) {
		Class<?> body = LockedInvocationSelector.isNamed(type.resolve(), HTTP_ENTITY) ? type.getGeneric(0).resolve()
				: null;
		return (body != null && (isDeferred(body) || LockedInvocationSelector.isPublisher(body))) ? body : null;
	}

	/**
	 * Tell whether what a type stands for is computed when somebody asks for it, so that
	 * it is probably computed too late.
	 * @param type the type
	 * @return whether it is lazy
	 */
	static boolean isLazy(Class<?> type) {
		return BaseStream.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)
				|| Supplier.class.isAssignableFrom(type) || LockedInvocationSelector.isNamed(type, SEQUENCE);
	}

}
