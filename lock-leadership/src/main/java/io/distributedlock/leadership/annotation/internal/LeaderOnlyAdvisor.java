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

package io.distributedlock.leadership.annotation.internal;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Objects;

import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.AnnotationInspector;
import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.annotation.internal.RegisteredAdvisor;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Applies {@link LeaderOnly @LeaderOnly} to Spring beans. Register it as a bean with
 * {@code ROLE_INFRASTRUCTURE}, together with the {@link LockedMethodRegistry}, which
 * reports annotations that cannot work. Its order must be less than that of the
 * {@link DistributedLockAdvisor}, so that skipped calls acquire no lock.
 */
public final class LeaderOnlyAdvisor extends RegisteredAdvisor implements AnnotationInspector {

	private static final long serialVersionUID = 1L;

	private final transient LeaderOnlyMethods methods;

	/**
	 * @param leaderships not requested before all singletons exist, or a method is called
	 */
	public LeaderOnlyAdvisor(LockedMethodRegistry registry, ObjectProvider<Leadership> leaderships) {
		this(registry, new LeaderOnlyMethods(leaderships));
	}

	private LeaderOnlyAdvisor(LockedMethodRegistry registry, LeaderOnlyMethods methods) {
		super(registry, (method, targetClass) -> methods.find(method, targetClass) != null,
				new LeaderOnlyInterceptor(methods));
		setOrder(DistributedLockAdvisor.DEFAULT_ORDER - 1);
		this.methods = methods;
		registry.add(this);
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
			.map((method) -> this.methods.find(method, type))
			.filter(Objects::nonNull)
			.flatMap((limited) -> limited.inspect(proxy).stream())
			.distinct()
			.toList();
	}

	@Override
	public void verify() {
		this.methods.found().forEach(LeaderOnlyMethod::verify);
	}

	private record LeaderOnlyInterceptor(LeaderOnlyMethods methods) implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			Object target = invocation.getThis();
			Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
			LeaderOnlyMethod method = this.methods.find(invocation.getMethod(), type);
			return (method != null) ? method.invoke(invocation) : invocation.proceed();
		}

	}

}
