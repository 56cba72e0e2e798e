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
import io.distributedlock.store.LockStore;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Brings locks to an application without Spring Boot:
 * {@code @Import(DistributedLockConfiguration.class)} on a configuration that declares a
 * {@link LockStore}, such as the {@code RedisLockStore} of {@code lock-redis}. With
 * Spring Boot, the starter does all of this.
 *
 * <p>
 * Applies the annotations of methods, and reports those that cannot work at the start, as
 * with {@link LockValidation#FAIL}. Creates a {@link LockService} on the store, unless
 * there is a bean of this type, and closes it when the context closes. Beans of type
 * {@link LockOptionsCustomizer}, {@link io.distributedlock.LockListener LockListener},
 * {@link io.distributedlock.LockObserver LockObserver} and
 * {@link io.distributedlock.engine.EngineSettings EngineSettings} apply to that service.
 * With the libraries that they need, it also brings the roll-back of transactions under a
 * lost lock, meters, {@code ReactiveLocks}, and answers to HTTP clients; with
 * {@code lock-leadership} leader election, and with {@code lock-fencing} fenced
 * transactions.
 *
 * <p>
 * Beans with interfaces get proxies of these, unless another configuration requests class
 * proxies.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@Import(DistributedLockConfiguration.Features.class)
public class DistributedLockConfiguration {

	/**
	 * Look at child contexts, whose beans get no proxies here.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	static UnlockedMethodsCheck distributedLockUnlockedMethodsCheck() {
		return new UnlockedMethodsCheck();
	}

	/**
	 * Deferred, so that the beans of the application are known. By name, because it knows
	 * the annotations, and not the other way round.
	 */
	static final class Features implements DeferredImportSelector {

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			return new String[] { "io.distributedlock.configuration.internal.LockConfiguration" };
		}

	}

}
