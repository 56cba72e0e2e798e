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
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreContractTests;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreClient;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLockStore} on a cluster of three masters, as a user with the
 * documented rights.
 */
@Tag("topologies")
class RedisLockStoreOnClusterTests extends LockStoreContractTests {

	private static final List<RedisServer> nodes = new ArrayList<>();

	private static LettuceConnectionFactory connectionFactory;

	@BeforeAll
	static void start() {
		for (int i = 0; i < 3; i++) {
			nodes.add(RestrictedUser.onNode(RedisServer.builder()).config("cluster-enabled", "yes").start());
			int from = 5461 * i;
			nodes.get(i)
				.cli("CLUSTER", "ADDSLOTSRANGE", String.valueOf(from), String.valueOf((i < 2) ? from + 5460 : 16_383));
			nodes.get(i).cli("CLUSTER", "MEET", "127.0.0.1", String.valueOf(nodes.get(0).port()));
		}
		await().atMost(Duration.ofSeconds(30))
			.until(() -> nodes.stream()
				.allMatch((node) -> String.valueOf(node.cli("CLUSTER", "INFO")).contains("cluster_known_nodes:3")
						&& String.valueOf(node.cli("CLUSTER", "INFO")).contains("cluster_state:ok")));
		RedisClusterConfiguration configuration = new RedisClusterConfiguration(
				List.of("127.0.0.1:" + nodes.get(0).port()));
		configuration.setUsername(RestrictedUser.NAME);
		configuration.setPassword(RestrictedUser.PASSWORD);
		connectionFactory = new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder().clientResources(RedisFixture.RESOURCES).build());
		connectionFactory.afterPropertiesSet();
	}

	@Test
	void anExactKeyAndItsCompanionsAreOnOneNode() throws Exception {
		LettuceConnectionFactory anyKey = new LettuceConnectionFactory(
				new RedisClusterConfiguration(List.of("127.0.0.1:" + nodes.get(0).port())),
				LettuceClientConfiguration.builder().clientResources(RedisFixture.RESOURCES).build());
		anyKey.afterPropertiesSet();
		try (RedisLockStore store = RedisLockStore
			.withOwnConnection(new StringRedisTemplate(anyKey), RedisFixture.settings()
				.withKeys(Map.of("a", "job-lock:prod:a", "b", "{jobs}:b", "c", "registry:c}", "d", "registry:{}d")))) {
			StoreClient client = new StoreClient(store, "app@host~1").listen();
			for (String name : List.of("a", "b", "c", "d")) {
				LockToken holder = client.newToken();
				LockToken waiter = client.newToken();
				client.mustAcquire(name, holder);
				client.queue(name, waiter);
				assertThat(client.release(name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
				assertThat(client.awaitGrant().token()).isEqualTo(waiter);
				assertThat(StoreClient.get(store.describe(name))).isPresent();
				assertThat(client.release(name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
			}
		}
		finally {
			anyKey.destroy();
		}
	}

	@AfterAll
	static void stop() {
		connectionFactory.destroy();
		try {
			nodes.forEach(RestrictedUser::assertNothingRefused);
		}
		finally {
			nodes.forEach(RedisServer::close);
		}
	}

	@Override
	protected LockStore open() {
		return RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory), RedisFixture.settings());
	}

	@Override
	protected void pass(Duration time) throws InterruptedException {
		Thread.sleep(time.toMillis());
	}

	@Override
	protected boolean knowsWhoListens() {
		return false;
	}

	@Test
	void everyMasterIsInspected() {
		nodes.forEach((node) -> node.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru"));
		try (LockStore store = open()) {
			assertThat(store.inspect().join().findings()).singleElement()
				.satisfies((finding) -> assertThat(finding.problem()).contains("evicts keys")
					.contains(nodes.stream().map((node) -> ":" + node.port()).toList()));
		}
		finally {
			nodes.forEach((node) -> node.cli("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction"));
		}
	}

	@Test
	void namesWithAndWithoutHashTagsWorkOnAllNodes() throws Exception {
		this.second.listen();
		for (String lock : List.of("a", "b", "c", "{tag}x", "x{tag}", "a}b", "{}", "}{", "a{b")) {
			LockToken holder = this.first.newToken();
			LockToken waiter = this.second.newToken();
			this.first.mustAcquire(lock, holder);
			this.second.queue(lock, waiter);
			assertThat(this.first.release(lock, holder)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
			assertThat(this.second.release(lock, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	@Test
	void orderIsKeptWhileTheFirstConnectionIsBeingMade() {
		for (int round = 0; round < 20; round++) {
			StoreClient client = newClient();
			String lock = this.name + ":" + round;
			LockToken token = client.newToken();
			client.store().acquire(new AcquireRequest(lock, token, StoreClient.LEASE, 1, null));
			assertThat(client.release(lock, token)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	@Test
	void hungNodeDoesNotDelayExtensionsOnTheOthers() {
		StoreClient client = new StoreClient(
				RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory), RedisFixture.impatient()),
				"impatient");
		LockToken token = client.newToken();
		List<LeaseExtension> extensions = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			String lock = this.name + ":" + i;
			await().ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.until(() -> client.store()
					.acquire(new AcquireRequest(lock, token, StoreClient.LEASE, 1, null))
					.get() instanceof AcquireOutcome.Granted);
			extensions.add(new LeaseExtension(lock, token, StoreClient.LEASE, LeaseExtension.Mode.EXACTLY));
		}
		client.store().extend(extensions).forEach(StoreClient::get);
		nodes.get(1).pause();
		try {
			for (int round = 0; round < 5; round++) {
				int extended = 0;
				for (var future : client.store().extend(extensions)) {
					try {
						assertThat(StoreClient.get(future)).isEqualTo(ExtendOutcome.EXTENDED);
						extended++;
					}
					catch (LockUnavailableException ex) {
						assertThat(ex).isNotNull();
					}
				}
				assertThat(extended).isBetween(20, 59);
			}
		}
		finally {
			nodes.get(1).resume();
		}
		await().atMost(RedisFixture.PATIENCE)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(() -> client.store().extend(extensions).stream().map(StoreClient::get).toList(),
					(outcomes) -> outcomes.stream().allMatch(ExtendOutcome.EXTENDED::equals));
		client.store().close();
	}

}
