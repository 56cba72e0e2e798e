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
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

import io.distributedlock.benchmarks.contestant.LockClient.Hold;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * One of two JVMs that hand one lock to each other. A holder releases only after the
 * other JVM has begun to wait, and then some; it asks again only after the other has got
 * the lock. So each sample is one waiter that is woken by one release, from just before
 * the release to just after the acquisition.
 *
 * <p>
 * Everybody sleeps meanwhile: a thread that spins or polls keeps a processor awake, and
 * makes whoever is measured beside it look faster. The holder sleeps before it releases,
 * and sleeps at once when it has released: it looks what became of its release only when
 * the hand-off is over.
 *
 * <p>
 * The result is the time of each hand-off to this JVM, in nanoseconds.
 */
record HandOff(String lock, int self, Pace pace, int samples, Duration limit,
		String board) implements Task<ArrayList<Long>> {

	private static final int HOLDER = 2;

	private static final int RELEASED_AT = 3;

	private static final int STOPPED = 4;

	/** Since when a JVM waits. */
	private static final int WAITING = 5;

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final long PATIENCE = 30_000_000_000L;

	@Override
	public ArrayList<Long> run(Bench bench) throws Exception {
		Board shared = Board.open(this.board);
		ArrayList<Long> latencies = new ArrayList<>();
		int other = 1 - this.self;
		long stopAt = System.nanoTime() + this.limit.toNanos();
		if (this.self != 0) {
			sleepUntil(() -> holds(shared, other));
		}
		while (true) {
			shared.set(WAITING + this.self, System.nanoTime());
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
					return latencies;
				}
				sleep(this.pace.hold());
				sleepUntil(() -> waits(shared, other));
				boolean last = latencies.size() >= this.samples || System.nanoTime() - stopAt > 0;
				if (last) {
					shared.set(STOPPED, 1);
				}
				shared.set(RELEASED_AT, System.nanoTime());
				if (last) {
					return latencies;
				}
			}
			sleep(this.pace.look());
			sleepUntil(() -> holds(shared, other));
		}
	}

	private boolean waits(Board shared, int jvm) {
		long since = shared.get(WAITING + jvm);
		return since != 0 && System.nanoTime() - since > this.pace.settle().toNanos();
	}

	private static boolean holds(Board shared, int jvm) {
		return shared.get(HOLDER) == jvm + 1L;
	}

	private void sleepUntil(BooleanSupplier condition) {
		long deadline = System.nanoTime() + PATIENCE;
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("The other JVM does not go on");
			}
			sleep(this.pace.look());
		}
	}

	private static void sleep(Duration duration) {
		Pause.until(System.nanoTime() + duration.toNanos());
	}

	/**
	 * How long everybody sleeps.
	 */
	record Pace(Duration look, Duration settle, Duration shortest, Duration spread) implements Serializable {

		/** As fast as it goes: only to warm up. */
		static final Pace WARM_UP = new Pace(Duration.ofNanos(100_000), Duration.ofNanos(200_000), Duration.ZERO,
				Duration.ZERO);

		/**
		 * So that nobody else is awake while a lock is handed over.
		 */
		static Pace measured(Duration poll) {
			Duration spread = Duration.ofMillis(Math.max(2, poll.toMillis()));
			return new Pace(Duration.ofMillis(2), Duration.ofMillis(2), Duration.ofMillis(4), spread);
		}

		Duration hold() {
			return this.shortest.plusNanos(ThreadLocalRandom.current().nextLong(this.spread.toNanos() + 1));
		}

	}

}
