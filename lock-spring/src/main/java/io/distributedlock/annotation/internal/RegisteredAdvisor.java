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

import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.util.function.BiPredicate;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * An advisor for methods with one of our annotations, of classes that can have a proxy.
 */
public abstract class RegisteredAdvisor extends AbstractPointcutAdvisor implements BeanNameAware {

	private static final long serialVersionUID = 1L;

	private final transient AnnotatedBeans beans;

	private final transient Pointcut pointcut;

	private final transient Advice interceptor;

	private transient @Nullable String beanName;

	protected RegisteredAdvisor(AnnotatedBeans beans, BiPredicate<Method, Class<?>> methods, Advice interceptor) {
		this.beans = beans;
		this.pointcut = new AnnotatedPointcut(beans, methods);
		this.interceptor = interceptor;
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
	protected Object writeReplace() throws ObjectStreamException {
		String name = this.beanName;
		if (name == null || !(this.beans.beanFactory() instanceof DefaultListableBeanFactory serializable)) {
			throw new NotSerializableException(getClass().getName() + " (not a bean of a serializable bean factory)");
		}
		return new Reference(getClass(), serializable, name);
	}

	private static final class AnnotatedPointcut extends StaticMethodMatcherPointcut {

		private final BiPredicate<Method, Class<?>> methods;

		AnnotatedPointcut(AnnotatedBeans beans, BiPredicate<Method, Class<?>> methods) {
			this.methods = methods;
			setClassFilter(beans::isCandidate);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.methods.test(method, targetClass);
		}

	}

	/**
	 * The serialized form.
	 *
	 * @param beanFactory writes only its identity
	 */
	private record Reference(Class<? extends Advisor> type, DefaultListableBeanFactory beanFactory,
			String beanName) implements Serializable {

		private Object readResolve() throws ObjectStreamException {
			try {
				return this.beanFactory.getBean(this.beanName, this.type);
			}
			catch (BeansException ex) {
				throw (InvalidObjectException) new InvalidObjectException("There is no " + this.type.getSimpleName()
						+ " with the name '" + this.beanName
						+ "' in the application context that reads a proxy with locks. Read it in an application that has the same beans.")
					.initCause(ex);
			}
		}

	}

}
