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
import java.util.Iterator;
import java.util.Deque;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockEvent;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a distributed lock to {@link Lock}. Stateless: a thread may lock through one
 * view and unlock through another view of the same kind.
 */
final class LockView implements Lock {

	private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

	private final LockEngine engine;

	private final Locked locked;

	private final String name;

	private final LockOptions options;

	LockView(LockEngine engine, Locked locked, String name, LockOptions options) {
		this.engine = engine;
		this.locked = locked;
		this.name = name;
		this.options = options;
	}

	@Override
	public void lock() {
		take(FOR_EVER, BlockingWaiter.Mode.VIEW_UNINTERRUPTIBLE);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		takeInterruptibly(FOR_EVER);
	}

	@Override
	public boolean tryLock() {
		return take(Duration.ZERO, BlockingWaiter.Mode.VIEW_UNINTERRUPTIBLE) != null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return takeInterruptibly(Duration.ofNanos(Math.max(0, unit.toNanos(time)))) != null;
	}

	private @Nullable Handle takeInterruptibly(Duration wait) throws InterruptedException {
		try {
			return take(wait, BlockingWaiter.Mode.VIEW);
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			InterruptedException interrupted = new InterruptedException(ex.getMessage());
			interrupted.initCause(ex);
			throw interrupted;
		}
	}

	private @Nullable Handle take(Duration wait, BlockingWaiter.Mode mode) {
		Handle handle = BlockingWaiter.tryAcquire(this.engine, this.name, this.options.withWaitTime(wait), mode);
		if (handle != null) {
			this.locked.push(handle, limit());
		}
		return handle;
	}

	@Override
	public void unlock() {
		Handle handle = this.locked.pop(this.name, limit());
		if (handle == null) {
			throw new IllegalMonitorStateException("Thread '" + Thread.currentThread().getName() + "' has not locked '"
					+ Printable.of(this.name) + "' " + kind() + ", so it cannot unlock it.");
		}
		LockEvent.Lost loss = handle.closeAndTell();
		if (loss != null) {
			throw new LockLostException(loss);
		}
	}

	private int limit() {
		return Waiter.limitOf(this.options);
	}

	private String kind() {
		if (this.options.mode() == LockMode.SHARED) {
			return "shared";
		}
		return (this.options.permits() > 1) ? "with " + this.options.permits() + " permits" : "exclusively";
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("The lock '" + Printable.of(this.name)
				+ "' is shared with other processes and has no conditions. Use a message or poll for the state.");
	}

	@Override
	public String toString() {
		return "Lock view of '" + Printable.of(this.name) + "'";
	}

	/**
	 * The locks that each thread has taken through a view and not unlocked yet, innermost
	 * first. A thread that dies takes its handles with it.
	 */
	static final class Locked {

		private final ThreadLocal<Deque<Taken>> open = ThreadLocal.withInitial(ArrayDeque::new);

		void push(Handle handle, int limit) {
			this.open.get().push(new Taken(handle, limit));
		}

		/**
		 * Remove the handle that was taken last with a name and a limit.
		 */
		@Nullable Handle pop(String name, int limit) {
			Deque<Taken> open = this.open.get();
			Handle found = null;
			for (Iterator<Taken> each = open.iterator(); each.hasNext() && found == null;) {
				Taken taken = each.next();
				if (taken.limit == limit && taken.handle.name().equals(name)) {
					each.remove();
					found = taken.handle;
				}
			}
			if (open.isEmpty()) {
				this.open.remove();
			}
			return found;
		}

		/**
		 * A handle, and the limit with which it was taken: a holder that is alone may
		 * take the lock again with a larger one.
		 */
		private record Taken(Handle handle, int limit) {

		}

	}

}
