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

package io.distributedlock.benchmarks;

import java.time.Duration;

import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.PairCell;

/**
 * How much time a run takes. The times of a contestant are those of one round.
 *
 * @param warmUp how long each fleet of JVMs contends before it is measured, and then one
 * of its JVMs for twice as long
 * @param contended how long the threads of one JVM contend with an empty section
 * @param jmh how long an iteration of a micro-benchmark takes
 */
record Effort(int rounds, Duration warmUp, Duration contended, int pairRounds, PairCell.Plan pair, int handOffRounds,
		HandOffCell.Plan handOff, CrowdCell.Plan crowd, int heldLocks, Duration jmh) {

	private static final int WAITERS = 1_000;

	/** So many that what else a JVM keeps on its heap does not count. */
	private static final int HELD = 50_000;

	/**
	 * Hand-offs after which both JVMs have compiled nearly all that they run. With 6,000,
	 * the compiler still takes a tenth of a processor from whoever has more code than the
	 * floor.
	 */
	private static final int WARM_UP = 20_000;

	/** The same of pairs in one JVM. */
	private static final int PAIRS = 30_000;

	/**
	 * Proves that everything works; its figures mean nothing.
	 */
	private static final Effort SMOKE = new Effort(1, millis(200), millis(100), 1,
			new PairCell.Plan(200, millis(500), millis(100)), 1,
			new HandOffCell.Plan(200, millis(500), 20, millis(500)),
			new CrowdCell.Plan(100, millis(100), millis(200), millis(2_000)), 2_000, millis(150));

	private static final Effort QUICK = new Effort(2, millis(2_000), millis(450), 8,
			new PairCell.Plan(PAIRS / 2, millis(6_000), millis(250)), 12,
			new HandOffCell.Plan(WARM_UP, millis(20_000), 100, millis(1_000)),
			new CrowdCell.Plan(WAITERS, millis(300), millis(700), millis(2_000)), HELD, millis(600));

	/**
	 * For figures to be quoted.
	 */
	private static final Effort FULL = new Effort(4, millis(7_000), millis(1_500), 12,
			new PairCell.Plan(PAIRS, millis(10_000), millis(300)), 16,
			new HandOffCell.Plan(WARM_UP, millis(30_000), 150, millis(1_500)),
			new CrowdCell.Plan(WAITERS, millis(2_000), millis(2_000), millis(10_000)), HELD, millis(3_000));

	private static Duration millis(long millis) {
		return Duration.ofMillis(millis);
	}

	static Effort named(String mode) {
		return switch (mode) {
			case "smoke" -> SMOKE;
			case "quick" -> QUICK;
			case "full" -> FULL;
			default -> throw new IllegalArgumentException("The mode is smoke, quick or full, but not '" + mode + "'");
		};
	}

}
