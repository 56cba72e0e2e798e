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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * Measures how long a lock takes from one JVM to the next. All contestants that are woken
 * by a message are warmed up by the same number of hand-offs, the floor included. One
 * that polls is warmed up for as long at most: it cannot be near the floor.
 */
public record HandOffCell(Rig rig, Plan plan) implements Cell<HandOffCell.Latencies> {

	public static final int JVMS = 2;

	private static final Logger logger = LoggerFactory.getLogger(HandOffCell.class);

	private static final String LOCK = "hand-off";

	@Override
	public String title() {
		return "Hand-off between two JVMs";
	}

	@Override
	public Set<Contestant> contestants() {
		return EnumSet.allOf(Contestant.class);
	}

	public void warmUp(Contestant contestant, Fleet fleet) {
		Latencies latencies = handOver(contestant, fleet, HandOff.Pace.WARM_UP, this.plan.warmUp(),
				this.plan.warmUpLimit());
		logger.info("{}: warmed up by {} hand-offs", contestant.label(), latencies.count());
		// The code that sleeps longer is warm as well
		measure(contestant, fleet);
	}

	@Override
	public Latencies measure(Contestant contestant, Fleet fleet) {
		return handOver(contestant, fleet, HandOff.Pace.measured(contestant.pollInterval()), this.plan.samples(),
				this.plan.limit());
	}

	private Latencies handOver(Contestant contestant, Fleet fleet, HandOff.Pace pace, int samples, Duration limit) {
		this.rig.clear();
		if (contestant == Contestant.FLOOR) {
			this.rig.redis().cli("RPUSH", LOCK, "baton");
		}
		return Latencies
			.of(fleet.run(JVMS, (index) -> new HandOff(LOCK, index, pace, samples / JVMS, limit, this.rig.boardFile()))
				.stream()
				.flatMap(Collection::stream)
				.toList());
	}

	@Override
	public List<Column<Latencies>> columns() {
		return List.of(Column.median("p50, ms", (latencies) -> latencies.millis(0.5)),
				Column.ratio("Ratio, p50", (latencies) -> latencies.millis(0.5)),
				Column.median("p99, ms", (latencies) -> latencies.millis(0.99)),
				Column.ratio("Ratio, p99", (latencies) -> latencies.millis(0.99)),
				Column.sum("Samples", Latencies::count));
	}

	@Override
	public List<String> violations(Rounds<Latencies> rounds) {
		return new FloorCheck(rounds).violations();
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
	 * @param sorted from a release to the other JVM's acquisition, in nanoseconds, in
	 * ascending order
	 */
	public record Latencies(double[] sorted) {

		static Latencies of(List<Long> nanos) {
			if (nanos.isEmpty()) {
				throw new IllegalStateException("Nothing was handed over");
			}
			return new Latencies(nanos.stream().mapToDouble(Long::doubleValue).sorted().toArray());
		}

		int count() {
			return this.sorted.length;
		}

		double millis(double share) {
			return Quantile.of(this.sorted, share) / 1e6;
		}

	}

}
