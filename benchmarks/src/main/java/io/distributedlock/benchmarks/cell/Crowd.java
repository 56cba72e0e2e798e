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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.LockClient.Hold;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * The first JVM holds a lock until many threads of the second wait for it. Each of them
 * releases it as soon as it has it.
 *
 * @param self the JVM, 0 or 1
 */
// The lock is held, not used
@SuppressWarnings("try")
record Crowd(int self, int size, Duration settle, Duration limit, String board) implements Task<Crowd.Times> {

	private static final Logger logger = LoggerFactory.getLogger(Crowd.class);

	private static final String LOCK = "crowd";

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration WAIT = Duration.ofMinutes(5);

	private static final int HELD = 2;

	private static final int ASKED = 3;

	@Override
	public Times run(Bench bench) throws Exception {
		Board shared = Board.open(this.board);
		return (this.self == 0) ? hold(bench.client(), shared) : gather(bench.client(), shared);
	}

	private Times hold(LockClient client, Board shared) throws Exception {
		try (Hold hold = client.acquire(LOCK, LEASE, WAIT)) {
			shared.set(HELD, 1);
			Pause.until(() -> shared.get(ASKED) == this.size);
			Pause.until(System.nanoTime() + this.settle.toNanos());
			return new Times(1, System.nanoTime());
		}
	}

	private Times gather(LockClient client, Board shared) throws InterruptedException {
		Pause.until(() -> shared.get(HELD) == 1);
		AtomicInteger served = new AtomicInteger();
		AtomicLong lastAt = new AtomicLong();
		CountDownLatch ended = new CountDownLatch(this.size);
		for (int waiter = 0; waiter < this.size; waiter++) {
			Thread thread = new Thread(() -> {
				shared.add(ASKED, 1);
				try (Hold hold = client.acquire(LOCK, LEASE, WAIT)) {
					lastAt.accumulateAndGet(System.nanoTime(), Math::max);
					served.incrementAndGet();
				}
				catch (Exception ex) {
					logger.warn("A waiter failed", ex);
				}
				finally {
					ended.countDown();
				}
			});
			thread.setDaemon(true);
			thread.start();
		}
		ended.await(this.settle.plus(this.limit).toNanos(), TimeUnit.NANOSECONDS);
		return new Times(served.get(), lastAt.get());
	}

	/**
	 * What one JVM saw.
	 *
	 * @param served how many of its threads had the lock
	 * @param lastAt when the holder released it, or the last waiter got it, on the clock
	 * of {@link System#nanoTime()}
	 */
	record Times(int served, long lastAt) implements Serializable {

	}

}
