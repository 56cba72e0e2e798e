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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what one contender does. Inside the section it increments a shared counter by an
 * unprotected read and write: without mutual exclusion the sum is wrong. It also checks
 * that nobody is inside whom its lock keeps out, which sees overlaps that by luck lose no
 * update. Not thread-safe: a contender is in one place at a time.
 */
final class Turns {

	static final int COUNTER = 0;

	private static final int INSIDE = 1;

	private static final int READY = 7;

	private static final int START_AT = 8;

	/** Time for everybody to see the signal. */
	private static final Duration LEAD = Duration.ofMillis(20);

	/** What one that wants to be alone adds to the number of those inside. */
	private static final long ALONE = 1 << 20;

	private static final Logger logger = LoggerFactory.getLogger(Turns.class);

	private final Board board;

	private final long stopAt;

	private final int limit;

	private long counted;

	private long entered;

	private long overlaps;

	private long failures;

	private long longestWait;

	private long mostInside;

	private Turns(Board board, long stopAt, int limit) {
		this.board = board;
		this.stopAt = stopAt;
		this.limit = limit;
	}

	/**
	 * Waits for all others, so that threads of several JVMs begin at the same moment,
	 * however long one of them took to get here. Moments are told by
	 * {@link System#nanoTime()}, which is one clock for all JVMs of a Linux machine.
	 */
	static Turns begin(Contend contend, Board board, int limit) {
		if (board.add(READY, 1) == contend.participants() - 1) {
			board.set(START_AT, System.nanoTime() + LEAD.toNanos());
		}
		Pause.until(() -> board.get(START_AT) != 0);
		long startAt = board.get(START_AT);
		Pause.until(startAt);
		return new Turns(board, startAt + contend.length().toNanos(), limit);
	}

	boolean areLeft() {
		return System.nanoTime() - this.stopAt < 0;
	}

	/**
	 * The section begins.
	 * @return what the section must hand to {@link #leave}
	 */
	long enter() {
		long others = this.board.add(INSIDE, weight());
		if (others >= this.limit || others >= ALONE) {
			this.overlaps++;
		}
		this.mostInside = Math.max(this.mostInside, others % ALONE + others / ALONE + 1);
		return this.board.get(COUNTER);
	}

	void leave(long seen) {
		if (this.limit == 1) {
			this.board.set(COUNTER, seen + 1);
		}
		else {
			this.board.add(COUNTER, 1);
		}
		this.board.add(INSIDE, -weight());
	}

	private long weight() {
		return (this.limit == 1) ? ALONE : 1;
	}

	void took(long asked, long got) {
		this.entered++;
		this.longestWait = Math.max(this.longestWait, got - asked);
		if (got - this.stopAt < 0) {
			this.counted++;
		}
	}

	void failed(Throwable failure) {
		logger.warn("An acquisition failed", failure);
		this.failures++;
	}

	Count count() {
		return new Count(this.counted, this.entered, this.overlaps, this.failures, this.longestWait, this.limit == 1,
				this.mostInside);
	}

	/**
	 * What one contender saw.
	 *
	 * @param longestWait the longest wait in nanoseconds
	 * @param alone whether it wanted to be alone
	 */
	record Count(long counted, long entered, long overlaps, long failures, long longestWait, boolean alone,
			long mostInside) {

	}

}
