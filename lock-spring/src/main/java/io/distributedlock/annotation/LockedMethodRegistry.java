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

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.AnnotatedBeans;
import io.distributedlock.annotation.internal.AnnotationInspector;
import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.annotation.internal.validation.LockValidator;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The locked methods of one application. Finds them when their bean is created, checks
 * them when all singletons exist, lists them, and provides them to methods that AspectJ
 * has woven. Register it as a bean with {@code ROLE_INFRASTRUCTURE}, for one
 * {@link DistributedLockAdvisor}.
 *
 * <p>
 * Annotations are read when their bean is created, and durations are checked against the
 * configuration when all singletons exist; both fail with an
 * {@link InvalidLockDefinitionException}. The lock service is not requested earlier.
 *
 * @since 0.1.0
 */
public final class LockedMethodRegistry implements DeclaredLocks, AnnotatedBeans, AopInfrastructureBean,
		InitializingBean, SmartInitializingSingleton, DisposableBean {

	private static final Log logger = LogFactory.getLog(LockedMethodRegistry.class);

	private final ConfigurableBeanFactory beanFactory;

	private final LockedMethodSource source;

	private final WovenMethodResolver wovenMethods;

	private LockValidation validation = LockValidation.OFF;

	private @Nullable Duration maxHoldLimit;

	private @Nullable LockValidator validator;

	private @Nullable AbstractPointcutAdvisor advisor;

	private final List<AnnotationInspector> inspectors = new ArrayList<>();

	/**
	 * Create the registry.
	 * @param beanFactory resolves placeholders and the beans that expressions refer to
	 * @param service provides the lock service; called when it is first needed
	 * @param customizers change the options of individual locks, in order; called once
	 * for each lock
	 */
	public LockedMethodRegistry(ConfigurableBeanFactory beanFactory, ObjectProvider<LockService> service,
			ObjectProvider<LockOptionsCustomizer> customizers) {
		this.beanFactory = beanFactory;
		this.source = new LockedMethodSource(SingletonSupplier
			.of(() -> new LockedMethodFactory(beanFactory, SingletonSupplier.of(service::getObject), customizers)));
		this.wovenMethods = new WovenMethodResolver(this.source);
	}

	/**
	 * Return a bean for an application that has disabled its locks: methods into which
	 * AspectJ has woven {@link DistributedLockAspect} run without their locks. Without
	 * it, and without a registry, they throw an {@link IllegalStateException}.
	 * @return the bean
	 */
	public static DisposableBean withoutLocks() {
		return new WovenMethodResolver(null);
	}

	/**
	 * Set the longest time for which a method may hold its lock: its maximum hold if the
	 * lease is renewed, otherwise the lease. Others are validated as methods that cannot
	 * work. Must be set before the singletons exist; without a validation, which would be
	 * the only one to look, they then fail with an {@link IllegalStateException}.
	 * @param maxHoldLimit the limit, or {@code null} for none, the default
	 */
	public void setMaxHoldLimit(@Nullable Duration maxHoldLimit) {
		this.maxHoldLimit = maxHoldLimit;
		if (this.validator != null) {
			this.validator.limitHolds(maxHoldLimit);
		}
	}

	/**
	 * Set the reaction to annotations that cannot work. Must be set before the first bean
	 * is created.
	 * @param validation the reaction; {@link LockValidation#OFF} by default
	 */
	public void setValidation(LockValidation validation) {
		this.validation = validation;
		this.validator = null;
		if (validation != LockValidation.OFF) {
			this.source.collectFailures();
			if (this.beanFactory instanceof ConfigurableListableBeanFactory listable) {
				this.validator = new LockValidator(listable, this::advisor, this.source, validation, this.inspectors);
				this.validator.limitHolds(this.maxHoldLimit);
			}
		}
	}

	@Override
	public ConfigurableBeanFactory beanFactory() {
		return this.beanFactory;
	}

	/**
	 * Return whether methods without their locks are reported at the start.
	 */
	boolean isValidating() {
		return this.validator != null;
	}

	LockedMethodSource source() {
		return this.source;
	}

	/**
	 * @param advisor the one of this context, or of a child
	 */
	void appliedBy(AbstractPointcutAdvisor advisor) {
		if (this.advisor == null) {
			this.advisor = advisor;
		}
	}

	@Override
	public void add(AnnotationInspector inspector) {
		this.source.add(inspector.annotationType());
		this.inspectors.add(inspector);
	}

	private AbstractPointcutAdvisor advisor() {
		Assert.state(this.advisor != null, "There is no DistributedLockAdvisor for the locked methods");
		return this.advisor;
	}

	@Override
	public void afterPropertiesSet() {
		if (LockWeaving.isActive()) {
			this.wovenMethods.afterPropertiesSet();
		}
	}

	@Override
	public void destroy() {
		this.wovenMethods.destroy();
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.validator != null) {
			this.validator.validate();
		}
		else {
			Assert.state(this.maxHoldLimit == null,
					"A limit of holds is set, and nothing checks it, as annotations are not validated. Set the validation of the registry, too.");
			this.source.found().forEach((method) -> method.locks().forEach((lock) -> {
				lock.fence().prepare();
				lock.options().get();
			}));
			this.inspectors.forEach(AnnotationInspector::verify);
		}
	}

	@Override
	public void validateAheadOfTime() {
		if (this.validator != null) {
			this.validator.validateAheadOfTime();
		}
	}

	@Override
	public boolean isCandidate(Class<?> type) {
		return this.source.isCandidate(type) && isProxyable(type);
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
				|| ProxyKind.expectedFor(type, this.beanFactory) == ProxyKind.INTERFACES
				|| (!isFailing() && Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
					.anyMatch((method) -> !LockWeaving.isWoven(method) && this.source.find(method, type) != null));
	}

	private boolean isFailing() {
		return this.validation == LockValidation.FAIL || this.validation == LockValidation.STRICT;
	}

	/**
	 * Return what the validation has found and logged, so that a test of the application
	 * can fail for it.
	 * @return the findings so far, at first those of the start
	 * @throws IllegalStateException if annotations are not validated
	 */
	public List<LockFinding> findings() {
		Assert.state(this.validator != null,
				"Annotations are not validated. Set the validation of the registry, or with Spring Boot 'distributed-lock.validation'.");
		return this.validator.findings();
	}

	@Override
	public List<DeclaredLock> declared() {
		return this.source.found()
			.stream()
			.flatMap((method) -> method.locks().stream())
			.flatMap(LockedMethodRegistry::declared)
			.sorted(Comparator.comparing(DeclaredLock::location).thenComparing(DeclaredLock::declaredName))
			.toList();
	}

	@Override
	public List<Finding> reported() {
		return (this.validator == null) ? List.of() : this.validator.reported();
	}

	@Override
	public List<String> suppressed() {
		return (this.validator == null) ? List.of() : this.validator.suppressed();
	}

	/**
	 * An annotation that contradicts the configuration has no settings in force.
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

}
