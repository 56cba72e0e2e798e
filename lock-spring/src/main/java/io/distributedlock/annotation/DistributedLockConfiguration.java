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

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.transaction.internal.LockedTransactionPostProcessor;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Makes {@link DistributedLock} work in an application without Spring Boot:
 * {@code @Import(DistributedLockConfiguration.class)} on a configuration that declares a
 * {@link LockService}, such as a {@link io.distributedlock.engine.DefaultLockService
 * DefaultLockService} with a {@link io.distributedlock.redis.RedisLockStore
 * RedisLockStore}. With Spring Boot, the starter does all of this.
 *
 * <p>
 * An annotation that cannot work keeps the application from starting, as with
 * {@link LockValidation#FAIL}. {@link LockOptionsCustomizer} beans apply. A transaction
 * rolls back if its lock is lost before the commit. Beans with interfaces get proxies of
 * these, unless another configuration requests class proxies.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@Import({ DistributedLockConfiguration.AutoProxying.class, DistributedLockConfiguration.Transactions.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class DistributedLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockedMethodRegistry lockedMethodRegistry(ConfigurableBeanFactory beanFactory,
			ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers) {
		LockedMethodRegistry registry = new LockedMethodRegistry(beanFactory, service, customizers);
		registry.setValidation(LockValidation.FAIL);
		return registry;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAdvisor distributedLockAdvisor(LockedMethodRegistry registry) {
		return new DistributedLockAdvisor(registry);
	}

	/**
	 * Look at child contexts, whose beans get no proxies here.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	static UnlockedMethodsCheck unlockedMethodsCheck() {
		return new UnlockedMethodsCheck();
	}

	static final class AutoProxying implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

	/**
	 * Rolls transactions back whose lock is lost before they commit.
	 */
	static final class Transactions implements ImportBeanDefinitionRegistrar {

		private static final boolean PRESENT = ClassUtils.isPresent(
				"org.springframework.transaction.ConfigurableTransactionManager",
				DistributedLockConfiguration.class.getClassLoader());

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			if (PRESENT) {
				registry.registerBeanDefinition("distributedLockTransactionPostProcessor",
						BeanDefinitionBuilder.rootBeanDefinition(LockedTransactionPostProcessor.class)
							.setRole(BeanDefinition.ROLE_INFRASTRUCTURE)
							.getBeanDefinition());
			}
		}

	}

}
