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
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.scheduling.JobRun.Outcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A method that runs once per fire time.
 *
 * <p>
 * A call that has the lock claims its fire time: it replaces the record of the lock,
 * which the store does only for the holder of the lock, and only if nobody else has
 * replaced the record meanwhile. If the record has this fire time or a later one, the
 * call is skipped. When the work is done, the record is replaced once more, before the
 * lock is released. So a run that is in the record without its end, while its lock is
 * free, did not end.
 */
final class Job implements DeclaredJobs.DeclaredJob {

	private static final Log logger = LogFactory.getLog(OncePerFireTime.class);

	/** How often the record may change while the lock is held, which it should not. */
	private static final int ATTEMPTS = 5;

	/** How long the record of a job without a schedule is kept. */
	private static final Duration WITHOUT_SCHEDULE = Duration.ofDays(31);

	private static final int MOST_MISSED = 10_000;

	/** A record that no lock has, to learn which one it has. */
	private static final String UNKNOWN = "?";

	private static final AtomicLong CALLS = new AtomicLong();

	private static final Duration INFO_INTERVAL = Duration.ofMinutes(1);

	private final AnnotatedMethod method;

	private final WorkGuards.Attributes attributes;

	private final @Nullable Schedule schedule;

	private final Supplier<String> instance;

	private final WallClock clock;

	private final Consumer<JobRun> listener;

	private final CatchUp catchUp;

	private final AtomicReference<@Nullable Instant> lastInfo = new AtomicReference<>();

	/**
	 * Create a job.
	 * @param schedule its fire times, or {@code null} if each call has an expression for
	 * its own
	 */
	Job(AnnotatedMethod method, WorkGuards.Attributes attributes, @Nullable Schedule schedule,
			Supplier<String> instance, WallClock clock, Consumer<JobRun> listener) {
		this.method = method;
		this.attributes = attributes;
		this.schedule = schedule;
		this.instance = instance;
		this.clock = clock;
		this.listener = listener;
		this.catchUp = new CatchUp(this);
	}

	AnnotatedMethod method() {
		return this.method;
	}

	CatchUp lateRuns() {
		return this.catchUp;
	}

	@Override
	public String name() {
		return (this.attributes.name() != null) ? this.attributes.name() : this.attributes.declaredName();
	}

	/**
	 * Return {@code null} if each call may have another name.
	 */
	@Nullable String literalName() {
		return this.attributes.name();
	}

	@Override
	public String location() {
		return this.method.description();
	}

	@Override
	public @Nullable Instant next() {
		return (this.schedule != null) ? this.schedule.next(this.clock.now()) : null;
	}

	@Override
	public @Nullable Duration catchUp() {
		return this.attributes.catchUp();
	}

	@Override
	public DeclaredJobs.Run read(String record) {
		JobRecord run = JobRecord.parse(record);
		return new DeclaredJobs.Run(run.fireTime(), run.state().name().toLowerCase(Locale.ROOT), run.instance(),
				run.start(), run.end(), run.attempt() > 1, run.failure().isEmpty() ? null : run.failure());
	}

	/**
	 * Return the newest fire time that may be run late, or {@code null} if there is none.
	 */
	@Nullable Instant newestDue() {
		Instant now = this.clock.now();
		Instant newest = (this.schedule != null) ? this.schedule.latest(now) : null;
		Duration horizon = this.attributes.catchUp();
		return (newest != null && horizon != null && !newest.plus(horizon).isBefore(now)) ? newest : null;
	}

	WorkGuard guard(LockedCall call) {
		Instant late = CatchUp.fireTimeOfThread(this);
		return new Call((late != null) ? late : fireTimeOf(call), late != null);
	}

	private Instant fireTimeOf(LockedCall call) {
		Function<LockedCall, @Nullable Object> expression = this.attributes.fireTime();
		if (expression != null) {
			return toInstant(expression.apply(call));
		}
		Instant nearest = (this.schedule != null) ? this.schedule.nearest(this.clock.now()) : null;
		if (nearest == null) {
			throw this.method.invalid("fireTime", "", "Its @Scheduled has no fire time.",
					"Correct the cron expression.");
		}
		return nearest;
	}

	private Instant toInstant(@Nullable Object value) {
		if (value instanceof Instant instant) {
			return instant;
		}
		if (value instanceof Date date) {
			return Instant.ofEpochMilli(date.getTime());
		}
		if (value instanceof ZonedDateTime || value instanceof OffsetDateTime || value instanceof CharSequence) {
			try {
				return DateTimeFormatter.ISO_DATE_TIME.parse(value.toString(), Instant::from);
			}
			catch (DateTimeParseException ex) {
				// As for any other text
			}
		}
		throw this.method.invalid("fireTime", Printable.of(String.valueOf(value)),
				"It is no point in time" + ((value != null) ? ", but of type " + value.getClass().getName() : "") + ".",
				WorkGuards.FIRE_TIME_ACTION);
	}

	private boolean isTimeForInfo() {
		Instant now = this.clock.now();
		Instant last = this.lastInfo.get();
		return (last == null || Duration.between(last, now).compareTo(INFO_INTERVAL) >= 0)
				&& this.lastInfo.compareAndSet(last, now);
	}

	private Duration timeToLive(Instant fireTime) {
		Duration horizon = Objects.requireNonNullElse(this.attributes.catchUp(), Duration.ZERO);
		return horizon.plus((this.schedule != null) ? this.schedule.twoPeriods(fireTime) : WITHOUT_SCHEDULE)
			.plus(Duration.ofHours(1));
	}

	/**
	 * One call, for one fire time.
	 */
	private final class Call implements WorkGuard {

		private final Instant fireTime;

		/** Whether this is no call of the scheduler. */
		private final boolean late;

		private volatile @Nullable JobRecord claim;

		Call(Instant fireTime, boolean late) {
			this.fireTime = fireTime.truncatedTo(ChronoUnit.MILLIS);
			this.late = late;
		}

		@Override
		public void refused(Throwable reason) {
			Job.this.catchUp.after((reason instanceof LockNotAcquiredException busy) ? busy.getHolder() : null);
		}

		@Override
		public CompletableFuture<Boolean> begin(LockHandle handle) {
			CompletableFuture<Boolean> begins;
			try {
				begins = firstClaim(handle, LockRecord.of(handle));
			}
			catch (RuntimeException ex) {
				begins = CompletableFuture.failedFuture(ex);
			}
			return begins.whenComplete((begun, failure) -> {
				if (failure != null) {
					Job.this.catchUp.after(null);
				}
			});
		}

		/**
		 * The first attempt expects no record, so that a new job need not ask before it
		 * runs, and learns the record otherwise. A late one must not run without a
		 * record: nothing is known to be missed.
		 */
		private CompletableFuture<Boolean> firstClaim(LockHandle handle, LockRecord record) {
			return claim(handle, record, this.late ? UNKNOWN : null, null, 1, ATTEMPTS);
		}

		private CompletableFuture<Boolean> claim(LockHandle handle, LockRecord record, @Nullable String present,
				@Nullable JobRecord last, int run, int attempts) {
			JobRecord claimed = new JobRecord(this.fireTime, JobRecord.State.RUNNING, handle.fencingToken(),
					CALLS.incrementAndGet(), Job.this.clock.now(), null, run, Job.this.instance.get(), "");
			return record.replaceRecord(present, claimed.text(), timeToLive(this.fireTime)).thenCompose((answer) -> {
				if (!answer.held()) {
					throw new LockUnavailableException(handle.name(),
							"The lock was lost before the run of the job began. Nothing was run.", null);
				}
				String text = answer.text();
				if (claimed.text().equals(text)) {
					this.claim = claimed;
					reportEarlierRuns(handle.name(), last);
					return CompletableFuture.completedFuture(true);
				}
				if (attempts == 1) {
					throw new LockUnavailableException(handle.name(),
							"The record of the job changes while its lock is held. Nothing was run.", null);
				}
				JobRecord found = (text != null) ? parse(handle.name(), text) : null;
				int next = runAfter(handle, found);
				return (next > 0) ? claim(handle, record, text, found, next, attempts - 1)
						: CompletableFuture.completedFuture(false);
			});
		}

		/**
		 * Return 1 for the first run of the fire time, 2 for the second, or 0 for none.
		 */
		private int runAfter(LockHandle handle, @Nullable JobRecord last) {
			if (last == null) {
				return this.late ? 0 : 1;
			}
			int order = last.fireTime().compareTo(this.fireTime);
			if (order < 0) {
				return 1;
			}
			// One with the same fencing token calls itself
			boolean repeatable = order == 0 && last.state() != JobRecord.State.SUCCEEDED && last.attempt() == 1
					&& last.fence() != handle.fencingToken();
			if (repeatable && Job.this.attributes.catchUp() != null) {
				return 2;
			}
			skipped(handle.name(), last, order > 0);
			return 0;
		}

		private void skipped(String name, JobRecord last, boolean overtaken) {
			String message = "%s is skipped: fire time %s of job '%s' was %s by instance '%s' at %s%s.".formatted(
					Job.this.method.shortName(), this.fireTime, Printable.of(name),
					overtaken ? "followed by that of " + last.fireTime() + ", run" : "run",
					Printable.of(last.instance()), last.start(),
					last.isRunning() ? "" : ", and " + last.state().name().toLowerCase(Locale.ROOT) + " after "
							+ Printable.of(Objects.requireNonNull(last.duration())));
			if (overtaken && !this.late) {
				logger.warn(message
						+ " This call is late, or the clocks of the two instances differ by more than half of the time between two fire times: adjust the clocks, or enlarge the pool of the scheduler.");
			}
			else if (!this.late && isTimeForInfo()) {
				logger.info(message
						+ " Further skips of this job are logged once a minute, and all of them at debug level.");
			}
			else {
				logger.debug(message);
			}
		}

		private void reportEarlierRuns(String name, @Nullable JobRecord last) {
			if (last == null) {
				return;
			}
			if (last.isRunning()) {
				logger.warn(
						"Instance '%s' did not end the run of job '%s' for %s that it began at %s: it died, or lost its lock."
							.formatted(Printable.of(last.instance()), Printable.of(name), last.fireTime(),
									last.start()));
				tell(name, last, Outcome.ABANDONED);
			}
			missedSince(name, last.fireTime());
		}

		private void missedSince(String name, Instant last) {
			Schedule schedule = Job.this.schedule;
			long missed = 0;
			Instant newest = last;
			for (Instant next = (schedule != null) ? schedule.next(last) : null; next != null
					&& next.isBefore(this.fireTime) && missed < MOST_MISSED; next = schedule.next(next)) {
				missed++;
				newest = next;
			}
			if (missed > 0) {
				logger.warn("Job '%s' missed %s: no instance ran it%s.".formatted(Printable.of(name), newest,
						(missed > 1) ? ", and %d fire times before".formatted(missed - 1) : ""));
				Job.this.listener
					.accept(new Told(name, declaredName(), newest, Outcome.MISSED, null, null, false, missed));
			}
		}

		@Override
		public void end(LockHandle handle, @Nullable Throwable failure) {
			JobRecord claimed = Objects.requireNonNull(this.claim, "The call has not begun");
			JobRecord ended = claimed.ended(Job.this.clock.now(), failure);
			LockRecord.of(handle)
				.replaceRecord(claimed.text(), ended.text(), timeToLive(this.fireTime))
				.whenComplete((answer, problem) -> {
					if (problem != null || !ended.text().equals(answer.text())) {
						Throwable cause = (problem != null) ? Failures.unwrap(problem) : null;
						logger.warn("The end of the run of job '%s' for %s could not be recorded: %s".formatted(
								Printable.of(handle.name()), this.fireTime,
								(cause != null) ? cause.getMessage() : "its lock was lost."), cause);
					}
				});
			tell(handle.name(), ended, (failure != null) ? Outcome.FAILED : Outcome.SUCCEEDED);
			if (failure != null) {
				Job.this.catchUp.after(null);
			}
		}

		private void tell(String name, JobRecord run, Outcome outcome) {
			Job.this.listener.accept(new Told(name, declaredName(), run.fireTime(), outcome, run.instance(),
					run.duration(), run.attempt() > 1, 1));
		}

		private String declaredName() {
			return Job.this.attributes.declaredName();
		}

		private static JobRecord parse(String name, String text) {
			try {
				return JobRecord.parse(text);
			}
			catch (IllegalArgumentException ex) {
				throw new LockConfigurationException(name,
						"The record of job '%s' is not one that this version has written: '%s'. Delete it in the lock store (in Redis, the key that ends with ':record'), or give the job another name."
							.formatted(Printable.of(name), Printable.of(text)),
						ex);
			}
		}

	}

	private record Told(String name, String declaredName, Instant fireTime, Outcome outcome, @Nullable String instance,
			@Nullable Duration duration, boolean isRepeated, long fireTimes) implements JobRun {

	}

}
