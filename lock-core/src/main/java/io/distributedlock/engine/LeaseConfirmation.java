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

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.internal.DeferredInterrupts;

/**
 * Asks the store for the leases that are held, after something may have made it lose some
 * of them: a connection broke, a command failed, or the store says so. A holder thus
 * learns of a loss when the store answers again, and not only at its next renewal or its
 * deadline. A question lengthens nothing, so it need not wait for a request under way.
 *
 * <p>
 * The questions are asked in rounds. A round asks for the leases that the store has not
 * confirmed since the latest interruption, the most urgent ones first, in batches, so
 * that renewals and callers find their way between them: many batches are spread over
 * half a second. Interruptions that the store reports begin rounds a quarter of a second
 * apart at least, commands and questions that fail a second apart, as a busy store must
 * not become busier. So a connection that breaks again and again costs a bounded number
 * of questions. A last round follows for leases that were under way in the first one.
 *
 * <p>
 * Rounds run in the thread for I/O; the lock only guards their state, and is never held
 * together with that of a gate.
 */
final class LeaseConfirmation extends LeaseTimer.Timed {

	/** As many as a script of the store extends. */
	static final int BATCH = 100;

	private static final long SPREAD = TimeUnit.MILLISECONDS.toNanos(500);

	/** So that few leases need not wait. */
	private static final long LONGEST_STEP = TimeUnit.MILLISECONDS.toNanos(5);

	/** Between the beginnings of two rounds. */
	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

	private static final long PAUSE_AFTER_FAILURE = TimeUnit.SECONDS.toNanos(1);

	/** By then, requests of before are answered or have failed. */
	private static final long PAUSE_BEFORE_LAST = TimeUnit.SECONDS.toNanos(2);

	/** A store that does not answer must not collect questions. */
	private static final int MOST_UNANSWERED = 1000;

	private static final long NEVER = Long.MAX_VALUE;

	private final LeaseTimer timer;

	private final Consumer<Runnable> io;

	private final Questions questions;

	private final ReentrantLock lock = new ReentrantLock();

	/** The latest interruption. */
	private long interruptedAt = Long.MIN_VALUE;

	/** When the next round begins. */
	private long nextAt = NEVER;

	private boolean underWay;

	/** When the latest round began. */
	private long beganAt = Long.MIN_VALUE / 2;

	/** A last round is to follow the next one. */
	private boolean lastToCome;

	private int unanswered;

	// Of the round under way, only in the thread for I/O

	private List<Lease> leases = List.of();

	private int asked;

	private long step;

	private long since;

	LeaseConfirmation(LeaseTimer timer, Consumer<Runnable> io, Questions questions) {
		this.timer = timer;
		this.io = io;
		this.questions = questions;
	}

	/**
	 * The store says that it may have lost leases.
	 */
	void interrupted(long now) {
		interrupted(now, PAUSE);
	}

	/**
	 * A command failed, and perhaps because the store is another one now.
	 */
	void failed(long now) {
		interrupted(now, PAUSE_AFTER_FAILURE);
	}

	private void interrupted(long now, long pause) {
		DeferredInterrupts.lock(this.lock);
		try {
			this.interruptedAt = Math.max(this.interruptedAt, now);
			this.lastToCome = true;
			want(now, pause);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Questions were answered, failed, or turned out not to be needed.
	 */
	void settled(int count) {
		DeferredInterrupts.lock(this.lock);
		try {
			this.unanswered = Math.max(0, this.unanswered - count);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void want(long now, long pause) {
		long at = Math.max(now, this.beganAt + pause);
		if (at < this.nextAt) {
			if (!this.underWay) {
				this.timer.schedule(this, at);
			}
			this.nextAt = at;
		}
	}

	@Override
	void fire(long now) {
		try {
			this.io.accept(() -> goOn(now));
		}
		catch (Error ex) {
			// No memory for a thread: try again a moment later
			this.timer.schedule(this, now + LONGEST_STEP);
			throw ex;
		}
	}

	private void goOn(long now) {
		boolean done = false;
		try {
			if (beginsRound(now)) {
				this.leases = this.questions.unconfirmedSince(this.since);
				this.asked = 0;
				int batches = (this.leases.size() + BATCH - 1) / BATCH;
				this.step = Math.min(SPREAD / Math.max(batches, 1), LONGEST_STEP);
			}
			askNext();
			done = true;
		}
		finally {
			endStep(now, done);
		}
	}

	private boolean beginsRound(long now) {
		DeferredInterrupts.lock(this.lock);
		try {
			boolean begins = !this.underWay;
			if (begins) {
				this.nextAt = NEVER;
				this.underWay = true;
				this.beganAt = now;
				this.since = this.interruptedAt;
			}
			return begins;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void askNext() {
		List<Lease> batch = this.leases.subList(this.asked, Math.min(this.asked + BATCH, this.leases.size()));
		if (!batch.isEmpty() && mayAsk(batch.size())) {
			this.asked += batch.size();
			settled(batch.size() - this.questions.ask(batch, this.since));
		}
	}

	private boolean mayAsk(int more) {
		DeferredInterrupts.lock(this.lock);
		try {
			boolean may = this.unanswered + more <= MOST_UNANSWERED;
			this.unanswered += may ? more : 0;
			return may;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Schedule what follows.
	 * @param done whether nothing was thrown; otherwise the round begins anew
	 */
	private void endStep(long now, boolean done) {
		DeferredInterrupts.lock(this.lock);
		try {
			if (done && this.asked < this.leases.size()) {
				this.timer.schedule(this, now + this.step);
				return;
			}
			this.leases = List.of();
			this.asked = 0;
			this.underWay = false;
			if (!done) {
				this.unanswered = 0;
				this.nextAt = Math.min(this.nextAt, now + PAUSE_AFTER_FAILURE);
			}
			else if (this.nextAt == NEVER && this.lastToCome) {
				this.lastToCome = false;
				this.nextAt = now + PAUSE_BEFORE_LAST;
			}
			if (this.nextAt != NEVER) {
				this.timer.schedule(this, this.nextAt);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * What a round asks for.
	 */
	interface Questions {

		/**
		 * Return the leases that are held, and that the store has not confirmed since the
		 * given time, the most urgent ones first.
		 */
		List<Lease> unconfirmedSince(long time);

		/**
		 * Ask for leases, unless they are confirmed meanwhile. Each answer is
		 * {@linkplain #settled counted}.
		 * @return how many were asked for
		 */
		int ask(List<Lease> leases, long since);

	}

}
