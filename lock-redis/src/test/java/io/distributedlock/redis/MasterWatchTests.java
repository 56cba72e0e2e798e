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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link MasterWatch}.
 */
class MasterWatchTests {

	private final Semaphore changes = new Semaphore(0);

	@Test
	void oneServerIsNotWatched() {
		RedisFixture redis = new RedisFixture();
		MasterWatch watch = new MasterWatch(
				redis.jedis(RedisFixture.address(RedisServer.shared())).getRequiredConnectionFactory(),
				this.changes::release);
		watch.open();
		awaitEnd();
		assertThat(this.changes.availablePermits()).isZero();
		redis.close();
	}

	@Test
	void watchThatNoThreadCouldBeStartedForIsOpenedByTheNextCall() throws InterruptedException {
		RedisFixture redis = new RedisFixture();
		CountDownLatch ended = new CountDownLatch(1);
		MasterWatch watch = new MasterWatch(
				redis.jedis(RedisFixture.address(RedisServer.shared())).getRequiredConnectionFactory(),
				this.changes::release, RedisFixture.notTheFirst((task) -> new Thread(() -> {
					task.run();
					ended.countDown();
				})));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(watch::open);
		watch.open();
		assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
		redis.close();
	}

	@Test
	@Tag("topologies")
	void changesOfTheMastersAreReportedAndNothingElse() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			JedisConnectionFactory connectionFactory = connect(cluster);
			try (MasterWatch watch = new MasterWatch(connectionFactory, this.changes::release)) {
				watch.open();
				awaitChange("the first look");
				awaitChange("again, as a command may have told the client by now");
				assertNoChange();
				cluster.moveSlot("a");
				awaitChange("a slot has moved");
				settle();
				RedisServer replica = cluster.replicaOf("a");
				replica.kill();
				assertNoChange();
				RedisServer master = cluster.masterOf("a");
				master.kill();
				assertNoChange();
				master.restart();
				awaitChange("a master is back");
				settle();
				replica.restart();
				assertNoChange();
			}
			awaitEnd();
			connectionFactory.destroy();
		}
	}

	@Test
	@Tag("topologies")
	void masterThatTheClientDoesNotKnowIsReported() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			JedisConnectionFactory connectionFactory = connect(cluster);
			RedisServer forgotten = cluster.killMaster("a");
			try (RedisConnection connection = connectionFactory.getConnection()) {
				// Jedis then has only the nodes that live
				connection.stringCommands().get("a".getBytes(StandardCharsets.UTF_8));
			}
			forgotten.restart();
			try (MasterWatch watch = new MasterWatch(connectionFactory, this.changes::release)) {
				watch.open();
				awaitChange("the first look");
				settle();
				cluster.killMaster("a");
				awaitChange("the forgotten node is a master");
			}
			awaitEnd();
			connectionFactory.destroy();
		}
	}

	private static JedisConnectionFactory connect(RedisCluster cluster) {
		JedisConnectionFactory connectionFactory = new JedisConnectionFactory(new RedisClusterConfiguration(
				cluster.nodes().stream().map((node) -> node.host() + ':' + node.port()).toList()));
		connectionFactory.afterPropertiesSet();
		return connectionFactory;
	}

	private void awaitChange(String reason) throws InterruptedException {
		assertThat(this.changes.tryAcquire(10, TimeUnit.SECONDS)).as(reason).isTrue();
	}

	private void assertNoChange() throws InterruptedException {
		assertThat(this.changes.tryAcquire(2, TimeUnit.SECONDS)).isFalse();
	}

	/** The nodes learn of a change one after the other. */
	private void settle() {
		await().atMost(Duration.ofSeconds(20)).until(() -> !this.changes.tryAcquire(2, TimeUnit.SECONDS));
	}

	private static void awaitEnd() {
		await().atMost(Duration.ofSeconds(10))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("distributed-lock-redis-masters")));
	}

}
