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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is special about {@link RedisLockStore} on a cluster.
 */
@Tag("topologies")
class RedisLockStoreOnClusterTests {

	private static RedisCluster cluster;

	private static LettuceConnectionFactory connectionFactory;

	private final RedisFixture redis = new RedisFixture();

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
		connectionFactory = new LettuceConnectionFactory(new RedisClusterConfiguration(addresses(cluster.nodes())),
				LettuceClientConfiguration.builder().clientResources(RedisFixture.RESOURCES).build());
		connectionFactory.afterPropertiesSet();
	}

	@AfterAll
	static void stop() {
		connectionFactory.destroy();
		cluster.close();
	}

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void anExactKeyAndItsCompanionsAreOnOneNode() throws Exception {
		StoreClient client = client(RedisFixture.settings()
			.withKeys(Map.of("a", "job-lock:prod:a", "b", "{jobs}:b", "c", "registry:c}", "d", "registry:{}d")))
			.listen();
		for (String name : List.of("a", "b", "c", "d")) {
			LockToken holder = client.newToken();
			LockToken waiter = client.newToken();
			client.mustAcquire(name, holder);
			client.queue(name, waiter);
			assertThat(client.release(name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(client.awaitGrant().token()).isEqualTo(waiter);
			assertThat(StoreClient.get(client.store().describe(name))).isPresent();
			assertThat(client.release(name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	@Test
	void everyMasterIsInspected() {
		List<RedisServer> masters = masters();
		masters.forEach(RedisLockStoreOnClusterTests::letEvict);
		try {
			assertThat(StoreClient.get(client(RedisFixture.settings()).store().inspect()).findings())
				.filteredOn((finding) -> finding.problem().contains("evicts keys"))
				.singleElement()
				.satisfies((finding) -> assertThat(finding.problem()).contains(addresses(masters)));
		}
		finally {
			masters.forEach(RedisLockStoreOnClusterTests::letNotEvict);
		}
	}

	@Test
	void everyMasterIsInspectedAlthoughJedisDoesNotSayWhichOneAnswers() {
		assertThat(findingsWithJedis(null, "evicts keys")).isEmpty();
		for (RedisServer master : masters()) {
			letEvict(master);
			try {
				assertThat(findingsWithJedis(null, "evicts keys")).hasSize(1);
			}
			finally {
				letNotEvict(master);
			}
		}
	}

	private static List<RedisServer> masters() {
		List<RedisServer> masters = List.of(cluster.masterOf("a"), cluster.masterOf("b"), cluster.masterOf("c"));
		assertThat(masters).doesNotHaveDuplicates();
		return masters;
	}

	private static void letEvict(RedisServer node) {
		node.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
	}

	private static void letNotEvict(RedisServer node) {
		node.cli("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
	}

	@Test
	void pausesOfJedisAreFound() {
		String pauses = "pauses after a failover";
		assertThat(findingsWithJedis(null, pauses)).singleElement()
			.satisfies((finding) -> assertThat(finding.action()).contains("spring.data.redis.cluster.max-redirects"));
		assertThat(findingsWithJedis(3, pauses)).hasSize(1);
		assertThat(findingsWithJedis(2, pauses)).isEmpty();
	}

	private List<StoreReport.Finding> findingsWithJedis(@Nullable Integer maxRedirects, String problem) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration(addresses(cluster.nodes()));
		if (maxRedirects != null) {
			configuration.setMaxRedirects(maxRedirects);
		}
		JedisConnectionFactory jedis = new JedisConnectionFactory(configuration);
		jedis.afterPropertiesSet();
		jedis.start();
		try {
			StoreClient client = this.redis.client(new StringRedisTemplate(jedis), RedisFixture.settings());
			return StoreClient.get(client.store().inspect())
				.findings()
				.stream()
				.filter((finding) -> finding.problem().contains(problem))
				.toList();
		}
		finally {
			jedis.destroy();
		}
	}

	@Test
	void orderIsKeptWhileTheFirstConnectionIsBeingMade() {
		for (int round = 0; round < 20; round++) {
			StoreClient client = client(RedisFixture.settings());
			String lock = "order:" + round;
			LockToken token = client.newToken();
			client.store().acquire(new AcquireRequest(lock, token, StoreClient.LEASE, 1, null));
			assertThat(client.release(lock, token)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	/**
	 * Each question for the masters opens a connection to every node. More of them while
	 * one is under way would only add to what the machine cannot cope with.
	 */
	@Test
	void failuresAskAllNodesForTheMastersOnceAtATime() throws Exception {
		cluster.nodes().forEach((node) -> node.cli("CONFIG", "SET", "cluster-node-timeout", "60000"));
		RedisServer silent = cluster.masterOf("lock:a");
		RedisServer other = cluster.replicaOf("lock:a");
		StoreClient client = client(RedisFixture.settings().withCommandTimeout(Duration.ofMillis(100)));
		client.mustAcquire("a", client.newToken());
		silent.pause();
		try (RespClient stats = other.client()) {
			failToAcquire(client, "a");
			long before = connectionsOf(stats);
			long begin = System.nanoTime();
			int failures = 0;
			while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(1400)) {
				failToAcquire(client, "a");
				failures++;
			}
			assertThat(failures).isGreaterThan(3);
			assertThat(connectionsOf(stats) - before).isBetween(0L, 1L);
		}
		finally {
			silent.resume();
			cluster.nodes().forEach((node) -> node.cli("CONFIG", "SET", "cluster-node-timeout", "1500"));
		}
	}

	private static void failToAcquire(StoreClient client, String lock) {
		assertThat(client.store().acquire(new AcquireRequest(lock, client.newToken(), StoreClient.LEASE, 1, null)))
			.failsWithin(Duration.ofSeconds(10));
	}

	private static long connectionsOf(RespClient client) {
		Matcher received = Pattern.compile("total_connections_received:(\\d+)")
			.matcher(String.valueOf(client.command("INFO", "stats")));
		assertThat(received.find()).isTrue();
		return Long.parseLong(received.group(1));
	}

	private StoreClient client(RedisLockSettings settings) {
		return this.redis.client(new StringRedisTemplate(connectionFactory), settings);
	}

	private static List<String> addresses(List<RedisServer> nodes) {
		return nodes.stream().map((node) -> node.host() + ':' + node.port()).toList();
	}

}
