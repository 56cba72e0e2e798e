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
import java.util.List;
import java.util.Set;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * Measures the uncontended pair, of one thread and of many threads that take locks of
 * different names.
 *
 * @param holders how many may hold a lock, see
 * {@link LockClient#join(String, int, Duration, Duration)}
 */
public record PairCell(Rig rig, int holders, Plan plan) implements Cell<PairCell.Figures> {

	private static final int MANY = 64;

	/**
	 * Many threads need more pairs until everything is compiled, and less time for them.
	 */
	private static final int WARMER = 4;

	@Override
	public String title() {
		return "Uncontended pair" + switch (this.holders) {
			case 1 -> "";
			case Integer.MAX_VALUE -> ", shared";
			default -> ", " + this.holders + " permits";
		};
	}

	@Override
	public Set<Contestant> contestants() {
		return (this.holders == 1) ? Contestant.LOCKS : Contestant.WITH_COMPANY;
	}

	public void warmUp(Contestant contestant, Fleet fleet) {
		this.rig.clear();
		take(fleet, 1, this.plan.warmUp(), this.plan.warmUpLimit());
		take(fleet, MANY, WARMER * this.plan.warmUp() / MANY, this.plan.warmUpLimit());
	}

	@Override
	public Figures measure(Contestant contestant, Fleet fleet) {
		double cpuBefore = this.rig.processorMicros();
		long executedBefore = this.rig.executed();
		TakePairs.Taken alone = take(fleet, 1, Long.MAX_VALUE, this.plan.length());
		double executed = this.rig.executed() - executedBefore;
		double cpu = this.rig.processorMicros() - cpuBefore;
		TakePairs.Taken together = take(fleet, MANY, Long.MAX_VALUE, this.plan.length());
		return new Figures(alone.micros(), together.micros(), cpu / alone.pairs(), executed / alone.pairs());
	}

	private TakePairs.Taken take(Fleet fleet, int threads, long most, Duration limit) {
		return fleet.run(new TakePairs(threads, this.holders, most, limit));
	}

	@Override
	public List<Column<Figures>> columns() {
		return List.of(Column.ratio("Ratio", Figures::micros), Column.median("µs per pair", Figures::micros),
				Column.ratio("Ratio, 64 threads", Figures::microsOfMany),
				Column.median("µs per pair, 64 threads", Figures::microsOfMany),
				Column.ratio("Redis CPU ratio", Figures::processorMicros),
				Column.median("Redis CPU, µs", Figures::processorMicros), Column.median("Executed", Figures::executed));
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
	 * @param executed commands that Redis ran per pair, those inside scripts included
	 */
	public record Figures(double micros, double microsOfMany, double processorMicros, double executed) {

	}

}
