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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobRun;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.util.ReflectionUtils;

/**
 * A job without an application, a clock and chance of its own: the door of the simulation
 * to the jobs.
 */
public final class JobProbe {

	private static final AnnotatedMethod METHOD = new AnnotatedMethod(
			ReflectionUtils.getUniqueDeclaredMethods(Work.class)[0], Work.class);

	private final Job job;

	/**
	 * Create a job.
	 * @param fixedRate whether the period is that of a fixed rate; otherwise its
	 * multiples are fire times, as with a cron expression
	 * @param catchUp how late a run may begin, or {@code null} for never
	 * @param repeat whether a run that failed or did not end is repeated
	 * @param jitter random numbers from zero to one
	 * @param pause returns a future that completes after a time
	 * @param stopping whether the application stops
	 */
	public JobProbe(String name, Duration period, boolean fixedRate, @Nullable Duration catchUp, boolean repeat,
			String instance, WallClock clock, DoubleSupplier jitter, Function<Duration, CompletableFuture<?>> pause,
			Consumer<JobRun> listener, BooleanSupplier stopping) {
		Schedule rate = new Schedule.Rate(period.toMillis());
		AtomicLong calls = new AtomicLong();
		this.job = new Job(METHOD, new WorkGuards.Attributes(name, name, catchUp, repeat, null),
				fixedRate ? rate : new Schedule.All(List.of(rate)),
				new Job.Surroundings(() -> instance, clock, calls::incrementAndGet, jitter, pause, listener, stopping));
	}

	/**
	 * Return the guard of a call that comes now.
	 */
	public WorkGuard guard() {
		return this.job.guard(new Work());
	}

	/**
	 * Begin to catch up.
	 */
	public void start(TaskScheduler scheduler, Runnable call) {
		this.job.lateRuns().start(scheduler, () -> {
			call.run();
			return null;
		});
	}

	public void stop() {
		this.job.lateRuns().stop();
	}

	/**
	 * Read a record.
	 */
	public static Written read(String record) {
		JobRecord run = JobRecord.parse(record);
		return new Written(run.fireTime(), run.isRunning(), run.state() == JobRecord.State.SUCCEEDED, run.attempt(),
				run.stopped(), new Call(run.instance(), run.fence(), run.call()));
	}

	/**
	 * What a record says of the last run.
	 *
	 * @param stopped how many runs for the fire time failed because an application
	 * stopped
	 */
	public record Written(Instant fireTime, boolean isRunning, boolean hasSucceeded, int attempt, int stopped,
			Call call) {
	}

	/**
	 * A call of a job.
	 */
	public record Call(String instance, long fence, long number) {
	}

	private static final class Work implements LockedCall {

		@Override
		public @Nullable Object target() {
			return this;
		}

		@Override
		public @Nullable Object[] arguments() {
			return new Object[0];
		}

		@Override
		public @Nullable Object proceed(@Nullable Object[] arguments) {
			throw new UnsupportedOperationException("Who asks the guard does the work");
		}

	}

}
