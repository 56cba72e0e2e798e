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

package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseTimes}.
 */
class LeaseTimesTests {

	@ParameterizedTest
	@CsvSource({ "PT0.01S, PT0.007S", "PT0.1S, PT0.088S", "PT1S, PT0.89S", "PT3S, PT2.67S", "PT30S, PT28.7S",
			"PT1H, PT59M23S" })
	void theDeadlineIsClearlyBeforeTheEndOfTheLease(Duration lease, Duration deadline) {
		assertThat(LeaseTimes.deadline(1000, lease.toNanos())).isEqualTo(1000 + deadline.toNanos());
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.01S", "PT0.1S", "PT3S", "PT30S", "PT24H", "P3650D" })
	void aLeaseIsAtRiskBeforeItsDeadline(Duration lease) {
		assertThat(LeaseTimes.riskAt(0, lease.toNanos())).isPositive()
			.isLessThan(LeaseTimes.deadline(0, lease.toNanos()));
	}

	@ParameterizedTest
	@CsvSource({ "PT0.01S, 3333333", "PT0.005S, 3000000", "PT1.5S, 500000000", "PT30S, 1000000000",
			"P3650D, 1000000000" })
	void waitersAskAgainAtLeastEverySecond(Duration lease, long interval) {
		assertThat(LeaseTimes.pollInterval(lease.toNanos())).isEqualTo(interval);
	}

	@Test
	void anyTimeHasNanoseconds() {
		assertThat(LeaseTimes.nanos(Duration.ofMillis(5))).isEqualTo(5_000_000);
		assertThat(LeaseTimes.nanos(Duration.ZERO)).isZero();
		assertThat(LeaseTimes.nanos(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
		long longest = LeaseTimes.nanos(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
		assertThat(Duration.ofNanos(longest)).isGreaterThan(Duration.ofDays(365 * 70));
		assertThat(longest + longest + longest).isPositive();
	}

}
