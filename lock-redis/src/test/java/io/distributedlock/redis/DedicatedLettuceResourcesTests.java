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

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the threads of {@link DedicatedLettuceConnections}.
 */
@Timeout(120)
class DedicatedLettuceResourcesTests {

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder());

	private final ClientResources application = DefaultClientResources.builder()
		.ioThreadPoolSize(2)
		.computationThreadPoolSize(2)
		.build();

	private final LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(
			RedisFixture.address(extension.server()),
			LettuceClientConfiguration.builder().clientResources(this.application).build());

	private final RedisFixture redis = new RedisFixture();

	private final CountDownLatch unblock = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.unblock.countDown();
		this.redis.close();
		this.connectionFactory.destroy();
		this.application.shutdown(0, 1, TimeUnit.SECONDS);
	}

	/**
	 * Spring Boot has one set of threads for all connections of Lettuce.
	 */
	@Test
	void blockedLettuceThreadsOfTheApplicationStopNoLock() throws Exception {
		this.connectionFactory.afterPropertiesSet();
		this.connectionFactory.start();
		StoreClient holder = client(this.connectionFactory);
		LockToken held = holder.newToken();
		holder.mustAcquire("held", held);
		blockThreadsOfTheApplication();

		assertThat(holder.extend("held", held, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		StoreClient waiter = client(this.connectionFactory).listen();
		LockToken waiting = waiter.newToken();
		waiter.queue("held", waiting);
		holder.release("held", held);
		assertThat(waiter.awaitGrant().token()).isEqualTo(waiting);
	}

	@Test
	void lostConnectionIsReopenedMeanwhile() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(extension.server())) {
			LettuceConnectionFactory behindProxy = new LettuceConnectionFactory(RedisFixture.address(proxy),
					LettuceClientConfiguration.builder().clientResources(this.application).build());
			behindProxy.afterPropertiesSet();
			this.connectionFactory.afterPropertiesSet();
			this.connectionFactory.start();
			StoreClient client = client(behindProxy);
			client.mustAcquire("before", client.newToken());
			blockThreadsOfTheApplication();

			proxy.resetConnections();
			assertThat(await().atMost(RedisFixture.PATIENCE)
				.ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.until(() -> client.tryAcquire("after", client.newToken()), (outcome) -> true))
				.isInstanceOf(AcquireOutcome.Granted.class);
			behindProxy.destroy();
		}
	}

	@Test
	void threadsComeWithTheConnectionsAndGoWithTheStore() {
		Set<Thread> before = threads();
		RedisLockStore store = RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connectionFactory),
				RedisFixture.settings());
		// Those of other tests may end meanwhile
		assertThat(before).containsAll(threads());
		StoreClient client = new StoreClient(store, "app@host~1");
		client.mustAcquire("a", client.newToken());
		Set<Thread> ours = threads();
		ours.removeAll(before);
		assertThat(ours).isNotEmpty().allMatch((thread) -> thread.getName().startsWith("distributed-lock-"));
		store.close();
		await().atMost(RedisFixture.PATIENCE)
			.untilAsserted(() -> assertThat(threads()).doesNotContainAnyElementsOf(ours));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void closeDuringTheConnectLeavesNothing(boolean hung) {
		try (FaultProxy proxy = FaultProxy.to(extension.server())) {
			if (hung) {
				proxy.stall();
			}
			StringRedisTemplate template = this.redis.lettuce(RedisFixture.address(proxy));
			Set<Thread> before = threads();
			for (int round = 0; round < (hung ? 3 : 50); round++) {
				RedisLockStore store = RedisLockStore.withOwnConnection(template, RedisFixture.settings());
				store.warmUp();
				LockSupport.parkNanos(round * 200_000L);
				store.close();
			}
			proxy.heal();
			await().atMost(RedisFixture.PATIENCE).untilAsserted(() -> {
				assertThat(proxy.openConnections()).isZero();
				assertThat(threads()).isSubsetOf(before);
			});
		}
	}

	private StoreClient client(LettuceConnectionFactory factory) {
		return this.redis
			.client(RedisLockStore.withOwnConnection(new StringRedisTemplate(factory), RedisFixture.settings()));
	}

	private void blockThreadsOfTheApplication() throws InterruptedException {
		CountDownLatch blocked = new CountDownLatch(5);
		RedisClient client = (RedisClient) this.connectionFactory.getRequiredNativeClient();
		for (int i = 0; i < 2; i++) {
			StatefulRedisConnection<String, String> connection = client.connect();
			// Sent when the callback is there, which would block this thread otherwise
			connection.setAutoFlushCommands(false);
			connection.async().ping().thenRun(() -> block(blocked));
			connection.flushCommands();
			this.application.eventExecutorGroup().execute(() -> block(blocked));
		}
		this.application.timer().newTimeout((timeout) -> block(blocked), 0, TimeUnit.SECONDS);
		assertThat(blocked.await(RedisFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

	private void block(CountDownLatch blocked) {
		blocked.countDown();
		try {
			this.unblock.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("distributed-lock-.*|lettuce-.*"))
			.collect(Collectors.toCollection(HashSet::new));
	}

}
