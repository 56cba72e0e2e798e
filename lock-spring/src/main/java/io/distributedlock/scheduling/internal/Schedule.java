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
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * The fire times of a job.
 */
interface Schedule {

	/** Longer than the time between two leap days, even over the year 2100. */
	Duration LONGEST_PERIOD = Duration.ofDays(9 * 366);

	/** Longer than clocks are usually set back. */
	Duration MOST_EARLY = Duration.ofMinutes(5);

	/** That of a method whose schedule is disabled, or which has none. */
	Schedule NEVER = (time) -> null;

	/**
	 * Return the first fire time after a time, or {@code null} if there is none.
	 */
	@Nullable Instant next(Instant time);

	/**
	 * Return the last fire time that is not after a time, or {@code null} if there is
	 * none.
	 */
	default @Nullable Instant latest(Instant time) {
		Instant latest = null;
		Duration back = Duration.ofSeconds(1);
		while (latest == null && back.compareTo(LONGEST_PERIOD) < 0) {
			latest = notAfter(time, next(time.minus(back)));
			back = back.multipliedBy(2);
		}
		Instant end = time;
		for (Instant later = latest; later != null; later = notAfter(time, next(latest))) {
			latest = later;
			// Jumps over as many fire times as possible
			Instant middle = latest.plus(Duration.between(latest, end).dividedBy(2));
			later = notAfter(time, next(middle));
			if (later != null) {
				latest = later;
			}
			else {
				end = middle;
			}
		}
		return latest;
	}

	private static @Nullable Instant notAfter(Instant time, @Nullable Instant fireTime) {
		return (fireTime != null && !fireTime.isAfter(time)) ? fireTime : null;
	}

	/**
	 * Return the fire time for which a scheduler calls: the latest one, however late the
	 * call is, or the next one if the clock was set back meanwhile. Which clock is right
	 * does not matter, because the scheduler goes by the same one. Returns {@code null}
	 * if there is none.
	 */
	default @Nullable Instant calledAt(Instant time) {
		Instant latest = latest(time);
		Instant next = next(time);
		if (latest == null || next == null) {
			return (latest != null) ? latest : next;
		}
		Duration early = Duration.between(time, next);
		boolean nearer = early.compareTo(Duration.between(latest, time)) < 0;
		return (nearer && early.compareTo(MOST_EARLY) <= 0) ? next : latest;
	}

	/**
	 * Return a time within which there are at least two fire times after the given one.
	 */
	default Duration twoPeriods(Instant fireTime) {
		Instant next = next(fireTime);
		Instant second = (next != null) ? next(next) : null;
		return (second != null) ? Duration.between(fireTime, second) : LONGEST_PERIOD;
	}

	/**
	 * Return the period of a fixed rate, whose calls may come at any time of a period, or
	 * {@code null} for fixed times.
	 */
	default @Nullable Duration rate() {
		return null;
	}

	/**
	 * Return the shortest time between the next fire times, by the clock on the wall:
	 * that of a daily job is a day, also when clocks are set. Returns {@code null} if
	 * there are not two of them.
	 */
	default @Nullable Duration period(Instant from) {
		return rate();
	}

	/**
	 * Return the cron expressions.
	 */
	default List<Cron> crons() {
		return List.of();
	}

	/**
	 * The times of a cron expression. In the night in which clocks are set, these are the
	 * ones at which Spring fires.
	 *
	 * @param zoned whether the zone is given, and not the one of the JVM
	 */
	record Cron(CronExpression expression, ZoneId zone, boolean zoned) implements Schedule {

		/** Enough to find the shortest time between two of them in most schedules. */
		private static final int LOOKED_AT = 10;

		@Override
		public @Nullable Instant next(Instant time) {
			ZonedDateTime next = this.expression.next(time.atZone(this.zone));
			return (next != null) ? next.toInstant() : null;
		}

		@Override
		public @Nullable Duration period(Instant from) {
			Duration shortest = null;
			LocalDateTime time = this.expression.next(LocalDateTime.ofInstant(from, this.zone));
			for (int i = 0; i < LOOKED_AT && time != null; i++) {
				LocalDateTime next = this.expression.next(time);
				if (next != null && (shortest == null || next.isBefore(time.plus(shortest)))) {
					shortest = Duration.between(time, next);
				}
				time = next;
			}
			return shortest;
		}

		@Override
		public List<Cron> crons() {
			return List.of(this);
		}

	}

	/**
	 * A fixed rate, which instances count from different times. Here it is counted from
	 * 1970.
	 */
	record Rate(long millis) implements Schedule {

		@Override
		public Instant next(Instant time) {
			return Instant.ofEpochMilli((Math.floorDiv(time.toEpochMilli(), this.millis) + 1) * this.millis);
		}

		@Override
		public Instant latest(Instant time) {
			return Instant.ofEpochMilli(Math.floorDiv(time.toEpochMilli(), this.millis) * this.millis);
		}

		@Override
		public Duration rate() {
			return Duration.ofMillis(this.millis);
		}

	}

	/**
	 * The fire times of several schedules.
	 */
	record All(List<Schedule> schedules) implements Schedule {

		@Override
		public @Nullable Instant next(Instant time) {
			return this.schedules.stream()
				.map((schedule) -> schedule.next(time))
				.filter(Objects::nonNull)
				.min(Comparator.naturalOrder())
				.orElse(null);
		}

		/** Of each schedule by itself: two that belong together are not known. */
		@Override
		public @Nullable Duration period(Instant from) {
			return this.schedules.stream()
				.map((schedule) -> schedule.period(from))
				.filter(Objects::nonNull)
				.min(Comparator.naturalOrder())
				.orElse(null);
		}

		@Override
		public List<Cron> crons() {
			return this.schedules.stream().flatMap((schedule) -> schedule.crons().stream()).toList();
		}

		static Schedule of(Collection<Schedule> schedules) {
			return (schedules.size() == 1) ? schedules.iterator().next() : new All(List.copyOf(schedules));
		}

	}

}
