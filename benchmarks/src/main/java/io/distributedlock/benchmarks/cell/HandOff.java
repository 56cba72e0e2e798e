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

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.distributedlock.benchmarks.contestant.LockClient.Hold;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * One of two JVMs that hand one lock to each other. A holder releases only after the
 * other JVM has begun to wait, and then some; it asks again only after the other has got
 * the lock. So each sample is one waiter that is woken by one release, from just before
 * the release to just after the acquisition.
 *
 * @param lock the name of the lock
 * @param self 0 or 1; 0 begins
 * @param poll how often a waiter of this contestant asks again: the holder's pause is
 * spread over it, so that pollers are met at any point of their interval
 * @param length for how long
 * @param board where the JVMs see each other
 */
record HandOff(String lock, int self, Duration poll, Duration length, String board) implements Task<HandOff.Latencies> {

	private static final int HOLDER = 2;

	private static final int RELEASED_AT = 3;

	private static final int STOPPED = 4;

	private static final int WAITING = 5;

	private static final int STOP_AT = 7;

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final long SETTLE = 3_000_000;

	private static final long SPREAD = 10_000_000;

	@Override
	public Latencies run(Bench bench) throws Exception {
		Board shared = Board.open(this.board);
		List<Long> latencies = new ArrayList<>();
		int other = 1 - this.self;
		if (this.self == 0) {
			shared.set(STOP_AT, System.nanoTime() + this.length.toNanos());
		}
		else {
			Pause.until(() -> holds(shared, other));
		}
		while (true) {
			shared.set(WAITING + this.self, 1);
			Hold hold = bench.client().acquire(this.lock, LEASE, LEASE);
			long gotAt = System.nanoTime();
			try (hold) {
				shared.set(WAITING + this.self, 0);
				shared.set(HOLDER, this.self + 1L);
				long releasedAt = shared.get(RELEASED_AT);
				if (releasedAt != 0) {
					latencies.add(gotAt - releasedAt);
				}
				if (shared.get(STOPPED) != 0) {
					return new Latencies(latencies);
				}
				Pause.until(() -> shared.get(WAITING + other) != 0);
				Pause.until(System.nanoTime() + pause());
				boolean last = System.nanoTime() - shared.get(STOP_AT) > 0;
				if (last) {
					shared.set(STOPPED, 1);
				}
				shared.set(RELEASED_AT, System.nanoTime());
				if (last) {
					return new Latencies(latencies);
				}
			}
			Pause.until(() -> holds(shared, other));
		}
	}

	private static boolean holds(Board shared, int jvm) {
		return shared.get(HOLDER) == jvm + 1L;
	}

	private long pause() {
		return SETTLE + ThreadLocalRandom.current().nextLong(Math.max(SPREAD, this.poll.toNanos()));
	}

	/**
	 * What one JVM saw.
	 *
	 * @param nanos from the other JVM's release to its own acquisition, in nanoseconds
	 */
	record Latencies(List<Long> nanos) implements Serializable {

	}

}
