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
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Lease}.
 */
class LeaseTests extends EngineFixture {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final Gate gate = this.here.engine().gates().stripe("a").findOrCreate("a", 1);

	private final Lease lease = new Lease(this.gate, 1, 100 * SECOND, 30 * SECOND);

	@Test
	void leaseCountsFromTheLastAnsweredRequest() {
		assertThat(this.lease.endsAt()).isEqualTo(130 * SECOND);
		assertThat(this.lease.deadline()).isEqualTo(Lease.deadline(100 * SECOND, 30 * SECOND));
		this.lease.renewed(110 * SECOND, 30 * SECOND);
		assertThat(this.lease.endsAt()).isEqualTo(140 * SECOND);
		this.lease.renewed(111 * SECOND, 2 * SECOND);
		assertThat(this.lease.endsAt()).as("a late answer shortens nothing").isEqualTo(140 * SECOND);
		this.lease.renewed(112 * SECOND, 60 * SECOND);
		assertThat(this.lease.endsAt()).isEqualTo(172 * SECOND);
	}

	@Test
	void isShortenedByARequestForLessButNotLengthenedByOneForMore() {
		assertThat(this.lease.shorten(110 * SECOND, 30 * SECOND)).isFalse();
		assertThat(this.lease.endsAt()).isEqualTo(130 * SECOND);
		assertThat(this.lease.shorten(110 * SECOND, 5 * SECOND)).isTrue();
		assertThat(this.lease.endsAt()).isEqualTo(115 * SECOND);
	}

	@Test
	void storeMayKeepTheLongerLeaseUntilTheShorterLeaseIsAnswered() {
		this.lease.shorten(110 * SECOND, 5 * SECOND);
		assertThat(this.lease.endsAtLatest()).isEqualTo(130 * SECOND);
		this.lease.endsForSure();
		assertThat(this.lease.endsAtLatest()).isEqualTo(115 * SECOND);
	}

	@Test
	void onlyAnAnswerConfirmsTheLease() {
		assertThat(this.lease.sinceConfirmed(120 * SECOND)).isEqualTo(Duration.ofSeconds(20));
		this.lease.shorten(110 * SECOND, 5 * SECOND);
		assertThat(this.lease.sinceConfirmed(120 * SECOND)).as("sent, not answered").isEqualTo(Duration.ofSeconds(20));
		assertThat(this.lease.isConfirmedSince(105 * SECOND)).isFalse();
		this.lease.renewed(110 * SECOND, 5 * SECOND);
		assertThat(this.lease.sinceConfirmed(120 * SECOND)).isEqualTo(Duration.ofSeconds(10));
		this.lease.confirmed(112 * SECOND);
		this.lease.confirmed(111 * SECOND);
		assertThat(this.lease.sinceConfirmed(120 * SECOND)).isEqualTo(Duration.ofSeconds(8));
	}

	@Test
	void theNextRequestWaitsForTheAnswer() {
		assertThat(this.lease.answered()).isNull();
		this.lease.underWay = true;
		CompletableFuture<@Nullable Throwable> answered = this.lease.whenAnswered();
		assertThat(this.lease.whenAnswered()).isSameAs(answered);
		assertThat(this.lease.answered()).isSameAs(answered);
		assertThat(this.lease.underWay).isFalse();
		assertThat(this.lease.whenAnswered()).isNotSameAs(answered);
	}

	@Test
	void adjustmentIsDueAgainAfterAFailureButNotAfterASuccess() {
		this.lease.adjustAt(102 * SECOND);
		this.lease.beginAdjustment(true);
		assertThat(this.lease.adjustAt()).isZero();
		assertThat(this.lease.isAdjusting()).isTrue();
		this.lease.failed(new IllegalStateException("no answer"), 103 * SECOND);
		assertThat(this.lease.adjustAt()).isEqualTo(103 * SECOND);
		assertThat(this.lease.lastFailure()).hasMessage("no answer");
		this.lease.beginAdjustment(true);
		this.lease.renewed(104 * SECOND, 30 * SECOND);
		assertThat(this.lease.adjustAt()).isZero();
		assertThat(this.lease.isAdjusting()).isFalse();
		assertThat(this.lease.lastFailure()).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "PT0.01S, PT0.007S", "PT0.1S, PT0.088S", "PT1S, PT0.89S", "PT3S, PT2.67S", "PT30S, PT28.7S",
			"PT1H, PT59M23S" })
	void theDeadlineIsClearlyBeforeTheEndOfTheLease(Duration lease, Duration deadline) {
		assertThat(Lease.deadline(1000, lease.toNanos())).isEqualTo(1000 + deadline.toNanos());
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.01S", "PT0.1S", "PT3S", "PT30S", "PT24H", "P3650D" })
	void aLeaseIsAtRiskBeforeItsDeadline(Duration lease) {
		Lease ending = new Lease(this.gate, 2, 0, lease.toNanos());
		assertThat(ending.riskAt()).isPositive().isLessThan(ending.deadline());
	}

	@ParameterizedTest
	@CsvSource({ "PT0.01S, 3333333", "PT0.005S, 3000000", "PT1.5S, 500000000", "PT30S, 1000000000",
			"P3650D, 1000000000" })
	void waitersAskAgainAtLeastEverySecond(Duration lease, long interval) {
		assertThat(Contender.pollInterval(lease.toNanos())).isEqualTo(interval);
	}

	@Test
	void anyTimeHasNanoseconds() {
		assertThat(Lease.nanos(Duration.ofMillis(5))).isEqualTo(5_000_000);
		assertThat(Lease.nanos(Duration.ZERO)).isZero();
		assertThat(Lease.nanos(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
		long longest = Lease.nanos(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
		assertThat(Duration.ofNanos(longest)).isGreaterThan(Duration.ofDays(365 * 70));
		assertThat(longest + longest + longest).isPositive();
	}

}
