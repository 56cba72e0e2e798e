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
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Completes the futures of asynchronous callers, and calls holders back: never in a
 * thread of the store, which their continuations might block, and not in the common pool,
 * which may have a single thread that other code blocks. Continuations that wait for each
 * other all have their own thread.
 *
 * <p>
 * A continuation that releases a lock admits the next waiter. Waking another thread for
 * that waiter would cost more than everything else, so it runs next in the same thread,
 * as soon as the continuation has returned. A continuation that does not return soon,
 * because it blocks or continues to work, must not keep the lock from the next waiter,
 * which may be the one that it waits for: a deferred task that has not run within a
 * {@linkplain #PATIENCE_MILLIS moment} moves to another thread. That moment is in real
 * time, because no work waits for a clock that is moved by hand.
 */
final class CompletionExecutor implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CompletionExecutor.class);

	private static final long IDLE_SECONDS = 30;

	private static final int MOST_THREADS = 256;

	private static final long PATIENCE_MILLIS = 1;

	private final AtomicInteger threads = new AtomicInteger();

	private final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, MOST_THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
			new SynchronousQueue<>(),
			(task) -> new Completer(task, "distributed-lock-async-" + this.threads.incrementAndGet()));

	/** Not the one that all of the JVM shares, which others may block. */
	private final ScheduledThreadPoolExecutor patience = new ScheduledThreadPoolExecutor(1,
			(task) -> new DaemonThread(task, "distributed-lock-patience"));

	CompletionExecutor() {
		this.patience.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.patience.allowCoreThreadTimeOut(true);
		this.patience.setExecuteExistingDelayedTasksAfterShutdownPolicy(true);
	}

	/**
	 * Run a task that completes a future.
	 */
	@Override
	public void execute(Runnable task) {
		if (!(Thread.currentThread() instanceof Completer completer && completer.putOff(this, task))) {
			runElsewhere(task);
		}
	}

	/**
	 * The common pool serves those who come after the close, or while all threads are
	 * kept busy.
	 */
	private void runElsewhere(Runnable task) {
		try {
			this.pool.execute(() -> runAll(task));
		}
		catch (RejectedExecutionException ex) {
			ForkJoinPool.commonPool().execute(task);
		}
	}

	/**
	 * Run a task and what it puts off, and what that puts off.
	 */
	private static void runAll(Runnable first) {
		Completer completer = (Completer) Thread.currentThread();
		Runnable task = first;
		while (task != null) {
			try {
				task.run();
			}
			catch (Throwable ex) {
				// Another thread waits for the next one
				logger.error("The completion of an asynchronous lock failed", ex);
			}
			// An interrupt was meant for what is over
			Thread.interrupted();
			task = completer.next.getAndSet(null);
		}
	}

	/**
	 * What was put off is run all the same.
	 */
	@Override
	public void close() {
		this.pool.shutdown();
		this.patience.shutdown();
	}

	/**
	 * A thread of the pool, and the one task that comes next in it.
	 */
	private final class Completer extends DaemonThread {

		private final AtomicReference<@Nullable Runnable> next = new AtomicReference<>();

		private final AtomicBoolean watched = new AtomicBoolean();

		/** The finding of the last check. Used only by the thread that checks. */
		private @Nullable Runnable seen;

		Completer(Runnable worker, String name) {
			super(worker, name);
		}

		/**
		 * Have a task come next in this thread, which is the current one.
		 * @return whether it comes next; not if another one does
		 */
		boolean putOff(CompletionExecutor completions, Runnable task) {
			if (completions != CompletionExecutor.this || !this.next.compareAndSet(null, task)) {
				return false;
			}
			if (this.watched.compareAndSet(false, true)) {
				lookLater();
			}
			return true;
		}

		private void lookLater() {
			try {
				CompletionExecutor.this.patience.schedule(this::look, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (RejectedExecutionException ex) {
				// Closed: there are no more checks
				Runnable pending = this.next.getAndSet(null);
				if (pending != null) {
					runElsewhere(pending);
				}
			}
		}

		/**
		 * Take away what has been next since the last look. While nothing is next there
		 * is nothing to look for.
		 */
		private void look() {
			Runnable pending = this.next.get();
			if (pending == null) {
				this.seen = null;
				this.watched.set(false);
				if (this.next.get() == null || !this.watched.compareAndSet(false, true)) {
					return;
				}
			}
			else if (pending == this.seen && this.next.compareAndSet(pending, null)) {
				runElsewhere(pending);
			}
			this.seen = pending;
			lookLater();
		}

	}

}
