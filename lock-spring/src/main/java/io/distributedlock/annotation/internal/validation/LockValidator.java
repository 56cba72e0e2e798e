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

package io.distributedlock.annotation.internal.validation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.AnnotationInspector;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.annotation.internal.MockedBeans;
import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.annotation.internal.SettingsInspector;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.transaction.internal.DeclaredTransaction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Validates the locks of all beans once the application has started, and reports all
 * mistakes together. Beans that do not exist by then are validated by their declared
 * type; a class that is not known by then is validated when its first bean is created.
 */
public final class LockValidator {

	private static final Log logger = LogFactory.getLog(LockValidator.class);

	private static final String ASPECT = "org.aspectj.lang.annotation.Aspect";

	private static final String TRANSACTION_ADVISOR = "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor";

	private final ConfigurableListableBeanFactory beanFactory;

	private final Supplier<? extends Advisor> advisor;

	private final InspectedMethod.Source source;

	private final LockedClassInspector inspector;

	private final LockValidation validation;

	/**
	 * The classes that were looked at, with what keeps beans of them from being created.
	 */
	private final Map<Class<?>, List<LockFinding>> inspected = new ConcurrentHashMap<>();

	/**
	 * The classes whose beans were created during the start.
	 */
	private final Set<Class<?>> created = ConcurrentHashMap.newKeySet();

	/**
	 * The methods whose definitions were inspected with their class during the start.
	 */
	private final Set<AnnotatedMethod> defined = new HashSet<>();

	private final List<AnnotationInspector> inspectors;

	/** A few for each method in the code at most. */
	private final List<LockFinding> logged = new CopyOnWriteArrayList<>();

	private volatile boolean started;

	public LockValidator(ConfigurableListableBeanFactory beanFactory, Supplier<AbstractPointcutAdvisor> advisor,
			InspectedMethod.Source source, LockValidation validation, List<AnnotationInspector> inspectors) {
		this.beanFactory = beanFactory;
		this.advisor = advisor;
		this.source = source;
		this.inspector = new LockedClassInspector(beanFactory, source, advisor);
		this.inspectors = inspectors;
		this.validation = validation;
	}

	/**
	 * @param limit the longest time for which a method may hold its lock, or {@code null}
	 */
	public void limitHolds(@Nullable Duration limit) {
		this.inspector.limitHolds(limit);
	}

	/**
	 * @throws LockValidationException if something cannot work, unless it is only to be
	 * logged
	 */
	public void validate() {
		Set<LockFinding> findings = new LinkedHashSet<>();
		Set<String> names = new LinkedHashSet<>(List.of(this.beanFactory.getBeanDefinitionNames()));
		names.addAll(List.of(this.beanFactory.getSingletonNames()));
		for (String name : names) {
			inspectBean(name, findings);
		}
		for (String name : names) {
			inspectType(typeOf(name), name, findings);
		}
		for (Class<?> type : this.created) {
			inspectType(type, null, findings);
		}
		for (InspectedMethod method : this.source.found()) {
			if (!this.defined.contains(method.annotated())) {
				this.inspector.definition(method, findings);
			}
			LockedClassInspector.fence(method, findings);
		}
		findings.addAll(NeighbourInspector.of(this.source.found()));
		this.source.namesakes()
			.entrySet()
			.stream()
			.flatMap((entry) -> namesake(entry.getKey(), entry.getValue()).stream())
			.min(Comparator.comparing(LockFinding::location))
			.ifPresent(findings::add);
		this.created.clear();
		this.defined.clear();
		this.started = true;
		report(findings);
	}

	/**
	 * Validate the definitions of beans that an application will have, as far as neither
	 * a bean nor the configuration at run time is needed for it.
	 * @throws LockValidationException if something cannot work, unless it is only to be
	 * logged
	 */
	public void validateAheadOfTime() {
		Set<LockFinding> findings = new LinkedHashSet<>();
		Set<Class<?>> types = new HashSet<>();
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			Class<?> declared = declaredTypeOf(name);
			Class<?> type = (declared != null) ? ClassUtils.getUserClass(declared) : null;
			if (type != null && types.add(type)) {
				findings.addAll(others(type, (inspector) -> expectedProxy(type, name)));
				List<InspectedMethod> locked = this.inspector.lockedMethods(type);
				if (!locked.isEmpty()) {
					findings.addAll(this.inspector.inspectAheadOfTime(type, locked, expectedProxy(type, name), name));
				}
			}
		}
		report(findings);
	}

	/**
	 * An annotation that cannot work declares no lock, and its settings are no mistake.
	 */
	private List<LockFinding> withSettings(List<LockFinding> findings) {
		Set<String> errors = findings.stream()
			.filter((finding) -> finding.severity() == Severity.ERROR)
			.map(LockFinding::location)
			.collect(Collectors.toSet());
		Set<String> mistaken = this.source.found()
			.stream()
			.filter((method) -> errors.contains(method.annotated().description()))
			.flatMap((method) -> Stream.concat(Stream.of(method.annotated().shortName()),
					method.written().stream().flatMap((lock) -> lock.names().asWritten().stream())))
			.collect(Collectors.toSet());
		return Stream
			.concat(findings.stream(),
					this.beanFactory.getBeanProvider(SettingsInspector.class)
						.stream()
						.flatMap((inspector) -> inspector.inspect(mistaken).stream()))
			.toList();
	}

	/**
	 * An import completed by mistake compiles if the attributes have the same names.
	 */
	private static List<LockFinding> namesake(AnnotatedElement element, Class<? extends Annotation> annotation) {
		Class<?> type = classOf(element);
		LockFinding finding = new LockFinding(Severity.WARNING,
				(element instanceof Method method) ? new AnnotatedMethod(method, type).description() : type.getName(),
				"It is annotated with %s, which is not the annotation of this library: it takes no lock of it."
					.formatted(annotation.getName()),
				"Import %s. If the other annotation is meant, say so with @SuppressLockWarnings."
					.formatted(DistributedLock.class.getName()));
		return LockWarningFilter.of(List.of(finding), type,
				(element instanceof Method method) ? Stream.of(method) : Stream.of());
	}

	private void report(Collection<LockFinding> findings) {
		if (findings.isEmpty()) {
			return;
		}
		List<LockFinding> sorted = sorted(findings);
		if (sorted.stream().anyMatch(this::isRefused)) {
			// The settings would end the next start
			throw new LockValidationException(this.started ? sorted(withSettings(sorted)) : sorted);
		}
		sorted.forEach(this::warn);
	}

	private static List<LockFinding> sorted(Collection<LockFinding> findings) {
		return findings.stream()
			.sorted(Comparator.comparing(LockFinding::severity).thenComparing(LockFinding::location))
			.toList();
	}

	private boolean isRefused(LockFinding finding) {
		return switch (this.validation) {
			case STRICT -> true;
			case FAIL -> finding.severity() == Severity.ERROR;
			case WARN, OFF -> false;
		};
	}

	private void warn(LockFinding finding) {
		this.logged.add(finding);
		logger.warn(finding);
	}

	public List<LockFinding> findings() {
		return List.copyOf(this.logged);
	}

	public List<DeclaredLocks.Finding> reported() {
		return this.logged.stream()
			.map((finding) -> new DeclaredLocks.Finding(finding.severity().name(), finding.location(),
					finding.problem(), finding.action()))
			.toList();
	}

	/**
	 * Also in classes that only have an annotation of another package.
	 */
	public List<String> suppressed() {
		return Stream
			.concat(this.source.found().stream().map((method) -> method.annotated().targetClass()),
					this.source.namesakes().keySet().stream().map(LockValidator::classOf))
			.distinct()
			.flatMap(LockWarningFilter::suppressed)
			.sorted()
			.toList();
	}

	private static Class<?> classOf(AnnotatedElement element) {
		return (element instanceof Method method) ? method.getDeclaringClass() : (Class<?>) element;
	}

	/**
	 * Look at the class of a bean that is being created, if it was not known when the
	 * application started.
	 * @throws LockValidationException if a lock of it cannot work, unless it is only to
	 * be logged
	 */
	public void beanCreated(Class<?> beanClass) {
		Class<?> type = ClassUtils.getUserClass(beanClass);
		if (!this.started) {
			this.created.add(type);
			return;
		}
		List<LockFinding> errors = this.inspected.get(type);
		if (errors == null) {
			errors = inspectLate(type);
			this.inspected.putIfAbsent(type, errors);
		}
		if (!errors.isEmpty()) {
			throw new LockValidationException(errors);
		}
	}

	private List<LockFinding> inspectLate(Class<?> type) {
		List<LockFinding> findings = new ArrayList<>(others(type, (inspector) -> expectedProxy(type, null)));
		List<InspectedMethod> locked = this.inspector.lockedMethods(type);
		if (!locked.isEmpty()) {
			findings.addAll(this.inspector.inspect(type, locked, expectedProxy(type, null), null));
		}
		List<LockFinding> errors = findings.stream().filter(this::isRefused).toList();
		findings.stream().filter((finding) -> !errors.contains(finding)).forEach(this::warn);
		return errors;
	}

	private void inspectBean(String name, Set<LockFinding> findings) {
		Object bean = this.beanFactory.containsSingleton(name) ? this.beanFactory.getSingleton(name) : null;
		if (bean == null) {
			return;
		}
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		List<InspectedMethod> locked = this.inspector.lockedMethods(type);
		this.inspected.put(type, List.of());
		findings.addAll(others(type, (inspector) -> ProxyKind.of(bean, inspector.advisor())));
		if (locked.isEmpty()) {
			return;
		}
		ProxyKind proxy = ProxyKind.of(bean, this.advisor.get());
		if (proxy == ProxyKind.NONE && MockedBeans.isMock(bean)) {
			return;
		}
		findings.addAll(inspect(type, locked, proxy, name));
		for (InspectedMethod method : locked) {
			AnnotatedMethod annotated = method.annotated();
			if (proxy != ProxyKind.NONE) {
				if (isInsideTransaction(bean, annotated)) {
					LockFinding early = annotated.warning(
							"Its transaction begins before its lock is acquired, so it may not see what the previous holder has committed.",
							"Set the order of the DistributedLockAdvisor, with Spring Boot 'distributed-lock.annotation.order', to less than that of the transaction advisor (@EnableTransactionManagement), as it is by default.");
					findings.addAll(LockWarningFilter.of(List.of(early), annotated));
				}
			}
			else if (!LockWeaving.isWoven(annotated.method())) {
				unadvised(name, annotated, findings);
			}
		}
	}

	/**
	 * A bean has no proxy with the locks. Methods that no proxy could lock are reported
	 * as such already.
	 */
	private void unadvised(String name, AnnotatedMethod annotated, Set<LockFinding> findings) {
		String location = annotated.description();
		if (findings.stream()
			.anyMatch((finding) -> finding.location().equals(location) && finding.severity() == Severity.ERROR)) {
			return;
		}
		if (!this.beanFactory.containsBeanDefinition(name)) {
			findings.add(annotated.error(
					"Bean '%s' was registered as a finished object, to which locks cannot be applied: the method runs without its lock."
						.formatted(name),
					"Register it with a bean definition, as in context.registerBean(type, supplier), so that Spring makes the proxy. Or lock with LockService."));
		}
		else if (MergedAnnotations.from(annotated.targetClass(), SearchStrategy.TYPE_HIERARCHY).isPresent(ASPECT)) {
			findings.add(annotated.error(
					"The class is an aspect, and Spring makes no proxies for aspects: the method runs without its lock.",
					"Move the locked method to another bean. Or lock with LockService."));
		}
		else {
			findings.add(annotated.error(
					"Bean '%s' was created before locks could be applied to it, so the method runs without its lock."
						.formatted(name),
					"Find out what needs the bean so early, usually a BeanPostProcessor or BeanFactoryPostProcessor, and let it take an ObjectProvider; make @Bean methods of such types static."));
		}
	}

	/**
	 * Look at the class of beans that do not exist yet.
	 */
	private void inspectType(@Nullable Class<?> beanClass, @Nullable String name, Set<LockFinding> findings) {
		if (beanClass == null) {
			return;
		}
		Class<?> type = ClassUtils.getUserClass(beanClass);
		if (this.inspected.putIfAbsent(type, List.of()) == null) {
			findings.addAll(others(type, (inspector) -> expectedProxy(type, name)));
			List<InspectedMethod> locked = this.inspector.lockedMethods(type);
			if (!locked.isEmpty()) {
				findings.addAll(inspect(type, locked, expectedProxy(type, name), name));
			}
		}
	}

	private List<LockFinding> inspect(Class<?> type, List<InspectedMethod> locked, ProxyKind proxy,
			@Nullable String name) {
		locked.forEach((method) -> this.defined.add(method.annotated()));
		return this.inspector.inspect(type, locked, proxy, name);
	}

	private List<LockFinding> others(Class<?> type, Function<AnnotationInspector, ProxyKind> proxy) {
		return !this.source.isCandidate(type) ? List.of()
				: this.inspectors.stream()
					.flatMap((inspector) -> inspector.inspect(type, proxy.apply(inspector)).stream())
					.toList();
	}

	/**
	 * The declared type of a bean, or of what a factory bean makes.
	 */
	private @Nullable Class<?> typeOf(String name) {
		boolean exists = this.beanFactory.containsSingleton(name)
				&& !(this.beanFactory.getSingleton(name) instanceof FactoryBean);
		return exists ? null : declaredTypeOf(name);
	}

	private @Nullable Class<?> declaredTypeOf(String name) {
		try {
			Class<?> type = this.beanFactory.getType(name, false);
			return (type == null || type.isInterface() || Proxy.isProxyClass(type)) ? null : type;
		}
		catch (BeansException | LinkageError ex) {
			logger.debug("The type of bean '" + name + "' is not known", ex);
			return null;
		}
	}

	private ProxyKind expectedProxy(Class<?> type, @Nullable String name) {
		return (name != null && AutoProxyUtils.shouldProxyTargetClass(this.beanFactory, name)) ? ProxyKind.CLASS
				: ProxyKind.expectedFor(type, this.beanFactory);
	}

	private boolean isInsideTransaction(Object bean, AnnotatedMethod annotated) {
		List<Advisor> advisors = Arrays.asList(((Advised) bean).getAdvisors());
		int lock = advisors.indexOf(this.advisor.get());
		return advisors.subList(0, lock)
			.stream()
			.anyMatch((each) -> each.getClass().getName().equals(TRANSACTION_ADVISOR))
				&& DeclaredTransaction.on(annotated.method(), annotated.targetClass()) != null;
	}

}
