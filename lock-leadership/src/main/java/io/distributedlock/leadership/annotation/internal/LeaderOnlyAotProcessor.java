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

package io.distributedlock.leadership.annotation.internal;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.distributedlock.leadership.annotation.LeaderOnly;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers the hints that the methods of a bean that only the leader runs need in a
 * native image.
 */
final class LeaderOnlyAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> type = ClassUtils.getUserClass(registeredBean.getBeanClass());
		if (!AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
			return null;
		}
		List<Method> methods = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> !method.isSynthetic() && LeaderOnlyMethods.isAnnotated(method))
			.toList();
		return methods.isEmpty() ? null : (generationContext, beanRegistrationCode) -> {
			ReflectionHints hints = generationContext.getRuntimeHints().reflection();
			hints.registerType(LeaderOnly.class, MemberCategory.INVOKE_DECLARED_METHODS);
			methods.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
		};
	}

}
