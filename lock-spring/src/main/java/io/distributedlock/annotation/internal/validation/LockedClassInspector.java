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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.ContainerCallback;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.annotation.internal.ProxyObstacle;
import io.distributedlock.annotation.internal.bytecode.SelfInvocationFinder;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanDefinition;
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
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Inspects the locked methods of a class for reasons why locks would not apply to them,
 * or not as their author intends.
 */
final class LockedClassInspector {

	private static final String CACHE_ADVISOR = "org.springframework.cache.config.internalCacheAdvisor";

	private final ConfigurableListableBeanFactory beanFactory;

	private final InspectedMethod.Source source;

	private final Supplier<? extends Ordered> advisor;

	private volatile @Nullable Duration maxHoldLimit;

	/** Few applications have caches. */
	private final Supplier<CacheOperationSource> caches = SingletonSupplier
		.of(() -> new AnnotationCacheOperationSource(false));

	LockedClassInspector(ConfigurableListableBeanFactory beanFactory, InspectedMethod.Source source,
			Supplier<? extends Ordered> advisor) {
		this.beanFactory = beanFactory;
		this.source = source;
		this.advisor = advisor;
	}

	void limitHolds(@Nullable Duration limit) {
		this.maxHoldLimit = limit;
	}

	/**
	 * Return the locked methods of a class, including methods with invalid definitions.
	 * @param type the class as its author wrote it, or the class of a JDK proxy
	 */
	List<InspectedMethod> lockedMethods(Class<?> type) {
		if (!this.source.isCandidate(type)) {
			return List.of();
		}
		return AnnotatedMethod.methodsOf(type)
			.map((method) -> this.source.find(method, type))
			.filter(Objects::nonNull)
			.toList();
	}

	/**
	 * @param proxy the kind of proxy that applies the locks
	 * @param beanName the name of a bean, whose definition may name callbacks, or
	 * {@code null} if it is not known
	 */
	List<LockFinding> inspect(Class<?> type, List<InspectedMethod> locked, ProxyKind proxy, @Nullable String beanName) {
		Set<LockFinding> findings = new LinkedHashSet<>();
		locked.forEach((method) -> definition(method, findings));
		if (isWithoutBody(type)) {
			return List.copyOf(findings);
		}
		locked.forEach((method) -> cached(method, findings));
		return reachable(type, locked, proxy, beanName, findings);
	}

	/**
	 * Without the options of the locks, which the configuration at run time decides, and
	 * without creating beans.
	 */
	List<LockFinding> inspectAheadOfTime(Class<?> type, List<InspectedMethod> locked, ProxyKind proxy,
			String beanName) {
		Set<LockFinding> findings = new LinkedHashSet<>();
		locked.forEach((method) -> written(method, mistakes(method), List.of(), findings));
		return isWithoutBody(type) ? List.copyOf(findings) : reachable(type, locked, proxy, beanName, findings);
	}

	private static boolean isWithoutBody(Class<?> type) {
		return AnnotatedMethod.isGenerated(type) || type.isInterface();
	}

	private List<LockFinding> reachable(Class<?> type, List<InspectedMethod> locked, ProxyKind proxy,
			@Nullable String beanName, Set<LockFinding> findings) {
		Map<String, ContainerCallback> declaredCallbacks = callbacks(beanName);
		List<InspectedMethod> proxied = locked.stream()
			.filter((method) -> !LockWeaving.isWoven(method.annotated().method()))
			.toList();
		for (InspectedMethod method : proxied) {
			LockFinding finding = unreachable(method.annotated(), proxy, declaredCallbacks);
			if (finding != null) {
				findings.add(finding);
			}
		}
		if (!NativeDetector.inNativeImage() && !proxied.isEmpty()) {
			SelfInvocationFinder.find(type, proxied.stream().map((method) -> method.annotated().method()).toList())
				.stream()
				.filter((call) -> !(call.recursive() && isUnderItsLock(call.caller(), proxied)))
				.forEach((call) -> findings.add(selfInvocation(call, type)));
		}
		return LockWarningFilter.of(findings, type, AnnotatedMethod.methodsOf(type));
	}

	/**
	 * Inspect the values of an annotation. Resolves its durations, which may contradict
	 * the configuration.
	 */
	void definition(InspectedMethod method, Set<LockFinding> findings) {
		List<InvalidLockDefinitionException> mistakes = mistakes(method);
		List<LockFinding> beyond = new ArrayList<>();
		List<LockFinding> found = new ArrayList<>();
		try {
			method.locks().forEach((lock) -> limit(lock, beyond));
			found.addAll(LockWarnings.of(method));
			found.addAll(LockCallerInspector.of(method));
			for (InspectedMethod.Lock lock : method.locks()) {
				LockOptions options = lock.options().get();
				// A maximum hold that must change is not warned of as well
				found.addAll(lock.warnings(beyond.isEmpty() ? options : options.withMaxHold(null)));
			}
		}
		catch (InvalidLockDefinitionException ex) {
			mistakes.add(ex);
		}
		written(method, mistakes, beyond, findings);
		findings.addAll(LockWarningFilter.of(found, method.annotated()));
	}

	private static List<InvalidLockDefinitionException> mistakes(InspectedMethod method) {
		List<InvalidLockDefinitionException> mistakes = new ArrayList<>();
		InvalidLockDefinitionException failure = method.failure();
		if (failure != null) {
			mistakes.add(failure);
			for (Throwable other : failure.getSuppressed()) {
				if (other instanceof InvalidLockDefinitionException mistake) {
					mistakes.add(mistake);
				}
			}
		}
		return mistakes;
	}

	/**
	 * Durations that are probably not intended come before the mistakes that may follow
	 * from them, and are errors like these. With them, it is not known yet for how long
	 * the lock can be held.
	 */
	private void written(InspectedMethod method, List<InvalidLockDefinitionException> mistakes,
			List<LockFinding> beyond, Set<LockFinding> findings) {
		AnnotatedMethod annotated = method.annotated();
		boolean cause = !beyond.isEmpty() || mistakes.stream().anyMatch(LockedClassInspector::isOfDurations);
		List<LockFinding> units = LockWarningFilter.of(
				LockAttributesInspector.durations(method, this.beanFactory, cause ? Severity.ERROR : Severity.WARNING),
				annotated);
		findings.addAll(units);
		mistakes.forEach((mistake) -> findings.add(LockFinding.of(mistake)));
		if (units.isEmpty()) {
			findings.addAll(beyond);
		}
		findings.addAll(LockWarningFilter.of(LockAttributesInspector.of(method, this.beanFactory), annotated));
	}

	/**
	 * A lock that is not renewed is held for its lease, if its instance dies.
	 */
	private void limit(InspectedMethod.Lock lock, List<LockFinding> beyond) {
		LockOptions options = lock.options().get();
		Duration longest = options.autoRenew() ? options.maxHold() : options.lease();
		Duration limit = this.maxHoldLimit;
		if (limit == null || (longest != null && longest.compareTo(limit) <= 0)) {
			return;
		}
		LockAttribute limited = options.autoRenew() ? LockAttribute.MAX_HOLD : LockAttribute.TIMEOUT;
		AnnotatedMethod annotated = lock.scope().method();
		String held = (longest != null) ? "for " + Printable.of(longest) : "without a limit";
		List<String> others = options.autoRenew() ? warnedOf(lock, limit) : List.of();
		// A job may need a maximum hold that is much shorter than the limit
		String first = others.stream()
			.filter((other) -> other.startsWith("Set maxHold "))
			.findFirst()
			.orElseGet(() -> "Set %s, or a shorter time%s."
				.formatted(lock.attributes().setting(annotated, limited, limit), shortened(options, limited, limit)));
		beyond.add(annotated.error(
				"Its lock can be held %s, and this application allows %s.".formatted(held, Printable.of(limit)),
				"%s; with Spring Boot, a property of this lock overrides it. The limit is 'distributed-lock.annotation.max-hold-limit'.%s"
					.formatted(StringUtils.trimTrailingCharacter(first, '.'),
							others.stream()
								.filter((other) -> !other.equals(first))
								.map((other) -> " And " + StringUtils.uncapitalize(other))
								.collect(Collectors.joining()))));
	}

	/**
	 * What the rules of {@link LockOptions} do not let be longer than the lock is held.
	 */
	private static String shortened(LockOptions options, LockAttribute limited, Duration limit) {
		List<String> longer = Stream.of(LockAttribute.TIMEOUT, LockAttribute.MIN_HOLD)
			.filter((each) -> each != limited && each.of(options) instanceof Duration value
					&& value.compareTo(limit) > 0)
			.map(LockAttribute::attribute)
			.toList();
		Duration interval = options.renewInterval();
		return (longer.isEmpty() ? "" : ", and a " + String.join(" and a ", longer) + " no longer than that")
				+ ((interval != null && interval.compareTo(limit.dividedBy(2)) > 0)
						? ", and a renewInterval of at most half of that" : "");
	}

	/**
	 * What a job is warned of only when it has the limit as its maximum hold.
	 */
	private static List<String> warnedOf(InspectedMethod.Lock lock, Duration limit) {
		Duration lease = lock.options().get().lease();
		LockOptions leased = LockOptions.ofLease((lease.compareTo(limit) > 0) ? limit : lease);
		List<LockFinding> before = lock.warnings(leased);
		return LockWarningFilter.of(lock.warnings(leased.withMaxHold(limit)), lock.scope().method())
			.stream()
			.filter((warning) -> !before.contains(warning))
			.map(LockFinding::action)
			.toList();
	}

	private static boolean isOfDurations(InvalidLockDefinitionException mistake) {
		LockAttribute ruled = LockAttribute.ofRule(mistake.getProblem());
		return ruled != null && ruled.kind() == LockAttribute.Kind.DURATION;
	}

	/**
	 * Inspect the transactions of a method, and create what its fences need. Only when
	 * all beans are there.
	 */
	static void fence(InspectedMethod method, Set<LockFinding> findings) {
		try {
			method.locks().forEach(InspectedMethod.Lock::prepareFence);
		}
		catch (InvalidLockDefinitionException ex) {
			findings.add(LockFinding.of(ex));
		}
	}

	private static @Nullable LockFinding unreachable(AnnotatedMethod annotated, ProxyKind proxy,
			Map<String, ContainerCallback> declaredCallbacks) {
		ContainerCallback callback = callback(annotated, declaredCallbacks);
		if (callback != null) {
			return called(annotated, callback);
		}
		ProxyObstacle obstacle = ProxyObstacle.of(annotated, proxy);
		return (obstacle == null) ? null : switch (obstacle) {
			case STATIC ->
				notIntercepted(annotated, "static", "Make it a method of the bean, and call it from another bean");
			case PRIVATE ->
				notIntercepted(annotated, "private", "Remove 'private' from the method, and call it from another bean");
			case FINAL_CLASS -> annotated.error(
					"The class is final, and a proxy cannot extend it: the method would run without its lock.",
					"Remove 'final' from the class (a record is always final; Kotlin has the kotlin-spring plugin for it). Or lock with LockService, or use AspectJ weaving.");
			case NO_PROXY -> null;
			case NOT_IN_INTERFACE -> annotated.error(
					"The bean is proxied by its interfaces, and none of them has this method: it cannot be called with its lock.",
					"Add the method to an interface, or have classes proxied: with @EnableAspectJAutoProxy(proxyTargetClass = true), or with Spring Boot 'spring.aop.proxy-target-class=true', its default.");
			case FINAL -> notIntercepted(annotated, "final",
					"Remove 'final' from the method (Kotlin: declare it open, or use the kotlin-spring plugin)");
			case INVISIBLE -> annotated.error("The method is package-private in "
					+ annotated.method().getDeclaringClass().getPackageName()
					+ ", and the proxy is in the package of the bean, where it cannot override it: the method would run without its lock, and on the proxy instead of the bean.",
					"Make the method protected or public. Or lock with LockService, or use AspectJ weaving.");
		};
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

	private static LockFinding notIntercepted(AnnotatedMethod annotated, String modifier, String advice) {
		return annotated.error(
				"The method is " + modifier + ", and a proxy cannot intercept it: it would run without its lock.",
				advice + ". Or lock with LockService, or use AspectJ weaving.");
	}

	/**
	 * The lock is outside the cache, unless the application has changed the order.
	 */
	private void cached(InspectedMethod method, Set<LockFinding> findings) {
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
	private static boolean isUnderItsLock(String caller, List<InspectedMethod> locked) {
		return locked.stream()
			.anyMatch((method) -> method.annotated().description().equals(caller) && method.failure() == null
					&& method.locks().stream().noneMatch((lock) -> lock.names().areEvaluated()));
	}

	private static LockFinding selfInvocation(SelfInvocationFinder.Call call, Class<?> type) {
		// A definition that cannot work has no locks that would say so
		MergedAnnotations annotations = MergedAnnotations.from(call.callee(), SearchStrategy.TYPE_HIERARCHY);
		boolean job = annotations.isPresent(OncePerFireTime.class);
		return new LockFinding(Severity.WARNING, call.caller(),
				"It calls %s.%s(), which is annotated with %s, on this object and not through its proxy: the lock would not be applied."
					.formatted(type.getSimpleName(), call.callee().getName(),
							job ? "@OncePerFireTime" : "@DistributedLock"),
				job ? instead(annotations.isPresent(LockCallerInspector.SCHEDULED))
						: "Move the locked method to another bean, or inject this bean into itself with @Lazy, and call that. Or lock with LockService, or use AspectJ weaving.");
	}

	private static String instead(boolean scheduled) {
		return scheduled
				? "To run the work by hand as well, move it to a method of its own with @DistributedLock, in another bean, and let both methods call that."
				: "Put @OncePerFireTime on the method that Spring's scheduler calls. Or move the job to another bean, and let the scheduler call it there.";
	}

}
