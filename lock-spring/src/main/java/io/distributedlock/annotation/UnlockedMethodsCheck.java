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

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.annotation.internal.MockedBeans;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Warns of beans with annotated methods that no proxy locks, in a context that does not
 * validate them itself: because it is the child of the one with the configuration, or
 * because nothing is configured at all.
 *
 * <p>
 * {@code META-INF/spring.factories} names this class, so that it takes part in every
 * application of Spring Boot that has this library on its class path, with or without the
 * auto-configuration. It also receives the events of child contexts.
 */
final class UnlockedMethodsCheck implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(UnlockedMethodsCheck.class);

	private static final Set<String> OFF = Set.of("false", "off", "no", "0");

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext context
				&& isResponsibleFor(context)) {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			if (!isValidated(beans)) {
				Set<String> unlocked = unlockedMethods(beans);
				if (!unlocked.isEmpty() && !isSwitchedOff(beans, context.getEnvironment())) {
					report(unlocked, beans, context);
				}
			}
		}
	}

	/**
	 * An event goes up to the parents, and two configurations may each bring a check: the
	 * first one that is nearest to the context warns.
	 */
	private boolean isResponsibleFor(ApplicationContext refreshed) {
		for (ApplicationContext each = refreshed; each != null; each = each.getParent()) {
			if (each instanceof AbstractApplicationContext context) {
				UnlockedMethodsCheck nearest = context.getApplicationListeners()
					.stream()
					.filter(UnlockedMethodsCheck.class::isInstance)
					.map(UnlockedMethodsCheck.class::cast)
					.findFirst()
					.orElse(null);
				if (nearest != null) {
					return nearest == this;
				}
			}
		}
		return true;
	}

	private static boolean isValidated(ConfigurableListableBeanFactory beans) {
		return Stream.of(beans.getBeanNamesForType(LockedMethodRegistry.class, true, false))
			.anyMatch((name) -> beans.getBean(name, LockedMethodRegistry.class).isValidating());
	}

	/**
	 * Then a warning has said so.
	 */
	private static boolean isSwitchedOff(ConfigurableListableBeanFactory beans, Environment environment) {
		return isAnywhere(WovenMethodResolver.class, beans)
				|| Stream.of("distributed-lock.enabled", "distributed-lock.annotation.enabled")
					.map((name) -> environment.getProperty(name, ""))
					.anyMatch((value) -> OFF.contains(value.toLowerCase(Locale.ROOT)));
	}

	private static boolean isAnywhere(Class<?> type, ConfigurableListableBeanFactory beans) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
	}

	private static Set<String> unlockedMethods(ConfigurableListableBeanFactory beans) {
		AnnotatedTypes annotated = new AnnotatedTypes(Set.of(DistributedLock.class, DistributedLocks.class));
		Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanDefinitionNames()));
		names.addAll(List.of(beans.getSingletonNames()));
		Set<String> unlocked = new TreeSet<>();
		for (String name : names) {
			Object bean = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
			if (bean != null) {
				Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
				if (annotated.contains(type) && !isAdvised(bean) && !MockedBeans.isMock(bean)) {
					unlocked.addAll(lockedMethods(type));
				}
			}
			if (bean == null || bean instanceof FactoryBean) {
				Class<?> type = typeOf(name, beans);
				if (type != null && annotated.contains(type) && !willBeAdvised(beans)) {
					unlocked.addAll(lockedMethods(type));
				}
			}
		}
		return unlocked;
	}

	private static @Nullable Class<?> typeOf(String name, ConfigurableListableBeanFactory beans) {
		try {
			return beans.getType(name, false);
		}
		catch (BeansException | LinkageError ex) {
			logger.debug("The type of bean '" + name + "' is not known", ex);
			return null;
		}
	}

	/**
	 * Without methods woven by AspectJ, which take their locks themselves.
	 */
	private static Collection<String> lockedMethods(Class<?> beanClass) {
		Class<?> type = ClassUtils.getUserClass(beanClass);
		return AnnotatedMethod.methodsOf(type)
			.filter((method) -> !LockWeaving.isWoven(method)
					&& !LockAnnotationFinder.of(method, method, type).isEmpty())
			.map((method) -> new AnnotatedMethod(method, type).description())
			.toList();
	}

	/**
	 * One proxy may be around another.
	 */
	private static boolean isAdvised(Object bean) {
		Object each = bean;
		while (each instanceof Advised proxy) {
			if (Stream.of(proxy.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance)) {
				return true;
			}
			each = (proxy.getTargetSource() instanceof SingletonTargetSource target) ? target.getTarget() : null;
		}
		return false;
	}

	/**
	 * Whether the beans that do not exist yet will have proxies with the locks.
	 */
	private static boolean willBeAdvised(ConfigurableListableBeanFactory beans) {
		boolean own = beans.getBeanNamesForType(DistributedLockAdvisor.class, true, false).length > 0;
		return beans.getBeanNamesForType(AbstractAutoProxyCreator.class, true, false).length > 0
				&& (own || (isAnywhere(DistributedLockAdvisor.class, beans) && !appliesOnlyOwnAdvisors(beans)));
	}

	private static boolean appliesOnlyOwnAdvisors(ConfigurableListableBeanFactory beans) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return beans.containsLocalBean(creator)
				&& beans.getType(creator) == InfrastructureAdvisorAutoProxyCreator.class;
	}

	private static void report(Set<String> methods, ConfigurableListableBeanFactory beans, ApplicationContext context) {
		boolean one = methods.size() == 1;
		String problem = "%d %s with a lock annotation %s without a lock in context '%s', for example %s. %s".formatted(
				methods.size(), one ? "method" : "methods", one ? "runs" : "run", context.getId(),
				methods.iterator().next(), causeAndAction(beans));
		if ("strict".equalsIgnoreCase(context.getEnvironment().getProperty("distributed-lock.validation"))) {
			throw new IllegalStateException(
					problem + " To start nevertheless, set 'distributed-lock.validation' to 'fail', with Spring Boot.");
		}
		logger.warn(problem);
	}

	private static String causeAndAction(ConfigurableListableBeanFactory beans) {
		if (beans.getBeanNamesForType(DistributedLockAdvisor.class, true, false).length > 0) {
			return "The context has a DistributedLockAdvisor, but the proxies of these beans do not apply it, or the beans were created too early for a proxy. Validate the annotations to learn which: with LockedMethodRegistry.setValidation, or with Spring Boot by 'distributed-lock.validation'.";
		}
		if (isAnywhere(DistributedLockAdvisor.class, beans)) {
			return "Only the parent context configures locks, and each context makes the proxies of its own beans. Add @Import(DistributedLockConfiguration.class) to a configuration of this context, or move the beans to the parent.";
		}
		ClassLoader classLoader = UnlockedMethodsCheck.class.getClassLoader();
		if (!ClassUtils.isPresent("io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration", classLoader)) {
			return "No configuration applies the annotation: this is lock-spring without the starter. Depend on lock-spring-boot-starter, or add @Import(DistributedLockConfiguration.class) to a configuration that defines a LockService.";
		}
		return "The auto-configuration of locks has no part in the context. Do not exclude LockAnnotationAutoConfiguration, and use @EnableAutoConfiguration or @SpringBootApplication."
				+ (ClassUtils.isPresent("io.distributedlock.test.AutoConfigureDistributedLock", classLoader)
						? " In a test with a slice of the application, add @AutoConfigureDistributedLock." : "");
	}

}
