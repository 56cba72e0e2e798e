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

import io.distributedlock.internal.DaemonThread;

/**
 * The threads of the engine besides the watchdog: one thread calls the store when no
 * caller does, one notifies listeners, and the others run loss callbacks and complete the
 * futures of asynchronous callers. The first one stays until this is closed, as holders
 * depend on it; the others exist only while there is work.
 */
final class EngineThreads implements AutoCloseable {

	private static final long IDLE_SECONDS = 30;

	private final Executor io;

	private final Executor callbacks;

	private final Executor completions;

	private final Runnable starting;

	private final Runnable closing;

	EngineThreads() {
		ThreadPoolExecutor io = single("distributed-lock-renewal");
		ThreadPoolExecutor callbacks = single("distributed-lock-callbacks");
		callbacks.allowCoreThreadTimeOut(true);
		CompletionExecutor completions = new CompletionExecutor();
		this.io = io;
		this.callbacks = callbacks;
		this.completions = completions;
		this.starting = io::prestartCoreThread;
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
	 * Start the thread for I/O, unless it runs. Later, there may be no memory for it.
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

	private static ThreadPoolExecutor single(String name) {
		return new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> new DaemonThread(task, name));
	}

	@Override
	public void close() {
		this.closing.run();
	}

}
