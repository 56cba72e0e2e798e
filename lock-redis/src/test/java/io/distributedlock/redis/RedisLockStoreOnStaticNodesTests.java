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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.Replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLockStore} on a master and a replica that are both configured, as
 * a user with the documented rights.
 */
@Tag("topologies")
class RedisLockStoreOnStaticNodesTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final RedisServer master = RestrictedUser.onStaticNode(RedisServer.builder()).embedded().start();

	private final RedisServer replica = RestrictedUser.onStaticNode(RedisServer.builder()).embedded().start();

	private final RedisFixture redis = new RedisFixture();

	private LettuceConnectionFactory connectionFactory;

	@BeforeEach
	void replicate() {
		follow(this.replica, this.master);
		RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration(this.replica.host(),
				this.replica.port());
		nodes.addNode(this.master.host(), this.master.port());
		nodes.setUsername(RestrictedUser.NAME);
		nodes.setPassword(RestrictedUser.PASSWORD);
		this.connectionFactory = new LettuceConnectionFactory(nodes,
				LettuceClientConfiguration.builder().clientResources(RedisFixture.RESOURCES).build());
		this.connectionFactory.afterPropertiesSet();
	}

	@AfterEach
	void close() {
		this.redis.close();
		this.connectionFactory.destroy();
		try (this.master; this.replica) {
			RestrictedUser.assertNothingRefused(this.master);
			RestrictedUser.assertNothingRefused(this.replica);
		}
	}

	@Test
	void commandsGoToTheMasterAndGrantsArriveFromEitherNode() throws Exception {
		StoreClient first = client();
		StoreClient second = client().listen();
		LockToken holder = first.newToken();
		LockToken waiter = second.newToken();
		first.mustAcquire("order:1", holder);
		assertThat(this.master.cli("GET", "lock:order:1")).isEqualTo(holder.text());
		second.queue("order:1", waiter);
		assertThat(first.release("order:1", holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.awaitGrant().token()).isEqualTo(waiter);
		// Whoever hears of it from the replica is not counted by the master
		assertThat(this.master.cli("GET", "lock:order:1")).isEqualTo(waiter.text());
	}

	@Test
	void exchangedRolesAreNoticed() {
		StoreClient client = client();
		client.mustAcquire("before", client.newToken());
		this.replica.cli("REPLICAOF", "NO", "ONE");
		follow(this.master, this.replica);
		LockToken token = client.newToken();
		AcquireOutcome outcome = await().atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(() -> client.tryAcquire("after", token), (answer) -> true);
		assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(this.replica.cli("GET", "lock:after")).isEqualTo(token.text());
	}

	private StoreClient client() {
		return this.redis.client(RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connectionFactory),
				RedisFixture.settings()));
	}

	private static void follow(RedisServer follower, RedisServer leader) {
		follower.cli("REPLICAOF", leader.host(), String.valueOf(leader.port()));
		Replication.awaitInSync(leader, follower);
	}

}
