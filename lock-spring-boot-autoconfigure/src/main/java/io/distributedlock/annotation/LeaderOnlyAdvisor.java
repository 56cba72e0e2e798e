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

import io.distributedlock.leadership.Leadership;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Applies {@link LeaderOnly @LeaderOnly} to Spring beans. Register it as a bean with
 * {@code ROLE_INFRASTRUCTURE}, together with the {@link LockedMethodRegistry}, which
 * reports annotations that cannot work. Its order is to be less than that of the
 * {@link DistributedLockAdvisor}, so that skipped calls acquire no lock.
 *
 * @since 0.1.0
 */
public final class LeaderOnlyAdvisor extends AbstractPointcutAdvisor implements BeanNameAware {

	private static final long serialVersionUID = 1L;

	private final transient LockedMethodRegistry registry;

	private final transient Pointcut pointcut;

	private final transient Advice interceptor;

	private transient @Nullable String beanName;

	/**
	 * Create the advisor.
	 * @param registry knows the classes that have annotations
	 * @param leaderships the leaderships of the application; not asked for before all
	 * singletons exist, or a method is called
	 */
	public LeaderOnlyAdvisor(LockedMethodRegistry registry, ObjectProvider<Leadership> leaderships) {
		LeaderOnlyMethods methods = new LeaderOnlyMethods(leaderships);
		this.registry = registry;
		this.pointcut = new LeaderOnlyPointcut(registry, methods);
		this.interceptor = new LeaderOnlyInterceptor(methods);
		setOrder(DistributedLockAdvisor.DEFAULT_ORDER - 1);
		registry.limitedBy(this, methods);
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
	 * Matches the methods that only the leader runs.
	 */
	private static final class LeaderOnlyPointcut extends StaticMethodMatcherPointcut {

		private final LeaderOnlyMethods methods;

		LeaderOnlyPointcut(LockedMethodRegistry registry, LeaderOnlyMethods methods) {
			this.methods = methods;
			setClassFilter(new CandidateFilter(registry));
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.methods.find(method, targetClass) != null;
		}

		/**
		 * Rejects classes that cannot have an annotation of ours, or no proxy.
		 *
		 * @param registry has looked at the class for the locks already
		 */
		private record CandidateFilter(LockedMethodRegistry registry) implements ClassFilter {

			@Override
			public boolean matches(Class<?> type) {
				return this.registry.source().isCandidate(type) && this.registry.isProxyable(type);
			}

		}

	}

	/**
	 * Skips calls while this instance does not lead.
	 *
	 * @param methods knows the methods
	 */
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
