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

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.Wait;
import io.distributedlock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * A caller waiting for a lock, with a blocked thread or a future. Settled exactly once,
 * while its gate is locked.
 */
abstract class Waiter implements Wait {

	private static final AtomicReferenceFieldUpdater<Waiter, Outcome> OUTCOME = AtomicReferenceFieldUpdater
		.newUpdater(Waiter.class, Outcome.class, "outcome");

	/** Not in the order of its gate. */
	static final int NONE = Integer.MAX_VALUE;

	final String name;

	final LockOptions options;

	/** The thread that may re-enter, or {@code null} if it belongs to no thread. */
	final @Nullable Thread owner;

	final long since;

	/** Guarded by the gate, like all that is not final. */
	@Nullable Waiter next;

	@Nullable Waiter previous;

	/** The lock was held, or another waiter was ahead. Guarded by the gate. */
	boolean contended;

	@Nullable Object asking;

	/** Whether this waiter is queued locally, without a contender. */
	boolean inLine;

	/** The contender that asks the store for this waiter, or {@code null}. */
	@Nullable Contender contender;

	/**
	 * Its place in the order of its gate, if the gate gives it one: the round of a
	 * {@link SharedGate} in which it joined the line, or its number in a
	 * {@link PermitGate}.
	 */
	int order = NONE;

	/** Who held the lock when a companion that asked for it was refused. */
	@Nullable LockInfo refusedBy;

	private volatile @Nullable Outcome outcome;

	/**
	 * Continues to wait after a refusal. Guarded by the gate once it is in line.
	 */
	private boolean patient;

	Waiter(String name, LockOptions options, @Nullable Thread owner, long since) {
		this.name = name;
		this.options = options;
		this.owner = owner;
		this.since = since;
		this.patient = !options.waitTime().isZero();
	}

	/**
	 * Return how many holders the caller accepts, itself included.
	 */
	final int limit() {
		return limitOf(this.options);
	}

	static int limitOf(LockOptions options) {
		return (options.mode() == LockMode.SHARED) ? AcquireRequest.NO_LIMIT : options.permits();
	}

	/**
	 * Whether this has arrived and is not settled. Read with the gate locked.
	 */
	final boolean isWaiting() {
		return this.inLine || this.contender != null;
	}

	/**
	 * Whether this waits for a lock that is held, or wants one attempt only.
	 */
	final boolean waits() {
		return this.patient;
	}

	/**
	 * Wait for the next answer of the store only.
	 */
	final void waitNoLonger() {
		this.patient = false;
	}

	@Override
	public final String name() {
		return this.name;
	}

	@Override
	public final @Nullable Thread thread() {
		return this.owner;
	}

	@Override
	public final long until() {
		return this.since + this.options.waitTime().toNanos();
	}

	final @Nullable Outcome outcome() {
		return this.outcome;
	}

	/**
	 * Set the outcome; the caller is {@linkplain #wake woken} afterwards. A thread that
	 * is parked looks at the outcome without the lock of the gate. It must be visible
	 * before that thread is unparked, which may do nothing, and so be no barrier, if an
	 * earlier permit is left. The current thread sees it anyway, and others get it
	 * through a queue.
	 */
	final void settle(Outcome outcome) {
		if (this.owner != null && this.owner != Thread.currentThread()) {
			this.outcome = outcome;
		}
		else {
			OUTCOME.lazySet(this, outcome);
		}
	}

	/**
	 * Notify the caller that it is settled, with the gate unlocked.
	 */
	abstract void wake();

	/**
	 * Whether a thread waits, which may be kept for a moment longer.
	 */
	final boolean blocksThread() {
		return this.owner != null;
	}

	/**
	 * Whether the lock can only be released by the thread that acquires it, as through a
	 * {@link java.util.concurrent.locks.Lock} view.
	 */
	boolean boundToOwner() {
		return false;
	}

	/**
	 * How a wait ended. Success is the {@link Handle} itself, so that it allocates
	 * nothing.
	 */
	sealed interface Outcome permits Handle, Outcome.Busy, Outcome.Failed, Outcome.GivenUp {

		/**
		 * The lock is held elsewhere, by {@code null} if it is unknown by whom.
		 */
		record Busy(@Nullable LockInfo holder) implements Outcome {

		}

		/**
		 * The store or the engine failed.
		 */
		record Failed(Throwable failure) implements Outcome {

		}

		enum GivenUp implements Outcome {

			INTERRUPTED, TIMED_OUT

		}

	}

}
