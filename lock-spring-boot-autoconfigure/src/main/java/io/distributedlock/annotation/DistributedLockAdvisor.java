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

import java.io.ObjectStreamException;
import java.lang.reflect.Method;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.core.Ordered;

/**
 * Applies {@link DistributedLock @DistributedLock} to Spring beans: determines which
 * methods have locks, and the order of the lock among other advice. Register it as a bean
 * with {@code ROLE_INFRASTRUCTURE}, together with an auto-proxy creator and the
 * {@link LockedMethodRegistry}, which does the rest.
 *
 * <p>
 * The default order puts the lock inside {@code @Async} and {@code @Retryable} and
 * outside {@code @Transactional} and {@code @Cacheable}.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor implements BeanNameAware {

	private static final long serialVersionUID = 1L;

	/**
	 * The order unless {@linkplain #setOrder(int) set}: {@value}, which is 100 less than
	 * the lowest precedence.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LockedMethodRegistry registry;

	private final transient Pointcut pointcut;

	private final transient Advice interceptor;

	private transient @Nullable String beanName;

	/**
	 * Create the advisor.
	 * @param registry the methods that have locks
	 */
	public DistributedLockAdvisor(LockedMethodRegistry registry) {
		this.registry = registry;
		this.pointcut = new LockPointcut(registry);
		this.interceptor = new LockInterceptor(registry.source());
		setOrder(DEFAULT_ORDER);
		registry.appliedBy(this);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.interceptor;
	}

	@Override
	public void setBeanName(String name) {
		this.beanName = name;
	}

	/**
	 * Proxies are serialized with their advisors. This one is replaced by a reference,
	 * which the context that deserializes it resolves to its own advisor.
	 */
	private Object writeReplace() throws ObjectStreamException {
		return SerializedAdvisor.of(getClass(), this.beanName, this.registry.beanFactory());
	}

	/**
	 * Matches the methods that have locks, of classes that can have a proxy.
	 */
	private static final class LockPointcut extends StaticMethodMatcherPointcut {

		private final LockedMethodRegistry registry;

		LockPointcut(LockedMethodRegistry registry) {
			this.registry = registry;
			setClassFilter(new CandidateFilter(registry));
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.registry.source().find(method, targetClass) != null;
		}

		/**
		 * Rejects classes that cannot have the annotation, or no proxy.
		 *
		 * @param registry knows whether there can be a proxy
		 */
		private record CandidateFilter(LockedMethodRegistry registry) implements ClassFilter {

			@Override
			public boolean matches(Class<?> type) {
				return this.registry.source().isCandidate(type) && this.registry.isProxyable(type);
			}

		}

	}

}
