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

package io.distributedlock.campaign.nemesis;

import java.util.List;
import java.util.random.RandomGenerator;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.worker.LockNames;
import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.SlotMove;

/**
 * Three masters with a replica each. Slots move, and replicas are promoted, without any
 * loss; only a master that is killed may take what was written last with it.
 */
public final class Clustered extends Topology {

	private static final int NAMES = 96;

	private final RedisCluster cluster = RedisCluster.start();

	@Override
	public String[] properties(int slot) {
		return this.cluster.springProperties();
	}

	@Override
	List<RedisServer> servers() {
		return this.cluster.nodes();
	}

	@Override
	List<Nemesis> ownNemeses(Fleet fleet) {
		return List.of(Standalone.server("slot moved", 20, (random) -> {
			SlotMove move = this.cluster.startMovingSlot(LockNames.drawBusy(random));
			Standalone.pause(random, 0, 300);
			move.moveKeys();
			Standalone.pause(random, 0, 300);
			move.finish();
		}), Standalone.server("replica promoted (CLUSTER FAILOVER)", 6,
				(random) -> this.cluster.failover(draw(random))),
				Standalone.server("failover, master killed (cluster)", 4, (random) -> {
					String name = draw(random);
					RedisServer killed = Standalone.losing(fleet, Extent.LATEST, () -> this.cluster.killMaster(name));
					killed.restart();
				}));
	}

	private static String draw(RandomGenerator random) {
		return "lock:campaign:" + random.nextInt(NAMES);
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
