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

import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link LeadershipConfiguration} in an application without Spring Boot.
 */
class LeadershipConfigurationTests {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void applicationWithAStoreHasAnElection() {
		this.context.register(DistributedLockConfiguration.class, InMemoryLockStore.class);
		this.context.refresh();
		assertThat(this.context.getBeansOfType(LeaderElection.class)).hasSize(1);
	}

	@Test
	void applicationWithoutAStoreHasNoElection() {
		this.context.register(DistributedLockConfiguration.class);
		this.context.refresh();
		assertThat(this.context.getBeansOfType(LeaderElection.class)).isEmpty();
	}

	@Test
	void twoServicesOfTheApplicationHaveNoElection() {
		registerServices(false);
		assertThat(this.context.getBeansOfType(LeaderElection.class)).isEmpty();
	}

	@Test
	void primaryOneOfTwoServicesHasAnElection() {
		registerServices(true);
		assertThat(this.context.getBeansOfType(LeaderElection.class)).hasSize(1);
	}

	@Test
	void methodForAnUnknownLeadershipEndsTheStart() {
		this.context.register(DistributedLockConfiguration.class, InMemoryLockStore.class, Cleaner.class);
		assertThatThrownBy(this.context::refresh).isInstanceOf(LockValidationException.class)
			.hasMessageContaining("This application has no leadership.");
	}

	private void registerServices(boolean primary) {
		Supplier<LockService> service = () -> new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("own"),
				List.of());
		this.context.registerBean("one", LockService.class, service, (definition) -> definition.setPrimary(primary));
		this.context.registerBean("other", LockService.class, service);
		this.context.register(DistributedLockConfiguration.class);
		this.context.refresh();
	}

	static class Cleaner {

		@LeaderOnly("cleaner")
		public void clean() {
		}

	}

}
