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

package io.distributedlock;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link LockOptions}.
 */
class LockOptionsTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(3));

	@ParameterizedTest
	@MethodSource("contradictions")
	void refusesContradictionsWithTheValueAndTheRule(UnaryOperator<LockOptions> change, String value, String rule) {
		assertThatIllegalArgumentException().isThrownBy(() -> change.apply(OPTIONS))
			.withMessageContaining(value)
			.withMessageContaining(rule);
	}

	static Stream<Arguments> contradictions() {
		Duration negative = Duration.ofSeconds(-1);
		Duration fourSeconds = Duration.ofSeconds(4);
		return Stream.of(contradiction((options) -> options.withLease(Duration.ZERO), "0s", "at least 10ms"),
				contradiction((options) -> options.withLease(negative), "-1s", "at least 10ms"),
				contradiction((options) -> options.withLease(Duration.ofMillis(9)), "9ms", "at least 10ms"),
				contradiction((options) -> options.withLease(Duration.ofDays(3651)), "3651d", "at most 3650d"),
				contradiction((options) -> options.withWaitTime(negative), "-1s", "must not be negative"),
				contradiction((options) -> options.withAutoRenew(Duration.ofMillis(1501)), "1s501ms",
						"at most half of the lease of 3s"),
				contradiction((options) -> options.withAutoRenew(Duration.ZERO), "0s", "must be positive"),
				contradiction((options) -> options.withMinHold(negative), "-1s", "must not be negative"),
				contradiction((options) -> options.withMinHold(fourSeconds), "4s",
						"must not be longer than the lease of 3s"),
				contradiction((options) -> options.withMaxHold(Duration.ofSeconds(2)), "2s",
						"must not be shorter than the lease of 3s"),
				contradiction((options) -> options.withDeclaredName(" "), "' '", "must not be blank"));
	}

	private static Arguments contradiction(UnaryOperator<LockOptions> change, String value, String rule) {
		return arguments(change, value, rule);
	}

	/**
	 * Durations come from configurations, where anything may be written.
	 */
	@ParameterizedTest
	@MethodSource("setters")
	void refusesOrLimitsTheShortestAndTheLongestDuration(BiFunction<LockOptions, Duration, LockOptions> setter) {
		assertThatIllegalArgumentException().isThrownBy(() -> setter.apply(OPTIONS, Duration.ofSeconds(Long.MIN_VALUE)))
			.withMessageContaining("-106751991167300d15h30m8s");
		try {
			LockOptions endless = setter.apply(OPTIONS, Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
			assertThat(endless.waitTime()).isLessThanOrEqualTo(LockOptions.LONGEST);
			assertThat(endless.maxHold()).isNull();
		}
		catch (IllegalArgumentException ex) {
			assertThat(ex).hasMessageContaining("106751991167300d15h30m7s");
		}
	}

	static Stream<BiFunction<LockOptions, Duration, LockOptions>> setters() {
		return Stream.of((options, time) -> LockOptions.ofLease(time), LockOptions::withLease,
				LockOptions::withWaitTime, LockOptions::withAutoRenew, LockOptions::withRenewInterval,
				LockOptions::withMinHold, LockOptions::withMaxHold);
	}

	@Test
	void acceptsTheLimitsThemselves() {
		assertThat(OPTIONS.withLease(Duration.ofMillis(10)).lease()).isEqualTo(Duration.ofMillis(10));
		assertThat(OPTIONS.withLease(Duration.ofDays(3650)).lease()).isEqualTo(Duration.ofDays(3650));
		assertThat(OPTIONS.withWaitTime(Duration.ZERO).waitTime()).isZero();
		assertThat(OPTIONS.withMinHold(OPTIONS.lease()).minHold()).isEqualTo(OPTIONS.lease());
		assertThat(OPTIONS.withMaxHold(OPTIONS.lease()).maxHold()).isEqualTo(OPTIONS.lease());
		assertThat(OPTIONS.withAutoRenew(Duration.ofMillis(1500)).renewInterval()).isEqualTo(Duration.ofMillis(1500));
	}

	@Test
	void takesEndlessTimesForUnlimited() {
		Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(OPTIONS.withWaitTime(endless).waitTime()).isEqualTo(Duration.ofDays(3650));
		assertThat(OPTIONS.withMaxHold(endless).maxHold()).isNull();
	}

	@Test
	void renewsEveryThirdOfTheLeaseUnlessToldOtherwise() {
		assertThat(OPTIONS.withAutoRenew().effectiveRenewInterval()).isEqualTo(Duration.ofSeconds(1));
		assertThat(OPTIONS.withAutoRenew(Duration.ofMillis(500)).effectiveRenewInterval())
			.isEqualTo(Duration.ofMillis(500));
	}

}
