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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.internal.DeferredInterrupts;

/**
 * Gathers leases that are to be renewed, or asked for, in batches. A renewal waits for
 * others, a twentieth of its interval at most, until a batch is full; so many leases cost
 * few commands and a single one is still renewed in time.
 */
final class LeaseBatcher extends LeaseTimer.Timed {

	static final int BATCH = 100;

	/**
	 * Short, as it delays the news of a loss; but the message of an operator who takes a
	 * lock comes over another connection than the report that it changed, and explains
	 * more.
	 */
	static final long SLACK_OF_QUESTION = Duration.ofMillis(10).toNanos();

	private static final int SLACK = 20;

	private static final long LONGEST_SLACK = Duration.ofMillis(500).toNanos();

	private static final long ADJUSTMENT_SLACK = Duration.ofMillis(20).toNanos();

	private final LeaseTimer timer;

	private final Consumer<List<Lease>> sender;

	private final ReentrantLock lock = new ReentrantLock();

	private List<Lease> waiting = new ArrayList<>();

	private long flushAt;

	LeaseBatcher(LeaseTimer timer, Consumer<List<Lease>> sender) {
		this.timer = timer;
		this.sender = sender;
	}

	/**
	 * Return how long a renewal may wait; one that is short, or was not confirmed yet,
	 * waits less.
	 */
	static long slackOfRenewal(Lease lease, long interval) {
		long slack = Math.min(interval / SLACK, LONGEST_SLACK);
		return lease.isAdjusting() ? Math.min(slack, ADJUSTMENT_SLACK) : slack;
	}

	/**
	 * Pass on a lease after the given time at most.
	 */
	void add(Lease lease, long slack, long now) {
		long flush = now + slack;
		DeferredInterrupts.lock(this.lock);
		try {
			this.waiting.add(lease);
			if (this.waiting.size() >= BATCH) {
				flush(now);
			}
			else if (this.waiting.size() == 1 || flush < this.flushAt) {
				this.flushAt = flush;
				this.timer.schedule(this, flush);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	void fire(long now) {
		DeferredInterrupts.lock(this.lock);
		try {
			if (!this.waiting.isEmpty()) {
				flush(now);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void flush(long now) {
		List<Lease> batch = this.waiting;
		this.waiting = new ArrayList<>();
		this.timer.cancel(this);
		try {
			this.sender.accept(batch);
		}
		catch (Error ex) {
			// No memory for a thread: try again a moment later
			this.waiting = batch;
			this.flushAt = now + ADJUSTMENT_SLACK;
			this.timer.schedule(this, this.flushAt);
		}
	}

}
