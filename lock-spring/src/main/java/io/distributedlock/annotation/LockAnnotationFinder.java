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

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

import io.distributedlock.annotation.internal.AnnotatedMethod;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations that apply to a method: the annotations of the method or of the
 * nearest overridden or implemented method, otherwise of its class, otherwise of the
 * nearest interface that declares the method.
 */
final class LockAnnotationFinder {

	private static final RepeatableContainers CONTAINERS = RepeatableContainers
		.explicitRepeatable(DistributedLock.class, DistributedLocks.class);

	private LockAnnotationFinder() {
	}

	/**
	 * Return the annotations in the order in which they are written.
	 * @param specific the method as the target class has it
	 * @param called the method as it is called
	 */
	static List<MergedAnnotation<DistributedLock>> of(Method specific, Method called, Class<?> targetClass) {
		List<MergedAnnotation<DistributedLock>> found = nearest(specific, SearchStrategy.TYPE_HIERARCHY);
		if (found.isEmpty() && !specific.equals(called)) {
			found = nearest(called, SearchStrategy.TYPE_HIERARCHY);
		}
		return (found.isEmpty() && appliesFromClass(specific)) ? ofClass(specific, targetClass) : found;
	}

	/**
	 * Return the annotated method, which the given method may override or implement, or
	 * the given method if the class is annotated.
	 */
	static Method declaringMethod(MergedAnnotation<DistributedLock> annotation, Method method) {
		return (annotation.getSource() instanceof Method declaring) ? declaring : method;
	}

	private static boolean appliesFromClass(Method method) {
		return ClassUtils.isUserLevelMethod(method) && !Modifier.isPrivate(method.getModifiers())
				&& !Modifier.isStatic(method.getModifiers()) && !ReflectionUtils.isObjectMethod(method);
	}

	private static List<MergedAnnotation<DistributedLock>> ofClass(Method method, Class<?> targetClass) {
		List<MergedAnnotation<DistributedLock>> found = nearest(method.getDeclaringClass(), SearchStrategy.SUPERCLASS);
		if (found.isEmpty()) {
			AnnotatedMethod annotated = new AnnotatedMethod(method, targetClass);
			for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
				if (found.isEmpty() && annotated.implementsMethodOf(type)) {
					found = nearest(type, SearchStrategy.TYPE_HIERARCHY);
				}
			}
		}
		return found;
	}

	private static List<MergedAnnotation<DistributedLock>> nearest(AnnotatedElement element, SearchStrategy strategy) {
		List<MergedAnnotation<DistributedLock>> all = MergedAnnotations.from(element, strategy, CONTAINERS)
			.stream(DistributedLock.class)
			.toList();
		if (all.size() < 2) {
			return all;
		}
		int nearest = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
		return all.stream().filter((annotation) -> annotation.getAggregateIndex() == nearest).toList();
	}

}
