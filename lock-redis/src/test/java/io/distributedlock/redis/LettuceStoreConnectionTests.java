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
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LettuceStoreConnection}.
 */
class LettuceStoreConnectionTests {

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder());

	private final RedisFixture redis = new RedisFixture();

	private final AtomicBoolean outOfMemory = new AtomicBoolean();

	private LettuceStoreConnection connection;

	@BeforeEach
	void open() {
		LettuceConnectionFactory connectionFactory = (LettuceConnectionFactory) this.redis
			.lettuce(RedisFixture.address(extension.server()))
			.getRequiredConnectionFactory();
		connectionFactory.getRequiredNativeClient().addListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				if (LettuceStoreConnectionTests.this.outOfMemory.get()) {
					throw new OutOfMemoryError("on purpose");
				}
			}

		});
		this.connection = LettuceStoreConnection.shared(connectionFactory,
				RedisFixture.impatient().withConnectTimeout(RedisFixture.PATIENCE));
	}

	@AfterEach
	void close() {
		this.connection.close();
		this.redis.close();
	}

	@Test
	void callCompletesAfterAnErrorBeforeSending() {
		ScriptCall<Object> answered = RedisFixture.find("a");
		this.connection.run(answered);
		assertThat(answered).succeedsWithin(RedisFixture.PATIENCE);
		// Until the connector is done with it, calls queue up behind it
		CompletableFuture.runAsync(() -> {
		}, this.connection.connector::execute).join();
		this.outOfMemory.set(true);
		ScriptCall<Object> unsent = RedisFixture.find("a");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.connection.run(unsent));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(unsent));
	}

	@Test
	void messageFailsAfterAnErrorBeforeSending() {
		ScriptCall<Object> answered = RedisFixture.find("a");
		this.connection.run(answered);
		assertThat(answered).succeedsWithin(RedisFixture.PATIENCE);
		this.outOfMemory.set(true);
		assertThat(this.connection.publish(new byte[] { 'c' }, InboxWatch.probe()).toCompletableFuture())
			.isCompletedExceptionally();
	}

	@Test
	void failureToCloseTheInboxKeepsNothingElseOpen() {
		this.connection.inbox.set(new BrokenInbox());
		assertThatIllegalStateException().isThrownBy(this.connection::close);
		ScriptCall<Object> late = RedisFixture.find("a");
		late.limit(RedisFixture.PATIENCE);
		this.connection.timer.add(late);
		assertThat(late).isCompletedExceptionally();
		this.connection.inbox.set(null);
	}

	private static final class BrokenInbox extends EmptyInbox {

		@Override
		public void close() {
			throw new IllegalStateException("on purpose");
		}

	}

}
