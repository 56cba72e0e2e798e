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

package io.distributedlock.testsupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisCluster}.
 */
@Tag("topologies")
class RedisClusterTests {

	private static RedisCluster cluster;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@Test
	void everyMasterRefusesTheKeysOfTheOthers() {
		RedisServer master = cluster.masterOf("a");
		assertThat(cluster.masterOf("b")).isNotSameAs(master);
		assertThat(master.cli("SET", "a", "1")).isEqualTo("OK");
		assertThatExceptionOfType(RespException.class).isThrownBy(() -> master.cli("SET", "b", "1"))
			.withMessage("MOVED %d 127.0.0.1:%d", cluster.slotOf("b"), cluster.masterOf("b").port());
		assertThat(cluster.springProperties()[0].split(",")).hasSize(6);
	}

	@Test
	void replicaTakesOverFromAKilledMasterWhichComesBackAsAReplica() {
		RedisServer replica = cluster.replicaOf("killed");
		cluster.masterOf("killed").cli("SET", "killed", "1");
		RedisServer killed = cluster.killMaster("killed");
		assertThat(cluster.masterOf("killed")).isSameAs(replica);
		assertThat(replica.cli("GET", "killed")).isEqualTo("1");
		killed.restart();
		Replication.awaitInSync(replica, killed);
		assertThat(cluster.replicaOf("killed")).isSameAs(killed);
	}

	@Test
	void replicaTakesOverOnDemand() {
		RedisServer master = cluster.masterOf("demand");
		RedisServer replica = cluster.replicaOf("demand");
		master.cli("SET", "demand", "1");
		cluster.failover("demand");
		assertThat(cluster.masterOf("demand")).isSameAs(replica);
		assertThat(replica.cli("GET", "demand")).isEqualTo("1");
		Replication.awaitInSync(replica, master);
	}

	@Test
	void slotMovesWithItsKeys() {
		RedisServer source = cluster.masterOf("moved");
		source.cli("SET", "moved", "1");
		source.cli("SET", "{moved}:companion", "2");
		cluster.moveSlot("moved");
		RedisServer target = cluster.masterOf("moved");
		assertThat(target).isNotSameAs(source);
		assertThat(target.cli("GET", "{moved}:companion")).isEqualTo("2");
		assertThatExceptionOfType(RespException.class).isThrownBy(() -> source.cli("GET", "moved"))
			.withMessageStartingWith("MOVED");
	}

}
