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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Event.Outcome;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import org.jspecify.annotations.Nullable;

/**
 * Calls the jobs of a worker, each in a thread of its own, and writes down their runs.
 * This is no scheduler of Spring, so that it is known for which fire time a call is, and
 * the checker need not believe what the record says. The late runs are those of the
 * library, in the threads of the application's scheduler.
 */
final class JobCalls implements JobListener {

	/** In hundredths of the period: calls are late, or the clock was set back. */
	private static final int EARLIEST = -40;

	private static final int LATEST = 45;

	private final JobClock clock;

	private final Traffic traffic;

	/** The call of a thread that calls a job at a fire time. */
	private final ThreadLocal<@Nullable Call> calls = new ThreadLocal<>();

	/** The run of a thread in which the library runs a job late. */
	private final ThreadLocal<@Nullable Attempt> late = new ThreadLocal<>();

	private volatile @Nullable Bench bench;

	private volatile long seed;

	JobCalls(JobClock clock, Traffic traffic) {
		this.clock = clock;
		this.traffic = traffic;
	}

	/**
	 * Call the jobs from now on, while the traffic is open.
	 */
	void start(JobWork work, Bench bench, SplittableRandom random) {
		this.clock.draw(random);
		this.seed = random.nextLong();
		this.bench = bench;
		for (Job job : Job.values()) {
			RandomGenerator own = random.split();
			new DaemonThread(() -> callAgainAndAgain(job, work, own), "campaign-job-" + job.lock()).start();
		}
	}

	private Bench bench() {
		return Objects.requireNonNull(this.bench, "Jobs are called when the traffic is open");
	}

	private void callAgainAndAgain(Job job, JobWork work, RandomGenerator random) {
		long fireTime = 0;
		int steady = random.nextInt(EARLIEST, LATEST) / 2;
		while (true) {
			long now = this.clock.now().toEpochMilli();
			fireTime = Math.max(fireTime, job.latestFireTime(now)) + job.period();
			int shift = job.isFixedRate() ? steady : random.nextInt(EARLIEST, LATEST);
			long at = fireTime + shift * job.period() / 100;
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(at - now));
			if (!this.traffic.enter()) {
				return;
			}
			try {
				long called = fireTime;
				this.clock.at(Instant.ofEpochMilli(at), () -> call(job, called, work, random));
			}
			finally {
				this.traffic.leave();
			}
		}
	}

	private void call(Job job, long fireTime, JobWork work, RandomGenerator random) {
		Attempt attempt = attempt(Workloads.JOB, random);
		this.calls.set(new Call(attempt, fireTime));
		try {
			attempt.make(() -> {
				// It gets its lock at once or not at all
				attempt.ask(job.lock(), Duration.ZERO);
				attempt.write(Event.Type.CALLED, job.lock(), 0, System.nanoTime(), 0, fireTime, job.longest().toNanos(),
						(int) job.period());
				job.call(work);
				attempt.end(Outcome.BUSY);
			});
		}
		finally {
			this.calls.remove();
		}
	}

	private Attempt attempt(int kind, RandomGenerator random) {
		return new Attempt(bench().journal(), bench().ids(), kind, Workloads.label(kind), random);
	}

	/**
	 * Run a task of the library, if the traffic admits it.
	 */
	void late(Runnable task) {
		if (this.traffic.enter()) {
			try {
				// What the library finds to be due is then known here as well
				this.clock.at(this.clock.now(), task);
			}
			finally {
				Attempt attempt = this.late.get();
				if (attempt != null) {
					attempt.done();
					this.late.remove();
				}
				this.traffic.leave();
			}
		}
	}

	/**
	 * A late run has failed, or a task of the library.
	 */
	void failed(Throwable failure) {
		Attempt attempt = attempt(Workloads.LATE_JOB, RandomGenerator.getDefault());
		attempt.make(() -> {
			attempt.ask(Event.SEVERAL, Duration.ZERO);
			throw failure;
		});
	}

	/**
	 * Write down what the library tells.
	 */
	@Override
	public void onJobRun(JobRun run) {
		bench().journal()
			.write(new Event(Event.Type.REPORTED, 0, LockNames.number(run.name()), 0, 0, System.nanoTime(), 0,
					run.fireTime().toEpochMilli(), run.fireTimes(), Workloads.JOB,
					Event.detail(run.outcome(), run.isRepeated())));
	}

	/**
	 * Do the work of a job.
	 */
	void run(Job job) {
		LockHandle handle = LockContext.current().orElseThrow();
		Call call = this.calls.get();
		if (call != null) {
			run(job, call.fireTime, 0, call.attempt, handle);
			return;
		}
		long now = this.clock.now().toEpochMilli();
		long fireTime = job.latestFireTime(now);
		Attempt attempt = attempt(Workloads.LATE_JOB, new SplittableRandom(this.seed ^ fireTime));
		this.late.set(attempt);
		run(job, fireTime, job.tooLate(fireTime, now), attempt, handle);
	}

	private static void run(Job job, long fireTime, long tooLate, Attempt attempt, LockHandle handle) {
		LockOptions options = LockOptions.ofLease(LockNames.lease(job.lock())).withAutoRenew();
		Section section = attempt.granted(job.lock(), handle, options);
		section.write(Event.Type.RUNNING, fireTime, tooLate, job.mostRuns());
		RandomGenerator random = attempt.random();
		Duration length = job.drawLength(random);
		boolean failing = job.drawFailure(random);
		long end = System.nanoTime() + length.toNanos();
		section.work(length);
		// A job that has lost its lock goes on
		while (System.nanoTime() < end) {
			LockSupport.parkNanos(end - System.nanoTime());
		}
		section.write(failing ? Event.Type.FAILED : Event.Type.SUCCEEDED, fireTime, 0, job.mostRuns());
		attempt.leave();
		if (failing) {
			throw new PlannedFailure();
		}
	}

	private record Call(Attempt attempt, long fireTime) {
	}

}
