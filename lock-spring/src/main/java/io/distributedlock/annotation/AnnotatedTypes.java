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

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;

import org.springframework.core.annotation.AnnotationFilter;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Knows the types in which an annotation of this library appears, directly or on another
 * annotation. Looks at each type once, and only at its own declarations, so that beans
 * without locks cost little: their methods are not looked up in supertypes.
 */
final class AnnotatedTypes {

	private final Set<Class<? extends Annotation>> ours = new CopyOnWriteArraySet<>();

	private final Map<Class<?>, Boolean> types = new ConcurrentHashMap<>(256);

	private final Map<Class<?>, Boolean> annotations = new ConcurrentHashMap<>();

	/** Where an annotation is that only has the name of ours. */
	private final Map<AnnotatedElement, Class<? extends Annotation>> namesakes = new ConcurrentHashMap<>();

	AnnotatedTypes(Set<Class<? extends Annotation>> ours) {
		this.ours.addAll(ours);
	}

	/**
	 * Look for one more annotation. Types that were looked at before are looked at again.
	 */
	void add(Class<? extends Annotation> annotation) {
		this.ours.add(annotation);
		this.types.clear();
		this.annotations.clear();
	}

	/**
	 * Return whether an annotation appears in a type, or in one that it extends or
	 * implements.
	 */
	boolean contains(Class<?> type) {
		Boolean known = this.types.get(type);
		if (known == null) {
			known = AnnotationUtils.isCandidateClass(type, this.ours) && compute(type);
			this.types.put(type, known);
		}
		return known;
	}

	private boolean compute(Class<?> type) {
		Class<?> superclass = type.getSuperclass();
		if (superclass != null && contains(superclass)) {
			return true;
		}
		for (Class<?> each : type.getInterfaces()) {
			if (contains(each)) {
				return true;
			}
		}
		return isDeclaredIn(type);
	}

	/**
	 * A type that cannot be read is left to the closer look, which reports it.
	 */
	private boolean isDeclaredIn(Class<?> type) {
		try {
			if (isOn(type)) {
				return true;
			}
			for (Method method : type.getDeclaredMethods()) {
				if (isOn(method)) {
					return true;
				}
			}
			return false;
		}
		catch (LinkageError | RuntimeException ex) {
			return true;
		}
	}

	private boolean isOn(AnnotatedElement element) {
		for (Annotation annotation : element.getDeclaredAnnotations()) {
			if (isOurs(annotation.annotationType())) {
				return true;
			}
			if (annotation.annotationType().getSimpleName().equals(DistributedLock.class.getSimpleName())) {
				this.namesakes.put(element, annotation.annotationType());
			}
		}
		return false;
	}

	/**
	 * Return the methods and classes with an annotation that only has the name of ours.
	 */
	Map<AnnotatedElement, Class<? extends Annotation>> namesakes() {
		return this.namesakes;
	}

	private boolean isOurs(Class<? extends Annotation> annotation) {
		Boolean known = this.annotations.get(annotation);
		if (known == null) {
			known = isOurs(annotation, new HashSet<>());
			this.annotations.put(annotation, known);
		}
		return known;
	}

	/**
	 * Annotations may annotate each other in a circle.
	 */
	private boolean isOurs(Class<? extends Annotation> annotation, Set<Class<?>> seen) {
		if (this.ours.contains(annotation)) {
			return true;
		}
		if (!AnnotationFilter.PLAIN.matches(annotation) && seen.add(annotation)) {
			for (Annotation meta : annotation.getDeclaredAnnotations()) {
				if (isOurs(meta.annotationType(), seen)) {
					return true;
				}
			}
		}
		return false;
	}

}
