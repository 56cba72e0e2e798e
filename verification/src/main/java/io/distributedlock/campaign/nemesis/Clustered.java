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

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.nemesis.Nemesis.Harm;
import io.distributedlock.campaign.worker.LockNames;
import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.SlotMove;

/**
 * Three masters with a replica each. Slots move, and replicas are promoted, without any
 * loss; only a master that is killed may take what was written last with it.
 */
public final class Clustered extends Topology {

	/**
	 * For longer than any lease, often enough: some keys of a lock are on one master,
	 * some on the other.
	 */
	public static final String SLOTS_ON_THEIR_WAY = "slots on their way";

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
		return List.of(server("slot moved", 20, Harm.NONE, (random) -> {
			SlotMove move = this.cluster.startMovingSlot(LockNames.drawBusy(random));
			Standalone.pause(random, 0, 300);
			move.moveKeys();
			Standalone.pause(random, 0, 300);
			move.finish();
		}), server(SLOTS_ON_THEIR_WAY, 12, Harm.NONE, (random) -> {
			int length = random.nextInt(1500, 6000);
			List<SlotMove> moves = new ArrayList<>();
			try {
				for (String name : LockNames.drawHeldForLong(random)) {
					SlotMove move = this.cluster.startMovingSlot(name);
					moves.add(move);
					if (random.nextBoolean()) {
						move.moveKey(name);
					}
				}
				Thread.sleep(length);
			}
			finally {
				moves.forEach(SlotMove::finish);
			}
		}), server("replica promoted (CLUSTER FAILOVER)", 6, Harm.FAILOVER,
				(random) -> this.cluster.failover(draw(random))),
				server("failover, master killed (cluster)", 4, Harm.FAILOVER, (random) -> {
					String name = draw(random);
					RedisServer killed = Standalone.losing(fleet, Extent.LATEST, () -> this.cluster.killMaster(name));
					killed.restart();
				}));
	}

	@Override
	public int renewedTogether() {
		return 1;
	}

	private static String draw(RandomGenerator random) {
		return "lock:campaign:" + random.nextInt(NAMES);
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
