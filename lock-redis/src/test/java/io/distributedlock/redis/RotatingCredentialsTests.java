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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisServer;
import io.lettuce.core.RedisCredentialsProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks while the credentials for Redis rotate, as those of Entra ID and IAM do: for as
 * many times as {@code lock.test.rotations} says, each time after everybody has worked
 * with the old ones and with both.
 */
@Timeout(300)
class RotatingCredentialsTests {

	private static final int ROTATIONS = Integer.getInteger("lock.test.rotations", 5);

	/** Nothing here is about a slow machine. */
	private static final RedisLockSettings SETTINGS = RedisLockSettings.defaults()
		.withConnectTimeout(RedisFixture.PATIENCE)
		.withCommandTimeout(RedisFixture.PATIENCE);

	private static final LockOptions HELD = LockOptions.ofLease(RedisFixture.PATIENCE)
		.withAutoRenew(Duration.ofMillis(500));

	private static final LockOptions WAITING = LockOptions.defaults().withWaitTime(RedisFixture.PATIENCE);

	private static final Pattern CLIENT = Pattern.compile("(?m)^id=(\\d+) .* user=(\\S+)");

	private final RedisServer server = RedisServer.start();

	private final RotatingToken token = new RotatingToken(this.server);

	private final List<AutoCloseable> opened = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.opened) {
			each.close();
		}
		this.server.close();
	}

	@Test
	void nothingIsLostOnLettuceAndNoConnectionIsClosed() throws Exception {
		rotate(lettuce("first"), lettuce("second"), 4);
	}

	@Test
	void rotationLosesNothingOnReopenedConnectionsOfJedis() throws Exception {
		rotate(jedis("first"), jedis("second"), 0);
	}

	/**
	 * Let the credentials expire again and again.
	 * @param lasting how many connections stay, 0 if they are reopened
	 */
	private void rotate(Instance first, Instance second, int lasting) throws Exception {
		LockHandle held = first.locks.acquire("held", HELD);
		Turns turns = new Turns(first, second);
		// Each instance has a connection for commands, and one for its subscription
		turns.awaitMore();
		await().atMost(RedisFixture.PATIENCE).until(() -> connections().size() >= 4);
		List<String> before = connections();
		int forced = 0;
		for (int i = 0; i < ROTATIONS; i++) {
			this.token.issue();
			await().atMost(RedisFixture.PATIENCE).until(() -> connections().size() >= lasting);
			turns.awaitMore();
			this.token.expirePrevious();
			turns.awaitMore();
			awaitRenewal(held);
			LossCause cause = loseByForce((i % 2 == 0) ? first : second, (i % 2 == 0) ? second : first);
			if (cause != LossCause.KEY_VANISHED || lasting > 0) {
				assertThat(cause).isEqualTo(LossCause.FORCED);
				forced++;
			}
			await().atMost(RedisFixture.PATIENCE).until(() -> connections().size() >= 4);
		}
		turns.end();
		assertThat(forced).isPositive();
		held.release();
		if (lasting > 0) {
			assertThat(connections()).hasSize(lasting).isEqualTo(before);
		}
	}

	private static void awaitRenewal(LockHandle held) {
		Duration remaining = held.remaining();
		await().atMost(RedisFixture.PATIENCE).until(() -> held.remaining().compareTo(remaining) > 0);
	}

	/**
	 * Only the subscription can report that a lock was taken by force, unless a
	 * connection that was reopened has just led to a question. Otherwise, the lease would
	 * end.
	 */
	private static LossCause loseByForce(Instance holder, Instance other) throws Exception {
		LockHandle handle = holder.locks.acquire("forced", WAITING);
		CompletableFuture<LockEvent.Lost> loss = new CompletableFuture<>();
		handle.onLost(loss::complete);
		String stored = StoreClient.get(other.store.find("forced")).orElseThrow().holder();
		assertThat(StoreClient.get(other.store.forceRelease("forced", stored))).isEqualTo(ReleaseOutcome.RELEASED);
		return loss.get(2 * RedisFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS).cause();
	}

	/**
	 * Return the connections that have the newest token, by their identifiers.
	 */
	private List<String> connections() {
		return CLIENT.matcher(String.valueOf(this.server.cli("CLIENT", "LIST")))
			.results()
			.filter((client) -> client.group(2).equals(this.token.user()))
			.map((client) -> client.group(1))
			.toList();
	}

	private Instance lettuce(String name) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.clientResources(RedisFixture.RESOURCES)
			.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {

				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
					return RotatingCredentialsTests.this.token;
				}

			})
			.build();
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(RedisFixture.address(this.server),
				client);
		this.opened.add(0, connectionFactory::destroy);
		connectionFactory.afterPropertiesSet();
		return open(name, connectionFactory);
	}

	private Instance jedis(String name) {
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.customizeClientConfig((config) -> config.credentialsProvider(this.token::forJedis))
			.build();
		JedisConnectionFactory connectionFactory = new JedisConnectionFactory(RedisFixture.address(this.server),
				client);
		this.opened.add(0, connectionFactory::destroy);
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		return open(name, connectionFactory);
	}

	private Instance open(String name, RedisConnectionFactory connectionFactory) {
		RedisLockStore store = RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory), SETTINGS);
		this.opened.add(0, store);
		DefaultLockService locks = new DefaultLockService(store, EngineSettings.of(name), List.of());
		this.opened.add(0, locks);
		return new Instance(store, locks);
	}

	private record Instance(RedisLockStore store, DefaultLockService locks) {

	}

	/**
	 * Two threads of each instance that take turns.
	 */
	private static final class Turns {

		private final AtomicInteger inside = new AtomicInteger();

		private final List<Future<?>> workers = new ArrayList<>();

		private final ExecutorService threads = Executors.newCachedThreadPool();

		private volatile boolean ended;

		/** Guarded by the lock under test. */
		private int counter;

		private final AtomicInteger taken = new AtomicInteger();

		Turns(Instance... instances) {
			for (Instance instance : instances) {
				this.workers.add(this.threads.submit(() -> run(instance)));
				this.workers.add(this.threads.submit(() -> run(instance)));
			}
		}

		private void run(Instance instance) {
			while (!this.ended) {
				try (LockHandle handle = instance.locks.acquire("contended", WAITING)) {
					assertThat(this.inside.incrementAndGet()).isEqualTo(1);
					this.counter++;
					assertThat(handle.isHeld()).isTrue();
					this.inside.decrementAndGet();
				}
				this.taken.incrementAndGet();
			}
		}

		void awaitMore() {
			int before = this.taken.get();
			await().atMost(RedisFixture.PATIENCE).until(() -> this.taken.get() > before + 10);
		}

		void end() throws Exception {
			this.ended = true;
			for (Future<?> worker : this.workers) {
				worker.get(30, TimeUnit.SECONDS);
			}
			this.threads.shutdown();
			assertThat(this.counter).isEqualTo(this.taken.get());
		}

	}

}
