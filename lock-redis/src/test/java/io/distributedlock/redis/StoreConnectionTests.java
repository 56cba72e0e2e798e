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
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what is common to each {@link StoreConnection}.
 */
class StoreConnectionTests {

	private final AtomicInteger attempts = new AtomicInteger();

	private final InboxListener listener = new InboxListener(RedisFixture.listener((told) -> {
	}), Duration.ofSeconds(1), (key) -> "a");

	@Test
	void inboxThatNoThreadCouldBeStartedForIsOpenedByTheNextCall() {
		byte[] channel = { 'c' };
		try (StoreConnection connection = new Unconnected()) {
			assertThatExceptionOfType(OutOfMemoryError.class)
				.isThrownBy(() -> connection.listen(channel, this.listener));
			connection.listen(channel, this.listener);
			connection.listen(channel, this.listener);
		}
		assertThat(this.attempts).hasValue(2);
	}

	@Test
	void scriptAfterAPauseNeedsNoNewThreadWithJedis() {
		RedisFixture redis = new RedisFixture();
		BlockingStoreConnection connection = redis.closeLater(new BlockingStoreConnection(
				redis.jedis(RedisFixture.address(RedisServer.shared())), RedisFixture.settings()));
		AtomicInteger threads = new AtomicInteger();
		for (ThreadPoolExecutor lane : connection.lanes) {
			lane.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
			lane.setThreadFactory((task) -> {
				threads.incrementAndGet();
				return new Thread(task);
			});
		}
		for (int i = 0; i < 2; i++) {
			ScriptCall<Object> call = RedisFixture.find("a");
			connection.run(call);
			assertThat(call).succeedsWithin(RedisFixture.PATIENCE);
			await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		}
		assertThat(threads).hasValue(1);
		redis.close();
	}

	private final class Unconnected extends UnconnectedStoreConnection {

		@Override
		Inbox createInbox(byte[] channel, InboxWatch watch) {
			return new OutOfMemoryInbox();
		}

	}

	/** Cannot be opened at the first attempt. */
	private final class OutOfMemoryInbox extends EmptyInbox {

		@Override
		public void open() {
			if (StoreConnectionTests.this.attempts.incrementAndGet() == 1) {
				throw new OutOfMemoryError("on purpose");
			}
		}

	}

}
