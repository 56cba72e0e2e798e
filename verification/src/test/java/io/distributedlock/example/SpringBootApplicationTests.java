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

package io.distributedlock.example;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.fencing.Fences;
import io.distributedlock.observation.LockObservations;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * An application with Spring Boot, and all that it configures on this class path.
 */
@ExtendWith({ RedisExtension.class, OutputCaptureExtension.class })
class SpringBootApplicationTests extends SpringApplicationTests {

	private final RedisServer redis;

	SpringBootApplicationTests(RedisServer server) {
		super(server);
		this.redis = server;
	}

	@Override
	protected ConfigurableApplicationContext start(RedisServer server, Class<?>... configurations) {
		return start(server, WebApplicationType.NONE, Map.of(), configurations);
	}

	private static ConfigurableApplicationContext start(RedisServer server, WebApplicationType type,
			Map<String, Object> properties, Class<?>... configurations) {
		URI url = URI.create(server.url());
		Class<?>[] sources = Stream.concat(Stream.of(Application.class), Stream.of(configurations))
			.toArray(Class<?>[]::new);
		return new SpringApplicationBuilder(sources).web(type)
			.properties(Map.of("spring.data.redis.host", url.getHost(), "spring.data.redis.port", url.getPort(),
					"spring.main.banner-mode", "off", "logging.level.io.distributedlock", "info", "server.port", 0,
					"management.tracing.export.enabled", false, "management.logging.export.enabled", false))
			.properties(properties)
			.run();
	}

	@Test
	void storeIsCheckedAtTheStart(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start(this.redis)) {
			assertThat(context.isActive()).isTrue();
			await().untilAsserted(() -> assertThat(output).contains("Distributed locks are kept in Redis at "));
		}
	}

	@Test
	void busyLockIsAnsweredWithStatus409() throws Exception {
		try (ConfigurableApplicationContext context = start(this.redis, WebApplicationType.SERVLET, Map.of(),
				Orders.class)) {
			LockOptions options = LockOptions.ofLease(Duration.ofMinutes(1));
			// Who closes the context would wait for its end
			try (LockHandle handle = context.getBean(LockService.class).acquireAsync("order", options).join()) {
				MockMvcBuilders.webAppContextSetup((WebApplicationContext) context)
					.build()
					.perform(post("/orders"))
					.andExpect(status().isConflict());
				assertThat(handle.isHeld()).isTrue();
			}
		}
	}

	@Test
	void tableOfTheFencesIsCreated() {
		try (ConfigurableApplicationContext context = start(this.redis, Database.class)) {
			assertThat(context.getBean(Fences.class)).isNotNull();
			assertThat(context.getBean(JdbcTemplate.class).queryForList("select fence from distributed_lock_fence"))
				.isEmpty();
		}
	}

	@Test
	void locksAreObserved() {
		try (ConfigurableApplicationContext context = start(this.redis)) {
			assertThat(context.getBean(ObservationRegistry.class).isNoop()).isFalse();
			assertThat(context.getBeansOfType(LockObservations.class)).hasSize(1);
		}
	}

	@Test
	void propertiesSetTheDefaults() {
		try (ConfigurableApplicationContext context = start(this.redis, WebApplicationType.NONE,
				Map.of("distributed-lock.defaults.timeout", "42s"))) {
			assertThat(context.getBean(LockService.class).defaults().lease()).hasSeconds(42);
		}
	}

	@Test
	void endpointShowsLocks() {
		try (ConfigurableApplicationContext context = start(this.redis, WebApplicationType.NONE,
				Map.of("management.endpoints.jmx.exposure.include", "locks", "spring.jmx.enabled", true))) {
			try (LockHandle held = context.getBean(LockService.class).acquire("order:42")) {
				assertThat(held.isHeld()).isTrue();
				assertThat(context.getBean(LocksEndpoint.class).locks(null, null).toString()).contains("order:42");
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(OrdersController.class)
	static class Orders {

	}

	@RestController
	static class OrdersController {

		@PostMapping("/orders")
		@DistributedLock("order")
		public String pay() {
			return "paid";
		}

	}

}
