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

package io.distributedlock.kinds;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Compares the kinds of locks that a test asks a store for with those that its rows are
 * about. Sees only stores that are {@linkplain #watch watched}.
 */
public final class AskedKinds implements BeforeEachCallback, InvocationInterceptor {

	private static final Set<LockKind> asked = ConcurrentHashMap.newKeySet();

	AskedKinds() {
	}

	/**
	 * Watch what a store is asked for.
	 */
	public static LockStore watch(LockStore store) {
		return (LockStore) Proxy.newProxyInstance(AskedKinds.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("acquire") && arguments[0] instanceof AcquireRequest request) {
						count(request.name(), kindOf(request.limit()));
					}
					try {
						return method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	/**
	 * Count a request to a store that is not watched, as it is in another JVM.
	 */
	public static void count(String name, LockKind kind) {
		if (name.endsWith(kind.named(""))) {
			asked.add(kind);
		}
	}

	private static LockKind kindOf(int limit) {
		return switch (limit) {
			case 1 -> LockKind.EXCLUSIVE;
			case AcquireRequest.NO_LIMIT -> LockKind.SHARED;
			default -> LockKind.PERMITS;
		};
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		asked.clear();
	}

	@Override
	public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> test,
			ExtensionContext context) throws Throwable {
		invocation.proceed();
		verify(test, EnumSet.allOf(LockKind.class));
	}

	@Override
	public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> test,
			ExtensionContext context) throws Throwable {
		invocation.proceed();
		boolean oneOfThem = test.getExecutable().isAnnotationPresent(EachKind.class);
		List<Object> arguments = test.getArguments();
		verify(test, oneOfThem ? EnumSet.of((LockKind) arguments.get(0)) : EnumSet.allOf(LockKind.class));
	}

	private static void verify(ReflectiveInvocationContext<Method> test, Set<LockKind> expected) {
		List<String> rows = List.of(test.getExecutable().getAnnotation(Shows.class).value());
		expected.removeAll(asked);
		if (!expected.isEmpty() && !rows.stream().allMatch(LockKind::isTheOnlyOneOf)) {
			throw new AssertionError(
					"%s shows %s, but asks for no lock of the kind %s: use LockKind.of(…) with LockKind.named(…) for each kind"
						.formatted(test.getExecutable().getName(), rows, expected));
		}
	}

}
