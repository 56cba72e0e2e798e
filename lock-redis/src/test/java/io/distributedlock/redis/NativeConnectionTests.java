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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the order of what {@link NativeConnection} sends.
 */
@Timeout(60)
class NativeConnectionTests {

	private static final byte[] CHANNEL = "channel".getBytes();

	private static final Duration SOON = Duration.ofSeconds(10);

	private final RedisFixture redis = new RedisFixture();

	private final NativeConnection connection = connect();

	private NativeConnection connect() {
		RedisConnectionFactory connectionFactory = this.redis.lettuce(RedisFixture.address(RedisServer.shared()))
			.getRequiredConnectionFactory();
		try (RedisConnection shared = connectionFactory.getConnection()) {
			return NativeConnection.of(shared);
		}
	}

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void othersWaitUntilCommandsAreSentTogether() {
		CompletableFuture<Long> other = this.connection.sendTogether(() -> {
			CompletableFuture<Long> between = publishInAnotherThread();
			assertThat(between).failsWithin(Duration.ofMillis(20)).withThrowableOfType(TimeoutException.class);
			return between;
		});
		assertThat(other).succeedsWithin(SOON);
	}

	/** Lettuce may not let this thread send before the other one has. */
	@Test
	void nobodyWaitsForGood() {
		CompletableFuture<Long> other = this.connection.sendTogether(() -> {
			CompletableFuture<Long> between = publishInAnotherThread();
			assertThat(between).succeedsWithin(SOON);
			return between;
		});
		assertThat(other).isCompleted();
	}

	@Test
	void interruptedThreadSendsAndStaysInterrupted() {
		Thread.currentThread().interrupt();
		CompletableFuture<Long> sent = this.connection.publish(CHANNEL, CHANNEL).toCompletableFuture();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(sent.join()).isZero();
	}

	private CompletableFuture<Long> publishInAnotherThread() {
		return CompletableFuture
			.supplyAsync(() -> this.connection.publish(CHANNEL, CHANNEL).toCompletableFuture().join());
	}

}
