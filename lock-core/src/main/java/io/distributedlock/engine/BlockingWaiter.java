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

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.LockKeeper;
import io.distributedlock.internal.ManagedParking;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits, parked.
 */
final class BlockingWaiter extends Waiter {

	private final LockEngine engine;

	private final Mode mode;

	private boolean interrupted;

	private BlockingWaiter(LockEngine engine, String name, LockOptions options, Mode mode) {
		super(name, options, Thread.currentThread(), engine.now());
		this.engine = engine;
		this.mode = mode;
		this.asking = engine.asking();
	}

	static LockHandle acquire(LockEngine engine, String name, LockOptions options) {
		BlockingWaiter waiter = create(engine, name, options, Mode.HANDLE);
		return engine.conclude(waiter, waiter.run());
	}

	/**
	 * Acquire a lock in the calling thread, or return {@code null} if it is held
	 * elsewhere.
	 */
	static @Nullable Handle tryAcquire(LockEngine engine, String name, LockOptions options, Mode mode) {
		LockKeeper.Keeping keeping = engine.keeping();
		Handle handle = engine.enterKept(keeping, name, options);
		if (handle == null) {
			BlockingWaiter waiter = create(engine, name, options, mode);
			handle = engine.concludeUnlessBusy(waiter, waiter.run());
		}
		if (handle != null) {
			engine.keep(keeping, handle, options);
		}
		return handle;
	}

	private static BlockingWaiter create(LockEngine engine, String name, LockOptions options, Mode mode) {
		engine.assertMayWait(name, options);
		BlockingWaiter waiter = new BlockingWaiter(engine, name, options, mode);
		if (waiter.isInterruptible() && Thread.currentThread().isInterrupted()) {
			engine.conclude(waiter, Outcome.GivenUp.INTERRUPTED);
		}
		return waiter;
	}

	private boolean isInterruptible() {
		return this.mode != Mode.VIEW_UNINTERRUPTIBLE;
	}

	/**
	 * Wait for the lock as long as the options allow. An interrupt is deferred in the
	 * meantime, and restored at the end.
	 */
	Outcome run() {
		this.engine.submit(this);
		try {
			while (true) {
				Outcome outcome = await();
				if (outcome instanceof Outcome.GivenUp why) {
					outcome = this.engine.giveUp(this, why);
				}
				if (outcome != null) {
					return outcome;
				}
			}
		}
		finally {
			if (this.interrupted) {
				DeferredInterrupts.restore();
			}
		}
	}

	/**
	 * Return the outcome, or why this thread does not want to wait any longer.
	 */
	private Outcome await() {
		while (true) {
			Outcome outcome = outcome();
			if (outcome != null) {
				return outcome;
			}
			this.interrupted |= DeferredInterrupts.defer();
			if (this.interrupted && isInterruptible()) {
				return Outcome.GivenUp.INTERRUPTED;
			}
			if (waits() && left() <= 0) {
				return Outcome.GivenUp.TIMED_OUT;
			}
			ManagedParking.park(this, waits() ? left() : ManagedParking.FOR_EVER);
		}
	}

	private long left() {
		return until() - this.engine.now();
	}

	@Override
	void wake() {
		if (this.owner != Thread.currentThread()) {
			LockSupport.unpark(this.owner);
		}
	}

	@Override
	boolean boundToOwner() {
		return this.mode != Mode.HANDLE;
	}

	/**
	 * What the thread waits for: a handle that any thread may close, or the lock of a
	 * {@link LockView}, perhaps regardless of interrupts.
	 */
	enum Mode {

		HANDLE, VIEW, VIEW_UNINTERRUPTIBLE

	}

}
