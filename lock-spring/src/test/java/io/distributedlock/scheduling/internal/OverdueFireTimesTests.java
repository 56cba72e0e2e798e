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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.DeclaredJobs.DeclaredJob;
import io.distributedlock.internal.LastRun;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.scheduling.internal.JobRecord.State;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.testsupport.SettableTicker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link OverdueFireTimes}.
 */
class OverdueFireTimesTests {

	private static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	private static final Instant NEXT_DAY = THREE.plus(Duration.ofDays(1));

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockStore connection = this.store.connect();

	private final SettableTicker ticker = new SettableTicker();

	private final List<String> runs = new ArrayList<>();

	private JobInstance instance;

	private OverdueFireTimes overdue;

	@BeforeEach
	void start() {
		this.instance = JobInstance.start("first", this.store, THREE.minusSeconds(60), this.runs, Nightly.class);
		this.overdue = overdueIn(this.connection);
	}

	@AfterEach
	void stop() {
		this.instance.close();
		this.connection.close();
		this.store.close();
	}

	@Test
	void newJobIsOverdueAMinuteAfterItsFirstFireTimeUntilItIsRun() {
		assertThat(count()).isZero();
		this.instance.at(THREE.plusSeconds(59));
		assertThat(count()).isZero();
		this.instance.at(THREE.plusSeconds(60));
		assertThat(count()).isOne();
		this.instance.at(NEXT_DAY.plusSeconds(60));
		assertThat(count()).isEqualTo(2);
		this.instance.job(Nightly.class).run();
		assertThat(count()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "SUCCEEDED, 0", "FAILED, 1", "RUNNING, 1" })
	void runThatFailedOrDidNotEndIsOverdueAtOnce(State state, double expected) {
		this.instance.leave("nightly", THREE, state, 1);
		this.instance.at(THREE.plusSeconds(2));
		assertThat(count()).isEqualTo(expected);
		this.instance.at(NEXT_DAY.plusSeconds(60));
		assertThat(count()).isEqualTo(expected + 1);
	}

	@Test
	void runThatGoesOnIsNotOverdue() {
		List<Double> counted = new ArrayList<>();
		this.instance.work().inside = () -> {
			counted.add(count());
			this.instance.at(NEXT_DAY.plusSeconds(60));
			counted.add(count());
		};
		this.instance.at(THREE).job(Nightly.class).run();
		assertThat(counted).as("and then it outlasts the next fire time").containsExactly(0.0, 1.0);
	}

	@Test
	void jobIsNotOverdueWhileAnOperatorHoldsIt() {
		LockToken token = LockToken.ofOperator("first", "ops", "maintenance");
		this.connection.acquire(new AcquireRequest("nightly", token, Duration.ofHours(1), 0, null)).join();
		this.instance.at(THREE.plusSeconds(60));
		assertThat(count()).isZero();
		this.connection.release("nightly", token).join();
		assertThat(count()).isOne();
	}

	@Test
	void countGoesOnWhileTheStoreDoesNotAnswer() {
		LockStore answering = mock(LockStore.class);
		OverdueFireTimes overdue = overdueIn(answering);
		given(answering.record(anyString())).willReturn(unavailable());
		assertThat(count(overdue)).as("nothing is known").isNaN();
		given(answering.record(anyString())).willReturn(CompletableFuture.completedFuture(Optional.empty()));
		assertThat(count(overdue)).isZero();
		given(answering.record(anyString())).willReturn(unavailable());
		this.instance.at(THREE.plusSeconds(60));
		assertThat(count(overdue)).isOne();
		given(answering.record(anyString())).willThrow(new IllegalStateException("closed"));
		this.instance.at(NEXT_DAY.plusSeconds(60));
		assertThat(count(overdue)).isEqualTo(2);
	}

	@Test
	void lossOfTheRecordRaisesNothing() {
		this.instance.at(THREE).job(Nightly.class).run();
		this.instance.at(THREE.plusSeconds(600));
		assertThat(count()).isZero();
		this.store.clear();
		assertThat(count()).isZero();
		this.instance.at(NEXT_DAY.plusSeconds(60));
		assertThat(count()).isOne();
	}

	@Test
	void nothingIsKnownWithoutAStore() {
		assertThat(count(overdueIn(null))).isNaN();
	}

	@Test
	void storeIsAskedOnceInFiveSecondsAndNotBeforeItHasAnswered() {
		LockStore slow = mock(LockStore.class);
		CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
		given(slow.record(anyString())).willReturn(answer);
		OverdueFireTimes overdue = overdueIn(slow);
		assertThat(count(overdue)).isNaN();
		then(slow).should().record("nightly");
		answer.complete(Optional.empty());
		assertThat(overdue.get()).as("asks again").isEqualTo(0.0);
		then(slow).should(times(2)).record("nightly");
		this.ticker.advance(Duration.ofMillis(4999));
		overdue.get();
		then(slow).should(times(2)).record("nightly");
		this.ticker.advance(Duration.ofMillis(1));
		overdue.get();
		then(slow).should(times(3)).record("nightly");
	}

	@Test
	void firstReaderForTenMinutesIsNotToldWhatWasKnownBefore() {
		LockStore slow = mock(LockStore.class);
		OverdueFireTimes overdue = overdueIn(slow);
		given(slow.record(anyString())).willReturn(CompletableFuture.completedFuture(Optional.empty()));
		assertThat(count(overdue)).isZero();
		CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
		given(slow.record(anyString())).willReturn(answer);
		this.ticker.advance(Duration.ofMinutes(10));
		assertThat(overdue.get().doubleValue()).as("the question is open").isNaN();
		assertThat(overdue.get().doubleValue()).as("still").isNaN();
		answer.complete(Optional.empty());
		assertThat(overdue.get().doubleValue()).isZero();
	}

	@Test
	void monitoringThatReadsSeldomGetsANumber() {
		LockStore slow = mock(LockStore.class);
		OverdueFireTimes overdue = overdueIn(slow);
		given(slow.record(anyString())).willReturn(CompletableFuture.completedFuture(Optional.empty()));
		assertThat(count(overdue)).isZero();
		given(slow.record(anyString())).willReturn(new CompletableFuture<>());
		this.ticker.advance(Duration.ofMinutes(10).minusNanos(1));
		assertThat(overdue.get().doubleValue()).isZero();
	}

	private OverdueFireTimes overdueIn(@Nullable LockStore store) {
		DeclaredJob job = this.instance.job(DeclaredJobs.class).jobs().get(0);
		LastRun.Source runs = (store == null) ? null : new LastRun.Source(store::record,
				(name) -> store.find(name).thenApply((lock) -> lock.map((found) -> found.describe(name, null))));
		return new OverdueFireTimes(job, () -> runs, () -> THREE.minusSeconds(60), this.ticker::nanos);
	}

	private double count() {
		return count(this.overdue);
	}

	/** The first reader causes the question, and the next one gets its answer. */
	private double count(OverdueFireTimes overdue) {
		for (int reader = 0; reader < 2; reader++) {
			this.ticker.advance(Duration.ofSeconds(5));
			overdue.get();
		}
		return overdue.get().doubleValue();
	}

	private static CompletableFuture<Optional<String>> unavailable() {
		return CompletableFuture.failedFuture(new LockUnavailableException("nightly", "No answer.", null));
	}

	static class Nightly {

		private final JobInstance.Work work;

		Nightly(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly")
		public void run() {
			this.work.run();
		}

	}

}
