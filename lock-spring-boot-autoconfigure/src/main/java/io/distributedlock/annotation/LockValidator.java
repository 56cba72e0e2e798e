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

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NativeDetector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks at all beans once they exist and reports every lock that cannot work: together
 * with the definitions that could not be understood, in one go.
 */
final class LockValidator {

	private static final Log logger = LogFactory.getLog(LockValidator.class);

	private static final String TRANSACTIONAL = "org.springframework.transaction.annotation.Transactional";

	private static final String TRANSACTION_ADVISOR = "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor";

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockAdvisor advisor;

	private final LockedMethodSource source;

	private final Set<LockFinding> findings = new LinkedHashSet<>();

	LockValidator(ConfigurableListableBeanFactory beanFactory, DistributedLockAdvisor advisor,
			LockedMethodSource source) {
		this.beanFactory = beanFactory;
		this.advisor = advisor;
		this.source = source;
	}

	/**
	 * Look at all beans.
	 * @param validation what to do with what is found
	 * @throws InvalidLocksException if something cannot work, unless it is only to be
	 * logged
	 */
	void validate(LockValidation validation) {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			Object bean = this.beanFactory.containsSingleton(name) ? this.beanFactory.getSingleton(name) : null;
			if (bean != null) {
				validate(name, bean);
			}
		}
		this.source.found().forEach(this::resolve);
		this.source.failures().forEach((failure) -> this.findings.add(LockFinding.of(failure)));
		List<LockFinding> sorted = this.findings.stream()
			.sorted(Comparator.comparing(LockFinding::severity).thenComparing(LockFinding::location))
			.toList();
		boolean fail = validation == LockValidation.FAIL
				&& sorted.stream().anyMatch((finding) -> finding.severity() == LockFinding.Severity.ERROR);
		if (fail) {
			throw new InvalidLocksException(sorted);
		}
		sorted.forEach(logger::warn);
	}

	private void validate(String beanName, Object bean) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return;
		}
		List<Method> locked = lockedMethods(type);
		if (locked.isEmpty()) {
			return;
		}
		boolean advised = isAdvised(bean);
		List<Method> proxied = locked.stream().filter((method) -> !LockWeaving.isWoven(method)).toList();
		for (Method method : advised ? locked : proxied) {
			LockFinding finding = proxied.contains(method) ? unreachable(method, type, bean, advised) : null;
			if (finding != null) {
				this.findings.add(finding);
			}
			else if (!advised && Modifier.isFinal(type.getModifiers())) {
				this.findings.add(new LockFinding(LockFinding.Severity.ERROR, describe(method, type),
						"The class is final, and a proxy cannot extend it: the method would run without its lock.",
						"Remove 'final' from the class (a record is always final; Kotlin has the kotlin-spring plugin for it). Or lock with LockService, or use AspectJ weaving."));
			}
			else if (!advised) {
				this.findings.add(new LockFinding(LockFinding.Severity.ERROR, describe(method, type),
						"Bean '%s' was created before locks could be applied to it, so the method runs without its lock."
							.formatted(beanName),
						"Find out what needs the bean so early, usually a BeanPostProcessor or BeanFactoryPostProcessor, and let it take an ObjectProvider; make @Bean methods of such types static."));
			}
			else if (isInsideTransaction(bean, method, type)) {
				this.findings.add(new LockFinding(LockFinding.Severity.WARNING, describe(method, type),
						"Its transaction begins before its lock is acquired, so it may not see what the previous holder has committed.",
						"Set 'distributed-lock.annotation.order' to less than the order of the transaction advisor (@EnableTransactionManagement), as it is by default."));
			}
		}
		if (!NativeDetector.inNativeImage()) {
			new SelfInvocations(type, proxied).find().forEach(this::selfInvocation);
		}
	}

	/**
	 * Resolve the durations, which may contradict the configuration.
	 */
	private void resolve(LockedMethod method) {
		try {
			method.locks().forEach(LockSpecification::declared);
			this.findings.addAll(LockSmells.of(method));
		}
		catch (InvalidLockDefinitionException ex) {
			this.findings.add(LockFinding.of(ex));
		}
	}

	private List<Method> lockedMethods(Class<?> type) {
		List<Method> locked = new ArrayList<>();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
			if (!method.isSynthetic() && method.getDeclaringClass() != Object.class && isLocked(method, type)) {
				locked.add(method);
			}
		}
		return locked;
	}

	private boolean isLocked(Method method, Class<?> type) {
		try {
			return this.source.find(method, type) != null;
		}
		catch (InvalidLockDefinitionException ex) {
			this.findings.add(LockFinding.of(ex));
			return false;
		}
	}

	private @Nullable LockFinding unreachable(Method method, Class<?> type, Object bean, boolean advised) {
		int modifiers = method.getModifiers();
		boolean subclassed = advised && AopUtils.isCglibProxy(bean);
		if (Modifier.isStatic(modifiers)) {
			return notIntercepted(method, type, "static",
					"Make it a method of the bean, and call it from another bean");
		}
		if (Modifier.isPrivate(modifiers)) {
			return notIntercepted(method, type, "private",
					"Remove 'private' from the method, and call it from another bean");
		}
		if (Modifier.isFinal(modifiers) && subclassed) {
			return notIntercepted(method, type, "final",
					"Remove 'final' from the method (Kotlin: declare it open, or use the kotlin-spring plugin)");
		}
		if (advised && !subclassed && !isInInterface(method, type)) {
			return new LockFinding(LockFinding.Severity.ERROR, describe(method, type),
					"The bean is proxied by its interfaces, and none of them has this method: nobody can call it with its lock.",
					"Add the method to an interface, or set 'spring.aop.proxy-target-class' to true, which is the default.");
		}
		return null;
	}

	private static LockFinding notIntercepted(Method method, Class<?> type, String modifier, String cure) {
		return new LockFinding(LockFinding.Severity.ERROR, describe(method, type),
				"The method is " + modifier + ", and a proxy cannot intercept it: it would run without its lock.",
				cure + ". Or lock with LockService, or use AspectJ weaving.");
	}

	private static boolean isInInterface(Method method, Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((each) -> ClassUtils.hasMethod(each, method.getName(), method.getParameterTypes()));
	}

	private boolean isAdvised(Object bean) {
		return bean instanceof Advised advised && Arrays.asList(advised.getAdvisors()).contains(this.advisor);
	}

	private boolean isInsideTransaction(Object bean, Method method, Class<?> type) {
		List<Advisor> advisors = Arrays.asList(((Advised) bean).getAdvisors());
		int lock = advisors.indexOf(this.advisor);
		return advisors.subList(0, lock)
			.stream()
			.anyMatch((each) -> each.getClass().getName().equals(TRANSACTION_ADVISOR))
				&& (AnnotatedElementUtils.hasAnnotation(method, transactional(type))
						|| AnnotatedElementUtils.hasAnnotation(type, transactional(type)));
	}

	@SuppressWarnings("unchecked")
	private static Class<? extends java.lang.annotation.Annotation> transactional(Class<?> type) {
		return (Class<? extends java.lang.annotation.Annotation>) ClassUtils.resolveClassName(TRANSACTIONAL,
				LockValidator.class.getClassLoader());
	}

	private void selfInvocation(SelfInvocations.Call call) {
		this.findings.add(new LockFinding(LockFinding.Severity.WARNING, call.caller(),
				"It calls %s, which is annotated with @DistributedLock, on this object and not through its proxy: the lock would not be applied."
					.formatted(call.callee()),
				"Move the locked method to another bean, or inject this bean into itself and call that. Or lock with LockService, or use AspectJ weaving."));
	}

	private static String describe(Method method, Class<?> type) {
		return new LockedMethodReference(method, type).description();
	}

}
