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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what one contender does. Inside the section it increments a shared counter by an
 * unprotected read and write: without mutual exclusion the sum is wrong. It also checks
 * that nobody else is inside, which sees overlaps that by luck lose no update. Not
 * thread-safe: a contender is in one place at a time.
 */
final class Turns {

	static final int COUNTER = 0;

	static final int INSIDE = 1;

	private static final Logger logger = LoggerFactory.getLogger(Turns.class);

	private final Board board;

	private final long stopAt;

	private long counted;

	private long entered;

	private long overlaps;

	private long failures;

	private long longestWait;

	private Turns(Board board, long stopAt) {
		this.board = board;
		this.stopAt = stopAt;
	}

	/**
	 * Waits for all others.
	 * @param contention what is contended for
	 * @param board what all share
	 * @return a count that begins now
	 */
	static Turns begin(Contention contention, Board board) {
		return new Turns(board, StartLine.await(board, contention.participants()) + contention.length().toNanos());
	}

	boolean areLeft() {
		return System.nanoTime() - this.stopAt < 0;
	}

	/**
	 * The section begins.
	 * @return what the section must hand to {@link #leave}
	 */
	long enter() {
		if (this.board.add(INSIDE, 1) != 0) {
			this.overlaps++;
		}
		return this.board.get(COUNTER);
	}

	/**
	 * The section ends.
	 */
	void leave(long seen) {
		this.board.set(COUNTER, seen + 1);
		this.board.add(INSIDE, -1);
	}

	/**
	 * The turn is over.
	 * @param asked when the lock was asked for
	 * @param got when it was acquired
	 */
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
		return new Count(this.counted, this.entered, this.overlaps, this.failures, this.longestWait);
	}

	/**
	 * What one contender saw.
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
