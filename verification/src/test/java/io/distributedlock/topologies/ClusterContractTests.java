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

/**
 * The contract of a store on a cluster, with a master killed, a slot moved and a replica
 * promoted in between.
 */
class ClusterContractTests extends TopologyContractTests {

	private ClusterTopology cluster;

	@Override
	Topology start() {
		this.cluster = ClusterTopology.start();
		return this.cluster;
	}

	@Override
	void disturb(String key, int number) {
		switch (number % 3) {
			case 1 -> {
				this.cluster.killMaster(key);
				this.cluster.heal();
			}
			case 2 -> this.cluster.cluster().moveSlot(key);
			default -> this.cluster.failover(key);
		}
	}

	@Override
	protected boolean knowsWhoListens() {
		return false;
	}

}
