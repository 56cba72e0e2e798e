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

package io.distributedlock.configuration.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Matches by the beans that are defined so far, here and in the parents. Spring Boot has
 * such conditions, Spring alone has not. Of types that are not on the class path there
 * are no beans.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnBeans.OnBeans.class)
public @interface ConditionalOnBeans {

	/**
	 * Types that must have a bean.
	 */
	Class<?>[] value() default {};

	/**
	 * Types that must have exactly one bean, or a primary bean.
	 */
	Class<?>[] single() default {};

	/**
	 * Types that must have no bean.
	 */
	Class<?>[] missing() default {};

	/**
	 * Types that must have no bean in the context itself.
	 */
	Class<?>[] missingHere() default {};

	/**
	 * Types that must be on the class path.
	 */
	Class<?>[] present() default {};

	/**
	 * Looks at definitions, without creating beans.
	 */
	final class OnBeans implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConfigurableListableBeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
			MergedAnnotation<ConditionalOnBeans> condition = metadata.getAnnotations().get(ConditionalOnBeans.class);
			ClassLoader classLoader = context.getClassLoader();
			return types(condition, "present").allMatch((type) -> ClassUtils.isPresent(type, classLoader))
					&& types(condition, "value").allMatch((type) -> names(beans, type, classLoader).length > 0)
					&& types(condition, "single").allMatch((type) -> isSingle(beans, type, classLoader))
					&& types(condition, "missing").allMatch((type) -> names(beans, type, classLoader).length == 0)
					&& types(condition, "missingHere").noneMatch((type) -> isHere(beans, type, classLoader));
		}

		private static Stream<String> types(MergedAnnotation<?> condition, String attribute) {
			return Stream.of(condition.getStringArray(attribute));
		}

		private static boolean isSingle(ConfigurableListableBeanFactory beans, String type,
				@Nullable ClassLoader classLoader) {
			String[] names = names(beans, type, classLoader);
			return names.length == 1 || Stream.of(names)
				.filter((name) -> beans.containsBeanDefinition(name) && beans.getMergedBeanDefinition(name).isPrimary())
				.count() == 1;
		}

		private static boolean isHere(ConfigurableListableBeanFactory beans, String type,
				@Nullable ClassLoader classLoader) {
			return ClassUtils.isPresent(type, classLoader) && beans
				.getBeanNamesForType(ClassUtils.resolveClassName(type, classLoader), true, false).length > 0;
		}

		private static String[] names(ConfigurableListableBeanFactory beans, String type,
				@Nullable ClassLoader classLoader) {
			return ClassUtils.isPresent(type, classLoader) ? BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans,
					ClassUtils.resolveClassName(type, classLoader), true, false) : new String[0];
		}

	}

}
