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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the order of what {@link NativeConnection} sends.
 */
@Timeout(60)
class NativeConnectionTests {

	private static final byte[] CHANNEL = "channel".getBytes();

	private final RedisFixture redis = new RedisFixture();

	private final NativeConnection connection = connect();

	private NativeConnection connect() {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(
				RedisFixture.address(RedisServer.shared()),
				LettuceClientConfiguration.builder().clientResources(RedisFixture.RESOURCES).build());
		connectionFactory.afterPropertiesSet();
		this.redis.closeLater(connectionFactory::destroy);
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
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Long> together = new CompletableFuture<>();
		CompletableFuture<Long> between = CompletableFuture.supplyAsync(() -> {
			await(begun);
			this.connection.publish(CHANNEL, CHANNEL).toCompletableFuture().join();
			return System.nanoTime();
		});
		this.connection.sendTogether(() -> {
			begun.countDown();
			this.connection.publish(CHANNEL, CHANNEL);
			pause(5);
			return together.complete(System.nanoTime());
		});
		assertThat(between.join()).isGreaterThan(together.join());
	}

	@Test
	void nobodyWaitsForGood() {
		CompletableFuture<?> sent = this.connection.sendTogether(() -> {
			CompletableFuture<?> other = CompletableFuture
				.supplyAsync(() -> this.connection.publish(CHANNEL, CHANNEL).toCompletableFuture().join());
			// As Lettuce, which does not let this thread send before the other one has
			// sent
			other.orTimeout(10, TimeUnit.SECONDS).join();
			return other;
		});
		assertThat(sent).isCompleted();
	}

	@Test
	void interruptedThreadSendsAndStaysInterrupted() {
		Thread.currentThread().interrupt();
		CompletableFuture<Long> sent = this.connection.publish(CHANNEL, CHANNEL).toCompletableFuture();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(sent.join()).isZero();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void pause(long millis) {
		try {
			TimeUnit.MILLISECONDS.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
