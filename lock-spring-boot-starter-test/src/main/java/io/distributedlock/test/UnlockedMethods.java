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

package io.distributedlock.test;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLocks;
import io.distributedlock.annotation.LockedMethodRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.mockito.Mockito;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * Warns of methods that run without their lock, as the context of a test is a slice of
 * the application and does not load the auto-configuration of locks.
 */
final class UnlockedMethods {

	private static final Log logger = LogFactory.getLog(UnlockedMethods.class);

	/** A singleton of a context that was looked at, which is warned of once. */
	private static final String SEEN = UnlockedMethods.class.getName() + ".seen";

	private static final boolean MOCKITO_PRESENT = ClassUtils.isPresent("org.mockito.Mockito",
			UnlockedMethods.class.getClassLoader());

	private UnlockedMethods() {
	}

	static void warnOf(ApplicationContext context, Class<?> testClass) {
		if (!(context instanceof ConfigurableApplicationContext configurable)) {
			return;
		}
		ConfigurableListableBeanFactory beans = configurable.getBeanFactory();
		if (beans.containsSingleton(SEEN)) {
			return;
		}
		beans.registerSingleton(SEEN, Boolean.TRUE);
		boolean locked = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockedMethodRegistry.class, true,
				false).length > 0;
		Set<String> methods = (locked || isSwitchedOff(context)) ? Set.of() : find(beans);
		if (!methods.isEmpty()) {
			boolean one = methods.size() == 1;
			logger.warn(methods.size() + (one ? " method" : " methods") + " with @DistributedLock "
					+ (one ? "runs" : "run") + " without a lock in this slice of the application, for example "
					+ methods.iterator().next() + ": add @AutoConfigureDistributedLock to "
					+ ClassUtils.getShortName(testClass) + ".");
		}
	}

	/**
	 * Then the application says so itself.
	 */
	private static boolean isSwitchedOff(ApplicationContext context) {
		return !context.getEnvironment().getProperty("distributed-lock.enabled", Boolean.class, true)
				|| !context.getEnvironment().getProperty("distributed-lock.annotation.enabled", Boolean.class, true);
	}

	private static Set<String> find(ConfigurableListableBeanFactory beans) {
		Set<String> found = new TreeSet<>();
		for (String name : beans.getBeanDefinitionNames()) {
			Object singleton = beans.getSingleton(name);
			Class<?> type = (singleton != null) ? AopUtils.getTargetClass(singleton) : beans.getType(name, false);
			if (type != null && !(singleton != null && MOCKITO_PRESENT && Mocks.isMock(singleton))) {
				Class<?> declared = ClassUtils.getUserClass(type);
				MethodIntrospector.selectMethods(declared, (MethodFilter) UnlockedMethods::isAnnotated)
					.forEach((method) -> found.add(ClassUtils.getShortName(declared) + "." + method.getName()));
			}
		}
		return found;
	}

	private static boolean isAnnotated(Method method) {
		return Stream.of(method, method.getDeclaringClass())
			.map((element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY))
			.anyMatch((annotations) -> annotations.isPresent(DistributedLock.class)
					|| annotations.isPresent(DistributedLocks.class));
	}

	/**
	 * Loaded only if Mockito is present.
	 */
	private static final class Mocks {

		/**
		 * A spy calls the methods of the application, and a mock does not.
		 */
		static boolean isMock(Object bean) {
			return Mockito.mockingDetails(bean).isMock() && !Mockito.mockingDetails(bean).isSpy();
		}

	}

}
