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

package io.distributedlock.internal;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks the current thread once. A fork-join pool gets another thread in the meantime,
 * because this one may wait for a task in the same pool, for example for the connection
 * of a client that completes its futures in the common pool.
 */
public final class ManagedParking implements ForkJoinPool.ManagedBlocker {

	/** Until the thread is unparked. */
	public static final long FOR_EVER = Long.MAX_VALUE;

	private final Object blocker;

	private final long nanos;

	private boolean parked;

	private ManagedParking(Object blocker, long nanos) {
		this.blocker = blocker;
		this.nanos = nanos;
	}

	/**
	 * Park for the given time, or until unparked or interrupted.
	 * @param blocker the object that the thread waits for
	 */
	public static void park(Object blocker, long nanos) {
		ManagedParking parking = new ManagedParking(blocker, nanos);
		if (!(Thread.currentThread() instanceof ForkJoinWorkerThread)) {
			parking.block();
			return;
		}
		try {
			ForkJoinPool.managedBlock(parking);
		}
		catch (RejectedExecutionException ex) {
			// The pool has as many threads as it may have
			parking.block();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Parking does not throw", ex);
		}
	}

	@Override
	public boolean block() {
		if (this.nanos == FOR_EVER) {
			LockSupport.park(this.blocker);
		}
		else {
			LockSupport.parkNanos(this.blocker, this.nanos);
		}
		this.parked = true;
		return true;
	}

	@Override
	public boolean isReleasable() {
		return this.parked;
	}

}
