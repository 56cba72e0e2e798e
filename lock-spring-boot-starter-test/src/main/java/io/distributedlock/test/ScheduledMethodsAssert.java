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

package io.distributedlock.test;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLocks;
import io.distributedlock.annotation.RunsOnEveryInstance;
import io.distributedlock.leadership.annotation.LeaderOnly;
import org.assertj.core.api.AbstractAssert;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

/**
 * Assertions about {@link ScheduledMethods}.
 *
 * @since 0.1.0
 */
public final class ScheduledMethodsAssert extends AbstractAssert<ScheduledMethodsAssert, ScheduledMethods> {

	private static final List<Class<? extends Annotation>> LOCKS = List.of(DistributedLock.class,
			DistributedLocks.class);

	ScheduledMethodsAssert(ScheduledMethods actual) {
		super(actual, ScheduledMethodsAssert.class);
	}

	/**
	 * Verify that every scheduled method declares a lock, on itself or on its class, is
	 * limited to the leader with {@link LeaderOnly}, or is marked with
	 * {@link RunsOnEveryInstance}. Fails as well if there is no scheduled method at all.
	 * @return this
	 */
	public ScheduledMethodsAssert declareALock() {
		Set<String> without = new TreeSet<>();
		int checked = 0;
		for (Class<?> type : this.actual.classes()) {
			for (Method method : MethodIntrospector.selectMethods(type, ScheduledMethodsAssert::isScheduled)) {
				checked++;
				if (!declaresALock(method, type)) {
					without.add(description(method));
				}
			}
		}
		if (checked == 0) {
			throw failure(
					"Expected %s to declare a lock, but there are none, so nothing was checked. Check the name of the package, or remove the assertion.",
					this.actual);
		}
		if (!without.isEmpty()) {
			throw failure(
					"Expected %s to declare a lock, but these do not, so every instance runs them at the same time:%n%s%nAnnotate each with @OncePerFireTime, @DistributedLock(onContention = OnContention.SKIP) or @LeaderOnly, or with @RunsOnEveryInstance if that is intended.",
					this.actual,
					without.stream()
						.map((method) -> "- " + method)
						.collect(Collectors.joining(System.lineSeparator())));
		}
		return this;
	}

	private static boolean isScheduled(Method method) {
		return isAnnotated(method, List.of(Scheduled.class, Schedules.class));
	}

	private static boolean declaresALock(Method method, Class<?> type) {
		// A lock of the class is one for what a proxy can intercept
		boolean intercepted = !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
		return isAnnotated(method, LOCKS) || (intercepted && isAnnotated(type, LOCKS))
				|| isAnnotated(method, List.of(LeaderOnly.class, RunsOnEveryInstance.class))
				|| isAnnotated(type, List.of(RunsOnEveryInstance.class));
	}

	private static boolean isAnnotated(AnnotatedElement element, List<Class<? extends Annotation>> types) {
		return types.stream().anyMatch(MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)::isPresent);
	}

	private static String description(Method method) {
		return Stream.of(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(
					Collectors.joining(", ", method.getDeclaringClass().getName() + "." + method.getName() + "(", ")"));
	}

}
