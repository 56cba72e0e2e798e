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
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.scheduling.support.CronExpression;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Schedule}.
 */
class ScheduleTests {

	@ParameterizedTest
	@CsvSource({ "2026-11-27T02:54:59Z, 2026-11-26T03:00:00Z", "2026-11-27T02:55:00Z, 2026-11-27T03:00:00Z",
			"2026-11-27T02:59:58Z, 2026-11-27T03:00:00Z", "2026-11-27T03:00:00Z, 2026-11-27T03:00:00Z",
			"2026-11-27T03:00:02Z, 2026-11-27T03:00:00Z", "2026-11-28T02:00:00Z, 2026-11-27T03:00:00Z" })
	void callIsForTheLatestFireTimeOrOneThatIsNear(Instant now, Instant fireTime) {
		assertThat(cron("0 0 3 * * *", "UTC").calledAt(now)).isEqualTo(fireTime);
	}

	@ParameterizedTest
	@CsvSource({ "2026-11-27T02:59:29.999Z, 2026-11-27T02:59:00Z", "2026-11-27T02:59:30Z, 2026-11-27T02:59:00Z",
			"2026-11-27T02:59:30.001Z, 2026-11-27T03:00:00Z" })
	void callIsForTheNearerOneOfTwoFireTimesThatAreClose(Instant now, Instant fireTime) {
		assertThat(cron("0 * * * * *", "UTC").calledAt(now)).isEqualTo(fireTime);
	}

	/**
	 * As Spring fires: not at a time that does not exist, and twice at one that there is
	 * twice.
	 */
	@Test
	void nightsInWhichClocksAreSetHaveTheFireTimesOfSpring() {
		Schedule schedule = cron("0 30 2 * * *", "Europe/Berlin");
		assertThat(between(schedule, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z"))
			.containsExactly(Instant.parse("2026-03-30T00:30:00Z"));
		assertThat(between(schedule, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z")).containsExactly(
				Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-25T01:30:00Z"),
				Instant.parse("2026-10-26T01:30:00Z"));
		assertThat(schedule.calledAt(Instant.parse("2026-10-25T01:30:02Z")))
			.isEqualTo(Instant.parse("2026-10-25T01:30:00Z"));
	}

	/**
	 * Each is a time of day, the day on which it is skipped, the one on which it comes
	 * twice, and when to fire otherwise.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0 30 2 * * *         | Europe/Berlin    | 02:30 | 2027-03-28 | 2026-10-25 | 02:00 to 03:00
			0 0 2 * * *          | Europe/Berlin    | 02:00 | 2027-03-28 | 2026-10-25 | 02:00 to 03:00
			59 59 2 * * *        | Europe/Berlin    | 02:59:59 | 2027-03-28 | 2026-10-25 | 02:00 to 03:00
			0 0,30 2 * * *       | Europe/Berlin    | 02:00 | 2027-03-28 | 2026-10-25 | 02:00 to 03:00
			0 30 2,14 * * *      | Europe/Berlin    | 02:30 | 2027-03-28 | 2026-10-25 | 02:00 to 03:00
			0 0 */2 * * *        | Europe/Berlin    | 02:00 | 2027-03-28 | 2026-10-25 | 02:00 to 03:00
			0 30 2 * * MON#1     | Europe/Berlin    |       |            |            |
			0 30 2 25 10 *       | Europe/Berlin    | 02:30 |            | 2026-10-25 | 02:00 to 03:00
			0 30 2 * * *         | America/New_York | 02:30 | 2027-03-14 |            | 01:00 to 02:00, 02:00 to 03:00
			0 30 1 * * *         | America/New_York | 01:30 |            | 2026-11-01 | 01:00 to 02:00, 02:00 to 03:00
			@daily               | America/Havana   | 00:00 | 2027-03-14 |            | 00:00 to 01:00
			0 30 0 * * *         | America/Havana   | 00:30 | 2027-03-14 |            | 00:00 to 01:00
			0 15 2 * * *         | Australia/Lord_Howe | 02:15 | 2026-10-04 |         | 01:30 to 02:00, 02:00 to 02:30
			0 0 3 * * *          | Europe/Berlin    |       |            |            |
			0 59 1 * * *         | Europe/Berlin    |       |            |            |
			0 30 2 * * *         | UTC              |       |            |            |
			0 30 2 * * *         | Asia/Tokyo       |       |            |            |
			0 30 * * * *         | Europe/Berlin    |       |            |            |
			59 59 * * * *        | Europe/Berlin    |       |            |            |
			* * * * * *          | Europe/Berlin    |       |            |            |
			0 */10 2-5 * * *     | Europe/Berlin    |       |            |            |
			""")
	void changesOfTheClocksConcernWhatFiresOnceOrAFewTimesADay(String expression, String zone, @Nullable LocalTime time,
			@Nullable LocalDate skipped, @Nullable LocalDate doubled, @Nullable String times) {
		Schedule.Cron schedule = (Schedule.Cron) cron(expression, zone);
		ClockChanges changes = ClockChanges.of(schedule, Instant.parse("2026-09-01T00:00:00Z"));
		if (time == null) {
			assertThat(changes).isNull();
			return;
		}
		assertThat(changes).isNotNull();
		assertThat(changes.time()).isEqualTo(time);
		assertThat(changes.skipped()).isEqualTo(skipped);
		assertThat(changes.doubled()).isEqualTo(doubled);
		assertThat(String.join(", ", changes.times())).isEqualTo(times);
		if (skipped != null) {
			assertThat(firesOn(schedule, skipped, time)).isZero();
		}
		if (doubled != null) {
			assertThat(firesOn(schedule, doubled, time)).isEqualTo(2);
		}
	}

	/**
	 * Return how often Spring fires on a day at a time of day.
	 */
	private static long firesOn(Schedule.Cron schedule, LocalDate day, LocalTime time) {
		return between(schedule, day.minusDays(1) + "T00:00:00Z", day.plusDays(2) + "T00:00:00Z").stream()
			.map((each) -> each.atZone(schedule.zone()).toLocalDateTime())
			.filter(day.atTime(time)::equals)
			.count();
	}

	@ParameterizedTest
	@CsvSource({ "0 0 3 * * *, UTC, PT24H", "0 30 2 * * *, Europe/Berlin, PT24H", "'0 0 9,17 * * *', UTC, PT8H",
			"0 */10 3-5 * * *, UTC, PT10M", "0 0 3 * * MON-FRI, UTC, PT24H", "0 0 3 1 * *, UTC, PT672H" })
	void periodIsTheShortestTimeBetweenTwoFireTimesByTheClockOnTheWall(String expression, String zone,
			Duration period) {
		assertThat(cron(expression, zone).period(Instant.parse("2026-10-24T00:00:00Z"))).isEqualTo(period);
	}

	@Test
	void zoneSaysWhenAnExpressionFires() {
		assertThat(cron("0 0 3 * * *", "Asia/Tokyo").next(Instant.parse("2026-11-27T00:00:00Z")))
			.isEqualTo(Instant.parse("2026-11-27T18:00:00Z"));
	}

	@ParameterizedTest
	@CsvSource({ "0 0 3 * * *, UTC", "* * * * * *, UTC", "0 30 2 * * *, Europe/Berlin", "0 0 0 29 2 *, UTC",
			"* * 3 * * *, America/New_York", "0 0 12 * * MON-FRI, Asia/Tokyo", "0 */7 9-17 * * *, Europe/Berlin",
			"0 30 * * * *, Europe/Berlin" })
	void latestIsTheLastOneOfThoseThatNextFinds(String expression, String zone) {
		Schedule schedule = cron(expression, zone);
		Random random = new Random(37);
		for (int i = 0; i < 300; i++) {
			Instant now = Instant.parse("2026-03-20T00:00:00Z")
				.plusMillis((long) (random.nextDouble() * Duration.ofDays(400).toMillis()));
			Instant latest = schedule.latest(now);
			assertThat(latest).isNotNull().isBeforeOrEqualTo(now);
			assertThat(schedule.next(latest)).as("next after %s", latest).isAfter(now);
			assertThat(schedule.next(latest.minusMillis(1))).as("%s is a fire time", latest).isEqualTo(latest);
		}
	}

	@ParameterizedTest
	@CsvSource({ "59999, 60000", "60000, 60000", "89999, 60000", "90000, 60000", "90001, 120000" })
	void fixedRateIsCountedFrom1970(long now, long fireTime) {
		assertThat(new Schedule.Rate(60_000).calledAt(Instant.ofEpochMilli(now)))
			.isEqualTo(Instant.ofEpochMilli(fireTime));
	}

	@Test
	void severalSchedulesFireAtTheTimesOfEach() {
		Schedule schedule = Schedule.All
			.of(List.of(cron("0 0 3 * * *", "UTC"), cron("0 0 15 * * *", "UTC"), Schedule.NEVER));
		assertThat(between(schedule, "2026-11-27T00:00:00Z", "2026-11-28T04:00:00Z")).containsExactly(
				Instant.parse("2026-11-27T03:00:00Z"), Instant.parse("2026-11-27T15:00:00Z"),
				Instant.parse("2026-11-28T03:00:00Z"));
		assertThat(schedule.calledAt(Instant.parse("2026-11-27T14:59:59Z")))
			.isEqualTo(Instant.parse("2026-11-27T15:00:00Z"));
		assertThat(schedule.twoPeriods(Instant.parse("2026-11-27T03:00:00Z"))).hasHours(24);
		assertThat(schedule.period(Instant.parse("2026-11-27T03:00:00Z"))).hasHours(24);
		assertThat(new Schedule.Rate(60_000).period(Instant.EPOCH)).hasMinutes(1);
		assertThat(Schedule.NEVER.period(Instant.EPOCH)).isNull();
	}

	@Test
	void scheduleThatNeverFiresHasNoTimes() {
		assertThat(Schedule.NEVER.calledAt(Instant.now())).isNull();
		assertThat(Schedule.NEVER.twoPeriods(Instant.now())).isEqualTo(Schedule.LONGEST_PERIOD);
	}

	private static List<Instant> between(Schedule schedule, String from, String to) {
		List<Instant> found = new ArrayList<>();
		for (Instant next = schedule.next(Instant.parse(from)); next != null
				&& next.isBefore(Instant.parse(to)); next = schedule.next(next)) {
			found.add(next);
		}
		return found;
	}

	private static Schedule cron(String expression, String zone) {
		return new Schedule.Cron(CronExpression.parse(expression), ZoneId.of(zone), true);
	}

}
