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

import java.util.List;

import io.distributedlock.annotation.internal.AnnotationInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Validates the locked methods when an application is processed ahead of time: what would
 * refuse its start ends the build, and what would be warned of is logged.
 */
final class LockValidationAotProcessor implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		// The advisors tell the registry which annotations there are
		List.of(DistributedLockAdvisor.class, AnnotationInspector.class)
			.forEach((type) -> beanFactory.getBeansOfType(type, true, false));
		beanFactory.getBeansOfType(LockedMethodRegistry.class, true, false)
			.values()
			.forEach(LockedMethodRegistry::validateAheadOfTime);
		return null;
	}

}
