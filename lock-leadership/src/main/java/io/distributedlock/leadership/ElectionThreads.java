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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The threads of an election: at most one for each running callback, and one that waits
 * for the next attempt. None when idle.
 */
final class ElectionThreads implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ElectionThreads.class);

	private static final long IDLE_SECONDS = 30;

	private static final Duration PAUSE_WITHOUT_MEMORY = Duration.ofSeconds(1);

	final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
			new SynchronousQueue<>(), DaemonThread.factory("distributed-lock-leader"));

	final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			(task) -> new DaemonThread(task, "distributed-lock-election"));

	ElectionThreads() {
		this.timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.timer.allowCoreThreadTimeOut(true);
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Run a task that may block, unless this is closed: later, if there is no memory for
	 * a thread.
	 */
	boolean execute(Runnable task) {
		try {
			this.pool.execute(task);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
		catch (OutOfMemoryError ex) {
			logger.warn("There is not enough memory to start a thread for a leadership. Trying again.", ex);
			executeAfter(PAUSE_WITHOUT_MEMORY, task);
			return true;
		}
	}

	void executeAfter(Duration delay, Runnable task) {
		try {
			this.timer.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// Closed: nobody stands any more
		}
		catch (OutOfMemoryError ex) {
			// The task stays in the queue, for the thread that the next one starts
			logger.error(
					"There is not enough memory to start the timer of leader elections. Candidates of this instance might not stand again. Allow more threads or memory, and restart the instance.",
					ex);
		}
	}

	@Override
	public void close() {
		this.timer.shutdown();
		this.pool.shutdown();
	}

}
