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

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockService;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the example of docs/lock-service.md, in two instances, on a real Redis.
 */
@ExtendWith(RedisExtension.class)
class WithoutSpringBootTests {

	private final URI redis;

	WithoutSpringBootTests(RedisServer server) {
		server.flushAll();
		this.redis = URI.create(server.url());
	}

	@Test
	void theAnnotationLocks() {
		try (AnnotationConfigApplicationContext here = start(); AnnotationConfigApplicationContext there = start()) {
			ShopConfiguration.Payments payments = here.getBean(ShopConfiguration.Payments.class);
			try (LockHandle held = there.getBean(LockService.class).acquire("order:42")) {
				assertThat(held.isHeld()).isTrue();
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> payments.pay(42L));
				assertThat(payments.pay(43L)).isEqualTo("paid 43");
			}
			assertThat(payments.pay(42L)).isEqualTo("paid 42");
		}
	}

	private AnnotationConfigApplicationContext start() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(LettuceConnectionFactory.class,
				() -> new LettuceConnectionFactory(this.redis.getHost(), this.redis.getPort()));
		context.registerBean(StringRedisTemplate.class,
				() -> new StringRedisTemplate(context.getBean(LettuceConnectionFactory.class)));
		context.register(ShopConfiguration.class);
		context.refresh();
		return context;
	}

}
