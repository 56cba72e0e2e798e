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

package io.distributedlock.annotation.internal;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.internal.OptionalModule;
import io.distributedlock.leadership.annotation.LeaderOnly;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Refuses {@link LeaderOnly @LeaderOnly} in an application without the module that
 * applies it: otherwise every instance would run the methods, and nobody would notice.
 */
public final class RefusedLeaderOnlyAdvisor extends RegisteredAdvisor implements AnnotationInspector {

	private static final long serialVersionUID = 1L;

	private final transient AtomicReference<@Nullable InvalidLockDefinitionException> refused;

	/**
	 * Create the advisor.
	 * @param beans where the annotated methods are validated
	 */
	public RefusedLeaderOnlyAdvisor(AnnotatedBeans beans) {
		this(beans, new AtomicReference<>());
	}

	private RefusedLeaderOnlyAdvisor(AnnotatedBeans beans,
			AtomicReference<@Nullable InvalidLockDefinitionException> refused) {
		super(beans, (method, targetClass) -> isAnnotated(method, targetClass, refused),
				(MethodInterceptor) (invocation) -> {
					Object target = invocation.getThis();
					throw refusal(invocation.getMethod(),
							(target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass());
				});
		this.refused = refused;
		beans.add(this);
	}

	private static boolean isAnnotated(Method method, Class<?> targetClass,
			AtomicReference<@Nullable InvalidLockDefinitionException> refused) {
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		if (!annotation(specific).isPresent()) {
			return false;
		}
		refused.set(refusal(specific, targetClass));
		return true;
	}

	private static MergedAnnotation<LeaderOnly> annotation(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
	}

	private static InvalidLockDefinitionException refusal(Method method, Class<?> type) {
		Method specific = AopUtils.getMostSpecificMethod(method, type);
		return new AnnotatedMethod(specific, ClassUtils.getUserClass(type)).invalid("value",
				annotation(specific).getString("value"),
				"Leadership is a module of its own, lock-leadership, which is not on the class path: every instance would run the method.",
				OptionalModule.LEADERSHIP.action());
	}

	@Override
	public Class<? extends Annotation> annotationType() {
		return LeaderOnly.class;
	}

	@Override
	public Advisor advisor() {
		return this;
	}

	@Override
	public List<LockFinding> inspect(Class<?> type, ProxyKind proxy) {
		return AnnotatedMethod.methodsOf(type)
			.filter((method) -> annotation(method).isPresent())
			.map((method) -> LockFinding.of(refusal(method, type)))
			.distinct()
			.toList();
	}

	@Override
	public void verify() {
		InvalidLockDefinitionException refusal = this.refused.get();
		if (refusal != null) {
			throw refusal;
		}
	}

}
