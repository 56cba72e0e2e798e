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

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.distributedlock.internal.DaemonThread;
import io.distributedlock.internal.DeferredInterrupts;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The watchdog: one thread that calls {@link Timed} things when they are due, and never
 * does I/O. A binary heap whose entries know their places, so that the usual case, a
 * lease that is scheduled last and cancelled soon, costs next to nothing: leases of equal
 * length become due in the order in which they are scheduled, and only a new earliest
 * entry wakes the thread.
 */
final class LeaseTimer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseTimer.class);

	private static final long NEVER = Long.MAX_VALUE;

	/** A suspension of the machine is noticed after this time at the latest. */
	private static final long LONGEST_PARK = TimeUnit.SECONDS.toNanos(1);

	private static final int INITIAL_CAPACITY = 16;

	private final LongSupplier clock;

	private final Function<Runnable, @Nullable Thread> starter;

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * Held by the thread that runs due entries, so that a test that moved the clock by
	 * hand can wait for it.
	 */
	private final ReentrantLock calling = new ReentrantLock();

	private Timed[] heap = new Timed[INITIAL_CAPACITY];

	private int size;

	private long wakeAt = NEVER;

	private volatile @Nullable Thread thread;

	private boolean closed;

	LeaseTimer(LongSupplier clock) {
		this(clock, LeaseTimer::startWatchdog);
	}

	/**
	 * Create a timer whose starter starts the thread, or returns {@code null} if
	 * something else calls {@link #runDue()} when it is {@linkplain #nextDue() time}.
	 */
	LeaseTimer(LongSupplier clock, Function<Runnable, @Nullable Thread> starter) {
		this.clock = clock;
		this.starter = starter;
	}

	/**
	 * Start the thread, unless there is one. Later, there may be no memory for it.
	 */
	void start() {
		DeferredInterrupts.lock(this.lock);
		try {
			if (!this.closed) {
				startIfNecessary();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void startIfNecessary() {
		if (this.thread == null) {
			this.thread = this.starter.apply(this::loop);
		}
	}

	/**
	 * Call something at the given time, instead of the time given before.
	 */
	void schedule(Timed timed, long due) {
		if (put(timed, due)) {
			wake();
		}
	}

	/**
	 * Like {@link #schedule}, but leave it to the caller to wake the thread.
	 * @return whether to {@linkplain #wake() wake} it, as it waits for something later
	 */
	boolean put(Timed timed, long due) {
		DeferredInterrupts.lock(this.lock);
		try {
			if (this.closed) {
				return false;
			}
			timed.due = due;
			if (timed.slot == Timed.NOT_SCHEDULED) {
				append(timed);
			}
			else {
				moveDown(moveUp(timed.slot));
			}
			boolean sooner = due < this.wakeAt && this.thread != null;
			if (due < this.wakeAt) {
				this.wakeAt = due;
			}
			startIfNecessary();
			return sooner;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Let the thread determine the next due entry again.
	 */
	void wake() {
		LockSupport.unpark(this.thread);
	}

	void cancel(Timed timed) {
		DeferredInterrupts.lock(this.lock);
		try {
			int slot = timed.slot;
			if (slot != Timed.NOT_SCHEDULED && !this.closed) {
				remove(slot);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Call everything that is due, after another thread has done so.
	 * @return when something is due next, {@link Long#MAX_VALUE} if nothing is
	 */
	long runDue() {
		DeferredInterrupts.lock(this.calling);
		try {
			return callDue();
		}
		finally {
			this.calling.unlock();
		}
	}

	private long callDue() {
		while (true) {
			long now = this.clock.getAsLong();
			Timed timed;
			DeferredInterrupts.lock(this.lock);
			try {
				if (this.size == 0 || this.heap[0].due > now) {
					this.wakeAt = (this.size == 0) ? NEVER : this.heap[0].due;
					return this.wakeAt;
				}
				timed = this.heap[0];
				remove(0);
			}
			finally {
				this.lock.unlock();
			}
			fire(timed, now);
		}
	}

	private void fire(Timed timed, long now) {
		try {
			timed.fire(now);
		}
		catch (Throwable ex) {
			// No other thread would notify holders of a loss if this thread died
			logger.error("The lock watchdog failed to handle " + timed
					+ ": a lock may not be renewed, and its holder not be told of the loss. Its handle knows by the clock, so isHeld() and assertHeld() are right. "
					+ EngineThreads.REPORT, ex);
		}
	}

	long nextDue() {
		DeferredInterrupts.lock(this.lock);
		try {
			return (this.size > 0) ? this.heap[0].due : NEVER;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static Thread startWatchdog(Runnable loop) {
		Thread thread = new DaemonThread(loop, "distributed-lock-watchdog");
		thread.start();
		return thread;
	}

	private void loop() {
		while (true) {
			long next = runDue();
			if (this.closed) {
				return;
			}
			if (next == NEVER) {
				LockSupport.park(this);
			}
			else {
				LockSupport.parkNanos(this, Math.min(next - this.clock.getAsLong(), LONGEST_PARK));
			}
		}
	}

	@Override
	public void close() {
		Thread thread;
		DeferredInterrupts.lock(this.lock);
		try {
			this.closed = true;
			thread = this.thread;
			this.size = 0;
			this.heap = new Timed[0];
		}
		finally {
			this.lock.unlock();
		}
		LockSupport.unpark(thread);
	}

	private void append(Timed timed) {
		if (this.size == this.heap.length) {
			this.heap = Arrays.copyOf(this.heap, this.size * 2);
		}
		place(timed, this.size++);
		moveUp(timed.slot);
	}

	private void remove(int slot) {
		this.heap[slot].slot = Timed.NOT_SCHEDULED;
		Timed last = this.heap[--this.size];
		if (slot != this.size) {
			place(last, slot);
			moveDown(moveUp(slot));
		}
		clearTail();
	}

	@SuppressWarnings("NullAway") // free places of the array
	private void clearTail() {
		this.heap[this.size] = null;
		if (this.heap.length > INITIAL_CAPACITY && this.size < this.heap.length / 4) {
			this.heap = Arrays.copyOf(this.heap, this.heap.length / 2);
		}
	}

	private int moveUp(int slot) {
		Timed timed = this.heap[slot];
		int at = slot;
		while (at > 0) {
			int parent = (at - 1) >>> 1;
			if (this.heap[parent].due <= timed.due) {
				break;
			}
			place(this.heap[parent], at);
			at = parent;
		}
		place(timed, at);
		return at;
	}

	private void moveDown(int slot) {
		Timed timed = this.heap[slot];
		int at = slot;
		while (true) {
			int child = 2 * at + 1;
			if (child >= this.size) {
				break;
			}
			if (child + 1 < this.size && this.heap[child + 1].due < this.heap[child].due) {
				child++;
			}
			if (this.heap[child].due >= timed.due) {
				break;
			}
			place(this.heap[child], at);
			at = child;
		}
		place(timed, at);
	}

	private void place(Timed timed, int slot) {
		this.heap[slot] = timed;
		timed.slot = slot;
	}

	abstract static class Timed {

		private static final int NOT_SCHEDULED = -1;

		/** Guarded by the lock of the timer. */
		private long due;

		/** The place in the heap of the timer. Guarded by the lock of the timer. */
		private int slot = NOT_SCHEDULED;

		/**
		 * Called in the thread of the timer when the time has come. Must neither block
		 * nor throw.
		 */
		abstract void fire(long now);

	}

}
