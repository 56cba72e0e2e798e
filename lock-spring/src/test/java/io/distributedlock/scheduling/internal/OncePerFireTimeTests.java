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
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.WallClock;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.scheduling.JobRun.Outcome;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OncePerFireTime} on several instances, whose clocks differ.
 */
@ExtendWith(OutputCaptureExtension.class)
class OncePerFireTimeTests {

	private static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	private static final Instant NEXT_DAY = THREE.plus(Duration.ofDays(1));

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<Instance> instances = new ArrayList<>();

	/** Which instance ran, and at which time of its clock. */
	private final List<String> runs = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach((instance) -> instance.context.close());
		this.store.close();
	}

	@Test
	void fireTimeIsRunByOneOfTwoInstancesWhoseClocksDiffer() {
		Instance first = new Instance("first");
		Instance second = new Instance("second");
		first.at(THREE).nightly().run();
		second.at(THREE.minusSeconds(2)).nightly().run();
		second.at(THREE.plus(Duration.ofHours(11))).nightly().run();
		assertThat(this.runs).containsExactly("first");
		second.at(NEXT_DAY).nightly().run();
		first.at(NEXT_DAY).nightly().run();
		assertThat(this.runs).containsExactly("first", "second");
	}

	@Test
	void runThatFailsIsNotRepeated() {
		Instance first = new Instance("first");
		first.nightly().state().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.at(THREE).nightly()::run);
		new Instance("second").at(THREE).nightly().run();
		first.at(THREE).nightly().run();
		assertThat(this.runs).containsExactly("first");
		assertThat(first.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by first");
	}

	@Test
	void runWhoseInstanceDiesIsNotRepeatedAndToldWithTheNextOne() {
		claim(THREE, 1);
		Instance second = new Instance("second");
		second.at(THREE.plusSeconds(40)).nightly().run();
		assertThat(this.runs).isEmpty();
		second.at(NEXT_DAY).nightly().run();
		assertThat(this.runs).containsExactly("second");
		assertThat(second.told()).containsExactly("ABANDONED 2026-11-27T03:00:00Z by dead",
				"SUCCEEDED 2026-11-28T03:00:00Z by second");
	}

	@Test
	void jobWithCatchUpRepeatsAFailedRunOnce() {
		Instance first = new Instance("first");
		Instance second = new Instance("second");
		first.late().state().failure = new IllegalStateException("planned");
		second.late().state().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.at(THREE).late()::run);
		assertThatIllegalStateException().isThrownBy(second.at(THREE.plusSeconds(1)).late()::run);
		first.at(THREE.plusSeconds(2)).late().run();
		second.at(THREE.plusSeconds(3)).late().run();
		assertThat(this.runs).containsExactly("first", "second");
		assertThat(second.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by second, repeated");
	}

	@Test
	void jobThatSucceededIsNotRepeatedWithCatchUp() {
		Instance first = new Instance("first");
		first.at(THREE).late().run();
		new Instance("second").at(THREE).late().run();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void missedFireTimesAreToldByTheNextRun() {
		Instance first = new Instance("first");
		first.at(THREE).nightly().run();
		first.at(THREE.plus(Duration.ofDays(4))).nightly().run();
		assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first",
				"MISSED 2026-11-30T03:00:00Z, 3 times", "SUCCEEDED 2026-12-01T03:00:00Z by first");
	}

	@Test
	void callForAFireTimeBeforeTheOneOfTheRecordIsSkipped() {
		Instance first = new Instance("first");
		first.at(NEXT_DAY).nightly().run();
		new Instance("second").at(THREE).nightly().run();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void methodThatCallsItselfRunsOnce() {
		Instance first = new Instance("first");
		first.at(THREE).late().state().inside = () -> first.late().run();
		first.late().run();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void fixedRateIsRunOncePerPeriodAlthoughInstancesFireAtDifferentTimes() {
		Instance first = new Instance("first");
		Instance second = new Instance("second");
		for (int minute = 0; minute < 5; minute++) {
			first.at(THREE.plusSeconds(60 * minute + 10)).nightly().everyMinute();
			second.at(THREE.plusSeconds(60 * minute + 40)).nightly().everyMinute();
		}
		assertThat(this.runs).as("at the end, the second one has begun the sixth period").hasSize(6);
	}

	@Test
	void expressionGivesTheFireTimeOfACall() {
		Nightly first = new Instance("first").nightly();
		Nightly second = new Instance("second").nightly();
		first.message(Date.from(THREE));
		second.message(Date.from(THREE));
		second.message(NEXT_DAY.toString());
		first.message(NEXT_DAY);
		first.message("2026-11-28T05:00:00+02:00");
		first.message("2026-11-28T05:00:00.5+02:00[Europe/Helsinki]");
		assertThat(this.runs).containsExactly("first", "second", "first");
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> first.message("tomorrow"))
			.withMessageContaining("It is no point in time, but of type java.lang.String.");
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> first.message(null))
			.withMessageContaining("It is no point in time.");
		assertThat(this.runs).hasSize(3);
	}

	@Test
	void methodThatReturnsAFutureEndsWithTheFuture() throws Exception {
		Instance first = new Instance("first");
		CompletableFuture<String> work = new CompletableFuture<>();
		first.at(THREE).nightly().state().future = work;
		CountDownLatch begun = new CountDownLatch(1);
		first.nightly().state().inside = begun::countDown;
		CompletableFuture<String> result = first.nightly().later();
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(record("later")).contains("running");
		work.complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(record("later")).contains("succeeded");
		assertThat(new Instance("second").at(THREE).nightly().later().join()).isNull();
		first.at(NEXT_DAY).nightly().state().future = CompletableFuture
			.failedFuture(new IllegalStateException("planned"));
		assertThat(first.nightly().later()).failsWithin(Duration.ofSeconds(10));
		assertThat(record("later")).contains("failed").contains("java.lang.IllegalStateException");
		assertThat(this.runs).containsExactly("first", "first");
	}

	@Test
	void methodThatReturnsAPublisherEndsWithTheSubscription() throws Exception {
		Instance first = new Instance("first");
		first.at(THREE).nightly().state().future = CompletableFuture.completedFuture("done");
		Mono<String> mono = first.nightly().publisher();
		assertThat(this.runs).isEmpty();
		assertThat(mono.block()).isEqualTo("done");
		assertThat(record("publisher")).contains("succeeded");
		assertThat(mono.block()).isNull();
		assertThat(new Instance("second").at(THREE).nightly().publisher().block()).isNull();
		first.at(NEXT_DAY).nightly().state().future = CompletableFuture
			.failedFuture(new IllegalStateException("planned"));
		assertThatIllegalStateException().isThrownBy(() -> mono.block());
		assertThat(record("publisher")).contains("failed");
		first.at(NEXT_DAY.plus(Duration.ofDays(1))).nightly().state().future = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		first.nightly().state().inside = begun::countDown;
		Disposable subscription = mono.subscribe();
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		subscription.dispose();
		await().until(() -> !record("publisher").contains("running"));
		assertThat(record("publisher")).contains("failed").contains("CancellationException");
		assertThat(this.runs).containsExactly("first", "first", "first");
	}

	@Test
	void recordThatSomebodyElseWroteIsRefused() {
		Instance first = new Instance("first");
		try (LockHandle handle = first.locks().acquire("nightly", LockOptions.defaults())) {
			LockRecord.of(handle).replaceRecord(null, "what is this", Duration.ofDays(1)).join();
		}
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(first.at(THREE).nightly()::run)
			.withMessageContaining("'what is this'")
			.withMessageContaining("Delete it in the lock store");
		assertThat(this.runs).isEmpty();
		assertThat(this.store.find("nightly").join()).as("the lock is released").isEmpty();
	}

	@Test
	void runThatLosesItsLockIsNotInTheRecordAsEnded() {
		Instance first = new Instance("first");
		first.at(THREE).nightly().state().inside = () -> this.store.find("nightly")
			.thenCompose((found) -> this.store.forceRelease("nightly", found.orElseThrow().holder()))
			.join();
		first.nightly().run();
		assertThat(record("nightly")).contains("running");
	}

	@Test
	void warningThatTheEndCouldNotBeRecordedHasTheMessageOfTheStoreOnly(CapturedOutput output) {
		Instance first = new Instance("first");
		first.at(THREE).nightly().state().inside = () -> first.context.getBean(LockStore.class).close();
		first.nightly().run();
		assertThat(output).contains(
				"The end of the run of job 'nightly' for 2026-11-27T03:00:00Z could not be recorded: The in-memory lock store is closed.")
			.doesNotContain("CompletionException", "stopped..");
	}

	private String record(String name) {
		return this.store.record(name).join().orElseThrow();
	}

	/**
	 * Leave the record of an instance that dies during its run.
	 */
	private void claim(Instant fireTime, int attempt) {
		Instance dead = new Instance("dead");
		try (LockHandle handle = dead.locks().acquire("nightly", LockOptions.defaults())) {
			String text = new JobRecord(fireTime, JobRecord.State.RUNNING, handle.fencingToken(), 1, fireTime, null,
					attempt, "dead", "")
				.text();
			LockRecord.of(handle).replaceRecord(null, text, Duration.ofDays(1)).join();
		}
	}

	/**
	 * An instance of the application, with a clock of its own.
	 */
	private final class Instance {

		private final AtomicReference<Instant> time = new AtomicReference<>(THREE);

		private final List<JobRun> told = new CopyOnWriteArrayList<>();

		private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

		Instance(String name) {
			this.context.registerBean(EngineSettings.class, () -> EngineSettings.of(name));
			this.context.registerBean(LockStore.class, OncePerFireTimeTests.this.store::connect);
			this.context.registerBean(WallClock.class, () -> this.time::get);
			this.context.registerBean(JobListener.class, () -> this.told::add);
			this.context.registerBean(Nightly.class, () -> new Nightly(name, OncePerFireTimeTests.this.runs));
			this.context.registerBean(Late.class, () -> new Late(name, OncePerFireTimeTests.this.runs));
			this.context.register(DistributedLockConfiguration.class);
			this.context.refresh();
			OncePerFireTimeTests.this.instances.add(this);
		}

		Instance at(Instant now) {
			this.time.set(now);
			return this;
		}

		Nightly nightly() {
			return this.context.getBean(Nightly.class);
		}

		Late late() {
			return this.context.getBean(Late.class);
		}

		LockService locks() {
			return this.context.getBean(LockService.class);
		}

		List<String> told() {
			return this.told.stream()
				.map((run) -> run.outcome() + " " + run.fireTime()
						+ ((run.outcome() != Outcome.MISSED) ? " by " + run.instance() : "")
						+ (run.isRepeated() ? ", repeated" : "")
						+ ((run.fireTimes() > 1) ? ", " + run.fireTimes() + " times" : ""))
				.toList();
		}

	}

	/** How the work of an instance goes. */
	static final class State {

		private RuntimeException failure;

		private Runnable inside = () -> {
		};

		private CompletableFuture<String> future = CompletableFuture.completedFuture("done");

	}

	static class Work {

		private final String instance;

		private final List<String> runs;

		private final State state = new State();

		Work(String instance, List<String> runs) {
			this.instance = instance;
			this.runs = runs;
		}

		public State state() {
			return this.state;
		}

		void work() {
			this.runs.add(this.instance);
			this.state.inside.run();
			if (this.state.failure != null) {
				throw this.state.failure;
			}
		}

	}

	static class Nightly extends Work {

		Nightly(String instance, List<String> runs) {
			super(instance, runs);
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly")
		public void run() {
			work();
		}

		@Scheduled(fixedRate = 60_000)
		@OncePerFireTime(name = "tick", maxHold = "1m")
		public void everyMinute() {
			work();
		}

		@OncePerFireTime(name = "message", fireTime = "#time")
		public void message(Object time) {
			work();
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("later")
		public CompletableFuture<String> later() {
			work();
			return state().future;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("publisher")
		public Mono<String> publisher() {
			work();
			return Mono.fromFuture(state().future);
		}

	}

	static class Late extends Work {

		Late(String instance, List<String> runs) {
			super(instance, runs);
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "late", catchUp = "2h")
		public void run() {
			work();
		}

	}

}
