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
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.LockedClassInspector.ProxyKind;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.bytecode.SelfInvocationFinder;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Inspects the locked methods of a class for reasons why locks would not apply to them,
 * or not as their author intends.
 */
final class LockedClassInspector {

	private static final String CACHE_ADVISOR = "org.springframework.cache.config.internalCacheAdvisor";

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockedMethodSource source;

	private final Supplier<? extends Ordered> advisor;

	/** Few applications have caches. */
	private final Supplier<CacheOperationSource> caches = SingletonSupplier
		.of(() -> new AnnotationCacheOperationSource(false));

	LockedClassInspector(ConfigurableListableBeanFactory beanFactory, LockedMethodSource source,
			Supplier<? extends Ordered> advisor) {
		this.beanFactory = beanFactory;
		this.source = source;
		this.advisor = advisor;
	}

	/**
	 * Return whether a class can have annotations of ours at all.
	 */
	boolean isCandidate(Class<?> type) {
		return this.source.isCandidate(type);
	}

	/**
	 * Return the locked methods of a class.
	 * @param type the class as its author wrote it, or that of a JDK proxy
	 * @return the methods, those with invalid definitions as well
	 */
	List<LockedMethod> lockedMethods(Class<?> type) {
		if (!this.source.isCandidate(type)) {
			return List.of();
		}
		List<LockedMethod> locked = new ArrayList<>();
		methods(type).forEach((method) -> {
			LockedMethod found = this.source.find(method, type);
			if (found != null) {
				locked.add(found);
			}
		});
		return locked;
	}

	/**
	 * The methods of generated classes are those of their interfaces.
	 */
	private static Stream<Method> methods(Class<?> type) {
		Stream<Method> methods = isGenerated(type)
				? ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.flatMap((each) -> Arrays.stream(each.getMethods()))
				: Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type));
		return methods.filter((method) -> !method.isSynthetic() && method.getDeclaringClass() != Object.class);
	}

	private static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || type.isHidden();
	}

	/**
	 * Look at the methods of a class that only the leader is to run.
	 * @param methods knows which they are
	 * @param proxy what kind of proxy limits them
	 * @return what was found
	 */
	List<LockFinding> inspect(Class<?> type, LeaderOnlyMethods methods, ProxyKind proxy) {
		if (!this.source.isCandidate(type)) {
			return List.of();
		}
		Set<LockFinding> findings = new LinkedHashSet<>();
		methods(type).forEach((method) -> {
			LeaderOnlyMethod limited = methods.find(method, type);
			if (limited != null) {
				limited(limited, proxy, findings);
			}
		});
		return List.copyOf(findings);
	}

	private static void limited(LeaderOnlyMethod method, ProxyKind proxy, Set<LockFinding> findings) {
		try {
			method.verify();
		}
		catch (InvalidLockDefinitionException ex) {
			findings.add(LockFinding.of(ex));
		}
		String obstacle = obstacle(method.annotated(), proxy);
		if (obstacle != null) {
			findings.add(method.annotated()
				.error("@LeaderOnly(\"%s\") would have no effect, and every instance would run the method: %s."
					.formatted(method.name(), obstacle),
						"Change that, or ask isLeader() of the Leadership at the beginning of the method."));
		}
	}

	private static @Nullable String obstacle(AnnotatedMethod annotated, ProxyKind proxy) {
		Method method = annotated.method();
		Class<?> type = annotated.targetClass();
		ContainerCallback callback = ContainerCallback.of(method, type);
		if (callback != null) {
			return "it " + callback.role() + ", and Spring calls such a method on the bean itself";
		}
		if ((method.getModifiers() & (Modifier.STATIC | Modifier.PRIVATE)) != 0) {
			return "a proxy cannot intercept a static or private method";
		}
		if (isGenerated(type) || type.isInterface()) {
			return (proxy == ProxyKind.NONE) ? "the bean has no proxy for it" : null;
		}
		if (proxy != ProxyKind.INTERFACES && Modifier.isFinal(type.getModifiers())) {
			return "a proxy cannot extend a final class";
		}
		return switch (proxy) {
			case NONE -> "the bean was registered as a finished object, or was created before it could get a proxy";
			case INTERFACES -> isInInterface(method, type) ? null
					: "the bean is proxied by its interfaces, and none of them has this method";
			case CLASS -> Modifier.isFinal(method.getModifiers()) ? "a proxy cannot override a final method"
					: isVisibleFrom(method, type) ? null
							: "the method is package-private in another package than that of the proxy";
		};
	}

	/**
	 * Look at a class.
	 * @param proxy what kind of proxy applies the locks
	 * @param beanName the name of a bean, whose definition may name callbacks, or
	 * {@code null} if it is not known
	 * @return what was found
	 */
	List<LockFinding> inspect(Class<?> type, List<LockedMethod> locked, ProxyKind proxy, @Nullable String beanName) {
		Map<String, ContainerCallback> declaredCallbacks = callbacks(beanName);
		Set<LockFinding> findings = new LinkedHashSet<>();
		locked.forEach((method) -> definition(method, findings));
		if (isGenerated(type) || type.isInterface()) {
			return List.copyOf(findings);
		}
		List<LockedMethod> proxied = locked.stream()
			.filter((method) -> !LockWeaving.isWoven(method.annotated().method()))
			.toList();
		for (LockedMethod method : proxied) {
			LockFinding finding = unreachable(method.annotated(), proxy, declaredCallbacks);
			if (finding != null) {
				findings.add(finding);
			}
		}
		locked.forEach((method) -> cached(method, findings));
		if (!NativeDetector.inNativeImage() && !proxied.isEmpty()) {
			SelfInvocationFinder.find(type, proxied.stream().map((method) -> method.annotated().method()).toList())
				.stream()
				.filter((call) -> !(call.recursive() && isUnderItsLock(call.caller(), proxied)))
				.forEach((call) -> findings.add(selfInvocation(call)));
		}
		return LockWarningFilter.of(findings, type, methods(type));
	}

	/**
	 * Inspect the values of an annotation. Resolves its durations, which may contradict
	 * the configuration.
	 */
	void definition(LockedMethod method, Set<LockFinding> findings) {
		if (method.failure() != null) {
			findings.add(LockFinding.of(method.failure()));
			return;
		}
		try {
			method.locks().forEach(LockOperation::declared);
			List<LockFinding> found = new ArrayList<>(LockWarnings.of(method));
			found.addAll(LockCallerInspector.of(method));
			found.addAll(LockAttributesInspector.of(method, this.beanFactory));
			findings.addAll(LockWarningFilter.of(found, method.annotated()));
		}
		catch (InvalidLockDefinitionException ex) {
			findings.add(LockFinding.of(ex));
		}
	}

	/**
	 * Inspect the transactions of a method, and create what its fences need. Only when
	 * all beans are there.
	 */
	static void fence(LockedMethod method, Set<LockFinding> findings) {
		try {
			method.locks().forEach((lock) -> lock.fence().prepare());
		}
		catch (InvalidLockDefinitionException ex) {
			findings.add(LockFinding.of(ex));
		}
	}

	private @Nullable LockFinding unreachable(AnnotatedMethod annotated, ProxyKind proxy,
			Map<String, ContainerCallback> declaredCallbacks) {
		Method method = annotated.method();
		int modifiers = method.getModifiers();
		ContainerCallback callback = callback(annotated, declaredCallbacks);
		if (callback != null) {
			return called(annotated, callback);
		}
		if (Modifier.isStatic(modifiers)) {
			return notIntercepted(annotated, "static", "Make it a method of the bean, and call it from another bean");
		}
		if (Modifier.isPrivate(modifiers)) {
			return notIntercepted(annotated, "private",
					"Remove 'private' from the method, and call it from another bean");
		}
		if (proxy == ProxyKind.NONE) {
			return null;
		}
		if (proxy == ProxyKind.INTERFACES) {
			return isInInterface(method, annotated.targetClass()) ? null : annotated.error(
					"The bean is proxied by its interfaces, and none of them has this method: it cannot be called with its lock.",
					"Add the method to an interface, or set 'spring.aop.proxy-target-class' to true, which is the default.");
		}
		if (Modifier.isFinal(annotated.targetClass().getModifiers())) {
			return finalClass(annotated);
		}
		if (Modifier.isFinal(modifiers)) {
			return notIntercepted(annotated, "final",
					"Remove 'final' from the method (Kotlin: declare it open, or use the kotlin-spring plugin)");
		}
		return isVisibleFrom(method, annotated.targetClass()) ? null : annotated
			.error("The method is package-private in " + method.getDeclaringClass().getPackageName()
					+ ", and the proxy is in the package of the bean, where it cannot override it: the method would run without its lock, and on the proxy instead of the bean.",
					"Make the method protected or public. Or lock with LockService, or use AspectJ weaving.");
	}

	private Map<String, ContainerCallback> callbacks(@Nullable String name) {
		Map<String, ContainerCallback> callbacks = new HashMap<>();
		if (name != null && this.beanFactory.containsBeanDefinition(name)) {
			BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(name);
			if (definition instanceof AbstractBeanDefinition declared) {
				add(declared.getDestroyMethodNames(), ContainerCallback.destroyMethod(name), callbacks);
				add(declared.getInitMethodNames(), ContainerCallback.initMethod(name), callbacks);
			}
		}
		return callbacks;
	}

	private static void add(String @Nullable [] methods, ContainerCallback callback,
			Map<String, ContainerCallback> callbacks) {
		if (methods != null) {
			Arrays.stream(methods).forEach((method) -> callbacks.put(method, callback));
		}
	}

	private static @Nullable ContainerCallback callback(AnnotatedMethod annotated,
			Map<String, ContainerCallback> declaredCallbacks) {
		ContainerCallback callback = ContainerCallback.of(annotated.method(), annotated.targetClass());
		return (callback == null && annotated.method().getParameterCount() == 0)
				? declaredCallbacks.get(annotated.method().getName()) : callback;
	}

	/**
	 * An annotation on the class may not have been meant for its callbacks.
	 */
	private static LockFinding called(AnnotatedMethod annotated, ContainerCallback callback) {
		boolean own = MergedAnnotations.from(annotated.method(), SearchStrategy.TYPE_HIERARCHY)
			.isPresent(DistributedLock.class);
		return new LockFinding(own ? Severity.ERROR : Severity.WARNING, annotated.description(), "The method "
				+ callback.role()
				+ ", and Spring calls such a method on the bean itself, not through its proxy: it would run without its lock.",
				callback.advice());
	}

	static LockFinding finalClass(AnnotatedMethod annotated) {
		return annotated.error(
				"The class is final, and a proxy cannot extend it: the method would run without its lock.",
				"Remove 'final' from the class (a record is always final; Kotlin has the kotlin-spring plugin for it). Or lock with LockService, or use AspectJ weaving.");
	}

	private static LockFinding notIntercepted(AnnotatedMethod annotated, String modifier, String advice) {
		return annotated.error(
				"The method is " + modifier + ", and a proxy cannot intercept it: it would run without its lock.",
				advice + ". Or lock with LockService, or use AspectJ weaving.");
	}

	private static boolean isInInterface(Method method, Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((each) -> ClassUtils.hasMethod(each, method.getName(), method.getParameterTypes()));
	}

	/**
	 * The proxy is in the package and class loader of the class of the bean.
	 */
	private static boolean isVisibleFrom(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
				|| (declaring.getPackageName().equals(type.getPackageName())
						&& declaring.getClassLoader() == type.getClassLoader());
	}

	/**
	 * The lock is outside the cache, unless the application has changed the order.
	 */
	private void cached(LockedMethod method, Set<LockFinding> findings) {
		AnnotatedMethod annotated = method.annotated();
		if (!this.beanFactory.containsBean(CACHE_ADVISOR) || !isCacheable(annotated)) {
			return;
		}
		boolean inside = this.beanFactory.getBean(CACHE_ADVISOR) instanceof Ordered caches
				&& caches.getOrder() < this.advisor.get().getOrder();
		String problem = inside
				? "It is @Cacheable as well, and the lock is inside the cache: a call that has waited for the lock does not look into the cache again, and does the work once more."
				: "It is @Cacheable as well, and the lock is outside the cache: a call that would find its answer in the cache takes the lock, and is refused or waits while the lock is held elsewhere.";
		if (!inside || method.locks().stream().anyMatch((lock) -> !lock.options().get().waitTime().isZero())) {
			findings.add(annotated.warning(problem,
					"Look into the cache, lock, and look again: put @Cacheable on a method of another bean, which calls this one, and use Cache.get(key, loader) under the lock."));
		}
	}

	private boolean isCacheable(AnnotatedMethod annotated) {
		Collection<CacheOperation> operations = this.caches.get()
			.getCacheOperations(annotated.method(), annotated.targetClass());
		return operations != null && operations.stream().anyMatch(CacheableOperation.class::isInstance);
	}

	/**
	 * A method that calls itself has its lock already, unless the name is another one.
	 */
	private static boolean isUnderItsLock(String caller, List<LockedMethod> locked) {
		return locked.stream()
			.anyMatch((method) -> method.annotated().description().equals(caller) && method.failure() == null
					&& method.locks().stream().noneMatch((lock) -> lock.names().areEvaluated()));
	}

	private static LockFinding selfInvocation(SelfInvocationFinder.Call call) {
		return new LockFinding(Severity.WARNING, call.caller(),
				"It calls %s, which is annotated with @DistributedLock, on this object and not through its proxy: the lock would not be applied."
					.formatted(call.callee()),
				"Move the locked method to another bean, or inject this bean into itself and call that. Or lock with LockService, or use AspectJ weaving.");
	}

	/**
	 * What applies the locks of a bean.
	 */
	enum ProxyKind {

		/**
		 * A subclass.
		 */
		CLASS,

		/**
		 * A class that implements the interfaces of the bean.
		 */
		INTERFACES,

		/**
		 * Nothing.
		 */
		NONE;

		/**
		 * Return the kind of proxy that auto-proxying creates for a class, unless the
		 * definition of the bean specifies another.
		 * @return subclass or interfaces
		 */
		static ProxyKind expectedFor(Class<?> type, ConfigurableBeanFactory beanFactory) {
			return (ClassUtils.getAllInterfacesForClass(type).length == 0 || proxiesTargetClasses(beanFactory)) ? CLASS
					: INTERFACES;
		}

		private static boolean proxiesTargetClasses(ConfigurableBeanFactory beanFactory) {
			String name = AutoProxyUtils.DEFAULT_PROXY_CONFIG_BEAN_NAME;
			return beanFactory.containsBean(name) && beanFactory.getBean(name, ProxyConfig.class).isProxyTargetClass();
		}

	}

	/**
	 * Methods that Spring calls on the bean itself, and not through its proxy.
	 *
	 * @param role what makes it such a method, as the middle of a sentence
	 * @param advice what to do to have it locked: a sentence or two
	 */
	private record ContainerCallback(String role, String advice) {

		private static final String WHEN_CREATED = "Replace it by a method with @EventListener(ApplicationReadyEvent.class), which is called through the proxy. Or lock with LockService.";

		private static final String WHEN_DESTROYED = "Replace it by a method with @EventListener(ContextClosedEvent.class), which is called through the proxy and before the locks are closed.";

		private static final Map<String, ContainerCallback> ANNOTATIONS = Map.of("jakarta.annotation.PostConstruct",
				new ContainerCallback("has @PostConstruct", WHEN_CREATED), "jakarta.annotation.PreDestroy",
				new ContainerCallback("has @PreDestroy", WHEN_DESTROYED), "org.springframework.context.annotation.Bean",
				new ContainerCallback("has @Bean",
						"Put @DistributedLock on the method of the bean that is to be locked."));

		/**
		 * Find out whether a method is a callback.
		 * @return the callback, or {@code null} if it is none
		 */
		static @Nullable ContainerCallback of(Method method, Class<?> type) {
			MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
			for (Map.Entry<String, ContainerCallback> entry : ANNOTATIONS.entrySet()) {
				if (annotations.isPresent(entry.getKey())) {
					return entry.getValue();
				}
			}
			if (method.getParameterCount() > 0) {
				return null;
			}
			if (method.getName().equals("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(type)) {
				return new ContainerCallback("is that of InitializingBean", WHEN_CREATED);
			}
			return (method.getName().equals("destroy") && DisposableBean.class.isAssignableFrom(type))
					? new ContainerCallback("is that of DisposableBean", WHEN_DESTROYED) : null;
		}

		/**
		 * Return the callback that a bean definition names as its init method.
		 */
		static ContainerCallback initMethod(String beanName) {
			return new ContainerCallback("is the init method of bean '" + beanName + "'", WHEN_CREATED);
		}

		/**
		 * Return the callback that a bean definition names as its destroy method.
		 */
		static ContainerCallback destroyMethod(String beanName) {
			return new ContainerCallback("is the destroy method of bean '" + beanName + "'", WHEN_DESTROYED);
		}

	}

}
