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

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.annotation.internal.LockOrderPostProcessor;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.internal.LeaderOnlyAdvisor;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Applies the annotations of methods.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockedMethodsConfiguration.AutoProxying.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockedMethodsConfiguration {

	/**
	 * Create the registry of the locked methods. Auto-proxying creates it with the
	 * advisor, before other beans, so neither may need any of them.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnBeans(missing = { LockedMethodRegistry.class, DistributedLockAdvisor.class })
	static LockedMethodRegistry distributedLockMethodRegistry(ConfigurableBeanFactory beanFactory,
			ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers,
			ObjectProvider<LockedMethodSettings> settings) {
		LockedMethodRegistry registry = new LockedMethodRegistry(beanFactory, service, customizers);
		registry.setValidation(settings.getIfAvailable(() -> LockedMethodSettings.DEFAULTS).validation());
		return registry;
	}

	/**
	 * Create the advisor. A child context needs its own, because a proxy creator may look
	 * for advisors nowhere else.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnBeans(missingHere = DistributedLockAdvisor.class)
	static DistributedLockAdvisor distributedLockAdvisor(LockedMethodRegistry registry,
			ObjectProvider<LockedMethodSettings> settings) {
		DistributedLockAdvisor advisor = new DistributedLockAdvisor(registry);
		advisor.setOrder(settings.getIfAvailable(() -> LockedMethodSettings.DEFAULTS).order());
		return advisor;
	}

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

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOrderPostProcessor distributedLockOrderPostProcessor() {
		return new LockOrderPostProcessor();
	}

	/**
	 * Ensures that there is an auto-proxy creator.
	 */
	static final class AutoProxying implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
