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

package io.distributedlock.fencing.configuration.internal;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.fencing.Fences;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link LockFencingConfiguration} in an application without Spring Boot.
 */
class LockFencingConfigurationTests {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void fencedMethodWithoutADatabaseEndsTheStart() {
		this.context.register(Locks.class, FencedOrders.class);
		assertThatThrownBy(this.context::refresh).isInstanceOf(LockValidationException.class)
			.hasMessageContaining("There is no data source whose transactions could claim the fence.")
			.hasMessageContaining("Declare a DataSource and its transaction manager as beans");
	}

	@Test
	void fencedMethodWithoutTheConfigurationEndsTheStart() {
		this.context.register(OnlyAdvice.class, FencedOrders.class);
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(this.context);
		assertThatThrownBy(this.context::refresh).isInstanceOf(LockValidationException.class)
			.hasMessageContaining("No bean lets the transactions of the method claim the fence")
			.hasMessageContaining("Fences.claim(handle)");
	}

	@Test
	void nothingIsFencedWithoutADatabase() {
		this.context.register(Locks.class, Orders.class);
		this.context.refresh();
		assertThat(this.context.getBeansOfType(Fences.class)).isEmpty();
		assertThat(this.context.getBean(Orders.class).pay()).isEqualTo("paid");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ DistributedLockConfiguration.class, InMemoryLockStore.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	static class OnlyAdvice {

		@Bean
		static LockedMethodRegistry registry(ConfigurableBeanFactory beanFactory, ObjectProvider<LockService> service,
				ObjectProvider<LockOptionsCustomizer> customizers) {
			LockedMethodRegistry registry = new LockedMethodRegistry(beanFactory, service, customizers);
			registry.setValidation(LockValidation.FAIL);
			return registry;
		}

		@Bean
		static DistributedLockAdvisor advisor(LockedMethodRegistry registry) {
			return new DistributedLockAdvisor(registry);
		}

	}

	static class FencedOrders {

		@Transactional
		@DistributedLock(name = "order", fenced = true)
		public void pay() {
		}

	}

	static class Orders {

		@DistributedLock("order")
		public String pay() {
			return "paid";
		}

	}

}
