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

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.internal.DaemonThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The thread that connects to Redis, as that blocks. It exists only while there is
 * something to connect. Tasks without a delay run in the order in which they were given;
 * closing this drops those that have not begun.
 */
final class ConnectorThread implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ConnectorThread.class);

	private static final long IDLE_SECONDS = 5;

	private static final long LAST_MOMENT_MILLIS = 500;

	final ScheduledThreadPoolExecutor executor;

	ConnectorThread() {
		this.executor = new ScheduledThreadPoolExecutor(1,
				(task) -> new DaemonThread(task, "distributed-lock-redis-connector"));
		this.executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
		this.executor.setRemoveOnCancelPolicy(true);
	}

	/** Returns {@code false} if this is closed. */
	boolean execute(Runnable task) {
		return schedule(task, 0);
	}

	/** Returns {@code false} if this is closed. */
	boolean schedule(Runnable task, long delayMillis) {
		try {
			this.executor.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Not connecting any more, as the store is closed.");
			return false;
		}
		catch (OutOfMemoryError ex) {
			// The task stays in the queue, for the thread that the next one starts
			logger.debug("There is no memory for the thread that connects.", ex);
			return true;
		}
	}

	boolean isClosed() {
		return this.executor.isShutdown();
	}

	/**
	 * A task that is connecting has a moment to end: Lettuce loses a socket that is being
	 * opened while its client is shut down. Then it is interrupted. Other tasks are
	 * dropped.
	 */
	@Override
	public void close() {
		this.executor.shutdown();
		this.executor.getQueue().clear();
		try {
			this.executor.awaitTermination(LAST_MOMENT_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.executor.shutdownNow();
	}

}
