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
import java.util.Collection;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;

/**
 * Measures how long a lock takes from one JVM to the next. Each contestant has two JVMs
 * of its own, which have done nothing else, and all contestants that are woken by a
 * message are warmed up by the same number of hand-offs, the floor included. One that
 * polls is warmed up for as long at most: it cannot be near the floor.
 */
public final class HandOffCell implements Measurement<HandOffCell.Latencies>, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(HandOffCell.class);

	private static final int JVMS = 2;

	private static final String LOCK = "hand-off";

	private final Rig rig;

	private final Plan plan;

	private final KeptFleets fleets;

	public HandOffCell(Rig rig, Plan plan) {
		this.rig = rig;
		this.plan = plan;
		this.fleets = new KeptFleets(rig, JVMS, this::warmUp);
	}

	public void warmUp(List<Contestant> contestants) throws InterruptedException {
		this.fleets.warmUp(contestants);
	}

	private void warmUp(Contestant contestant, Fleet fleet) {
		fleet.run(JVMS, (index) -> new OpenClient(contestant, this.rig.redis()));
		long began = System.nanoTime();
		int handOffs = handOver(contestant, fleet, HandOff.Pace.WARM_UP, this.plan.warmUp(), this.plan.warmUpLimit())
			.nanos()
			.size();
		logger.info("{}: warmed up by {} hand-offs in {} ms", contestant.label(), handOffs,
				(System.nanoTime() - began) / 1_000_000);
		// The code that sleeps longer is warm as well
		handOver(contestant, fleet);
	}

	@Override
	public Latencies measure(Contestant contestant) throws InterruptedException {
		return this.fleets.measure(contestant, (fleet) -> handOver(contestant, fleet));
	}

	private Latencies handOver(Contestant contestant, Fleet fleet) {
		return handOver(contestant, fleet, HandOff.Pace.measured(contestant.pollInterval()), this.plan.samples(),
				this.plan.limit());
	}

	private Latencies handOver(Contestant contestant, Fleet fleet, HandOff.Pace pace, int samples, Duration limit) {
		this.rig.probe().flush();
		this.rig.clearBoard();
		if (contestant == Contestant.BLOCKING_POP) {
			this.rig.probe().layDownBaton(LOCK);
		}
		List<HandOff.Latencies> both = fleet.run(JVMS,
				(index) -> new HandOff(LOCK, index, pace, samples / JVMS, limit, this.rig.boardFile()));
		return new Latencies(both.stream().map(HandOff.Latencies::nanos).flatMap(Collection::stream).toList());
	}

	@Override
	public void close() {
		this.fleets.close();
	}

	/**
	 * How often to hand over.
	 *
	 * @param warmUp hand-offs before the first round
	 * @param warmUpLimit how long the warm-up may take
	 */
	public record Plan(int warmUp, Duration warmUpLimit, int samples, Duration limit) {

	}

	/**
	 * The samples of one round.
	 *
	 * @param nanos from a release to the other JVM's acquisition, in nanoseconds
	 */
	public record Latencies(List<Long> nanos) {

		@Override
		public String toString() {
			double[] sorted = this.nanos.stream().mapToDouble(Long::doubleValue).sorted().toArray();
			return "%.0f µs p50, %.0f µs p99".formatted(Quantile.of(sorted, 0.5) / 1_000,
					Quantile.of(sorted, 0.99) / 1_000);
		}

	}

}
