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

package io.distributedlock.topologies;

import io.distributedlock.faults.ClientLibrary;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A master of a cluster dies while locks are held and waited for.
 */
class ClusterFailoverTests extends FailoverTests {

	private ClusterTopology cluster;

	@Override
	Topology start() {
		this.cluster = ClusterTopology.start();
		return this.cluster;
	}

	@ParameterizedTest
	@EnumSource
	@Shows("Redis restarts without its newest data")
	void holdersLearnOfTheLossAfterARestart(ClientLibrary client) {
		assertLossIsTold(client, (key) -> {
			// It must not take over
			this.cluster.replicaOf(key).kill();
			RedisServer master = this.cluster.masterOf(key);
			master.kill();
			master.restart();
		});
	}

	@ParameterizedTest
	@EnumSource
	@Shows("A failover loses the newest writes")
	void holdersLearnOfTheLossAfterAnotherMasterHasTakenTheirSlot(ClientLibrary client) {
		assertLossIsTold(client, this.cluster.cluster()::takeSlot);
	}

}
