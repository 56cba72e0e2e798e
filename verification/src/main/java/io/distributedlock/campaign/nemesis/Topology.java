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
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.nemesis.Nemesis.Harm;
import io.distributedlock.campaign.nemesis.Nemesis.Target;
import io.distributedlock.testsupport.RedisServer;

/**
 * The Redis servers of a phase, and what can be done to them.
 */
public abstract class Topology implements AutoCloseable {

	/** For longer than any lease, often enough. */
	public static final String OUT_OF_MEMORY = "Redis out of memory";

	private static final Pattern SCRIPTS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

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
		nemeses.add(new Nemesis("worker killed (kill -9)", 6, Target.WORKER, Harm.NONE,
				(slot, random) -> fleet.killAndReplace(slot, Duration.ofMillis(random.nextInt(500)))));
		// The fleet says when it was, and which worker it was
		nemeses.add(new Nemesis("worker stopped (SIGSTOP)", 20, Target.WORKER, Harm.NONE,
				(slot, random) -> fleet.stop(slot, Duration.ofMillis(random.nextInt(100, 5000)))));
		nemeses.add(server(OUT_OF_MEMORY, 5, Harm.NO_WRITES, (random) -> {
			List<RedisServer> full = servers();
			try {
				full.forEach((server) -> server.cli("CONFIG", "SET", "maxmemory", "1"));
				Thread.sleep(random.nextInt(1000, 5000));
			}
			finally {
				full.forEach((server) -> server.cli("CONFIG", "SET", "maxmemory", "0"));
			}
		}));
		nemeses.addAll(ownNemeses(fleet));
		return nemeses;
	}

	static Nemesis server(String label, int weight, Harm harm, ServerBlow blow) {
		return new Nemesis(label, weight, Target.SERVER, harm, (slot, random) -> blow.strike(random));
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
	 * Returns all keys that are left, but for the fencing tokens and the records of jobs.
	 */
	public final List<String> left() {
		return new Leftovers(servers()).all();
	}

	public final String version() {
		return Leftovers.version(servers().get(0));
	}

	/**
	 * Returns how many scripts the servers have executed since they were started.
	 */
	public final long scripts() {
		return servers().stream().filter(RedisServer::isRunning).mapToLong(Topology::scripts).sum();
	}

	private static long scripts(RedisServer server) {
		Matcher calls = SCRIPTS.matcher(String.valueOf(server.cli("INFO", "commandstats")));
		return calls.results().mapToLong((result) -> Long.parseLong(result.group(1))).sum();
	}

	/**
	 * Returns how many locks of one worker a script may renew: one if their keys are in
	 * different slots.
	 */
	public int renewedTogether() {
		return 4;
	}

	/**
	 * Returns how many connections the workers have, zero if that cannot be known.
	 */
	public int connections() {
		return 0;
	}

	@Override
	public abstract void close();

	interface ServerBlow {

		void strike(RandomGenerator random) throws Exception;

	}

}
