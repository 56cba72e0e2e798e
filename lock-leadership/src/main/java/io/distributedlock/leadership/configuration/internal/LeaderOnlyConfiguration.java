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

package io.distributedlock.leadership.configuration.internal;

import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.configuration.internal.ConditionalOnBeans;
import io.distributedlock.configuration.internal.LockedMethodSettings;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.internal.LeaderOnlyAdvisor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/**
 * Applies {@code @LeaderOnly}. The configuration of locked methods imports it by its
 * name.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LeaderOnlyConfiguration {

	/**
	 * Create the advisor of {@code @LeaderOnly}. It exists even without any leadership,
	 * so that an annotation that names a leadership that does not exist fails instead of
	 * being ignored.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnBeans(value = LockedMethodRegistry.class, missing = LeaderOnlyAdvisor.class)
	static LeaderOnlyAdvisor distributedLockLeaderOnlyAdvisor(LockedMethodRegistry registry,
			ObjectProvider<Leadership> leaderships, ObjectProvider<LockedMethodSettings> settings) {
		LeaderOnlyAdvisor advisor = new LeaderOnlyAdvisor(registry, leaderships);
		int order = settings.getIfAvailable(() -> LockedMethodSettings.DEFAULTS).order();
		advisor.setOrder((order > Ordered.HIGHEST_PRECEDENCE) ? order - 1 : order);
		return advisor;
	}

}
