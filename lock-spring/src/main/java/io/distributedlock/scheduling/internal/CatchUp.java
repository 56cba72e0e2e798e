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

package io.distributedlock.scheduling.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.TaskScheduler;

/**
 * Runs a job late, in a thread of the application's scheduler: when the application has
 * started, when a run of another instance should have ended, and some time after a run
 * failed. At most one such attempt is planned at a time, and its call asks the store as
 * any other call does.
 */
final class CatchUp {

	private static final Log logger = LogFactory.getLog(OncePerFireTime.class);

	private static final Duration SHORTEST_DELAY = Duration.ofSeconds(1);

	private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

	/** The attempt that runs in this thread. */
	private static final ThreadLocal<@Nullable Attempt> RUNNING = new ThreadLocal<>();

	private final Job job;

	private final DoubleSupplier jitter;

	private @Nullable TaskScheduler scheduler;

	private @Nullable Supplier<? extends @Nullable Object> call;

	private @Nullable ScheduledFuture<?> planned;

	/** Whether the last call failed because of the store. */
	private volatile boolean outage;

	/** The outage that is in the log already: the fire time, and the reason. */
	private volatile @Nullable Told told;

	CatchUp(Job job, DoubleSupplier jitter) {
		this.job = job;
		this.jitter = jitter;
	}

	/**
	 * Return the fire time for which this thread runs a job late, or {@code null} if it
	 * does not.
	 */
	static @Nullable Instant fireTimeOfThread(Job job) {
		Attempt attempt = RUNNING.get();
		return (attempt != null && attempt.job == job) ? attempt.fireTime : null;
	}

	/**
	 * The store answered a call, or failed or refused it.
	 * @param failure why the call did not run, or {@code null} if it did
	 */
	void called(@Nullable Throwable failure) {
		this.outage = failure instanceof LockUnavailableException || failure instanceof LockConfigurationException;
	}

	/**
	 * A call for a fire time failed because of the store.
	 * @return whether this is news: attempts that fail for the same reason are not
	 */
	boolean tell(Instant fireTime, Throwable reason) {
		Told news = new Told(fireTime, String.valueOf(reason.getMessage()));
		boolean known = news.equals(this.told);
		this.told = news;
		return !known;
	}

	/**
	 * Return whether the log promises another attempt for a fire time, and forget that.
	 */
	boolean endPromise(Instant fireTime) {
		Told told = this.told;
		this.told = null;
		return told != null && told.fireTime().equals(fireTime);
	}

	/**
	 * Begin to catch up.
	 * @param call calls the method of the job
	 */
	synchronized void start(TaskScheduler scheduler, Supplier<? extends @Nullable Object> call) {
		this.scheduler = scheduler;
		this.call = call;
		plan(Duration.ZERO);
	}

	synchronized void stop() {
		this.scheduler = null;
		if (this.planned != null) {
			this.planned.cancel(false);
			this.planned = null;
		}
	}

	/**
	 * A call did not run the job, or the run failed: look again later. While another
	 * instance runs it, that is once per lease. The hold of an operator may end long
	 * before its time.
	 * @param fireTime that of the call, which may come somewhat earlier
	 * @param holder who runs it, or {@code null} if nobody or unknown
	 */
	void after(Instant fireTime, @Nullable LockInfo holder) {
		Duration horizon = this.job.catchUp();
		if (horizon == null) {
			return;
		}
		Duration remaining = (holder != null && holder.kind() != LockInfo.Kind.OPERATOR) ? holder.remaining() : null;
		Duration usual = horizon.dividedBy(10);
		Duration delay = (remaining != null) ? remaining : Collections.min(List.of(usual, LONGEST_DELAY));
		delay = Collections.max(List.of(delay, SHORTEST_DELAY, this.job.timeUntil(fireTime)));
		plan(delay.plusMillis((long) (this.jitter.getAsDouble() * delay.toMillis() / 10)));
	}

	private synchronized void plan(Duration delay) {
		if (this.scheduler == null || (this.planned != null && !this.planned.isDone())) {
			return;
		}
		try {
			this.planned = this.scheduler.schedule(this::attempt, this.scheduler.getClock().instant().plus(delay));
		}
		catch (TaskRejectedException ex) {
			logger.debug("The application stops, so job '" + this.job.name() + "' is not run late here", ex);
		}
	}

	private void attempt() {
		Supplier<? extends @Nullable Object> now;
		synchronized (this) {
			this.planned = null;
			now = (this.scheduler != null) ? this.call : null;
		}
		Instant due = this.job.newestDue();
		if (due == null || now == null) {
			return;
		}
		RUNNING.set(new Attempt(this.job, due));
		try {
			now.get();
		}
		catch (LockUnavailableException | LockConfigurationException ex) {
			// The work may have thrown it
			if (!this.outage) {
				throw ex;
			}
			String message = "Job '%s' may still be due for %s: %s"
				.formatted(Printable.of(this.job.name()), due, Printable.joined(String.valueOf(ex.getMessage()),
						"It is tried again until %s.".formatted(due.plus(Objects.requireNonNull(this.job.catchUp())))));
			if (tell(due, ex)) {
				logger.warn(message);
			}
			else {
				logger.debug(message);
			}
		}
		finally {
			RUNNING.remove();
		}
	}

	private record Attempt(Job job, Instant fireTime) {
	}

	private record Told(Instant fireTime, String reason) {
	}

}
