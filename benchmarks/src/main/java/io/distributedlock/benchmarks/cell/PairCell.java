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
import java.util.Objects;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;
import io.distributedlock.benchmarks.redis.CommandCounts;
import io.distributedlock.benchmarks.redis.CommandMonitor;

/**
 * Measures the uncontended pair. Each contestant has a JVM of its own, which has done
 * nothing else and stays for all rounds.
 */
public final class PairCell implements Measurement<PairCell.Figures>, AutoCloseable {

	/** Threads that take locks of different names at the same time. */
	public static final int MANY = 64;

	/**
	 * Many threads need more pairs until everything is compiled, and less time for them.
	 */
	private static final int WARMER = 4;

	private static final int COUNTED_PAIRS = 40;

	private final Rig rig;

	private final int holders;

	private final Plan plan;

	private final KeptFleets fleets;

	private final Map<Contestant, Commands> commands = new EnumMap<>(Contestant.class);

	/**
	 * Create the cell.
	 * @param holders how many may hold a lock, see
	 * {@link LockClient#acquire(String, int, Duration, Duration)}
	 */
	public PairCell(Rig rig, int holders, Plan plan) {
		this.rig = rig;
		this.holders = holders;
		this.plan = plan;
		this.fleets = new KeptFleets(rig, 1, this::warmUp);
	}

	public void warmUp(List<Contestant> contestants) throws InterruptedException {
		this.fleets.warmUp(contestants);
	}

	private void warmUp(Contestant contestant, Fleet fleet) throws InterruptedException {
		this.rig.probe().flush();
		fleet.run(1, (index) -> new OpenClient(contestant, this.rig.redis()));
		take(fleet, 1, this.plan.warmUp(), this.plan.warmUpLimit());
		take(fleet, MANY, WARMER * this.plan.warmUp() / MANY, this.plan.warmUpLimit());
		this.commands.put(contestant, countCommands(fleet));
	}

	@Override
	public Figures measure(Contestant contestant) throws InterruptedException {
		return this.fleets.measure(contestant, (fleet) -> {
			double cpuBefore = this.rig.probe().processorMicros();
			TakePairs.Taken alone = take(fleet, 1, Long.MAX_VALUE, this.plan.length());
			double cpu = (this.rig.probe().processorMicros() - cpuBefore) / alone.pairs();
			TakePairs.Taken together = take(fleet, MANY, Long.MAX_VALUE, this.plan.length());
			return new Figures(alone.micros(), together.micros(), cpu,
					Objects.requireNonNull(this.commands.get(contestant)));
		});
	}

	private Commands countCommands(Fleet fleet) throws InterruptedException {
		try (CommandMonitor monitor = this.rig.probe().monitor()) {
			CommandCounts before = this.rig.probe().commandCounts();
			take(fleet, 1, COUNTED_PAIRS, this.plan.warmUpLimit());
			CommandCounts during = this.rig.probe().commandCounts().since(before);
			return new Commands(during.sent(monitor.finish()) / COUNTED_PAIRS,
					during.executed() / (double) COUNTED_PAIRS);
		}
	}

	private TakePairs.Taken take(Fleet fleet, int threads, long most, Duration limit) {
		return fleet.worker(0).run(new TakePairs(threads, this.holders, most, limit));
	}

	@Override
	public void close() {
		this.fleets.close();
	}

	/**
	 * How many pairs to take.
	 *
	 * @param warmUp pairs of one thread before the first round, and four times as many by
	 * many threads
	 * @param warmUpLimit how long each of these may take
	 */
	public record Plan(long warmUp, Duration warmUpLimit, Duration length) {

	}

	/**
	 * The figures of one round.
	 *
	 * @param micros microseconds per pair, one thread
	 * @param microsOfMany microseconds per pair, many threads: the time divided by the
	 * pairs of all of them
	 * @param processorMicros processor time of Redis per pair in microseconds, one thread
	 */
	public record Figures(double micros, double microsOfMany, double processorMicros, Commands commands) {

	}

	/**
	 * Commands per pair.
	 *
	 * @param sent those that clients sent
	 * @param executed those that Redis ran, those inside scripts included
	 */
	public record Commands(double sent, double executed) {

	}

}
