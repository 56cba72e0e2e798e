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

import java.time.Instant;

import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.WallClock;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator is shown of a job that has not run for some time.
 */
class MissedFireTimesTests {

	private static final String LAST = "2020-01-05T03:00:00Z";

	@ParameterizedTest
	@CsvSource({ LAST + ", 0", "2020-01-06T03:00:59Z, 0", "2020-01-06T03:01:00Z, 1", "2020-01-08T12:00:00Z, 3",
			"2020-01-04T12:00:00Z, 0" })
	void fireTimeOfACronExpressionIsMissedAMinuteLater(Instant now, long missed) {
		assertThat(missed(Nightly.class, now)).isEqualTo(missed);
	}

	@ParameterizedTest
	@CsvSource({ "2020-01-05T03:59:59Z, 0", "2020-01-05T04:59:59Z, 0", "2020-01-05T05:00:00Z, 1",
			"2020-01-05T09:30:00Z, 5" })
	void periodOfAFixedRateIsMissedAtItsEnd(Instant now, long missed) {
		assertThat(missed(Hourly.class, now)).isEqualTo(missed);
	}

	/**
	 * In spring there is no fire time that could be missed, in autumn there are two.
	 */
	@ParameterizedTest
	@CsvSource({ "2020-03-28T01:30:00Z, 2020-03-29T23:00:00Z, 0", "2020-03-28T01:30:00Z, 2020-03-30T00:31:00Z, 1",
			"2020-10-24T00:30:00Z, 2020-10-25T00:31:00Z, 1", "2020-10-24T00:30:00Z, 2020-10-25T01:31:00Z, 2" })
	void fireTimesOfNightsInWhichClocksAreSetAreThoseOfTheSchedule(Instant last, Instant now, long missed) {
		assertThat(missed(InBerlin.class, last, now)).isEqualTo(missed);
	}

	private static long missed(Class<?> type, Instant now) {
		return missed(type, Instant.parse(LAST), now);
	}

	private static long missed(Class<?> type, Instant last, Instant now) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LockStore.class, () -> new InMemoryLockStore());
			context.registerBean(WallClock.class, () -> () -> now);
			context.register(type, DistributedLockConfiguration.class);
			context.refresh();
			return context.getBean(DeclaredJobs.class).jobs().get(0).missedSince(last);
		}
	}

	static class Nightly {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly")
		public void run() {
		}

	}

	static class InBerlin {

		@Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
		@OncePerFireTime("berlin")
		public void run() {
		}

	}

	static class Hourly {

		@Scheduled(fixedRate = 3_600_000)
		@OncePerFireTime("hourly")
		public void run() {
		}

	}

}
