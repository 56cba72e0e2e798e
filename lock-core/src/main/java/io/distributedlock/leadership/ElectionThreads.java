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

package io.distributedlock.leadership;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.internal.DaemonThread;

/**
 * The threads of an election: those that run user code, at most as many as there are
 * callbacks that have not returned, and one that waits for the time of the next attempt.
 * None when idle.
 */
final class ElectionThreads implements AutoCloseable {

	private static final long IDLE_SECONDS = 30;

	private final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
			new SynchronousQueue<>(), DaemonThread.factory("distributed-lock-leader"));

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			(task) -> new DaemonThread(task, "distributed-lock-election"));

	ElectionThreads() {
		this.timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.timer.allowCoreThreadTimeOut(true);
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Run a task that may block, unless this is closed.
	 */
	boolean execute(Runnable task) {
		try {
			this.pool.execute(task);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	void executeAfter(Duration delay, Runnable task) {
		try {
			this.timer.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// Closed: nobody stands any more
		}
	}

	@Override
	public void close() {
		this.timer.shutdown();
		this.pool.shutdown();
	}

}
