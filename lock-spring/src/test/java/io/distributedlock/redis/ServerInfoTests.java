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

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.distributedlock.redis.ServerInfo.Weakness;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Finding;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerInfo} and {@link StoreInspection}, with answers of servers that
 * are not at hand.
 */
class ServerInfoTests {

	@ParameterizedTest
	@CsvSource({ "redis_version:7.0.15, Redis 7.0.15,",
			"'redis_version:7.2.4;server_name:valkey;valkey_version:8.1.1', Valkey 8.1.1,",
			"redis_version:5.0.14, Redis 5.0.14,", "redis_version:4.0.9, Redis 4.0.9, TOO_OLD",
			"redis_version:2.8.24, Redis 2.8.24, TOO_OLD", "redis_version:10.0.0, Redis 10.0.0,",
			"redis_version:unstable, Redis unstable,", "redis_version:, , ", "'', , ",
			"'redis_version:7.0.15;redis_mode:cluster;cluster_enabled:1', Redis 7.0.15, NODE_OF_CLUSTER",
			"'role:slave;connected_slaves:1', , REPLICA", "'role:master;connected_slaves:0', ,",
			"'role:master;connected_slaves:1', , LOSES_WRITES",
			"'role:master;connected_slaves:1;min_slaves_good_slaves:1', ,", "role:master, ,",
			"'maxmemory:0;maxmemory_policy:allkeys-lru', ,", "'maxmemory:1024;maxmemory_policy:noeviction', ,",
			"'maxmemory:1024;maxmemory_policy:volatile-ttl', , EVICTS", "'maxmemory_policy:volatile-ttl', , EVICTS" })
	void whatAServerSaysOfItself(String info, String version, Weakness weakness) {
		ServerInfo server = new ServerInfo("# Section\r\n" + info.replace(";", "\r\n") + "\r\n");
		assertThat(server.version()).isEqualTo(version);
		assertThat(server.weaknesses()).isEqualTo((weakness != null) ? List.of(weakness) : List.of());
	}

	@Test
	void whatIsTheSameAboutSeveralNodesIsOneFinding() {
		StoreInspection inspection = new StoreInspection(
				new RedisSetup("Redis Cluster at a:1", RedisSetup.Topology.CLUSTER, 0, false), new KeyLayout("lock:"));
		inspection.add("a:1", answer("redis_version:7.0.15;role:master;connected_slaves:1;redis_mode:cluster"));
		inspection.add("b:2", answer("redis_version:7.0.15;role:master;connected_slaves:2;redis_mode:cluster"));
		inspection.add("c:3", answer("redis_version:7.2.4;maxmemory_policy:allkeys-lru;redis_mode:cluster"));
		StoreReport report = inspection.report();
		assertThat(report.version()).isEqualTo("Redis 7.0.15, Redis 7.2.4");
		assertThat(report.findings()).extracting(Finding::problem)
			.satisfiesExactly(
					(problem) -> assertThat(problem)
						.startsWith("Redis Cluster at a:1, nodes a:1 and b:2, has replicas"),
					(problem) -> assertThat(problem).startsWith("Redis Cluster at a:1, node c:3, evicts keys"));
	}

	private static StoreInspection.Answer answer(String info) {
		return new StoreInspection.Answer("", "", new ServerInfo(info.replace(";", "\r\n")));
	}

}
