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
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.LockClient.Hold;

/**
 * One thread of a {@link Contention}. Inside the section it increments a shared counter
 * by an unprotected read and write: without mutual exclusion the sum is wrong. It also
 * checks that nobody else is inside, which sees overlaps that by luck lose no update.
 */
final class Contender implements Callable<Contender.Count> {

	static final int COUNTER = 0;

	static final int INSIDE = 1;

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration WAIT = Duration.ofSeconds(60);

	private static final Logger logger = LoggerFactory.getLogger(Contender.class);

	private final LockClient client;

	private final Contention contention;

	private final Board board;

	private long stopAt;

	private long counted;

	private long entered;

	private long overlaps;

	private long failures;

	private long longestWait;

	Contender(LockClient client, Contention contention, Board board) {
		this.client = client;
		this.contention = contention;
		this.board = board;
	}

	@Override
	public Count call() {
		this.stopAt = StartLine.await(this.board, this.contention.participants()) + this.contention.length().toNanos();
		while (System.nanoTime() - this.stopAt < 0) {
			try {
				once();
			}
			catch (Exception ex) {
				logger.warn("An acquisition failed", ex);
				this.failures++;
			}
		}
		return new Count(this.counted, this.entered, this.overlaps, this.failures, this.longestWait);
	}

	private void once() throws Exception {
		long asked = System.nanoTime();
		Hold hold = this.client.acquire(this.contention.lock(), LEASE, WAIT);
		long got = System.nanoTime();
		try {
			section();
		}
		finally {
			hold.close();
		}
		this.entered++;
		this.longestWait = Math.max(this.longestWait, got - asked);
		if (got - this.stopAt < 0) {
			this.counted++;
		}
	}

	private void section() {
		if (this.board.add(INSIDE, 1) != 0) {
			this.overlaps++;
		}
		long seen = this.board.get(COUNTER);
		if (!this.contention.section().isZero()) {
			LockSupport.parkNanos(this.contention.section().toNanos());
		}
		this.board.set(COUNTER, seen + 1);
		this.board.add(INSIDE, -1);
	}

	/**
	 * What one thread saw.
	 *
	 * @param counted acquisitions before the end
	 * @param entered all acquisitions
	 * @param overlaps how often somebody else was inside
	 * @param failures how often the library threw or gave up
	 * @param longestWait the longest wait in nanoseconds
	 */
	record Count(long counted, long entered, long overlaps, long failures, long longestWait) {

	}

}
