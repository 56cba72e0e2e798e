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
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.SortedSet;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * What the next changes of its clocks do to a cron expression. One that fires in the hour
 * after a change as well loses nothing that matters, as it fires each hour, or more often
 * in that night.
 *
 * @param time the first time of day that is concerned
 * @param skipped the first day on which the expression does not fire then, or
 * {@code null} if there is none
 * @param doubled the first day on which it fires twice, or {@code null}
 * @param times the times of day at which the clocks change, such as "02:00 to 03:00"
 */
record ClockChanges(LocalTime time, @Nullable LocalDate skipped, @Nullable LocalDate doubled, SortedSet<String> times) {

	/** Clocks change once or twice in each of them. */
	private static final Duration TWO_YEARS = Duration.ofDays(2 * 366);

	private static final Duration SOON = Duration.ofHours(1);

	/**
	 * Return {@code null} if the changes do not concern the expression.
	 */
	static @Nullable ClockChanges of(Schedule.Cron cron, Instant from) {
		ZoneRules rules = cron.zone().getRules();
		LocalTime time = null;
		LocalDate skipped = null;
		LocalDate doubled = null;
		SortedSet<String> times = new TreeSet<>();
		for (ZoneOffsetTransition change = rules.nextTransition(from); change != null && change.getInstant()
			.isBefore(from.plus(TWO_YEARS)); change = rules.nextTransition(change.getInstant())) {
			times.add(begin(change).toLocalTime() + " to " + end(change).toLocalTime());
			LocalDateTime concerned = timeWithin(cron, change);
			if (concerned == null) {
				continue;
			}
			time = (time != null) ? time : concerned.toLocalTime();
			if (change.isGap()) {
				skipped = (skipped != null) ? skipped : concerned.toLocalDate();
			}
			else {
				doubled = (doubled != null) ? doubled : concerned.toLocalDate();
			}
		}
		return (time != null) ? new ClockChanges(time, skipped, doubled, times) : null;
	}

	private static LocalDateTime begin(ZoneOffsetTransition change) {
		return change.isGap() ? change.getDateTimeBefore() : change.getDateTimeAfter();
	}

	private static LocalDateTime end(ZoneOffsetTransition change) {
		return change.isGap() ? change.getDateTimeAfter() : change.getDateTimeBefore();
	}

	/**
	 * Return the first local time that does not exist or exists twice, and at which the
	 * expression should fire once, or {@code null} if there is none.
	 */
	private static @Nullable LocalDateTime timeWithin(Schedule.Cron cron, ZoneOffsetTransition change) {
		LocalDateTime first = cron.expression().next(begin(change).minusNanos(1));
		if (first == null || !first.isBefore(end(change))) {
			return null;
		}
		Instant end = change.getInstant().plus(change.isGap() ? Duration.ZERO : change.getDuration().abs());
		Instant next = cron.next(end.minusNanos(1));
		boolean soon = next != null && next.isBefore(end.plus(SOON));
		return (!soon && (change.isGap() || firesTwice(cron, first, change))) ? first : null;
	}

	/**
	 * Go from one fire time to the next, as Spring does: in the first hour of a day, it
	 * fires once.
	 */
	private static boolean firesTwice(Schedule.Cron cron, LocalDateTime time, ZoneOffsetTransition overlap) {
		Instant first = time.toInstant(overlap.getOffsetBefore());
		Instant second = time.toInstant(overlap.getOffsetAfter());
		boolean found = false;
		Instant next = cron.next(first.minus(Duration.ofDays(1)));
		while (next != null && next.isBefore(second)) {
			found = found || next.equals(first);
			next = cron.next(next);
		}
		return found && second.equals(next);
	}

}
