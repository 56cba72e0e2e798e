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

package io.distributedlock.engine.simulation;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.engine.simulation.World.Event.Kind;
import io.distributedlock.internal.Failures;
import io.distributedlock.scheduling.internal.JobProbe;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/**
 * The scheduler of an application in one process, and its job. Fire times, claims,
 * records and late runs are the code that ships, which leaves its clock, its chance, its
 * scheduler and the store to others. Only the order of a call is repeated here, because
 * the code that runs a call waits for answers in its thread: the lock, the claim, the
 * work, the end, the release.
 */
final class JobScheduler implements TaskScheduler {

	static final String NAME = Checker.NAMES.get(0);

	/** The start of a period, whatever its length. */
	static final Instant EPOCH = Instant.ofEpochSecond(1_800_000_000);

	private final World world;

	private final Process process;

	private final JobPlan plan;

	private final JobChecker checker;

	private final JobProbe job;

	private final LockOptions options;

	private final List<Run> open = new ArrayList<>();

	private boolean stopped;

	/**
	 * So says the application when a run ends: this process goes on, as a new one would.
	 */
	private boolean applicationStops;

	JobScheduler(World world, Process process, JobPlan plan, JobChecker checker) {
		this.world = world;
		this.process = process;
		this.plan = plan;
		this.checker = checker;
		this.options = LockOptions.ofLease(Duration.ofNanos(plan.lease())).withWaitTime(Duration.ZERO).withAutoRenew();
		this.job = new JobProbe(NAME, Duration.ofNanos(plan.period()), plan.fixedRate(), plan.horizon(), plan.repeat(),
				process.instance, this::now, process.chance::nextDouble, this::pause,
				(run) -> checker.told(process, run), () -> this.applicationStops);
	}

	void start() {
		this.job.start(this, () -> call(0, true));
		if (this.plan.fixedRate()) {
			long first = this.world.now + this.process.chance.between(0, this.plan.period());
			this.world.at(first, Kind.TASK, this.process, null, () -> call(first, false));
		}
		else {
			planAfter(time());
		}
	}

	/**
	 * Nothing more is to be run, and what runs ends soon.
	 */
	void stop() {
		this.stopped = true;
		this.job.stop();
		this.world.at(this.world.now + World.MILLI, Kind.CALL, this.process, null,
				() -> List.copyOf(this.open).forEach(Run::end));
	}

	boolean isIdle() {
		return this.process.dead || this.open.isEmpty();
	}

	/** The time of day, from {@link #EPOCH} on. */
	private long time() {
		int machine = this.process.number;
		boolean setBack = this.world.now >= this.plan.setBackAt().get(machine);
		return this.world.now + this.plan.offsets().get(machine) - (setBack ? this.plan.setBack() : 0);
	}

	private Instant now() {
		return EPOCH.plusNanos(time());
	}

	private CompletableFuture<@Nullable Void> pause(Duration time) {
		CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
		this.world.at(this.world.now + time.toNanos(), Kind.TASK, this.process, null, () -> over.complete(null));
		return over;
	}

	// Calls at fire times

	private void planAfter(long time) {
		long next = (Math.floorDiv(time, this.plan.period()) + 1) * this.plan.period();
		at(next - time(), () -> call(next, false));
	}

	/** The delay is counted by a clock that is never set back. */
	private void at(long delay, Runnable task) {
		long late = this.process.chance.happens(this.plan.lateTriggers())
				? this.process.chance.magnitude(World.MILLI, this.plan.period())
				: this.process.chance.between(0, 2 * World.MILLI);
		this.world.at(this.world.now + delay + late, Kind.TASK, this.process, null, task);
	}

	/**
	 * Call the job. The call goes on in another event: what happens until then is done by
	 * other threads, which this one must not look like.
	 */
	private void call(long due, boolean late) {
		if (!this.stopped) {
			Run run = new Run(due, late);
			this.checker.came(run);
			this.open.add(run);
			this.world.at(this.world.now, Kind.TASK, this.process, null, run::acquire);
		}
	}

	private void done(Run run) {
		this.open.remove(run);
		if (run.late || this.world.now > this.plan.end()) {
			return;
		}
		if (this.plan.fixedRate()) {
			long next = run.due + this.plan.period();
			this.world.at(next, Kind.TASK, this.process, null, () -> call(next, false));
		}
		else {
			planAfter(Math.max(time(), run.due));
		}
	}

	// Late runs

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
		Planned planned = new Planned();
		at(Duration.between(now(), startTime).toNanos(), () -> {
			if (planned.complete(null)) {
				task.run();
			}
		});
		return planned;
	}

	@Override
	public Clock getClock() {
		return Clock.fixed(now(), ZoneOffset.UTC);
	}

	@Override
	public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
		throw new UnsupportedOperationException();
	}

	private static final class Planned extends CompletableFuture<@Nullable Void>
			implements ScheduledFuture<@Nullable Void> {

		@Override
		public long getDelay(TimeUnit unit) {
			throw new UnsupportedOperationException();
		}

		@Override
		public int compareTo(Delayed other) {
			throw new UnsupportedOperationException();
		}

	}

	/**
	 * One call of the job.
	 */
	final class Run {

		final Process process = JobScheduler.this.process;

		/** For which fire time the scheduler calls, from {@link #EPOCH} on. */
		final long due;

		final boolean late;

		/** When the call came, by the time of day of the process. */
		final long called = time();

		private final WorkGuard guard = JobScheduler.this.job.guard();

		private @Nullable LockHandle handle;

		private boolean working;

		/** How the work ended, or {@code null} if it has not. */
		@Nullable Boolean succeeded;

		/** Whether it failed because the application stopped. */
		boolean ofStop;

		Run(long due, boolean late) {
			this.due = due;
			this.late = late;
		}

		private void acquire() {
			this.process.probe.service()
				.acquireAsync(NAME, JobScheduler.this.options)
				.whenComplete((acquired, failure) -> {
					if (acquired != null) {
						begin(acquired);
					}
					else {
						this.guard.refused(Failures.unwrap(failure));
						done(this);
					}
				});
		}

		private void begin(LockHandle acquired) {
			this.handle = acquired;
			this.guard.begin(acquired).whenComplete((begun, failure) -> {
				if (Boolean.TRUE.equals(begun)) {
					work(acquired);
				}
				else {
					release(acquired);
				}
			});
		}

		private void work(LockHandle acquired) {
			this.working = true;
			JobScheduler.this.checker.began(this, acquired);
			long length = JobScheduler.this.stopped ? World.MILLI
					: this.process.chance.magnitude(World.MILLI / 10, JobScheduler.this.plan.work());
			JobScheduler.this.world.at(JobScheduler.this.world.now + length, Kind.CALL, this.process, null, this::end);
		}

		private void end() {
			LockHandle held = this.handle;
			if (!this.working || held == null) {
				return;
			}
			this.working = false;
			boolean failed = this.process.chance.happens(JobScheduler.this.plan.failing());
			this.succeeded = !failed;
			this.ofStop = failed && this.process.chance.happens(JobScheduler.this.plan.stopping());
			JobScheduler.this.applicationStops = this.ofStop;
			Runnable recorded = JobScheduler.this.checker.ending(this, held);
			CompletableFuture<@Nullable Void> end = this.guard.end(held,
					failed ? new IllegalStateException("planned") : null);
			JobScheduler.this.applicationStops = false;
			end.whenComplete((ended, ignored) -> {
				recorded.run();
				release(held);
			});
		}

		private void release(LockHandle held) {
			held.releaseAsync().whenComplete((released, failure) -> done(this));
		}

	}

}
