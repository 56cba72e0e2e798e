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
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.FrequentMessages;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.FireTimes;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.scheduling.JobRun.Outcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.ScheduledMethodRunnable;

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
final class Job implements DeclaredJobs.DeclaredJob, WorkGuards.Guarded {

	private static final Log logger = LogFactory.getLog(OncePerFireTime.class);

	/** How often to ask the store, which may not answer, or have another record. */
	private static final int ATTEMPTS = 6;

	/** Doubled each time: eight seconds in all, in which most connections come back. */
	private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

	/** How long a record is kept at least, for an application that was down for long. */
	private static final Duration SHORTEST_MEMORY = Duration.ofDays(31);

	private static final int MOST_MISSED = 10_000;

	/** How late a scheduler usually is at most. */
	private static final Duration USUAL_DELAY = Duration.ofMinutes(1);

	/** A record that no lock has: the answer has the present one. */
	private static final String UNKNOWN = "?";

	private final AnnotatedMethod method;

	private final WorkGuards.Attributes attributes;

	private final Schedule schedule;

	private final Surroundings surroundings;

	private final CatchUp catchUp;

	/** The record of the last run that ended here, which the store still has. */
	private volatile @Nullable String unrecorded;

	/**
	 * A fire time that needs no other run, as its end was recorded here. Unknown if the
	 * name differs from call to call, as each name has its own record.
	 */
	private volatile @Nullable Instant settled;

	/** The newest fire times for which an operator has refused this instance. */
	private @Nullable Held held;

	/** Whether the default of maxHold covers several fire times. */
	private volatile boolean longByDefault;

	private volatile boolean repeatedOnlyAfterCrash;

	private final FrequentMessages skips = new FrequentMessages(logger,
			"Further skips of this job are logged once a minute, and all of them at debug level.", System::nanoTime);

	/**
	 * Create a job.
	 * @param schedule its fire times, none if each call has an expression for its own
	 */
	Job(AnnotatedMethod method, WorkGuards.Attributes attributes, Schedule schedule, Surroundings surroundings) {
		this.method = method;
		this.attributes = attributes;
		this.schedule = schedule;
		this.surroundings = surroundings;
		this.catchUp = new CatchUp(this, surroundings.jitter());
	}

	AnnotatedMethod method() {
		return this.method;
	}

	CatchUp lateRuns() {
		return this.catchUp;
	}

	@Override
	public String name() {
		return (this.attributes.name() != null) ? this.attributes.name() : declaredName();
	}

	/**
	 * Return {@code null} if each call may have another name.
	 */
	@Nullable String literalName() {
		return this.attributes.name();
	}

	/**
	 * Return whether each call has an expression for its fire time.
	 */
	boolean isWithoutSchedule() {
		return this.attributes.fireTime() != null;
	}

	boolean isScheduled() {
		return !isWithoutSchedule() && this.schedule.next(now()) != null;
	}

	boolean isLongByDefault() {
		return this.longByDefault;
	}

	boolean isRepeatedOnlyAfterCrash() {
		return this.repeatedOnlyAfterCrash;
	}

	boolean isInDefaultZone() {
		return this.schedule.crons().stream().anyMatch((cron) -> !cron.zoned());
	}

	String declaredName() {
		return this.attributes.declaredName();
	}

	@Override
	public String location() {
		return this.method.description();
	}

	@Override
	public @Nullable Instant next() {
		return this.schedule.next(now());
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

	@Override
	public long missedSince(Instant fireTime) {
		Instant newest = this.schedule
			.latest(now().minus(Objects.requireNonNullElse(this.schedule.rate(), USUAL_DELAY)));
		return (newest != null && newest.isAfter(fireTime)) ? fireTimes(fireTime, newest) : 0;
	}

	/**
	 * Count the fire times after one of them up to a later one.
	 */
	private long fireTimes(Instant last, Instant newest) {
		long count = 1;
		for (Instant next = this.schedule.next(last); next != null && next.isBefore(newest)
				&& count < MOST_MISSED; next = this.schedule.next(next)) {
			count++;
		}
		return count;
	}

	private Instant now() {
		return this.surroundings.clock().now();
	}

	Duration timeUntil(Instant fireTime) {
		return Duration.between(now(), fireTime);
	}

	/**
	 * Return the newest fire time that may be run late, or {@code null} if there is none.
	 */
	@Nullable Instant newestDue() {
		Instant newest = (catchUp() != null) ? this.schedule.latest(now()) : null;
		Instant settled = this.settled;
		boolean due = newest != null && (settled == null || newest.isAfter(settled)) && isInTime(newest);
		return due ? newest : null;
	}

	@Override
	public List<LockFinding> warnings(LockOptions options) {
		this.longByDefault = JobWarnings.isLongByDefault(this.schedule, now(), options);
		Duration repeated = this.attributes.repeat() ? catchUp() : null;
		this.repeatedOnlyAfterCrash = JobWarnings.isRepeatedOnlyAfterCrash(options, repeated);
		return JobWarnings.of(this.method, this.schedule, now(), options, repeated);
	}

	@Override
	public WorkGuard guard(LockedCall call) {
		Instant late = CatchUp.fireTimeOfThread(this);
		return new Call((late != null) ? late : fireTimeOf(call), late != null);
	}

	CompletableFuture<Boolean> runWithoutWork(LockHandle handle, Instant fireTime, String instance) {
		Job there = new Job(this.method, this.attributes, this.schedule, this.surroundings.withoutListener(instance));
		Call call = there.new Call(fireTime, false);
		return call.begin(handle)
			.thenCompose((begun) -> begun ? call.end(handle, null).thenApply((ended) -> true)
					: CompletableFuture.completedFuture(false));
	}

	private Instant fireTimeOf(LockedCall call) {
		Function<LockedCall, @Nullable Object> expression = this.attributes.fireTime();
		if (expression != null) {
			return toInstant(expression.apply(call));
		}
		Instant called = this.schedule.calledAt(now());
		if (called == null) {
			throw this.method.invalid("", "", "Its schedule is disabled, so this call has no fire time.",
					"Move the work to another method, and call that one.");
		}
		return called;
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

	private Duration timeToLive(Instant fireTime) {
		Duration horizon = Objects.requireNonNullElse(this.attributes.catchUp(), Duration.ZERO);
		Duration needed = isWithoutSchedule() ? horizon : horizon.plus(this.schedule.twoPeriods(fireTime));
		return (needed.compareTo(SHORTEST_MEMORY) > 0) ? needed : SHORTEST_MEMORY;
	}

	/**
	 * Whether a run for a fire time may still begin late.
	 */
	private boolean isInTime(Instant fireTime) {
		Duration horizon = this.attributes.catchUp();
		return horizon != null && !fireTime.plus(horizon).isBefore(now());
	}

	/**
	 * An operator holds the job at a fire time. Of times that do not follow each other,
	 * only the newest are kept.
	 */
	private synchronized void heldAt(Instant fireTime) {
		Held last = this.held;
		Instant before = this.schedule.latest(fireTime.minusMillis(1));
		this.held = (last == null || before == null || before.isAfter(last.last())) ? new Held(fireTime, fireTime)
				: new Held(last.first(), later(fireTime, last.last()));
	}

	private synchronized @Nullable Held held() {
		return this.held;
	}

	private static Instant earlier(Instant one, Instant other) {
		return one.isBefore(other) ? one : other;
	}

	private static Instant later(Instant one, Instant other) {
		return one.isAfter(other) ? one : other;
	}

	/**
	 * Replace the record, and ask again after a pause if there is no answer, as long as
	 * the lock is held: the store recognizes a request that it has carried out. A caller
	 * waits for this, because it must not return while its job keeps the lock: its next
	 * call would be refused.
	 */
	private CompletableFuture<LockRecord.Answer> replace(LockHandle handle, @Nullable String present, JobRecord run,
			int attempts) {
		CompletableFuture<LockRecord.Answer> answer;
		try {
			answer = LockRecord.of(handle).replaceRecord(present, run.text(), timeToLive(run.fireTime()));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return answer.exceptionallyCompose((failure) -> {
			boolean again = Failures.unwrap(failure) instanceof LockUnavailableException && attempts > 1
					&& handle.isHeld();
			return again
					? this.surroundings.pause()
						.apply(FIRST_PAUSE.multipliedBy(1L << (ATTEMPTS - attempts)))
						.thenCompose((over) -> replace(handle, present, run, attempts - 1))
					: CompletableFuture.failedFuture(failure);
		});
	}

	/**
	 * One call, for one fire time.
	 */
	private final class Call implements WorkGuard {

		private final Instant fireTime;

		/** Whether this is no call of the scheduler. */
		private final boolean late;

		/**
		 * The machine may stand still before the run begins, which says nothing of the
		 * rate.
		 */
		private final Instant called = now();

		private volatile @Nullable JobRecord claim;

		Call(Instant fireTime, boolean late) {
			this.fireTime = fireTime.truncatedTo(ChronoUnit.MILLIS);
			this.late = late;
		}

		@Override
		public String purpose() {
			return this.late ? "It only looked whether a late run for " + this.fireTime + " is due."
					: "Its fire time is " + this.fireTime + ".";
		}

		@Override
		public void refused(Throwable reason) {
			LockInfo holder = (reason instanceof LockNotAcquiredException busy) ? busy.getHolder() : null;
			if (holder != null && holder.kind() == LockInfo.Kind.OPERATOR) {
				heldAt(this.fireTime);
			}
			Job.this.catchUp.called(reason);
			tellOutage(reason);
			Job.this.catchUp.after(this.fireTime, holder);
		}

		/**
		 * The first request expects no record, so that a new job need not ask before it
		 * runs, and learns the record otherwise. A late one must not run without a
		 * record: nothing is known to be missed.
		 */
		@Override
		public CompletableFuture<Boolean> begin(LockHandle handle) {
			return claim(handle, this.late ? UNKNOWN : null, newRun(handle, this.fireTime, 1, 0), ATTEMPTS)
				.whenComplete((begun, failure) -> {
					Job.this.catchUp.called((failure != null) ? Failures.unwrap(failure) : null);
					if (failure != null) {
						tellOutage(Failures.unwrap(failure));
						Job.this.catchUp.after(this.fireTime, null);
					}
				});
		}

		/**
		 * The scheduler logs the exception, which does not say what follows.
		 */
		private void tellOutage(Throwable reason) {
			Duration horizon = catchUp();
			if (!this.late && horizon != null && reason instanceof LockUnavailableException) {
				Job.this.catchUp.tell(this.fireTime, reason);
				String next = Job.this.surroundings.stopping().getAsBoolean()
						? "This instance stops: another one may run it until" : "It is tried again until";
				logger.warn("Job '%s' did not begin for %s: %s %s %s.".formatted(Printable.of(name()), this.fireTime,
						reason.getMessage(), next, this.fireTime.plus(horizon)));
				if (isCalledBySpring()) {
					logger.debug("The scheduler logs this exception without its stack", reason);
					for (Throwable ex = reason; ex != null; ex = ex.getCause()) {
						ex.setStackTrace(new StackTraceElement[0]);
					}
				}
			}
		}

		/**
		 * Whether nobody reads the stack, which is that of Spring and the library.
		 */
		private static boolean isCalledBySpring() {
			return StackWalker.getInstance()
				.walk((frames) -> frames
					.anyMatch((frame) -> frame.getClassName().equals(ScheduledMethodRunnable.class.getName())));
		}

		private CompletableFuture<Boolean> claim(LockHandle handle, @Nullable String present, JobRecord run,
				int attempts) {
			return replace(handle, present, run, ATTEMPTS).thenCompose((answer) -> {
				if (!answer.held()) {
					throw lost(handle);
				}
				String text = answer.text();
				if (run.text().equals(text)) {
					this.claim = run;
					FireTimes.begin(handle, run.fireTime());
					return CompletableFuture.completedFuture(true);
				}
				if (attempts == 1) {
					throw new LockUnavailableException(handle.name(),
							"The record of the job changes while its lock is held. Nothing was run.", null);
				}
				JobRecord found = (text != null) ? parse(handle.name(), text) : null;
				JobRecord next = runAfter(handle, found);
				if (next == null) {
					return CompletableFuture.completedFuture(false);
				}
				if (!handle.isHeld()) {
					throw lost(handle);
				}
				// Before the claim: this instance may die after it, and nobody else would
				// know
				reportEarlierRuns(handle.name(), found, next);
				return claim(handle, text, next, attempts - 1);
			});
		}

		private static LockUnavailableException lost(LockHandle handle) {
			return new LockUnavailableException(handle.name(),
					"The lock was lost before the run of the job began. Nothing was run.", null);
		}

		private JobRecord newRun(LockHandle handle, Instant fireTime, int attempt, int stopped) {
			return new JobRecord(fireTime, JobRecord.State.RUNNING, handle.fencingToken(),
					Job.this.surroundings.calls().getAsLong(), this.called, null, attempt,
					Job.this.surroundings.instance().get(), "", stopped);
		}

		/**
		 * Return the run that is to begin, or {@code null} if none is.
		 */
		private @Nullable JobRecord runAfter(LockHandle handle, @Nullable JobRecord last) {
			if (last == null && this.late) {
				tellBrokenPromise(handle.name());
				return null;
			}
			if (last == null) {
				return newRun(handle, this.fireTime, 1, 0);
			}
			Instant due = dueAfter(last);
			int order = last.fireTime().compareTo(due);
			if (order < 0) {
				return newRun(handle, due, 1, 0);
			}
			// One with the same fencing token calls itself
			if (order == 0 && Job.this.attributes.repeat() && last.isRepeatable()
					&& last.fence() != handle.fencingToken() && isInTime(due)) {
				return newRun(handle, due, last.attempt() + 1, last.stopped());
			}
			skipped(handle.name(), last, order > 0);
			return null;
		}

		private void tellBrokenPromise(String name) {
			if (Job.this.catchUp.endPromise(this.fireTime)) {
				logger.warn(
						"Job '%s' is not run late for %s: the lock store has no record of the job, as after a restart of Redis without its data, or before its first run, so it is unknown whether another instance has run it. Check whether its work is done, and do it by hand if not."
							.formatted(Printable.of(name), this.fireTime));
			}
		}

		/**
		 * An instance whose fixed rate calls at the moment that separates two periods
		 * would count for one of them twice, and skip the next. So a call that comes a
		 * period after the last run of the same instance is for the next period.
		 */
		private Instant dueAfter(JobRecord last) {
			Duration rate = Job.this.schedule.rate();
			boolean next = rate != null && !this.late && last.fireTime().equals(this.fireTime) && !last.isRunning()
					&& last.instance().equals(Job.this.surroundings.instance().get())
					&& periodsBetween(last.start(), this.called, rate) > 0;
			return next ? this.fireTime.plus(rate) : this.fireTime;
		}

		private static long periodsBetween(Instant start, Instant end, Duration rate) {
			return Math.round((double) Duration.between(start, end).toMillis() / rate.toMillis());
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
						+ " This call is late, or the clocks or schedules of the two instances differ: adjust the clocks, or enlarge the pool of the scheduler.");
			}
			else if (this.late) {
				logger.debug(message);
			}
			else {
				Job.this.skips.log(() -> message);
			}
		}

		private void reportEarlierRuns(String name, @Nullable JobRecord last, JobRecord run) {
			if (last == null) {
				return;
			}
			if (last.isRunning()) {
				String follows = run.attempt() > 1 ? "The run is repeated now."
						: "It is not repeated. The run for " + run.fireTime() + " begins now.";
				logger.warn(last.text().equals(Job.this.unrecorded)
						? "The run of job '%s' for %s ended on this instance, which could not record that. %s"
							.formatted(Printable.of(name), last.fireTime(), follows)
						: "Instance '%s' did not end the run of job '%s' for %s that it began at %s: it died, could not record the end, or lost its lock and may go on. %s"
							.formatted(Printable.of(last.instance()), Printable.of(name), last.fireTime(), last.start(),
									follows));
				tell(name, last, Outcome.ABANDONED);
			}
			else if (run.attempt() > 1) {
				logger.info("The run of job '%s' for %s is repeated now: it failed on instance '%s'."
					.formatted(Printable.of(name), run.fireTime(), Printable.of(last.instance())));
			}
			Duration rate = Job.this.schedule.rate();
			if (rate == null || periodsBetween(last.start(), run.start(), rate) > 1) {
				missed(name, last.fireTime(), run);
			}
		}

		private void missed(String name, Instant last, JobRecord run) {
			Instant now = run.fireTime();
			Held held = held();
			if (held == null) {
				tellMissed(name, Outcome.MISSED, last, now, run);
				return;
			}
			tellMissed(name, Outcome.MISSED, last, earlier(held.first(), now), run);
			tellMissed(name, Outcome.HELD, later(last, held.first().minusMillis(1)),
					earlier(held.last().plusMillis(1), now), run);
			tellMissed(name, Outcome.MISSED, later(last, held.last()), now, run);
		}

		/**
		 * Tell of the fire times between two times, if there are any.
		 * @param run the one that is to begin
		 */
		private void tellMissed(String name, Outcome outcome, Instant last, Instant now, JobRecord run) {
			Instant newest = Job.this.schedule.latest(now.minusMillis(1));
			if (newest == null || !newest.isAfter(last)) {
				return;
			}
			long missed = fireTimes(last, newest);
			String times = newest + ((missed > 1) ? ", and %d fire times before".formatted(missed - 1) : "");
			if (outcome == Outcome.HELD) {
				logger.info("Job '%s' was held by an operator at %s.".formatted(Printable.of(name), times));
			}
			else {
				Duration horizon = catchUp();
				logger.warn("Job '%s' missed %s: no instance ran it. The run for %s begins now. %s".formatted(
						Printable.of(name), times, run.fireTime(),
						(horizon == null) ? "Set catchUp to make up for the newest fire time that was missed."
								: "Its catchUp of %s makes up for the newest fire time only."
									.formatted(Printable.of(horizon))));
			}
			Job.this.surroundings.listener()
				.accept(new ReportedRun(name, declaredName(), newest, outcome, null, null, false, missed));
		}

		/**
		 * The lock is kept until the end is recorded: otherwise a run that succeeded
		 * would look like one that did not end.
		 */
		@Override
		public CompletableFuture<@Nullable Void> end(LockHandle handle, @Nullable Throwable failure) {
			FireTimes.end(handle);
			JobRecord claimed = Objects.requireNonNull(this.claim, "The call has not begun");
			boolean stopping = Job.this.surroundings.stopping().getAsBoolean();
			JobRecord ended = claimed.ended(now(), failure, stopping);
			String failed = (failure != null) ? "The run of job '%s' for %s failed: %s. "
				.formatted(Printable.of(handle.name()), claimed.fireTime(), textOf(handle, failure)) : null;
			// Without the lock, the end cannot be recorded either: one line tells both
			boolean losing = isLossOf(handle, failure);
			if (failed != null && !losing) {
				logger.warn(failed + whetherRepeated(ended, stopping));
			}
			return replace(handle, claimed.text(), ended, ATTEMPTS).thenCompose((answer) -> {
				boolean gone = answer.held() && answer.text() == null;
				return gone ? replace(handle, null, ended, ATTEMPTS) : CompletableFuture.completedFuture(answer);
			}).handle((answer, problem) -> {
				boolean recorded = problem == null && ended.text().equals(answer.text());
				if (recorded && losing) {
					logger.warn(failed + whetherRepeated(ended, stopping));
				}
				if (!recorded) {
					Throwable cause = (problem != null) ? Failures.unwrap(problem) : null;
					boolean lost = (cause != null) ? cause instanceof LockLostException : !answer.held();
					String reason = lost ? "its lock was lost."
							: (cause != null) ? String.valueOf(cause.getMessage()) : "another run is in the record.";
					logger.warn(
							losing ? failed + whatFollows(claimed)
									: "The end of the run of job '%s' for %s could not be recorded: %s".formatted(
											Printable.of(handle.name()), claimed.fireTime(),
											Printable.joined(reason, whatFollows(claimed))),
							(cause instanceof LockException) ? null : cause);
					Job.this.unrecorded = claimed.text();
				}
				else if (literalName() != null && (!Job.this.attributes.repeat() || !ended.isRepeatable())) {
					Job.this.settled = ended.fireTime();
				}
				tell(handle.name(), ended, (failure != null) ? Outcome.FAILED : Outcome.SUCCEEDED);
				Instant due = newestDue();
				if ((failure != null && Job.this.attributes.repeat())
						|| (due != null && due.isAfter(claimed.fireTime()))) {
					Job.this.catchUp.after(claimed.fireTime(), null);
				}
				return null;
			});
		}

		private static boolean isLossOf(LockHandle handle, @Nullable Throwable failure) {
			return failure instanceof LockLostException lost && lost.getLockName().equals(handle.name());
		}

		/**
		 * The exception is that of the application, whose text may throw in its turn: the
		 * end is recorded in any case.
		 */
		private static String textOf(LockHandle handle, Throwable failure) {
			if (isLossOf(handle, failure)) {
				return "its lock was lost";
			}
			try {
				String text = Printable.of(failure.toString());
				return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
			}
			catch (RuntimeException ex) {
				return failure.getClass().getName();
			}
		}

		private String whetherRepeated(JobRecord failed, boolean stopping) {
			Duration horizon = catchUp();
			if (horizon == null) {
				return "It is not repeated, as the job has no catchUp.";
			}
			if (!Job.this.attributes.repeat()) {
				return "It is not repeated, as the job has repeat = false.";
			}
			if (!failed.isRepeatable()) {
				return "It was the repetition, and is not repeated.";
			}
			Instant last = failed.fireTime().plus(horizon);
			if (stopping && now().isBefore(last)) {
				return "This instance stops, so the run does not count: another instance repeats it, and not after %s."
					.formatted(last);
			}
			return (now().isBefore(last) ? "It is repeated once, within about a minute, and not after %s."
					: "It is not repeated, as its catchUp ended at %s.")
				.formatted(last);
		}

		private String whatFollows(JobRecord unended) {
			if (catchUp() == null) {
				return "It is not run again, as it has no catchUp.";
			}
			if (!Job.this.attributes.repeat()) {
				return "It is not run again, as it has repeat = false.";
			}
			return !unended.isRepeatable() ? "It is not run again, as it was repeated already."
					: "An instance may run it once more, as it has a catchUp, unless the record is gone, as after a restart of Redis without its data: then nobody does, and no fire time counts as missed.";
		}

		private void tell(String name, JobRecord run, Outcome outcome) {
			Job.this.surroundings.listener()
				.accept(new ReportedRun(name, declaredName(), run.fireTime(), outcome, run.instance(), run.duration(),
						run.attempt() > 1, 1));
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

	/**
	 * What a job needs of its instance.
	 *
	 * @param instance the name of the instance
	 * @param clock the time of day
	 * @param calls numbers the calls of this JVM
	 * @param jitter random numbers from zero to one
	 * @param pause returns a future that completes after a time
	 * @param listener is told what happened
	 * @param stopping whether the application stops
	 */
	record Surroundings(Supplier<String> instance, WallClock clock, LongSupplier calls, DoubleSupplier jitter,
			Function<Duration, CompletableFuture<?>> pause, Consumer<JobRun> listener, BooleanSupplier stopping) {

		Surroundings withoutListener(String instance) {
			return new Surroundings(() -> instance, this.clock, this.calls, this.jitter, this.pause, (run) -> {
			}, this.stopping);
		}

	}

	private record Held(Instant first, Instant last) {

	}

	private record ReportedRun(String name, String declaredName, Instant fireTime, Outcome outcome,
			@Nullable String instance, @Nullable Duration duration, boolean isRepeated,
			long fireTimes) implements JobRun {

	}

}
