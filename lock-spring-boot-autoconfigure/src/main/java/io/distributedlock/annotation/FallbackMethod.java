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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Answers a call with another method of the same bean.
 */
final class FallbackMethod implements ContentionHandler {

	private final Method method;

	/**
	 * The positions of the arguments to pass on.
	 */
	private final int[] positions;

	private FallbackMethod(Method method, int[] positions) {
		this.method = method;
		this.positions = positions;
	}

	static FallbackMethod named(String name, LockedMethodReference locked) {
		if (KotlinDetector.isSuspendingFunction(locked.method())) {
			throw new InvalidLockDefinitionException(Kind.FALLBACK, locked, "fallbackMethod", name,
					"A suspending function cannot have a fallback method.",
					"Catch the LockNotAcquiredException where the function is called.", null);
		}
		List<Method> candidates = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(locked.targetClass()))
			.filter((method) -> method.getName().equals(name) && !method.equals(locked.method()))
			.sorted(Comparator.comparingInt(Method::getParameterCount).reversed())
			.toList();
		for (Method candidate : candidates) {
			FallbackMethod fallback = match(candidate, locked.method());
			if (fallback != null) {
				checkResult(name, locked, candidate);
				ReflectionUtils.makeAccessible(candidate);
				return fallback;
			}
		}
		throw new InvalidLockDefinitionException(Kind.FALLBACK, locked, "fallbackMethod", name, candidates.isEmpty()
				? "There is no method " + name + " in " + locked.targetClass().getName() + "."
				: "No method of this name takes the parameters of the locked one; found "
						+ candidates.stream().map(FallbackMethod::signature).collect(Collectors.joining(", ")) + ".",
				"Declare " + expected(name, locked) + ", or the same without the exception.", null);
	}

	private static @Nullable FallbackMethod match(Method candidate, Method locked) {
		Class<?>[] available = locked.getParameterTypes();
		Class<?>[] wanted = candidate.getParameterTypes();
		for (boolean withHandle : new boolean[] { true, false }) {
			int[] positions = IntStream.range(0, available.length)
				.filter((position) -> withHandle || available[position] != LockHandle.class)
				.toArray();
			List<Class<?>> types = new ArrayList<>();
			Arrays.stream(positions).forEach((position) -> types.add(available[position]));
			boolean exception = wanted.length == types.size() + 1
					&& Throwable.class.isAssignableFrom(wanted[wanted.length - 1])
					&& wanted[wanted.length - 1].isAssignableFrom(LockNotAcquiredException.class);
			List<Class<?>> others = Arrays.asList(wanted).subList(0, exception ? wanted.length - 1 : wanted.length);
			if (others.equals(types)) {
				return new FallbackMethod(candidate, positions);
			}
		}
		return null;
	}

	private static void checkResult(String name, LockedMethodReference locked, Method candidate) {
		Class<?> wanted = locked.method().getReturnType();
		if (wanted != void.class && !ClassUtils.isAssignable(wanted, candidate.getReturnType())) {
			throw new InvalidLockDefinitionException(Kind.FALLBACK, locked, "fallbackMethod", name,
					signature(candidate) + " returns " + candidate.getReturnType().getName() + ".",
					"Return " + wanted.getName() + ", as the locked method does.", null);
		}
	}

	private static String signature(Method method) {
		return method.getName() + Arrays.stream(method.getParameterTypes())
			.map(ClassUtils::getShortName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	private static String expected(String name, LockedMethodReference locked) {
		List<String> types = new ArrayList<>();
		for (Class<?> type : locked.method().getParameterTypes()) {
			types.add(ClassUtils.getShortName(type));
		}
		types.add("LockNotAcquiredException");
		return ClassUtils.getShortName(locked.method().getReturnType()) + " " + name
				+ types.stream().collect(Collectors.joining(", ", "(", ")"));
	}

	@Override
	public @Nullable Object handle(LockedCall call, LockNotAcquiredException busy) throws Throwable {
		@Nullable Object[] given = call.arguments();
		@Nullable Object[] arguments = new @Nullable Object[this.method.getParameterCount()];
		for (int i = 0; i < this.positions.length; i++) {
			arguments[i] = given[this.positions[i]];
		}
		if (arguments.length > this.positions.length) {
			arguments[this.positions.length] = busy;
		}
		try {
			return this.method.invoke(call.target(), arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	@Override
	public String describe() {
		return "fallback " + this.method.getName() + "()";
	}

}
