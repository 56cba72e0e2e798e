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

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.internal.DeferredInterrupts;

/**
 * The interrupt of a holder that lost its lock. It is delivered without a lock of the
 * engine, as {@link Thread#interrupt()} may run code of the application.
 *
 * <p>
 * The interrupt must not reach the code after the work under the lock. A release
 * therefore cancels the interrupt, or clears the flag again. But a flag that was cleared
 * and then raised again belongs to a foreign interrupt, which must be kept. Only constant
 * watching can tell, so the delivering thread watches the flag until the holder has
 * noticed the interrupt or is done. A lock of the JDK also clears the flag while it keeps
 * an interrupted thread in its queue, and raises it again: this does not mean that the
 * holder has noticed.
 */
final class HolderInterrupt implements Runnable {

	private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(20);

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

	/**
	 * A thread that waits for a lock of the JDK is blocked by an object whose class name
	 * begins with this.
	 */
	private static final String LOCKS = "java.util.concurrent.locks.Reentrant";

	/** A flag that is down in this many looks, a millisecond apart, stays down. */
	private static final int LOOKS = 4;

	private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(1);

	/** The longest time for which a release waits for a blocked delivery. */
	private static final long LONGEST_DELIVERY = TimeUnit.SECONDS.toNanos(1);

	private final Thread holder;

	final AtomicReference<State> state = new AtomicReference<>(State.PLANNED);

	HolderInterrupt(Thread holder) {
		this.holder = holder;
	}

	/**
	 * Interrupt the holder, immediately if it is the current thread, and let another
	 * thread watch whether it notices.
	 */
	void start(Executor elsewhere) {
		if (isForCurrentThread()) {
			deliver();
			elsewhere.execute(this::watch);
		}
		else {
			elsewhere.execute(this);
		}
	}

	private boolean isForCurrentThread() {
		return this.holder == Thread.currentThread();
	}

	@Override
	public void run() {
		deliver();
		watch();
	}

	private void deliver() {
		if (!this.state.compareAndSet(State.PLANNED, State.UNDER_WAY)) {
			return;
		}
		boolean delivered = false;
		try {
			delivered = DeferredInterrupts.interrupt(this.holder);
		}
		finally {
			this.state.set(delivered ? State.DELIVERED : State.OVER);
		}
	}

	private void watch() {
		long pause = SHORTEST_PAUSE;
		int looks = 0;
		while (this.state.get() == State.DELIVERED && this.holder.isAlive()) {
			boolean noticed = !DeferredInterrupts.isInterrupted(this.holder) && !isInQueueOfLock();
			looks = noticed ? looks + 1 : 0;
			if (looks == LOOKS) {
				this.state.compareAndSet(State.DELIVERED, State.OVER);
				return;
			}
			LockSupport.parkNanos(this, noticed ? BETWEEN_LOOKS : pause);
			pause = Math.min(2 * pause, LONGEST_PAUSE);
		}
	}

	private boolean isInQueueOfLock() {
		Object blocker = LockSupport.getBlocker(this.holder);
		return blocker != null && blocker.getClass().getName().startsWith(LOCKS);
	}

	/**
	 * Do not deliver it any more.
	 * @return {@code false} if it is being delivered, or was
	 */
	boolean callOff() {
		return this.state.compareAndSet(State.PLANNED, State.OVER);
	}

	/**
	 * The work is over. Only the thread itself can take back what has been delivered.
	 */
	void end() {
		if (callOff() || !isForCurrentThread()) {
			return;
		}
		long begin = System.nanoTime();
		while (this.state.get() == State.UNDER_WAY && System.nanoTime() - begin < LONGEST_DELIVERY) {
			LockSupport.parkNanos(this, SHORTEST_PAUSE);
		}
		if (this.state.compareAndSet(State.DELIVERED, State.OVER)) {
			Thread.interrupted();
		}
	}

	enum State {

		PLANNED, UNDER_WAY, DELIVERED, OVER

	}

}
