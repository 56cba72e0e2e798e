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

package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyScanner}.
 */
class KeyScannerTests {

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder());

	@Test
	void callersDuringASearchShareTheNextSearch() throws Exception {
		try (RedisFixture redis = new RedisFixture()) {
			StringRedisTemplate template = redis.lettuce(RedisFixture.address(extension.server()));
			for (String key : List.of("a", "b", "c")) {
				template.opsForValue().set(key, "held");
			}
			RedisConnectionFactory connections = template.getRequiredConnectionFactory();
			AtomicInteger searches = new AtomicInteger();
			CountDownLatch begun = new CountDownLatch(1);
			CountDownLatch goOn = new CountDownLatch(1);
			try (KeyScanner scanner = new KeyScanner(() -> {
				searches.incrementAndGet();
				begun.countDown();
				await(goOn);
				return connections;
			}, Duration.ofMinutes(1), (key) -> new String(key, StandardCharsets.UTF_8))) {
				CompletableFuture<KeyScanner.Found> first = scanner.scan(10);
				await(begun);
				List<CompletableFuture<KeyScanner.Found>> others = new ArrayList<>();
				for (int i = 0; i < 100; i++) {
					others.add(scanner.scan(i % 4 + 1));
				}
				goOn.countDown();
				assertThat(first.get().names()).containsExactlyInAnyOrder("a", "b", "c");
				for (int i = 0; i < 100; i++) {
					KeyScanner.Found found = others.get(i).get();
					assertThat(found.names()).hasSize(Math.min(i % 4 + 1, 3));
					assertThat(found.complete()).isEqualTo(i % 4 + 1 >= 3);
				}
				assertThat(searches).hasValue(2);
			}
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
