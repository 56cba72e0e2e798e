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

import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.annotation.internal.RefusedLeaderOnlyAdvisor;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * Refuses {@code @LeaderOnly} where the module that could apply it is missing.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class RefusedLeaderOnlyConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnBeans(value = LockedMethodRegistry.class, missing = RefusedLeaderOnlyAdvisor.class)
	static RefusedLeaderOnlyAdvisor distributedLockRefusedLeaderOnlyAdvisor(LockedMethodRegistry registry) {
		return new RefusedLeaderOnlyAdvisor(registry);
	}

}
