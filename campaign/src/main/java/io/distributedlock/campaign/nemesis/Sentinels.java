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

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.fleet.Topology;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.testsupport.RedisSentinel;
import io.distributedlock.testsupport.RedisServer;

/**
 * A master, its replica and three sentinels. Each failover may lose what was written
 * last: what the old master did not pass on before it was killed, or what it accepted
 * while it did not know that it was deposed.
 */
public final class Sentinels implements Topology {

	private final RedisSentinel sentinel = RedisSentinel.start();

	private final Leftovers leftovers = new Leftovers(() -> List.of(this.sentinel.master()));

	@Override
	public String[] properties(int slot) {
		return this.sentinel.springProperties();
	}

	@Override
	public List<String> leftByLiving() {
		return this.leftovers.ofLiving();
	}

	@Override
	public List<String> left() {
		return this.leftovers.all();
	}

	@Override
	public String version() {
		return Leftovers.version(this.sentinel.master());
	}

	@Override
	public int connections() {
		return 0;
	}

	@Override
	public List<Nemesis> nemeses(Fleet fleet) {
		List<Nemesis> nemeses = new ArrayList<>(WorkerNemeses.of(fleet));
		nemeses.add(Standalone.server("failover, master killed (Sentinel)", 10, (random) -> {
			Runnable over = Standalone.losing(fleet, Extent.LATEST);
			RedisServer killed;
			try {
				killed = this.sentinel.killMaster();
			}
			finally {
				over.run();
			}
			this.sentinel.restart(killed);
		}));
		nemeses.add(Standalone.server("failover, master alive (Sentinel)", 6, (random) -> {
			Runnable over = Standalone.losing(fleet, Extent.LATEST);
			try {
				this.sentinel.failover();
			}
			finally {
				over.run();
			}
		}));
		return nemeses;
	}

	@Override
	public void close() {
		this.sentinel.close();
	}

}
