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
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;
import io.distributedlock.benchmarks.redis.CommandCounts;

/**
 * Counts the commands that Redis runs for one sign of life of a waiter, while another JVM
 * holds the lock and nothing else happens.
 */
public record SignCell(Rig rig, Duration length) implements Measurement<SignCell.Signs> {

	private static final String LOCK = "signs";

	private static final long LOOK = 50_000_000;

	/** What clients also send while they connect, subscribe and watch a subscription. */
	private static final List<String> OTHERS = List.of("hello", "client", "eval", "subscribe", "publish");

	@Override
	public Signs measure(Contestant contestant) {
		this.rig.probe().flush();
		try (Fleet fleet = this.rig.fork(contestant, 2)) {
			fleet.run(2, (index) -> new OpenClient(contestant, this.rig.redis()));
			fleet.worker(0).run(new TakeLock(LOCK));
			fleet.worker(1).run(new GatherCrowd(LOCK, 1, ThreadKind.PLATFORM));
			Pause.until(System.nanoTime() + 6 * LOOK);
			return watch();
		}
	}

	private Signs watch() {
		List<Long> executed = new ArrayList<>();
		CommandCounts before = this.rig.probe().commandCounts();
		long stopAt = System.nanoTime() + this.length.toNanos();
		while (System.nanoTime() - stopAt < 0) {
			Pause.until(System.nanoTime() + LOOK);
			CommandCounts now = this.rig.probe().commandCounts();
			CommandCounts since = now.since(before);
			if (since.of("evalsha") == 1 && OTHERS.stream().allMatch((command) -> since.of(command) == 0)) {
				executed.add(since.executed());
			}
			before = now;
		}
		return new Signs(executed);
	}

	/**
	 * What was seen.
	 *
	 * @param executed the commands of each sign, the call of the script included
	 */
	public record Signs(List<Long> executed) {

		/**
		 * The most expensive sign.
		 * @return its commands, not a number if none was seen
		 */
		public double most() {
			return this.executed.stream().mapToDouble(Long::doubleValue).max().orElse(Double.NaN);
		}

	}

}
