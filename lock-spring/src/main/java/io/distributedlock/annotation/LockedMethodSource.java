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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.validation.InspectedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/**
 * Knows which methods have locks. Looks at each method once, and remembers the methods
 * without locks as well.
 */
final class LockedMethodSource implements InspectedMethod.Source {

	private final Map<MethodClassKey, Optional<LockedMethod>> entries = new ConcurrentHashMap<>(256);

	private final Map<AnnotatedMethod, LockedMethod> methods = new ConcurrentHashMap<>();

	private final AnnotatedTypes annotatedTypes = new AnnotatedTypes(
			Set.of(DistributedLock.class, DistributedLocks.class));

	/** Not needed without annotations. */
	private final Supplier<LockedMethodFactory> factory;

	private volatile boolean collecting;

	LockedMethodSource(Supplier<LockedMethodFactory> factory) {
		this.factory = factory;
	}

	/**
	 * Cheaper than to look for each method of the class.
	 */
	@Override
	public boolean isCandidate(Class<?> type) {
		return this.annotatedTypes.contains(type);
	}

	@Override
	public Map<AnnotatedElement, Class<? extends Annotation>> namesakes() {
		return this.annotatedTypes.namesakes();
	}

	void add(Class<? extends Annotation> annotation) {
		this.annotatedTypes.add(annotation);
	}

	@Override
	public @Nullable LockedMethod find(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LockedMethod> known = this.entries.get(key);
		if (known == null) {
			known = Optional.ofNullable(compute(method, namedClass(method, targetClass)));
			this.entries.put(key, known);
		}
		return known.orElse(null);
	}

	/**
	 * Keep definitions that cannot work for the validation, instead of failing with the
	 * first. Their methods throw when they are called.
	 */
	void collectFailures() {
		this.collecting = true;
	}

	@Override
	public Collection<LockedMethod> found() {
		return List.copyOf(this.methods.values());
	}

	/**
	 * Return the class as the user declared it. The generated classes of JDK proxies and
	 * lambdas have a different name in each instance, and so would the lock.
	 */
	private static Class<?> namedClass(Method method, Class<?> targetClass) {
		return AnnotatedMethod.isGenerated(targetClass) ? method.getDeclaringClass()
				: ClassUtils.getUserClass(targetClass);
	}

	private @Nullable LockedMethod compute(Method method, Class<?> targetClass) {
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		List<MergedAnnotation<DistributedLock>> annotations = LockAnnotationFinder.of(specific, method, targetClass);
		if (annotations.isEmpty()) {
			return null;
		}
		AnnotatedMethod annotated = new AnnotatedMethod(specific, targetClass);
		if (annotated.isGeneratedOverload()) {
			return null;
		}
		LockedMethod known = this.methods.get(annotated);
		if (known != null) {
			return known;
		}
		LockedMethod created = this.factory.get().create(annotated, annotations);
		InvalidLockDefinitionException failure = created.failure();
		if (failure != null && !this.collecting) {
			throw failure;
		}
		return Objects.requireNonNullElse(this.methods.putIfAbsent(annotated, created), created);
	}

}
