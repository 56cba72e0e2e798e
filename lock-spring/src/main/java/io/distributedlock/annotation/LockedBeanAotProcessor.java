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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.distributedlock.annotation.internal.expression.LockExpressionTypes;
import io.distributedlock.internal.LockAttribute;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.Expression;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Registers the hints that the annotated methods of a bean need in a native image: the
 * methods with the names of their parameters, their fallback methods, and the members
 * that their expressions read.
 */
final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> type = ClassUtils.getUserClass(registeredBean.getBeanClass());
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return null;
		}
		List<Locked> locked = new ArrayList<>();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
			List<MergedAnnotation<DistributedLock>> annotations = method.isSynthetic() ? List.of()
					: LockAnnotationFinder.of(method, method, type);
			if (!annotations.isEmpty()) {
				locked.add(new Locked(new AnnotatedMethod(method, type), annotations));
			}
		}
		return locked.isEmpty() ? null : new Contribution(registeredBean.getBeanFactory(), locked);
	}

	private record Locked(AnnotatedMethod method, List<MergedAnnotation<DistributedLock>> annotations) {
	}

	private record Contribution(ConfigurableBeanFactory beanFactory,
			List<Locked> locked) implements BeanRegistrationAotContribution {

		@Override
		public void applyTo(GenerationContext generationContext, BeanRegistrationCode beanRegistrationCode) {
			ReflectionHints hints = generationContext.getRuntimeHints().reflection();
			ExpressionHints expressions = new ExpressionHints(hints, this.beanFactory,
					new LockExpressionParser(this.beanFactory));
			for (Locked each : this.locked) {
				hints.registerMethod(each.method().method(), ExecutableMode.INVOKE);
				for (MergedAnnotation<DistributedLock> annotation : each.annotations()) {
					hints.registerMethod(LockAnnotationFinder.declaringMethod(annotation, each.method().method()),
							ExecutableMode.INVOKE);
					expressions.register(annotation, each.method());
					registerFallback(annotation.getString("fallbackMethod"), each.method().targetClass(), hints);
				}
			}
		}

		private static void registerFallback(String name, Class<?> type, ReflectionHints hints) {
			if (StringUtils.hasText(name)) {
				Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
					.filter((method) -> method.getName().equals(name))
					.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
			}
		}

	}

	/**
	 * Registers for reflection the members that the expressions of locked methods read,
	 * as far as declared types reveal them.
	 */
	private record ExpressionHints(ReflectionHints hints, ConfigurableBeanFactory beanFactory,
			LockExpressionParser parser) {

		private static final Log logger = LogFactory.getLog(LockedBeanAotProcessor.class);

		void register(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method) {
			Method declaring = LockAnnotationFinder.declaringMethod(annotation, method.method());
			for (LockAttribute attribute : LockAttribute.values()) {
				texts(attribute, annotation).filter(StringUtils::hasText)
					.forEach((text) -> follow(text, method, declaring, attribute));
			}
		}

		private static Stream<String> texts(LockAttribute attribute, MergedAnnotation<DistributedLock> annotation) {
			if (attribute == LockAttribute.NAME) {
				return Stream.of(annotation.getStringArray(attribute.attribute()));
			}
			return switch (attribute.kind()) {
				case EXPRESSION -> Stream.of(annotation.getString(attribute.attribute()));
				case NUMBER -> Stream.of(annotation.getString(attribute.attribute() + "String"));
				default -> Stream.of();
			};
		}

		private void follow(String text, AnnotatedMethod method, Method declaring, LockAttribute attribute) {
			try {
				String resolved = this.beanFactory.resolveEmbeddedValue(text);
				LockExpressionParser.Scope scope = this.parser.scopeOf(method, declaring);
				Expression expression = scope.parse(attribute, (resolved != null) ? resolved : text);
				if (expression != null) {
					new LockExpressionTypes(scope, this.beanFactory).follow(expression, this::register);
				}
			}
			catch (IllegalArgumentException | InvalidLockDefinitionException ex) {
				logger.debug("No hints for '" + text + "' of " + method.description(), ex);
			}
		}

		private void register(LockExpressionTypes.Step step) {
			if (step.member() != step.start()) {
				this.hints.registerType(step.type(), MemberCategory.INVOKE_PUBLIC_METHODS,
						MemberCategory.ACCESS_PUBLIC_FIELDS);
			}
		}

	}

}
