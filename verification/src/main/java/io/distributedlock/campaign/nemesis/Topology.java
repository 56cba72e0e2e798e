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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.nemesis.Nemesis.Target;
import io.distributedlock.testsupport.RedisServer;

/**
 * The Redis servers of a phase, and what can be done to them.
 */
public abstract class Topology implements AutoCloseable {

	/**
	 * Returns how a worker reaches Redis, as Spring Boot properties.
	 */
	public abstract String[] properties(int slot);

	/**
	 * Returns what can be broken: the processes of workers, and what belongs to the
	 * servers.
	 */
	public List<Nemesis> nemeses(Fleet fleet) {
		List<Nemesis> nemeses = new ArrayList<>();
		nemeses.add(new Nemesis("worker killed (kill -9)", 6, Target.WORKER,
				(slot, random) -> fleet.killAndReplace(slot, Duration.ofMillis(random.nextInt(500)))));
		nemeses.add(new Nemesis("worker stopped (SIGSTOP)", 20, Target.WORKER,
				(slot, random) -> fleet.stop(slot, Duration.ofMillis(random.nextInt(100, 5000)))));
		nemeses.addAll(ownNemeses(fleet));
		return nemeses;
	}

	abstract List<Nemesis> ownNemeses(Fleet fleet);

	/** Those that have locks now. */
	abstract List<RedisServer> servers();

	/**
	 * Returns what living instances left in the store although none of them holds a lock
	 * or waits for one, one line for each key.
	 */
	public final List<String> leftByLiving() {
		return new Leftovers(servers()).ofLiving();
	}

	/**
	 * Returns all keys that are left, but for the fencing tokens.
	 */
	public final List<String> left() {
		return new Leftovers(servers()).all();
	}

	public final String version() {
		return Leftovers.version(servers().get(0));
	}

	/**
	 * Returns how many connections the workers have, zero if that cannot be known.
	 */
	public int connections() {
		return 0;
	}

	@Override
	public abstract void close();

}
