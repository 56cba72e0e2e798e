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

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.assertj.core.api.AssertProvider;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;

/**
 * The classes of an application whose scheduled methods are to be checked, for
 * {@code assertThat(ScheduledMethods.of(context)).declareALock()}.
 *
 * @since 0.1.0
 */
public final class ScheduledMethods implements AssertProvider<ScheduledMethodsAssert> {

	private final List<Class<?>> classes;

	private final String origin;

	private ScheduledMethods(List<Class<?>> classes, String origin) {
		this.classes = classes;
		this.origin = origin;
	}

	/**
	 * Return the scheduled methods of all beans of a context, including those that
	 * libraries bring.
	 * @param context the context; no bean is created
	 * @return the methods
	 */
	public static ScheduledMethods of(ConfigurableApplicationContext context) {
		ConfigurableListableBeanFactory beanFactory = context.getBeanFactory();
		List<Class<?>> classes = new ArrayList<>();
		for (String name : beanFactory.getBeanDefinitionNames()) {
			Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, name);
			if (type != null) {
				classes.add(ClassUtils.getUserClass(type));
			}
		}
		return new ScheduledMethods(classes, "the application context");
	}

	/**
	 * Return the scheduled methods of all classes in a package and the packages below it.
	 * @param basePackage the package, for example that of the application
	 * @return the methods
	 */
	public static ScheduledMethods in(String basePackage) {
		List<Class<?>> classes = new Scanner().findCandidateComponents(basePackage)
			.stream()
			.<Class<?>>map((found) -> ClassUtils.resolveClassName(String.valueOf(found.getBeanClassName()), null))
			.toList();
		return new ScheduledMethods(classes, "package '" + basePackage + "'");
	}

	/**
	 * Return the scheduled methods of some classes.
	 * @param classes the classes
	 * @return the methods
	 */
	public static ScheduledMethods of(Class<?>... classes) {
		return new ScheduledMethods(List.of(classes), "the given classes");
	}

	/**
	 * Return the same methods without those of some classes, for example of a library,
	 * which cannot be annotated.
	 * @param classes the classes to leave out, with their subclasses
	 * @return the other methods
	 */
	public ScheduledMethods except(Class<?>... classes) {
		return new ScheduledMethods(this.classes.stream()
			.filter((type) -> Stream.of(classes).noneMatch((left) -> left.isAssignableFrom(type)))
			.toList(), this.origin);
	}

	List<Class<?>> classes() {
		return this.classes;
	}

	/**
	 * Return assertions about these methods; called by
	 * {@code assertThat(scheduledMethods)}.
	 */
	@Override
	public ScheduledMethodsAssert assertThat() {
		return new ScheduledMethodsAssert(this);
	}

	@Override
	public String toString() {
		return "the @Scheduled methods of " + this.origin;
	}

	/**
	 * Finds classes with scheduled methods, without loading the others.
	 */
	private static final class Scanner extends ClassPathScanningCandidateComponentProvider {

		Scanner() {
			super(false);
			Stream.of(Scheduled.class, Schedules.class)
				.map(Class::getName)
				.forEach((annotation) -> addIncludeFilter(
						(reader, factory) -> reader.getAnnotationMetadata().hasAnnotatedMethods(annotation)));
		}

		@Override
		protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
			return true;
		}

	}

}
