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

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.distributedlock.internal.DaemonThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Completes the futures of asynchronous callers, and calls holders back: never in a
 * thread of the store, which their continuations might block, and not in the common pool,
 * which other code may block. Continuations that wait for each other all have their own
 * thread.
 *
 * <p>
 * A continuation that releases a lock admits the next waiter. Waking another thread for
 * that waiter would cost more than everything else, so it runs next in the same thread.
 * If the continuation does not return within a {@linkplain #PATIENCE_MILLIS moment},
 * perhaps as it waits for that very waiter, the deferred task moves to another thread.
 * The moment is in real time, because no work waits for a clock that is moved by hand.
 */
final class CompletionExecutor implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CompletionExecutor.class);

	private static final long IDLE_SECONDS = 30;

	private static final int USUAL_THREADS = 256;

	private static final int MOST_THREADS = 4096;

	private static final long PATIENCE_MILLIS = 1;

	private static final long QUEUE_PATIENCE_MILLIS = 10;

	/** Shared, because a new exception would cost more than the rejected task. */
	private static final RejectedExecutionException REJECTED = new RejectedExecutionException();

	private final UnaryOperator<Runnable> beginning;

	private final AtomicInteger threads = new AtomicInteger();

	private final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, USUAL_THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
			new SynchronousQueue<>(), this::newThread, (task, pool) -> {
				throw REJECTED;
			});

	/** A separate executor, because other code may block the shared one of the JVM. */
	private final ScheduledThreadPoolExecutor patience;

	/** The tasks that arrived while all threads were busy. */
	private final Deque<Runnable> queue = new ConcurrentLinkedDeque<>();

	/**
	 * Whether a thread starts that has not begun yet. It starts the next one, as that can
	 * take long on a busy host, and the threads of the store must not wait for it.
	 */
	private final AtomicBoolean starting = new AtomicBoolean();

	private final AtomicBoolean queueWatched = new AtomicBoolean();

	/** The finding of the last check. Used only by the thread that checks. */
	private @Nullable Runnable seenFirst;

	private volatile boolean closed;

	CompletionExecutor() {
		this(UnaryOperator.identity());
	}

	/**
	 * Create an executor.
	 * @param beginning wraps the code that a new thread runs
	 */
	CompletionExecutor(UnaryOperator<Runnable> beginning) {
		this.beginning = beginning;
		this.patience = new ScheduledThreadPoolExecutor(1,
				(task) -> new DaemonThread(beginning.apply(task), "distributed-lock-patience"));
		this.patience.setExecuteExistingDelayedTasksAfterShutdownPolicy(true);
	}

	/**
	 * Start the thread that looks after tasks. It tries again when there was no memory
	 * for a thread that runs them.
	 */
	void start() {
		this.patience.prestartCoreThread();
	}

	@Override
	public void execute(Runnable task) {
		if (!(Thread.currentThread() instanceof Completer completer && completer.putOff(this, task))) {
			runElsewhere(task);
		}
	}

	private void runElsewhere(Runnable task) {
		if (!this.pool.getQueue().offer(() -> runAll(task))) {
			this.queue.add(task);
			startQueuedOrWatch();
		}
	}

	/**
	 * Run a task in a thread that is free, or in another one.
	 * @return {@code false} if there can be no other one at the moment
	 */
	private boolean start(Runnable task) {
		Runnable work = () -> {
			this.starting.set(false);
			startQueuedOrWatch();
			runAll(task);
		};
		try {
			try {
				this.pool.execute(work);
				return true;
			}
			catch (RejectedExecutionException ex) {
				if (!this.pool.isShutdown()) {
					return false;
				}
				newThread(work).start();
				return true;
			}
		}
		catch (OutOfMemoryError ex) {
			return false;
		}
	}

	private Completer newThread(Runnable work) {
		return new Completer(this.beginning.apply(work), "distributed-lock-async-" + this.threads.incrementAndGet());
	}

	private void startQueuedOrWatch() {
		if (!startQueued()) {
			watchQueue();
		}
	}

	private void watchQueue() {
		if (this.queueWatched.compareAndSet(false, true)) {
			lookAtQueueLater();
		}
	}

	private void lookAtQueueLater() {
		if (!later(this::lookAtQueue, QUEUE_PATIENCE_MILLIS)) {
			this.queueWatched.set(false);
			startQueued();
		}
	}

	/**
	 * Run a check later. One that is scheduled while the executor is shut down may be
	 * dropped without an exception.
	 * @return {@code false} if it may not come
	 */
	private boolean later(Runnable check, long millis) {
		try {
			this.patience.schedule(check, millis, TimeUnit.MILLISECONDS);
			return !this.patience.isShutdown();
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			return false;
		}
	}

	/**
	 * See whether anything was taken from the queue since the last look. If not, there
	 * must be more threads.
	 */
	private void lookAtQueue() {
		Runnable first = this.queue.peek();
		if (first == null) {
			this.seenFirst = null;
			this.queueWatched.set(false);
			if (!this.queue.isEmpty()) {
				watchQueue();
			}
			else if (this.closed) {
				shutDown();
			}
			return;
		}
		if (first == this.seenFirst && !this.starting.get()) {
			admitMoreThreads();
		}
		this.seenFirst = first;
		startQueued();
		lookAtQueueLater();
	}

	private void admitMoreThreads() {
		int most = this.pool.getMaximumPoolSize();
		// With fewer, there was no memory for another one
		if (most < MOST_THREADS && this.pool.getPoolSize() == most) {
			this.pool.setMaximumPoolSize(2 * most);
			if (2 * most == MOST_THREADS) {
				logger.warn("More than " + most + " callbacks and continuations of locks are blocked at the same time."
						+ " From " + MOST_THREADS
						+ " on, others wait until one of them returns. Let callbacks return soon, or give what they wait for a time limit.");
			}
		}
	}

	/**
	 * Start a thread for the first in the queue, unless one starts already.
	 * @return {@code false} if there can be no other one at the moment
	 */
	private boolean startQueued() {
		while (!this.queue.isEmpty() && this.starting.compareAndSet(false, true)) {
			Runnable task = this.queue.poll();
			if (task != null && start(task)) {
				return true;
			}
			this.starting.set(false);
			if (task != null) {
				this.queue.addFirst(task);
				return false;
			}
		}
		return true;
	}

	/**
	 * Run a task, the tasks that it defers, and the tasks that no thread was free for.
	 */
	private void runAll(Runnable first) {
		Completer completer = (Completer) Thread.currentThread();
		Runnable task = first;
		while (task != null) {
			try {
				task.run();
			}
			catch (Throwable ex) {
				// Another thread waits for the next one
				logger.error(
						"A completion of a lock failed: the future of a caller, or a callback for a loss, may never come. "
								+ EngineThreads.REPORT,
						ex);
			}
			// An interrupt was meant for the finished task
			Thread.interrupted();
			task = completer.next.getAndSet(null);
			if (task == null) {
				task = this.queue.poll();
			}
		}
	}

	/**
	 * Deferred and waiting tasks still run.
	 */
	@Override
	public void close() {
		this.closed = true;
		if (!this.queueWatched.get()) {
			shutDown();
		}
	}

	private void shutDown() {
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
		 * Have a task come next in this thread, which is the current one, unless another
		 * one does.
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
			if (!later(this::look, PATIENCE_MILLIS)) {
				// Closed: each task that is put off comes here
				this.watched.set(false);
				Runnable pending = this.next.getAndSet(null);
				if (pending != null) {
					runElsewhere(pending);
				}
			}
		}

		/**
		 * Take away a task that was already next at the last look. Looking stops while no
		 * task is next.
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
