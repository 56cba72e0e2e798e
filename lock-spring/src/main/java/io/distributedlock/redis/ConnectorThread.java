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
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.internal.DaemonThread;

/**
 * The thread that connects to Redis, as that blocks. It exists only while there is
 * something to connect. Tasks run in the order in which they were given.
 */
final class ConnectorThread implements AutoCloseable {

	private static final Duration IDLE = Duration.ofSeconds(5);

	private static final Duration LAST_MOMENT = Duration.ofMillis(500);

	private final ScheduledThreadPoolExecutor executor;

	ConnectorThread() {
		this.executor = new ScheduledThreadPoolExecutor(1,
				(task) -> new DaemonThread(task, "distributed-lock-redis-connector"));
		this.executor.setKeepAliveTime(IDLE.toMillis(), TimeUnit.MILLISECONDS);
		this.executor.allowCoreThreadTimeOut(true);
		this.executor.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Run a task.
	 * @throws java.util.concurrent.RejectedExecutionException if this was closed
	 */
	void execute(Runnable task) {
		this.executor.execute(task);
	}

	/**
	 * Run a task later.
	 * @param delay when
	 * @throws java.util.concurrent.RejectedExecutionException if this was closed
	 */
	void schedule(Runnable task, Duration delay) {
		this.executor.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
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
			this.executor.awaitTermination(LAST_MOMENT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.executor.shutdownNow();
	}

}
