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

/**
 * Tests for {@link RedisSentinel}.
 */
@Tag("topologies")
class RedisSentinelTests {

	private static RedisSentinel sentinel;

	@BeforeAll
	static void startSentinel() {
		sentinel = RedisSentinel.start();
	}

	@AfterAll
	static void stopSentinel() {
		sentinel.close();
	}

	@Test
	void replicaTakesOverFromAKilledMasterWhichComesBackAsAReplica() {
		RedisServer replica = sentinel.replica();
		sentinel.master().cli("SET", "killed", "1");
		RedisServer killed = sentinel.killMaster();
		assertThat(sentinel.master()).isSameAs(replica);
		assertThat(replica.cli("GET", "killed")).isEqualTo("1");
		sentinel.restart(killed);
		assertThat(killed.cli("GET", "killed")).isEqualTo("1");
		assertThat(sentinel.springProperties()[1].split(",")).hasSize(3);
	}

}
