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

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * An application with Spring, but without Spring Boot, and with
 * {@link DistributedLockConfiguration}.
 */
@ExtendWith({ RedisExtension.class, OutputCaptureExtension.class })
class SpringAloneApplicationTests extends SpringApplicationTests {

	private static URI url = URI.create("");

	private final RedisServer redis;

	SpringAloneApplicationTests(RedisServer server) {
		super(server);
		this.redis = server;
	}

	@Override
	protected ConfigurableApplicationContext start(RedisServer server, Class<?>... configurations) {
		url = URI.create(server.url());
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Locks.class);
		for (Class<?> configuration : configurations) {
			context.register(configuration);
		}
		context.refresh();
		return context;
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
		url = URI.create(this.redis.url());
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.setServletContext(new MockServletContext());
			context.register(Locks.class, Web.class);
			context.refresh();
			LockOptions options = LockOptions.ofLease(Duration.ofMinutes(1));
			// Who closes the context would wait for its end
			try (LockHandle handle = context.getBean(LockService.class).acquireAsync("order", options).join()) {
				MockMvcBuilders.webAppContextSetup(context)
					.build()
					.perform(post("/orders"))
					.andExpect(status().isConflict());
				assertThat(handle.isHeld()).isTrue();
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(DistributedLockConfiguration.class)
	static class Locks {

		@Bean
		LettuceConnectionFactory redisConnectionFactory() {
			return new LettuceConnectionFactory(url.getHost(), url.getPort());
		}

		@Bean
		RedisLockStore lockStore(LettuceConnectionFactory connectionFactory) {
			return RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory),
					RedisLockSettings.defaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	@Import(Orders.class)
	static class Web {

	}

	@RestController
	static class Orders {

		@PostMapping("/orders")
		@DistributedLock("order")
		public String pay() {
			return "paid";
		}

	}

}
