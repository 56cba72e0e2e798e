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
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.SimilarNames;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Answers a call with another method of the same bean.
 *
 * @param positions for each parameter the position of the argument to pass on, or
 * {@link #EXCEPTION}
 */
record FallbackMethod(AnnotatedMethod locked, Method method, List<Integer> positions,
		SkipLog log) implements ContentionHandler {

	private static final int EXCEPTION = -1;

	private static final Pattern NAME = Pattern.compile("(?:.*[.#])?([\\p{L}_$][\\p{L}\\p{N}_$]*)(?:\\(.*\\))?");

	static FallbackMethod named(String name, AnnotatedMethod locked, SkipLog log) {
		checkName(name, locked);
		List<Method> candidates = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(locked.targetClass()))
			.filter((method) -> method.getName().equals(name) && !method.equals(locked.method()))
			.sorted(Comparator.comparingInt(Method::getParameterCount).reversed())
			.toList();
		for (Method candidate : candidates) {
			FallbackMethod fallback = match(candidate, locked, log);
			if (fallback != null) {
				checkStatic(name, locked, candidate);
				checkLock(name, locked, candidate);
				checkResult(name, locked, candidate);
				ReflectionUtils.makeAccessible(candidate);
				return fallback;
			}
		}
		if (candidates.isEmpty() && name.equals(locked.method().getName())) {
			throw locked.invalid("fallbackMethod", name, "It is the locked method itself.",
					"Name another method, and declare it, as in " + expected(name + "WhenBusy", locked) + ".");
		}
		String nearest = candidates.isEmpty() ? SimilarNames.nearest(name, namesIn(locked)) : null;
		throw locked.invalid("fallbackMethod", name, candidates.isEmpty()
				? "There is no method " + name + " in " + locked.targetClass().getName() + "."
				: "There is no method " + name + " that takes the parameters of the locked one, only "
						+ candidates.stream().map(FallbackMethod::signature).collect(Collectors.joining(", ")) + ".",
				((nearest != null) ? "Did you mean " + nearest + "? If not, declare " : "Declare ")
						+ expected(name, locked) + ", or the same without the exception.");
	}

	private static List<String> namesIn(AnnotatedMethod locked) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(locked.targetClass()))
			.filter((method) -> !method.equals(locked.method()) && method.getDeclaringClass() != Object.class)
			.map(Method::getName)
			.toList();
	}

	/**
	 * The name of a function with a value class among its parameters has a dash.
	 */
	private static void checkName(String name, AnnotatedMethod locked) {
		Matcher matcher = NAME.matcher(name);
		if (matcher.matches() && !matcher.group(1).equals(name)) {
			throw locked.invalid("fallbackMethod", name,
					"It is more than the name of a method of " + locked.targetClass().getName() + ".",
					"Write fallbackMethod = \"%s\", and declare %s, if it is not there yet.".formatted(matcher.group(1),
							expected(matcher.group(1), locked)));
		}
	}

	/**
	 * The fallback of a suspending function suspends as well: both have a continuation as
	 * their last parameter, after the exception.
	 */
	private static @Nullable FallbackMethod match(Method candidate, AnnotatedMethod locked, SkipLog log) {
		if (KotlinDetector.isSuspendingFunction(candidate) != locked.isSuspending()) {
			return null;
		}
		List<Class<?>> available = parameterTypes(locked.method(), locked.targetClass());
		List<Class<?>> wanted = parameterTypes(candidate, locked.targetClass());
		for (boolean withHandle : new boolean[] { true, false }) {
			List<Integer> positions = IntStream.range(0, available.size())
				.filter((position) -> withHandle || available.get(position) != LockHandle.class)
				.boxed()
				.collect(Collectors.toCollection(ArrayList::new));
			int last = positions.size() - (locked.isSuspending() ? 1 : 0);
			if (wanted.size() == positions.size() + 1 && Throwable.class.isAssignableFrom(wanted.get(last))) {
				positions.add(last, EXCEPTION);
			}
			if (fits(positions, available, wanted)) {
				return new FallbackMethod(locked, candidate, List.copyOf(positions), log);
			}
		}
		return null;
	}

	/**
	 * A superclass may have type parameters in the place of types.
	 */
	private static List<Class<?>> parameterTypes(Method method, Class<?> targetClass) {
		return IntStream.range(0, method.getParameterCount())
			.<Class<?>>mapToObj((index) -> ResolvableType.forMethodParameter(method, index, targetClass)
				.resolve(method.getParameterTypes()[index]))
			.toList();
	}

	private static boolean fits(List<Integer> positions, List<Class<?>> available, List<Class<?>> wanted) {
		return positions.size() == wanted.size() && IntStream.range(0, wanted.size())
			.allMatch((index) -> (positions.get(index) == EXCEPTION)
					? wanted.get(index).isAssignableFrom(LockNotAcquiredException.class)
					: wanted.get(index) == available.get(positions.get(index)));
	}

	/**
	 * A static method, which only weaving can lock, has no object to call the fallback
	 * on.
	 */
	private static void checkStatic(String name, AnnotatedMethod locked, Method candidate) {
		if (Modifier.isStatic(locked.method().getModifiers()) && !Modifier.isStatic(candidate.getModifiers())) {
			throw locked.invalid("fallbackMethod", name,
					"The locked method is static, and " + signature(candidate) + " is not.",
					"Declare " + signature(candidate) + " static as well.");
		}
	}

	/**
	 * The fallback is not called through the proxy.
	 */
	private static void checkLock(String name, AnnotatedMethod locked, Method candidate) {
		if (!LockWeaving.isWoven(candidate)
				&& MergedAnnotations.from(candidate, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class)) {
			throw locked.invalid("fallbackMethod", name, signature(candidate)
					+ " has a lock of its own, and is called on the bean and not through its proxy: it would run without its lock.",
					"Name a method without a lock. It may call a locked method of another bean, or use LockService.");
		}
	}

	private static void checkResult(String name, AnnotatedMethod locked, Method candidate) {
		Class<?> wanted = locked.resultType();
		Class<?> given = AnnotatedMethod.resultType(candidate, locked.targetClass());
		if (wanted != void.class && !ClassUtils.isAssignable(wanted, given)) {
			throw locked.invalid("fallbackMethod", name, signature(candidate) + " returns " + given.getName() + ".",
					"Return " + wanted.getName() + ", as the locked method does.");
		}
	}

	private static String signature(Method method) {
		return method.getName() + AnnotatedMethod.parametersOf(method);
	}

	private static String expected(String name, AnnotatedMethod locked) {
		String parameters = AnnotatedMethod.parametersOf(locked.method());
		String before = parameters.equals("()") ? "(" : parameters.replace(")", ", ");
		return (locked.isSuspending() ? "suspend " : "") + ClassUtils.getShortName(locked.resultType()) + " " + name
				+ before + "LockNotAcquiredException)";
	}

	@Override
	public @Nullable Object handle(LockedCall call, LockNotAcquiredException busy, String purpose) throws Throwable {
		this.log.skipped(this.locked, "is answered by " + this.method.getName() + "()", busy, purpose);
		@Nullable Object[] given = call.arguments();
		@Nullable Object[] arguments = this.positions.stream()
			.map((position) -> (position == EXCEPTION) ? busy : given[position])
			.toArray();
		return AopUtils.invokeJoinpointUsingReflection(call.target(), this.method, arguments);
	}

	@Override
	public String describe() {
		return "fallback " + this.method.getName() + "()";
	}

}
