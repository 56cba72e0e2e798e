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

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * The call that a proxy forwards to its bean, under locks that the proxy holds. Marks
 * this call as locked, for the aspect in a woven bean or for a second proxy around the
 * bean. Further calls by the bean are not marked, not even calls of the same method,
 * because other arguments may need other locks.
 */
record ForwardedCall(Method method, @Nullable Object target) {

	private static final ThreadLocal<@Nullable ForwardedCall> CURRENT = new ThreadLocal<>();

	static @Nullable Object forward(Method method, @Nullable Object target, Rest rest) throws Throwable {
		return with(new ForwardedCall(method, target), rest);
	}

	/**
	 * Return whether a call is the call that a proxy currently forwards.
	 */
	static boolean isCurrent(Method method, @Nullable Object target) {
		ForwardedCall current = CURRENT.get();
		return current != null && target != null && current.target == target && (method.equals(current.method)
				|| AopUtils.getMostSpecificMethod(method, target.getClass()).equals(current.method));
	}

	/**
	 * Run the body of a method. What a proxy has forwarded ends here, but begins again
	 * for an interceptor that calls the bean once more.
	 */
	static @Nullable Object arrive(Rest body) throws Throwable {
		return with(null, body);
	}

	private static @Nullable Object with(@Nullable ForwardedCall call, Rest rest) throws Throwable {
		ForwardedCall outer = CURRENT.get();
		set(call);
		try {
			return rest.proceed();
		}
		finally {
			set(outer);
		}
	}

	private static void set(@Nullable ForwardedCall call) {
		if (call != null) {
			CURRENT.set(call);
		}
		else {
			CURRENT.remove();
		}
	}

	@FunctionalInterface
	interface Rest {

		@Nullable Object proceed() throws Throwable;

	}

}
