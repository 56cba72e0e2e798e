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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.distributedlock.internal.DaemonThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The threads of the engine besides the watchdog: one thread calls the store when no
 * caller does, one notifies listeners, and the others run loss callbacks and complete the
 * futures of asynchronous callers. The first two stay until this is closed, as holders
 * depend on them; the others exist only while there is work.
 */
final class EngineThreads implements AutoCloseable {

	/** What to do about a failure that nothing in the library expects. */
	static final String REPORT = "Unless memory ran out, report this with its stack trace.";

	private static final Log logger = LogFactory.getLog(EngineThreads.class);

	private final Executor io;

	private final Executor callbacks;

	private final Executor completions;

	private final Runnable starting;

	private final Runnable closing;

	EngineThreads() {
		this(UnaryOperator.identity());
	}

	/**
	 * Create the threads.
	 * @param beginning wraps the code that a new thread runs
	 */
	EngineThreads(UnaryOperator<Runnable> beginning) {
		ThreadPoolExecutor io = single("distributed-lock-renewal", beginning);
		ThreadPoolExecutor callbacks = single("distributed-lock-callbacks", beginning);
		CompletionExecutor completions = new CompletionExecutor(beginning);
		this.io = (task) -> io.execute(() -> run(task));
		this.callbacks = (task) -> callbacks.execute(() -> run(task));
		this.completions = completions;
		this.starting = () -> {
			io.prestartCoreThread();
			callbacks.prestartCoreThread();
			completions.start();
		};
		this.closing = () -> {
			io.shutdown();
			callbacks.shutdown();
			completions.close();
		};
	}

	/**
	 * Run all tasks in the given executors: {@code io} and {@code callbacks} must run one
	 * task after the other, and tasks of {@code completions} may block.
	 */
	EngineThreads(Executor io, Executor callbacks, Executor completions) {
		this.io = io;
		this.callbacks = callbacks;
		this.completions = completions;
		this.starting = () -> {
		};
		this.closing = () -> {
		};
	}

	/**
	 * Start the threads that holders depend on, unless they run. Later, there may be no
	 * memory for them.
	 */
	void start() {
		this.starting.run();
	}

	/**
	 * Run a task that may wait for the store. Each contender, hold and lease has at most
	 * one task here at a time.
	 * @return {@code false} if this is closed: then it is not run
	 */
	boolean io(Runnable task) {
		return execute(this.io, task);
	}

	/**
	 * Notify listeners of events in the order in which they happened.
	 * @return {@code false} if this is closed: then nobody is notified
	 */
	boolean callback(Runnable task) {
		return execute(this.callbacks, task);
	}

	Executor completions() {
		return this.completions;
	}

	private static boolean execute(Executor executor, Runnable task) {
		try {
			executor.execute(task);
			return true;
		}
		catch (RejectedExecutionException ex) {
			// Closed: there is no waiter any more
			return false;
		}
	}

	private static ThreadPoolExecutor single(String name, UnaryOperator<Runnable> beginning) {
		return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> new DaemonThread(beginning.apply(task), name));
	}

	/**
	 * Run a task that no other may suffer from. There may be no memory for another
	 * thread, and others wait for this one.
	 */
	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.error(
					"A task that follows a lock event failed: a lock may stay taken, or not be renewed, until its lease ends; a caller may wait for its whole time; an event may be missing. "
							+ REPORT,
					ex);
		}
	}

	@Override
	public void close() {
		this.closing.run();
	}

}
