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

package io.distributedlock.redis;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.internal.DaemonThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Ends calls that are not answered in time, in a thread of its own: that of
 * {@link java.util.concurrent.CompletableFuture#orTimeout} is shared with the whole JVM,
 * where any code can block it. The thread stays from the first call on: later, there may
 * be no memory for it, and without it no lease is known to be renewed.
 *
 * <p>
 * Nearly all calls are answered long before. So a call is pushed on a stack, which takes
 * no lock and leaves nothing to be cancelled, and a look a few times a second keeps those
 * that are still open for when their time is over.
 */
final class CallTimer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(CallTimer.class);

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	/** Between two looks; each call is seen before its time is over. */
	private final long pause;

	/** The latest call, linked to the one before. */
	private final AtomicReference<@Nullable ScriptCall<?>> added = new AtomicReference<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	/** Only in the thread. */
	private final PriorityQueue<ScriptCall<?>> open = new PriorityQueue<>(
			(first, second) -> Long.compare(first.deadline() - second.deadline(), 0));

	final ScheduledThreadPoolExecutor executor;

	private volatile boolean closed;

	/**
	 * Create a timer.
	 * @param shortest the shortest time that a call may have
	 */
	CallTimer(Duration shortest) {
		this.pause = Math.min(LONGEST_PAUSE, shortest.toNanos() / 2);
		this.executor = new ScheduledThreadPoolExecutor(1,
				(task) -> new DaemonThread(task, "distributed-lock-redis-timeouts"));
	}

	/**
	 * Make a call fail with a {@link TimeoutException} at its deadline, unless it is done
	 * by then.
	 */
	void add(ScriptCall<?> call) {
		ScriptCall<?> before;
		do {
			before = this.added.get();
			call.linkTo(before);
		}
		while (!this.added.compareAndSet(before, call));
		if (!this.looking.get()) {
			startLooking();
		}
		if (this.closed) {
			call.completeExceptionally(CallFailure.closed());
		}
	}

	/** Calls that are still open fail. */
	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			this.executor.execute(this::giveUp);
			this.executor.shutdown();
		}
	}

	private void startLooking() {
		if (this.looking.compareAndSet(false, true)) {
			try {
				lookAfter(this.pause);
			}
			catch (Error ex) {
				// Without a thread now, the next call tries again
				this.looking.set(false);
				throw ex;
			}
		}
	}

	private void lookAfter(long delay) {
		try {
			this.executor.schedule(this::look, delay, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.trace("Calls that are open fail, as the store is closed.");
		}
	}

	private void look() {
		boolean anyAdded = takeAdded();
		long now = System.nanoTime();
		ScriptCall<?> next = this.open.peek();
		while (next != null && (next.isDone() || next.deadline() - now <= 0)) {
			this.open.remove();
			end(next, new TimeoutException());
			next = this.open.peek();
		}
		if (next != null) {
			lookAfter(Math.min(this.pause, next.deadline() - now));
		}
		else if (anyAdded) {
			lookAfter(this.pause);
		}
		else {
			this.looking.set(false);
			if (this.added.get() != null) {
				startLooking();
			}
		}
	}

	private boolean takeAdded() {
		ScriptCall<?> call = this.added.getAndSet(null);
		boolean any = call != null;
		while (call != null) {
			ScriptCall<?> before = call.linkTo(null);
			if (!call.isDone()) {
				this.open.add(call);
			}
			call = before;
		}
		return any;
	}

	private void giveUp() {
		takeAdded();
		this.open.forEach((call) -> end(call, CallFailure.closed()));
		this.open.clear();
	}

	private static void end(ScriptCall<?> call, Exception reason) {
		try {
			call.completeExceptionally(reason);
		}
		catch (Throwable ex) {
			// The others have their deadlines too
			logger.error("A call that was not answered in time cannot be ended.", ex);
		}
	}

}
