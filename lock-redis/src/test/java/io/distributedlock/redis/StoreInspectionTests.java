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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Finding;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreInspection}, with answers of servers that are not at hand.
 */
class StoreInspectionTests {

	@ParameterizedTest
	@CsvSource({ "redis_version:7.0.15, Redis 7.0.15,",
			"'redis_version:7.2.4;server_name:valkey;valkey_version:8.1.1', Valkey 8.1.1,",
			"redis_version:5.0.14, Redis 5.0.14,", "redis_version:4.0.9, Redis 4.0.9, is too old",
			"redis_version:2.8.24, Redis 2.8.24, is too old", "redis_version:10.0.0, Redis 10.0.0,",
			"redis_version:unstable, Redis unstable,", "redis_version:, , ", "'', , ",
			"'redis_version:7.0.15;redis_mode:cluster;cluster_enabled:1', Redis 7.0.15, is a node of a Redis Cluster",
			"'role:slave;connected_slaves:1', , is a replica", "'role:master;connected_slaves:0', ,",
			"'role:master;connected_slaves:1', , has replicas",
			"'role:master;connected_slaves:1;min_slaves_good_slaves:1', ,", "role:master, ,",
			"'maxmemory:0;maxmemory_policy:allkeys-lru', ,", "'maxmemory:1024;maxmemory_policy:noeviction', ,",
			"'maxmemory:1024;maxmemory_policy:volatile-ttl', , evicts keys",
			"'maxmemory_policy:volatile-ttl', , evicts keys" })
	void infoOfAServerGivesVersionAndProblem(String info, String version, String problem) {
		StoreInspection inspection = inspection(RedisSetup.Topology.SINGLE);
		inspection.add("", answer("# Section;" + info + ";"));
		assertThat(inspection.report().version()).isEqualTo(version);
		assertThat(inspection.report().findings()).hasSize((problem != null) ? 1 : 0)
			.allSatisfy((finding) -> assertThat(finding.problem()).startsWith("Redis at a:1 " + problem));
	}

	@Test
	void equalProblemsOfSeveralNodesAreOneFinding() {
		StoreInspection inspection = inspection(RedisSetup.Topology.CLUSTER);
		inspection.add("a:1", answer("redis_version:7.0.15;role:master;connected_slaves:1;redis_mode:cluster"));
		inspection.add("b:2", answer("redis_version:7.0.15;role:master;connected_slaves:2;redis_mode:cluster"));
		inspection.add("c:3", answer("redis_version:7.2.4;maxmemory_policy:allkeys-lru;redis_mode:cluster"));
		StoreReport report = inspection.report();
		assertThat(report.version()).isEqualTo("Redis 7.0.15, Redis 7.2.4");
		assertThat(report.findings()).extracting(Finding::problem)
			.satisfiesExactly(
					(problem) -> assertThat(problem).startsWith("Redis at a:1, nodes a:1 and b:2, has replicas"),
					(problem) -> assertThat(problem).startsWith("Redis at a:1, node c:3, evicts keys"));
	}

	private static StoreInspection inspection(RedisSetup.Topology topology) {
		return new StoreInspection(new RedisSetup("Redis at a:1", topology, 0, false), new KeyLayout("lock:"), true);
	}

	private static StoreInspection.Answer answer(String info) {
		return new StoreInspection.Answer("", "", "", "", info.replace(";", "\r\n"));
	}

}
