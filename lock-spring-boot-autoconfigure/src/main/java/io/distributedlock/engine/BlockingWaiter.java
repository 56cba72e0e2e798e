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

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits, parked.
 */
final class BlockingWaiter extends Waiter {

	private final Thread thread;

	private final boolean boundToOwner;

	private final boolean interruptible;

	BlockingWaiter(String name, LockOptions options, long since, Mode mode) {
		super(name, options, Thread.currentThread(), since);
		this.thread = Thread.currentThread();
		this.boundToOwner = mode != Mode.HANDLE;
		this.interruptible = mode != Mode.VIEW_UNINTERRUPTIBLE;
	}

	/**
	 * Wait until settled, interrupted, or past the wait time.
	 * @return the outcome
	 */
	Object await(Admission admission, Ticker ticker) {
		boolean interrupted = false;
		try {
			while (true) {
				Object outcome = outcome();
				if (outcome != null) {
					return outcome;
				}
				if (Thread.interrupted()) {
					interrupted = true;
				}
				GivenUp why = (interrupted && this.interruptible) ? GivenUp.INTERRUPTED
						: (waits() && left(ticker) <= 0) ? GivenUp.TIMED_OUT : null;
				if (why == null) {
					park(ticker);
				}
				else {
					admission.giveUp(this, why);
				}
			}
		}
		finally {
			if (interrupted) {
				this.thread.interrupt();
			}
		}
	}

	/**
	 * Park once. A pool of the fork-join kind gets another thread meanwhile: the answer
	 * that this thread waits for may need one of that pool.
	 */
	private void park(Ticker ticker) {
		if (!(this.thread instanceof ForkJoinWorkerThread)) {
			parkOnce(ticker);
			return;
		}
		try {
			ForkJoinPool.managedBlock(new Parking(ticker));
		}
		catch (RejectedExecutionException ex) {
			// It has as many threads as it may have
			parkOnce(ticker);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Parking does not throw", ex);
		}
	}

	private void parkOnce(Ticker ticker) {
		if (waits()) {
			LockSupport.parkNanos(this, left(ticker));
		}
		else {
			LockSupport.park(this);
		}
	}

	private long left(Ticker ticker) {
		return this.since + this.options.waitTime().toNanos() - ticker.nanos();
	}

	@Override
	void settled(Object outcome) {
		if (this.thread != Thread.currentThread()) {
			LockSupport.unpark(this.thread);
		}
	}

	@Override
	boolean boundToOwner() {
		return this.boundToOwner;
	}

	/**
	 * One park, as a pool knows it.
	 */
	private final class Parking implements ForkJoinPool.ManagedBlocker {

		private final Ticker ticker;

		private boolean parked;

		Parking(Ticker ticker) {
			this.ticker = ticker;
		}

		@Override
		public boolean block() {
			parkOnce(this.ticker);
			this.parked = true;
			return true;
		}

		@Override
		public boolean isReleasable() {
			return this.parked || outcome() != null;
		}

	}

	/**
	 * For whom a thread waits.
	 */
	enum Mode {

		HANDLE, VIEW, VIEW_UNINTERRUPTIBLE

	}

}
