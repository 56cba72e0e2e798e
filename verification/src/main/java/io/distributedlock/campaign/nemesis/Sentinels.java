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

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.nemesis.Nemesis.Harm;
import io.distributedlock.testsupport.RedisSentinel;
import io.distributedlock.testsupport.RedisServer;

/**
 * A master, its replica and three sentinels. Each failover may lose what was written
 * last: what the old master did not pass on before it was killed, or what it accepted
 * while it did not know that it was deposed.
 */
public final class Sentinels extends Topology {

	private final RedisSentinel sentinel = RedisSentinel.start();

	@Override
	public String[] properties(int slot) {
		return this.sentinel.springProperties();
	}

	@Override
	List<RedisServer> servers() {
		return List.of(this.sentinel.master());
	}

	@Override
	List<Nemesis> ownNemeses(Fleet fleet) {
		return List.of(server("failover, master killed (Sentinel)", 10, Harm.FAILOVER, (random) -> {
			RedisServer killed = Standalone.losing(fleet, Extent.LATEST, this.sentinel::killMaster);
			this.sentinel.restart(killed);
		}), server("failover, master alive (Sentinel)", 6, Harm.FAILOVER,
				(random) -> Standalone.losing(fleet, Extent.LATEST, () -> {
					this.sentinel.failover();
					return true;
				})));
	}

	@Override
	public void close() {
		this.sentinel.close();
	}

}
