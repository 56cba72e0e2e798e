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

package io.distributedlock.autoconfigure;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.internal.LeaderOnlyAdvisor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of methods with the lock annotation.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnLockSwitch({ LockSwitch.LOCKS, LockSwitch.ANNOTATION })
@Import(LockAutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockAnnotationAutoConfiguration {

	/**
	 * Create the registry of the locked methods. Auto-proxying creates it with the
	 * advisor, before other beans, so neither may need any of them: their settings are
	 * bound here and not taken from the properties bean.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnMissingBean({ LockedMethodRegistry.class, DistributedLockAdvisor.class })
	static LockedMethodRegistry lockedMethodRegistry(ConfigurableBeanFactory beanFactory,
			ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers,
			Environment environment) {
		SupportedSpringBoot.check();
		LockedMethodRegistry registry = new LockedMethodRegistry(beanFactory, service, customizers);
		registry.setValidation(Binder.get(environment)
			.bind("distributed-lock.validation", LockValidation.class)
			.orElse(LockValidation.FAIL));
		return registry;
	}

	/**
	 * Create the advisor. A child context needs its own, because a proxy creator may look
	 * for advisors nowhere else.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static DistributedLockAdvisor distributedLockAdvisor(LockedMethodRegistry registry, Environment environment) {
		DistributedLockAdvisor advisor = new DistributedLockAdvisor(registry);
		advisor.setOrder(orderOfLock(environment));
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
	@ConditionalOnBean(LockedMethodRegistry.class)
	@ConditionalOnMissingBean
	static LeaderOnlyAdvisor leaderOnlyAdvisor(LockedMethodRegistry registry, ObjectProvider<Leadership> leaderships,
			Environment environment) {
		LeaderOnlyAdvisor advisor = new LeaderOnlyAdvisor(registry, leaderships);
		int orderOfLock = orderOfLock(environment);
		advisor.setOrder((orderOfLock > Ordered.HIGHEST_PRECEDENCE) ? orderOfLock - 1 : orderOfLock);
		return advisor;
	}

	private static int orderOfLock(Environment environment) {
		return Binder.get(environment)
			.bind("distributed-lock.annotation.order", Integer.class)
			.orElse(DistributedLockAdvisor.DEFAULT_ORDER);
	}

}
