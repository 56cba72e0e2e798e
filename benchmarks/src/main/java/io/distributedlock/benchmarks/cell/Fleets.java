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
import java.util.List;
import java.util.Map;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;
import io.distributedlock.benchmarks.redis.CommandMonitor;
import io.distributedlock.benchmarks.redis.CommandOrigins;

/**
 * The JVMs of each contestant, forked, connected and warmed up when they are first needed
 * and then kept for all cells: no contestant runs on code that was compiled for another,
 * and none is measured while it connects. One JVM alone is another one in each round: two
 * JVMs of one contestant differ by a quarter there, as each compiles the same code in its
 * own way.
 */
public final class Fleets implements AutoCloseable {

	static final int SIZE = 4;

	private final Rig rig;

	private final Duration warmUp;

	private final List<ContendedShape> shapes;

	private final KeptFleets fleets;

	private final Map<Contestant, CommandOrigins> origins = new EnumMap<>(Contestant.class);

	/**
	 * Prepares the fleets without forking any.
	 * @param warmUp how long each contestant contends in each shape before it is
	 * measured, twice as long in one JVM
	 */
	public Fleets(Rig rig, Duration warmUp, List<ContendedShape> shapes) {
		this.rig = rig;
		this.warmUp = warmUp;
		this.shapes = shapes.stream().map(ContendedShape::withoutSection).distinct().toList();
		this.fleets = new KeptFleets(rig, SIZE, this::warmUp);
	}

	/**
	 * Warms up all contestants, so that none is measured earlier after its warm-up than
	 * another.
	 */
	public void warmUp(List<Contestant> contestants) throws InterruptedException {
		this.fleets.warmUp(contestants);
	}

	<F> F measure(Contestant contestant, KeptFleets.Work<F> work) throws InterruptedException {
		return this.fleets.measure(contestant, work);
	}

	/**
	 * What was learned about the commands of a contestant while it warmed up, also after
	 * its JVMs are gone.
	 */
	CommandOrigins origins(Contestant contestant) {
		return this.origins.getOrDefault(contestant, CommandOrigins.UNKNOWN);
	}

	private void warmUp(Contestant contestant, Fleet fleet) throws InterruptedException {
		fleet.run(SIZE, (index) -> new OpenClient(contestant, this.rig.redis()));
		if (contestant == Contestant.BLOCKING_POP) {
			return;
		}
		try (CommandMonitor monitor = this.rig.probe().monitor()) {
			this.shapes.stream().filter((shape) -> shape.jvms() > 1).forEach((shape) -> warmUp(fleet, shape));
			this.origins.put(contestant, monitor.finish());
		}
		for (int jvm = 0; jvm < SIZE; jvm++) {
			this.shapes.stream().filter((shape) -> shape.jvms() == 1).forEach((shape) -> warmUp(fleet, shape));
			fleet.rotate();
		}
	}

	private void warmUp(Fleet fleet, ContendedShape shape) {
		// The threads of one JVM have more turns, and reach code that was compiled later
		Duration length = this.warmUp.multipliedBy((shape.jvms() == 1) ? 2 : 1);
		new ContentionStart(this.rig, shape, length).run(fleet);
	}

	@Override
	public void close() {
		this.fleets.close();
	}

}
