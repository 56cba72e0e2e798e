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

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockToken;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link BlockingInbox}.
 */
class BlockingInboxTests {

	private static final String CHANNEL = "lock:inbox:blocking";

	@Test
	void subscribesAgainOverAnotherSocketAndLeavesNoReaderBehind() throws Exception {
		Semaphore subscriptions = new Semaphore(0);
		InboxListener listener = new InboxListener(new GrantListener() {

			@Override
			public void granted(Grant grant) {
			}

			@Override
			public void revoked(String name, LockToken token) {
			}

			@Override
			public void subscribed() {
				subscriptions.release();
			}

		}, Duration.ofSeconds(3));
		RedisServer server = RedisServer.shared();
		try (RedisFixture redis = new RedisFixture()) {
			StringRedisTemplate template = redis.jedis(RedisFixture.address(server));
			InboxWatch watch = new InboxWatch(listener, Duration.ofSeconds(1), CompletableFuture::new, () -> {
			}, System::nanoTime);
			try (BlockingInbox inbox = new BlockingInbox(template.getRequiredConnectionFactory(), CHANNEL.getBytes(),
					watch)) {
				inbox.open();
				assertThat(subscriptions.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
				Set<Thread> before = readers();
				assertThat(before).isNotEmpty();
				await().pollDelay(Duration.ofMillis(200)).until(() -> true);
				inbox.resubscribe();
				assertThat(subscriptions.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
				await().atMost(RedisFixture.PATIENCE).untilAsserted(() -> {
					assertThat(server.cli("PUBSUB", "NUMSUB", CHANNEL)).isEqualTo(List.of(CHANNEL, 1L));
					assertThat(readers()).hasSameSizeAs(before).isNotEqualTo(before);
				});
			}
		}
	}

	private static Set<Thread> readers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("distributed-lock-redis-inbox"))
			.collect(Collectors.toSet());
	}

}
