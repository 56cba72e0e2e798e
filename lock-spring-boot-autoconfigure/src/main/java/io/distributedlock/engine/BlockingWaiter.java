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
	Outcome await(Admission admission, Ticker ticker) {
		boolean interrupted = false;
		try {
			while (true) {
				Outcome outcome = outcome();
				if (outcome != null) {
					return outcome;
				}
				if (Thread.interrupted()) {
					interrupted = true;
				}
				Outcome.GivenUp why = (interrupted && this.interruptible) ? Outcome.GivenUp.INTERRUPTED
						: (waits() && left(ticker) <= 0) ? Outcome.GivenUp.TIMED_OUT : null;
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

	private void park(Ticker ticker) {
		ManagedParking.park(this, waits() ? left(ticker) : ManagedParking.FOR_EVER);
	}

	private long left(Ticker ticker) {
		return this.since + this.options.waitTime().toNanos() - ticker.nanos();
	}

	@Override
	void settled(Outcome outcome) {
		if (this.thread != Thread.currentThread()) {
			LockSupport.unpark(this.thread);
		}
	}

	@Override
	boolean boundToOwner() {
		return this.boundToOwner;
	}

	/**
	 * For whom a thread waits.
	 */
	enum Mode {

		HANDLE, VIEW, VIEW_UNINTERRUPTIBLE

	}

}
