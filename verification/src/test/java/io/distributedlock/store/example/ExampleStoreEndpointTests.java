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

package io.distributedlock.store.example;

import java.util.Map;

import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoredLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application with a store of its own, which cannot list or take locks, and its
 * endpoint.
 */
class ExampleStoreEndpointTests {

	private static final TestDatabase database = new TestDatabase();

	private static ConfigurableApplicationContext context;

	private final LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);

	@BeforeAll
	static void start() {
		context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(Map.of("spring.main.banner-mode", "off", "spring.jmx.enabled", true,
					"management.endpoints.jmx.exposure.include", "locks", "management.tracing.export.enabled", false,
					"management.logging.export.enabled", false))
			.run();
	}

	@AfterAll
	static void stop() {
		context.close();
		database.close();
	}

	@Test
	void lockIsShownWithItsHolder() {
		try (LockHandle handle = context.getBean(LockService.class).acquire("order:42")) {
			assertThat(this.endpoint.lock("order:42").toString()).contains("order:42", "locked=true");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void listIsRefusedInASentence() {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.locks(LocksEndpoint.Scope.STORE, 10))
			.extracting(InvalidEndpointRequestException::getReason)
			.isEqualTo("This lock store (example in a database) cannot list its locks.");
	}

	@Test
	void forcedReleaseIsRefusedInASentenceAndTheLockStaysHeld() {
		try (LockHandle handle = context.getBean(LockService.class).acquire("order:43")) {
			StoredLock lock = context.getBean(LockStore.class).find("order:43").join().orElseThrow();
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> this.endpoint.forceRelease("order:43", lock.digest()))
				.extracting(InvalidEndpointRequestException::getReason)
				.isEqualTo("This lock store (example in a database) cannot take a lock from its holder.");
			assertThat(context.getBean(LockService.class).isLocked("order:43")).isTrue();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		LockStore lockStore() {
			return new JdbcLockStore(database.dataSource());
		}

	}

}
