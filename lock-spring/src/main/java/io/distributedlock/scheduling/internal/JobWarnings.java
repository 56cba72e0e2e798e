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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Looks for schedules of jobs that work, but perhaps not as their author expects.
 */
final class JobWarnings {

	/** The default of {@code @OncePerFireTime}, which nobody may have chosen. */
	private static final Duration DEFAULT_HOLD = Duration.ofHours(24);

	/** A longer lease is probably meant to limit the run. */
	private static final Duration LONGEST_LEASE = Duration.ofMinutes(5);

	private JobWarnings() {
	}

	/**
	 * Look at one job.
	 * @param catchUp for how long a run may be repeated, or {@code null} if none is
	 */
	static List<LockFinding> of(AnnotatedMethod method, Schedule schedule, Instant now, LockOptions options,
			@Nullable Duration catchUp) {
		List<LockFinding> findings = new ArrayList<>();
		for (Schedule.Cron cron : schedule.crons()) {
			ClockChanges changes = ClockChanges.of(cron, now);
			if (changes != null) {
				findings.add(clocks(method, cron, changes));
			}
		}
		Duration hold = options.maxHold();
		Duration period = schedule.period(now);
		// With a longer lease, no maxHold is shorter than the period
		if (hold != null && !hold.equals(DEFAULT_HOLD) && period != null && hold.compareTo(period) >= 0
				&& period.compareTo(options.lease()) > 0) {
			findings.add(method.warning(
					"Its maxHold is %s, and the time between two fire times is %s: a run that hangs costs more than one of them."
						.formatted(Printable.of(hold), Printable.of(period)),
					"Set maxHold to less than %s, and to at least twice your longest run. If runs may take longer than that, say so with @SuppressLockWarnings."
						.formatted(Printable.of(period))));
		}
		// The instance may die when the run has just begun
		if (catchUp != null && catchUp.compareTo(options.lease()) <= 0) {
			findings.add(method.warning(
					"Its catchUp is %s, and its timeout %s: if the instance dies during the run, the lock is free too late to repeat the run."
						.formatted(Printable.of(catchUp), Printable.of(options.lease())),
					"Set catchUp to several times the timeout. Or set a shorter timeout, which is no limit on the run: it is renewed."));
		}
		else if (options.lease().compareTo(LONGEST_LEASE) > 0) {
			findings.add(method.warning(
					"Its timeout is %s: if the instance dies, its lock stays taken for that long, and nobody repeats or runs the job meanwhile."
						.formatted(Printable.of(options.lease())),
					"Remove timeout, or set a shorter one: it is renewed, and no limit on the run. To limit the run, set maxHold to at least twice your longest run."));
		}
		// A run takes at most half of a maxHold that was chosen as advised
		if (catchUp != null && hold != null && !hold.equals(DEFAULT_HOLD)
				&& catchUp.multipliedBy(2).compareTo(hold) < 0) {
			Duration enough = hold.plus(options.lease()).plusMinutes(1).truncatedTo(ChronoUnit.MINUTES);
			findings.add(method.warning(
					"Its catchUp is %s, and its maxHold %s: a run whose instance dies later than %1$s after the fire time is not repeated."
						.formatted(Printable.of(catchUp), Printable.of(hold)),
					"Set catchUp to more than your longest run and the lease, such as %s. If runs are always shorter than %s, say so with @SuppressLockWarnings."
						.formatted(Printable.of(enough), Printable.of(catchUp))));
		}
		return findings;
	}

	/**
	 * Return whether a run that hangs keeps later ones from running for as long as nobody
	 * has chosen.
	 */
	static boolean isLongByDefault(Schedule schedule, Instant now, LockOptions options) {
		Duration period = schedule.period(now);
		return DEFAULT_HOLD.equals(options.maxHold()) && period != null && period.compareTo(DEFAULT_HOLD) < 0;
	}

	/**
	 * Return whether a run that hangs keeps the lock for too long to be repeated, and no
	 * warning says so already.
	 * @param catchUp for how long a run may be repeated, or {@code null} if none is
	 */
	static boolean isRepeatedOnlyAfterCrash(LockOptions options, @Nullable Duration catchUp) {
		Duration hold = options.maxHold();
		return catchUp != null && hold != null && !hold.equals(DEFAULT_HOLD) && catchUp.compareTo(hold) <= 0
				&& catchUp.multipliedBy(2).compareTo(hold) >= 0 && catchUp.compareTo(options.lease()) > 0;
	}

	private static LockFinding clocks(AnnotatedMethod method, Schedule.Cron cron, ClockChanges changes) {
		List<String> effects = Stream
			.of((changes.skipped() != null) ? "it does not fire on " + changes.skipped() : null,
					(changes.doubled() != null) ? "it fires twice on " + changes.doubled() : null)
			.filter(Objects::nonNull)
			.toList();
		return method.warning(
				"It fires at %s in %s, %swhere clocks change at that time: %s.".formatted(changes.time(),
						cron.zone().getId(), cron.zoned() ? "" : "the default zone of this JVM, ",
						String.join(", and ", effects)),
				"Write zone = \"UTC\". Or choose a time that is not within %s."
					.formatted(String.join(" or ", changes.times())));
	}

}
