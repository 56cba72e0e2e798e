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

package io.distributedlock.benchmarks.cell;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.CloseClient;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;
import io.distributedlock.benchmarks.redis.CommandMonitor;
import io.distributedlock.benchmarks.redis.CommandOrigins;

/**
 * The JVMs of each contestant, forked and warmed up when they are first needed and then
 * kept for all cells: no contestant runs on code that was compiled for another. Between
 * their turns they have no client and no connection.
 */
public final class Fleets implements AutoCloseable {

	static final int SIZE = 4;

	private final Rig rig;

	private final Duration warmUp;

	private final Map<Contestant, Warm> fleets = new EnumMap<>(Contestant.class);

	/**
	 * Prepares the fleets without forking any.
	 * @param rig what every measurement needs
	 * @param warmUp how long each contestant contends before it is measured
	 */
	public Fleets(Rig rig, Duration warmUp) {
		this.rig = rig;
		this.warmUp = warmUp;
	}

	Warm of(Contestant contestant) throws InterruptedException {
		Warm warm = this.fleets.get(contestant);
		if (warm == null) {
			warm = fork(contestant);
			this.fleets.put(contestant, warm);
		}
		return warm;
	}

	private Warm fork(Contestant contestant) throws InterruptedException {
		Fleet fleet = this.rig.fork(contestant, SIZE);
		try {
			return new Warm(fleet, warmUp(contestant, fleet));
		}
		catch (RuntimeException | InterruptedException ex) {
			fleet.close();
			throw ex;
		}
	}

	private CommandOrigins warmUp(Contestant contestant, Fleet fleet) throws InterruptedException {
		if (contestant == Contestant.BLOCKING_POP) {
			return CommandOrigins.UNKNOWN;
		}
		fleet.run(SIZE, (index) -> new OpenClient(contestant, this.rig.redis()));
		try (CommandMonitor monitor = this.rig.probe().monitor()) {
			ContendedShape shape = new ContendedShape(SIZE, ContendedShape.THREADS, Duration.ZERO);
			new ContentionStart(this.rig, shape, this.warmUp).run(fleet);
			return monitor.finish();
		}
		finally {
			fleet.run(SIZE, (index) -> new CloseClient());
		}
	}

	/**
	 * Forks the JVMs of a contestant again the next time, for example because one broke.
	 */
	void discard(Contestant contestant) {
		Warm warm = this.fleets.remove(contestant);
		if (warm != null) {
			warm.fleet().close();
		}
	}

	@Override
	public void close() {
		this.fleets.values().forEach((warm) -> warm.fleet().close());
	}

	/**
	 * JVMs that are warm.
	 *
	 * @param fleet the JVMs
	 * @param origins what was learned about their commands
	 */
	record Warm(Fleet fleet, CommandOrigins origins) {

	}

}
