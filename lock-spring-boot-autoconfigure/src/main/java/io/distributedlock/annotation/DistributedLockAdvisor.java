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

import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.DeclaredLock;
import io.distributedlock.DeclaredLocks;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import org.aopalliance.aop.Advice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Applies {@link DistributedLock @DistributedLock} to Spring beans. Register it as a bean
 * with {@code ROLE_INFRASTRUCTURE}, beside an auto-proxy creator.
 *
 * <p>
 * Annotations are read when their bean is created, and durations are checked against the
 * configuration when all singletons exist; both fail with an
 * {@link InvalidLockDefinitionException}. The lock service is not asked for before.
 *
 * <p>
 * The default order puts the lock inside {@code @Async} and {@code @Retryable} and
 * outside {@code @Transactional} and {@code @Cacheable}.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor
		implements DeclaredLocks, BeanNameAware, InitializingBean, SmartInitializingSingleton, DisposableBean {

	private static final Log logger = LogFactory.getLog(DistributedLockAdvisor.class);

	private static final long serialVersionUID = 1L;

	/**
	 * The order unless {@linkplain #setOrder(int) set}: {@value}, which is 100 less than
	 * the lowest precedence.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LockedMethodSource source;

	private final transient LockInterceptor interceptor;

	private final transient WovenMethodResolver wovenMethods;

	private final transient Pointcut pointcut;

	private final transient ConfigurableBeanFactory beanFactory;

	private transient @Nullable String beanName;

	private LockValidation validation = LockValidation.OFF;

	private transient @Nullable LockValidator validator;

	/**
	 * Create the advisor.
	 * @param beanFactory resolves placeholders and the beans that expressions refer to
	 * @param service gives the lock service; asked when it is first needed
	 * @param customizers change the options of single locks, in order; asked once for
	 * each lock
	 */
	public DistributedLockAdvisor(ConfigurableBeanFactory beanFactory, ObjectProvider<LockService> service,
			ObjectProvider<LockOptionsCustomizer> customizers) {
		this.source = new LockedMethodSource(
				new LockedMethodFactory(beanFactory, SingletonSupplier.of(service::getObject), customizers));
		this.interceptor = new LockInterceptor(this.source);
		this.wovenMethods = WovenMethodResolver.lockedBy(this.source);
		this.pointcut = new LockPointcut(this.source, this::isProxyable);
		this.beanFactory = beanFactory;
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.interceptor;
	}

	/**
	 * Set what happens with annotations that cannot work. To be set before the first bean
	 * is created.
	 * @param validation what happens; {@link LockValidation#OFF} unless set
	 */
	public void setValidation(LockValidation validation) {
		this.validation = validation;
		this.validator = null;
		if (validation != LockValidation.OFF) {
			this.source.collectFailures();
			if (this.beanFactory instanceof ConfigurableListableBeanFactory listable) {
				this.validator = new LockValidator(listable, this, this.source, validation);
			}
		}
	}

	@Override
	public void afterPropertiesSet() {
		if (LockWeaving.isActive()) {
			this.wovenMethods.start();
		}
	}

	@Override
	public void destroy() {
		this.wovenMethods.stop();
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.validator != null) {
			this.validator.validate();
		}
		else {
			this.source.found().forEach((method) -> method.locks().forEach(LockOperation::declared));
		}
	}

	/**
	 * Whether to try to make a proxy for a class. A final one without an interface is
	 * left to the validation, which then reports it with all others, and needs none if
	 * all its locked methods are woven.
	 * @throws LockValidationException if the class was not known when the application
	 * started, and its locks cannot work
	 */
	private boolean isProxyable(Class<?> type) {
		if (this.validator != null) {
			this.validator.beanCreated(type);
		}
		return !Modifier.isFinal(type.getModifiers()) || Proxy.isProxyClass(type)
				|| (ClassUtils.getAllInterfacesForClass(type).length > 0 && !proxiesTargetClasses())
				|| (this.validation != LockValidation.FAIL && Arrays
					.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
					.anyMatch((method) -> !LockWeaving.isWoven(method) && this.source.find(method, type) != null));
	}

	/**
	 * Tell whether proxies are subclasses also where there are interfaces.
	 */
	boolean proxiesTargetClasses() {
		String name = AutoProxyUtils.DEFAULT_PROXY_CONFIG_BEAN_NAME;
		return this.beanFactory.containsBean(name)
				&& this.beanFactory.getBean(name, ProxyConfig.class).isProxyTargetClass();
	}

	@Override
	public List<DeclaredLock> declared() {
		return this.source.found()
			.stream()
			.flatMap((method) -> method.locks().stream())
			.flatMap(DistributedLockAdvisor::declared)
			.sorted(Comparator.comparing(DeclaredLock::location).thenComparing(DeclaredLock::label))
			.toList();
	}

	/**
	 * What contradicts the configuration has no settings in force.
	 */
	private static Stream<DeclaredLock> declared(LockOperation lock) {
		try {
			return Stream.of(lock.declared());
		}
		catch (InvalidLockDefinitionException ex) {
			logger.debug("A lock is declared that cannot work", ex);
			return Stream.empty();
		}
	}

	@Override
	public void setBeanName(String name) {
		this.beanName = name;
	}

	/**
	 * Proxies are serialized with their advisors. This one stands for itself, and is
	 * found again in the context that reads it.
	 */
	private Object writeReplace() throws ObjectStreamException {
		if (this.beanName == null || !(this.beanFactory instanceof DefaultListableBeanFactory serializable)) {
			throw new NotSerializableException(getClass().getName() + " (not a bean of a serializable bean factory)");
		}
		return new Reference(serializable, this.beanName);
	}

	/**
	 * What is written of an advisor.
	 *
	 * @param beanFactory the bean factory, which writes its identity
	 * @param beanName the name of the advisor
	 */
	private record Reference(DefaultListableBeanFactory beanFactory, String beanName) implements Serializable {

		private Object readResolve() throws ObjectStreamException {
			try {
				return this.beanFactory.getBean(this.beanName, DistributedLockAdvisor.class);
			}
			catch (BeansException ex) {
				throw (InvalidObjectException) new InvalidObjectException(
						"There is no DistributedLockAdvisor with the name '" + this.beanName
								+ "' in the application context that reads a proxy with locks. Read it in an application that has the same beans.")
					.initCause(ex);
			}
		}

	}

	/**
	 * Matches the methods that have locks.
	 */
	private static final class LockPointcut extends StaticMethodMatcherPointcut {

		private final LockedMethodSource source;

		LockPointcut(LockedMethodSource source, Predicate<Class<?>> proxyable) {
			this.source = source;
			setClassFilter(new CandidateFilter(proxyable));
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.source.find(method, targetClass) != null;
		}

	}

	/**
	 * Rejects classes that cannot have the annotation, or no proxy.
	 *
	 * @param proxyable whether there can be a proxy
	 */
	private record CandidateFilter(Predicate<Class<?>> proxyable) implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return AnnotationUtils.isCandidateClass(type, DistributedLock.class) && this.proxyable.test(type);
		}

	}

}
