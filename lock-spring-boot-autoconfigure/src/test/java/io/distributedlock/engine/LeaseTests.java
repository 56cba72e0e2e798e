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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Lease}.
 */
class LeaseTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final EngineFixture fixture = new EngineFixture();

	private final Gate gate = this.fixture.here.engine().core().gates().stripe("a").findOrCreate("a");

	private final Lease lease = new Lease(this.gate, 1, 100 * SECOND, 30 * SECOND, 101 * SECOND);

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void countsFromTheSendingOfTheLastRequestThatWasAnswered() {
		assertThat(this.lease.endsAt()).isEqualTo(130 * SECOND);
		assertThat(this.lease.deadline()).isEqualTo(LeaseTimes.deadline(100 * SECOND, 30 * SECOND));
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
	void theTurnOfTheNextRequestComesWithTheAnswer() {
		assertThat(this.lease.answered()).isNull();
		this.lease.underWay = true;
		CompletableFuture<@Nullable Throwable> turn = this.lease.turn();
		assertThat(this.lease.turn()).isSameAs(turn);
		assertThat(this.lease.answered()).isSameAs(turn);
		assertThat(this.lease.underWay).isFalse();
		assertThat(this.lease.turn()).isNotSameAs(turn);
	}

	@Test
	void anAdjustmentThatFailsIsDueAgainAndOneThatSucceedsIsNot() {
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

}
