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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.FireTimes;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.reactive.ReactiveLockContext;
import io.distributedlock.scheduling.FireTime;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
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

	private final List<JobInstance> instances = new ArrayList<>();

	/** The instances that ran a job, in order. */
	private final List<String> runs = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(JobInstance::close);
		this.store.close();
	}

	@Test
	void fireTimeIsRunByOneOfTwoInstancesWhoseClocksDiffer() {
		JobInstance first = start("first");
		JobInstance second = start("second");
		first.at(THREE).job(Nightly.class).run();
		second.at(THREE.minusSeconds(2)).job(Nightly.class).run();
		second.at(THREE.plus(Duration.ofHours(11))).job(Nightly.class).run();
		assertThat(this.runs).containsExactly("first");
		second.at(NEXT_DAY).job(Nightly.class).run();
		first.at(NEXT_DAY).job(Nightly.class).run();
		assertThat(this.runs).containsExactly("first", "second");
	}

	@Test
	void runThatFailsIsNotRepeated(CapturedOutput output) {
		JobInstance first = start("first");
		first.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.at(THREE).job(Nightly.class)::run);
		start("second").at(THREE).job(Nightly.class).run();
		first.at(THREE).job(Nightly.class).run();
		assertThat(this.runs).containsExactly("first");
		assertThat(first.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by first");
		assertThat(output).contains(
				"The run of job 'nightly' for 2026-11-27T03:00:00Z failed: java.lang.IllegalStateException: planned. It is not repeated, as the job has no catchUp.");
	}

	@Test
	void runEndsAlsoIfItsFailureHasNoText() {
		JobInstance first = start("first");
		first.work().failure = new IllegalStateException() {

			@Override
			public String getMessage() {
				throw new UnsupportedOperationException("planned");
			}

		};
		assertThatIllegalStateException().isThrownBy(first.at(THREE).job(Nightly.class)::run);
		assertThat(record("nightly")).contains("failed");
		assertThat(this.store.find("nightly").join()).isEmpty();
	}

	@Test
	void runWhoseInstanceDiesIsNotRepeatedAndToldWithTheNextOne(CapturedOutput output) {
		start("dead").leave("nightly", THREE, JobRecord.State.RUNNING, 1);
		JobInstance second = start("second");
		second.at(THREE.plusSeconds(40)).job(Nightly.class).run();
		assertThat(this.runs).isEmpty();
		second.at(NEXT_DAY).job(Nightly.class).run();
		assertThat(this.runs).containsExactly("second");
		assertThat(second.told()).containsExactly("ABANDONED 2026-11-27T03:00:00Z by earlier",
				"SUCCEEDED 2026-11-28T03:00:00Z by second");
		assertThat(output).contains(
				"it died, could not record the end, or lost its lock and may go on. It is not repeated. The run for 2026-11-28T03:00:00Z begins now.");
	}

	@Test
	void jobWithCatchUpRepeatsAFailedRunOnce(CapturedOutput output) {
		JobInstance first = start("first");
		JobInstance second = start("second");
		first.work().failure = new IllegalStateException("planned");
		second.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.at(THREE).job(Late.class)::run);
		assertThatIllegalStateException().isThrownBy(second.at(THREE.plusSeconds(1)).job(Late.class)::run);
		first.at(THREE.plusSeconds(2)).job(Late.class).run();
		second.at(THREE.plusSeconds(3)).job(Late.class).run();
		assertThat(this.runs).containsExactly("first", "second");
		assertThat(second.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by second, repeated");
		assertThat(output).containsSubsequence(
				"failed: java.lang.IllegalStateException: planned. It is repeated once, within about a minute, and not after 2026-11-27T05:00:00Z.",
				"The run of job 'late' for 2026-11-27T03:00:00Z is repeated now: it failed on instance 'first'.",
				"It was the repetition, and is not repeated.");
	}

	@Test
	void jobThatSucceededIsNotRepeatedWithCatchUp() {
		JobInstance first = start("first");
		first.at(THREE).job(Late.class).run();
		start("second").at(THREE).job(Late.class).run();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void missedFireTimesAreToldByTheNextRun(CapturedOutput output) {
		JobInstance first = start("first");
		first.at(THREE).job(Nightly.class).run();
		first.at(THREE.plus(Duration.ofDays(4))).job(Nightly.class).run();
		assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first",
				"MISSED 2026-11-30T03:00:00Z, 3 times", "SUCCEEDED 2026-12-01T03:00:00Z by first");
		assertThat(output).contains(
				"Job 'nightly' missed 2026-11-30T03:00:00Z, and 2 fire times before: no instance ran it. The run for 2026-12-01T03:00:00Z begins now. Set catchUp to make up for the newest fire time that was missed.");
	}

	@Test
	void fireTimesAtWhichAnOperatorHeldTheJobAreNotToldAsMissed(CapturedOutput output) {
		JobInstance first = start("first");
		JobInstance second = start("second");
		first.at(THREE).job(Nightly.class).run();
		for (int day = 2; day < 4; day++) {
			held("nightly", first.at(THREE.plus(Duration.ofDays(day))).job(Nightly.class)::run);
		}
		Instant later = THREE.plus(Duration.ofDays(6));
		first.at(later).job(Nightly.class).run();
		assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first",
				"MISSED 2026-11-28T03:00:00Z", "HELD 2026-11-30T03:00:00Z, 2 times",
				"MISSED 2026-12-02T03:00:00Z, 2 times", "SUCCEEDED 2026-12-03T03:00:00Z by first");
		assertThat(output)
			.contains("Job 'nightly' was held by an operator at 2026-11-30T03:00:00Z, and 1 fire times before.");
		held("nightly", first.at(later.plus(Duration.ofDays(1))).job(Nightly.class)::run);
		second.at(later.plus(Duration.ofDays(2))).job(Nightly.class).run();
		assertThat(second.told()).as("an instance that was not refused does not know")
			.containsExactly("MISSED 2026-12-04T03:00:00Z", "SUCCEEDED 2026-12-05T03:00:00Z by second");
		first.at(later.plus(Duration.ofDays(3))).job(Nightly.class).run();
		assertThat(first.told()).endsWith("SUCCEEDED 2026-12-03T03:00:00Z by first",
				"SUCCEEDED 2026-12-06T03:00:00Z by first");
	}

	private void held(String name, Runnable call) {
		LockToken operator = LockToken.ofOperator("elsewhere", "anna", "maintenance");
		this.store.acquire(new AcquireRequest(name, operator, Duration.ofMinutes(1), 1, null)).join();
		call.run();
		this.store.release(name, operator).join();
	}

	@Test
	void callForAFireTimeBeforeTheOneOfTheRecordIsSkipped() {
		JobInstance first = start("first");
		first.at(NEXT_DAY).job(Nightly.class).run();
		start("second").at(THREE).job(Nightly.class).run();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void callThatIsOvertakenIsToldAsAWarningThatNamesTheRun(CapturedOutput output) {
		JobInstance first = start("first");
		first.at(NEXT_DAY.plusMillis(12)).work().inside = () -> first.at(NEXT_DAY.plusMillis(4200));
		first.job(Nightly.class).run();
		start("second").at(THREE).job(Nightly.class).run();
		assertThat(skips(output)).singleElement()
			.asString()
			.contains("WARN")
			.endsWith("Nightly.run is skipped: fire time 2026-11-27T03:00:00Z of job 'nightly' was followed by that of"
					+ " 2026-11-28T03:00:00Z, run by instance 'first' at 2026-11-28T03:00:00.012Z, and succeeded after"
					+ " 4s188ms. This call is late, or the clocks or schedules of the two instances differ: adjust the"
					+ " clocks, or enlarge the pool of the scheduler.");
	}

	@Test
	void callForAFireTimeThatWasRunIsToldAtInfoLevelOnceAMinute(CapturedOutput output) {
		JobInstance first = start("first");
		first.at(THREE.plusMillis(12)).work().inside = () -> first.at(THREE.plusMillis(4200));
		first.job(Nightly.class).run();
		JobInstance second = start("second").at(THREE.plusSeconds(5));
		second.job(Nightly.class).run();
		second.job(Nightly.class).run();
		assertThat(skips(output)).singleElement()
			.asString()
			.contains("INFO")
			.endsWith("Nightly.run is skipped: fire time 2026-11-27T03:00:00Z of job 'nightly' was run by instance"
					+ " 'first' at 2026-11-27T03:00:00.012Z, and succeeded after 4s188ms. Further skips of this job"
					+ " are logged once a minute, and all of them at debug level.");
	}

	private static List<String> skips(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("is skipped")).toList();
	}

	@Test
	void oldAndNewInstancesRunTheirOwnFireTimesWhileADeploymentChangesTheSchedule() {
		JobInstance old = start("old", EveryTwoHours.class);
		JobInstance recent = start("recent", EveryThreeHours.class);
		Instant midnight = THREE.minus(Duration.ofHours(3));
		for (int hour = 0; hour < 10; hour++) {
			Instant now = midnight.plus(Duration.ofHours(hour));
			if (hour % 3 == 0) {
				recent.at(now).job(EveryThreeHours.class).run();
			}
			if (hour % 2 == 0) {
				old.at(now.plusSeconds(2)).job(EveryTwoHours.class).run();
			}
		}
		assertThat(this.runs).containsExactly("recent", "old", "recent", "old", "recent", "old", "recent");
		assertThat(recent.told()).containsExactly("SUCCEEDED 2026-11-27T00:00:00Z by recent",
				"SUCCEEDED 2026-11-27T03:00:00Z by recent", "SUCCEEDED 2026-11-27T06:00:00Z by recent",
				"SUCCEEDED 2026-11-27T09:00:00Z by recent");
		assertThat(old.told()).as("at midnight and at six, the other one was faster")
			.containsExactly("SUCCEEDED 2026-11-27T02:00:00Z by old", "SUCCEEDED 2026-11-27T04:00:00Z by old",
					"SUCCEEDED 2026-11-27T08:00:00Z by old");
	}

	@Test
	void methodThatCallsItselfRunsOnce() {
		JobInstance first = start("first");
		first.at(THREE).work().inside = () -> first.job(Late.class).run();
		first.job(Late.class).run();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void fixedRateIsRunOncePerPeriodAlthoughInstancesFireAtDifferentTimes() {
		JobInstance first = start("first");
		JobInstance second = start("second");
		for (int minute = 0; minute < 5; minute++) {
			first.at(THREE.plusSeconds(60 * minute + 10)).job(Nightly.class).everyMinute();
			second.at(THREE.plusSeconds(60 * minute + 40)).job(Nightly.class).everyMinute();
		}
		assertThat(this.runs).as("at the end, the second one has begun the sixth period").hasSize(6);
	}

	@Test
	void fireTimesAreThoseOfTheZone() {
		JobInstance first = start("first");
		first.at(Instant.parse("2026-11-27T18:00:01Z")).job(Nightly.class).inTokyo();
		assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T18:00:00Z by first");
	}

	@Test
	void fixedRateThatFiresBetweenTwoPeriodsIsNotSkipped() {
		JobInstance first = start("first");
		long[] jitter = { -3, 2, -1, -4, 5, 1, -2 };
		for (int minute = 0; minute < jitter.length; minute++) {
			first.at(THREE.plusSeconds(60 * minute + 30).plusMillis(jitter[minute])).job(Nightly.class).everyMinute();
		}
		assertThat(this.runs).hasSize(jitter.length);
		assertThat(first.told()).hasSize(jitter.length).allMatch((told) -> told.startsWith("SUCCEEDED"));
	}

	@Test
	void expressionGivesTheFireTimeOfACall() {
		Nightly first = start("first").job(Nightly.class);
		Nightly second = start("second").job(Nightly.class);
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
	void jobKnowsForWhichFireTimeItRuns() {
		JobInstance first = start("first");
		List<Optional<Instant>> seen = new CopyOnWriteArrayList<>();
		first.work().inside = () -> seen.add(FireTime.current());
		first.at(THREE.minusSeconds(2)).job(Nightly.class).run();
		first.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.at(THREE).job(Late.class)::run);
		first.work().failure = null;
		first.at(THREE.plus(Duration.ofMinutes(90))).job(Late.class).run();
		first.at(NEXT_DAY).job(Nightly.class).later().join();
		assertThat(seen).extracting(Optional::orElseThrow).containsExactly(THREE, THREE, THREE, NEXT_DAY);
		assertThat(FireTime.current()).as("outside of a job").isEmpty();
		assertThat(first.job(Nightly.class).reactive().block()).isEqualTo(NEXT_DAY);
		AtomicReference<LockHandle> handle = new AtomicReference<>();
		first.at(NEXT_DAY.plus(Duration.ofDays(1))).work().inside = () -> handle
			.set(LockContext.current().orElseThrow());
		first.job(Nightly.class).run();
		assertThat(FireTimes.of(handle.get())).as("the run has ended").isNull();
	}

	@Test
	void methodThatReturnsAFutureEndsWithTheFuture() throws Exception {
		JobInstance first = start("first");
		CompletableFuture<String> work = new CompletableFuture<>();
		first.at(THREE).work().future = work;
		CountDownLatch begun = new CountDownLatch(1);
		first.work().inside = begun::countDown;
		CompletableFuture<String> result = first.job(Nightly.class).later();
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(record("later")).contains("running");
		work.complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(record("later")).contains("succeeded");
		assertThat(start("second").at(THREE).job(Nightly.class).later().join()).isNull();
		first.at(NEXT_DAY).work().future = CompletableFuture.failedFuture(new IllegalStateException("planned"));
		assertThat(first.job(Nightly.class).later()).failsWithin(Duration.ofSeconds(10));
		assertThat(record("later")).contains("failed").contains("java.lang.IllegalStateException");
		assertThat(this.runs).containsExactly("first", "first");
	}

	@Test
	void jobThatIsAsyncKeepsItsLockUntilTheMethodReturns(CapturedOutput output) throws Exception {
		JobInstance first = start("first", Background.class);
		JobInstance second = start("second", Background.class);
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Void> end = new CompletableFuture<>();
		first.work().inside = () -> {
			begun.countDown();
			end.join();
		};
		try {
			first.job(Background.class).run();
			assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
			second.job(Background.class).run();
			await().until(() -> skips(output).size() == 1);
			assertThat(output).containsPattern(
					"Background.run is skipped: lock 'background' is held .*\\. Its fire time is \\d{4}-.*Z\\.");
			assertThat(record("background")).contains("running");
			assertThat(this.store.find("background").join()).isPresent();
		}
		finally {
			end.complete(null);
		}
		await()
			.untilAsserted(() -> assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first"));
		await().until(() -> this.store.find("background").join().isEmpty());
		second.job(Background.class).run();
		await().until(() -> skips(output).size() == 2);
		assertThat(output).contains("of job 'background' was run by instance 'first'");
		// A run that is skipped says so while it still holds the lock
		await().until(() -> this.store.find("background").join().isEmpty());
		second.at(NEXT_DAY).job(Background.class).run();
		await()
			.untilAsserted(() -> assertThat(second.told()).containsExactly("SUCCEEDED 2026-11-28T03:00:00Z by second"));
		assertThat(this.runs).containsExactly("first", "second");
	}

	@Test
	void jobThatIsAsyncKeepsItsLockUntilItsFutureIsDone() throws Exception {
		JobInstance first = start("first", Background.class);
		JobInstance second = start("second", Background.class);
		CompletableFuture<String> work = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		first.work().future = work;
		first.work().inside = begun::countDown;
		CompletableFuture<String> result = first.job(Background.class).later();
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(second.job(Background.class).later()).as("skipped, as the lock is held")
			.succeedsWithin(Duration.ofSeconds(10))
			.isNull();
		assertThat(record("background-later")).contains("running");
		assertThat(this.store.find("background-later").join()).isPresent();
		work.complete("done");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
		assertThat(record("background-later")).contains("succeeded");
		assertThat(this.store.find("background-later").join()).isEmpty();
		assertThat(second.job(Background.class).later()).as("skipped, as it was run")
			.succeedsWithin(Duration.ofSeconds(10))
			.isNull();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void methodThatReturnsAPublisherEndsWithTheSubscription() throws Exception {
		JobInstance first = start("first");
		first.at(THREE).work().future = CompletableFuture.completedFuture("done");
		Mono<String> mono = first.job(Nightly.class).publisher();
		assertThat(this.runs).isEmpty();
		assertThat(mono.block()).isEqualTo("done");
		assertThat(record("publisher")).contains("succeeded");
		assertThat(mono.block()).isNull();
		assertThat(start("second").at(THREE).job(Nightly.class).publisher().block()).isNull();
		first.at(NEXT_DAY).work().future = CompletableFuture.failedFuture(new IllegalStateException("planned"));
		assertThatIllegalStateException().isThrownBy(() -> mono.block());
		assertThat(record("publisher")).contains("failed");
		first.at(NEXT_DAY.plus(Duration.ofDays(1))).work().future = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		first.work().inside = begun::countDown;
		Disposable subscription = mono.subscribe();
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		subscription.dispose();
		await().until(() -> !record("publisher").contains("running"));
		assertThat(record("publisher")).contains("failed").contains("CancellationException");
		assertThat(this.runs).containsExactly("first", "first", "first");
	}

	@Test
	void recordThatSomebodyElseWroteIsRefused() {
		JobInstance first = start("first");
		try (LockHandle handle = first.job(LockService.class).acquire("nightly", LockOptions.defaults())) {
			LockRecord.of(handle).replaceRecord(null, "what is this", Duration.ofDays(1)).join();
		}
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(first.at(THREE).job(Nightly.class)::run)
			.withMessageContaining("'what is this'")
			.withMessageContaining("Delete it in the lock store");
		assertThat(this.runs).isEmpty();
		assertThat(this.store.find("nightly").join()).as("the lock is released").isEmpty();
	}

	@Test
	void runThatLosesItsLockIsNotInTheRecordAsEnded() {
		JobInstance first = start("first");
		first.at(THREE).work().inside = () -> this.store.find("nightly")
			.thenCompose((found) -> this.store.forceRelease("nightly", found.orElseThrow().holder()))
			.join();
		first.job(Nightly.class).run();
		assertThat(record("nightly")).contains("running");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warningThatTheEndCouldNotBeRecordedHasTheMessageOfTheStoreOnly(CapturedOutput output) {
		LockStore refusing = endingRunsWith(
				() -> new LockConfigurationException("nightly", "The test took the permission away.", null));
		JobInstance first = JobInstance.startOn(refusing, "first", THREE, this.runs, Nightly.class);
		this.instances.add(first);
		first.job(Nightly.class).run();
		assertThat(output).contains(
				"The end of the run of job 'nightly' for 2026-11-27T03:00:00Z could not be recorded: The test took the permission away. It is not run again, as it has no catchUp.")
			.doesNotContain("CompletionException", "stopped..", "\tat ");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warningThatTheEndCouldNotBeRecordedEndsWithTheCommandThatTheStoreAdvises(CapturedOutput output) {
		LockStore refusing = endingRunsWith(
				() -> new LockConfigurationException("nightly", "Do this: ACL SETUSER app +get", null));
		JobInstance first = JobInstance.startOn(refusing, "first", THREE, this.runs, Nightly.class);
		this.instances.add(first);
		first.job(Nightly.class).run();
		assertThat(output.toString().lines()).anyMatch((line) -> line.endsWith(
				"could not be recorded: It is not run again, as it has no catchUp. Do this: ACL SETUSER app +get"));
	}

	@Test
	void fixedRateMissesFireTimesAfterARunThatBeganLate() {
		LockStore slow = (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("acquire")) {
						this.instances.get(0).at(THREE.plusSeconds(150));
					}
					return method.invoke(this.store, arguments);
				});
		JobInstance first = JobInstance.startOn(slow, "first", THREE, this.runs, Nightly.class);
		this.instances.add(first);
		first.job(Nightly.class).everyMinute();
		JobInstance second = start("second").at(THREE.plusSeconds(180));
		second.job(Nightly.class).everyMinute();
		assertThat(second.told()).contains("MISSED 2026-11-27T03:02:00Z, 2 times");
		assertThat(this.runs).containsExactly("first", "second");
	}

	@Test
	void recordOutlivesALongOutageOfTheApplication() {
		AtomicLong nanos = new AtomicLong();
		InMemoryLockStore store = new InMemoryLockStore(nanos::get);
		JobInstance first = JobInstance.start("first", store, THREE, this.runs, Nightly.class);
		this.instances.add(first);
		first.job(Nightly.class).run();
		nanos.addAndGet(Duration.ofDays(30).toNanos());
		first.at(THREE.plus(Duration.ofDays(30))).job(Nightly.class).run();
		assertThat(first.told()).contains("MISSED 2026-12-26T03:00:00Z, 29 times");
	}

	@ParameterizedTest
	@CsvSource({ "nightly, 31", "long-catch-up, 62", "monthly, 61" })
	void recordIsKeptForAMonthOrForCatchUpAndTwoPeriodsIfTheseAreLonger(String job, long days) {
		AtomicLong nanos = new AtomicLong();
		InMemoryLockStore store = new InMemoryLockStore(nanos::get);
		JobInstance first = JobInstance.start("first", store, THREE, this.runs, Nightly.class, Rare.class);
		this.instances.add(first);
		first.job(Nightly.class).run();
		first.job(Rare.class).withLongCatchUp();
		first.job(Rare.class).monthly();
		nanos.addAndGet(Duration.ofDays(days).minusMillis(1).toNanos());
		assertThat(store.record(job).join()).isPresent();
		nanos.addAndGet(Duration.ofMillis(1).toNanos());
		assertThat(store.record(job).join()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "RUNNING", "SUCCEEDED", "FAILED" })
	void requestWhoseAnswerIsLostIsRepeated(JobRecord.State lost) {
		AtomicReference<String> next = new AtomicReference<>(lost.name().toLowerCase(Locale.ROOT));
		JobInstance first = JobInstance.startOn(losing(next), "first", THREE, this.runs, Nightly.class, Late.class);
		this.instances.add(first);
		if (lost == JobRecord.State.FAILED) {
			first.work().failure = new IllegalStateException("planned");
			assertThatIllegalStateException().isThrownBy(first.job(Late.class)::run);
		}
		else {
			first.job(Late.class).run();
		}
		assertThat(next).hasNullValue();
		assertThat(record("late")).contains((lost == JobRecord.State.FAILED) ? "failed" : "succeeded");
		assertThat(this.store.find("late").join()).isEmpty();
		assertThat(this.runs).containsExactly("first");
	}

	/**
	 * A store that carries out a change to a state, and loses the answer.
	 */
	private LockStore losing(AtomicReference<String> state) {
		return (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					Object answer = method.invoke(this.store, arguments);
					String lost = state.get();
					if (lost != null && method.getName().equals("replaceRecord")
							&& ((RecordChange) arguments[0]).text().contains(" " + lost + " ")) {
						state.set(null);
						return CompletableFuture
							.failedFuture(new LockUnavailableException("late", "The test lost the answer.", null));
					}
					return answer;
				});
	}

	@Test
	void endOfARunIsRecordedAlthoughTheStoreRefusesRequestsForAWhile() {
		AtomicLong begin = new AtomicLong();
		LockStore refusing = endingRunsWith(() -> {
			begin.compareAndSet(0, System.nanoTime());
			return (System.nanoTime() - begin.get() < Duration.ofMillis(300).toNanos())
					? new LockUnavailableException("late", "The test refuses connections.", null) : null;
		});
		JobInstance first = JobInstance.startOn(refusing, "first", THREE, this.runs, Late.class);
		this.instances.add(first);
		first.job(Late.class).run();
		start("second").at(THREE.plusSeconds(60)).job(Late.class).run();
		assertThat(this.runs).containsExactly("first");
		assertThat(record("late")).contains("succeeded");
	}

	@Test
	void jobAsksAFailingStoreForEightSeconds() {
		assertThat(pausesAtTheEndOfARun((locks) -> {
		})).extracting(Duration::toMillis).containsExactly(250L, 500L, 1000L, 2000L, 4000L);
	}

	@Test
	void jobDoesNotWaitAgainAfterTheShutdownHasTakenItsLock() {
		assertThat(pausesAtTheEndOfARun((locks) -> locks.close(Duration.ZERO))).hasSize(1);
	}

	private List<Duration> pausesAtTheEndOfARun(Consumer<DefaultLockService> during) {
		List<Duration> pauses = new ArrayList<>();
		LockStore refusing = endingRunsWith(
				() -> new LockUnavailableException("late", "The test refuses connections.", null));
		try (DefaultLockService locks = new DefaultLockService(refusing, EngineSettings.of("first"), List.of())) {
			JobProbe job = new JobProbe("late", Duration.ofDays(1), false, null, true, "first", () -> THREE, () -> 0,
					(pause) -> {
						pauses.add(pause);
						during.accept(locks);
						return CompletableFuture.completedFuture(null);
					}, (run) -> {
					}, () -> false);
			WorkGuard call = job.guard();
			LockHandle handle = locks.acquire("late", LockOptions.defaults());
			assertThat(call.begin(handle).join()).isTrue();
			call.end(handle, null).join();
			handle.close();
		}
		return pauses;
	}

	/**
	 * A store that fails to record that a run succeeded.
	 */
	private LockStore endingRunsWith(Supplier<@Nullable RuntimeException> failure) {
		return (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					RuntimeException planned = method.getName().equals("replaceRecord")
							&& ((RecordChange) arguments[0]).text().contains(" succeeded ") ? failure.get() : null;
					return (planned != null) ? CompletableFuture.failedFuture(planned)
							: method.invoke(this.store, arguments);
				});
	}

	@Test
	void recordThatIsGoneAtTheEndIsWrittenAnew() {
		JobInstance first = start("first");
		first.work().inside = () -> {
			// Evicted, and the lock is not
			String holder = this.store.find("nightly").join().orElseThrow().holder();
			this.store
				.replaceRecord(new RecordChange("nightly", LockToken.parse(holder), record("nightly"), "x",
						Duration.ofNanos(1)))
				.join();
		};
		first.job(Nightly.class).run();
		assertThat(record("nightly")).contains("succeeded");
	}

	@Test
	void callThatComesLateDoesNotRepeatAFailedRunBeyondTheHorizon(CapturedOutput output) {
		JobInstance first = start("first");
		first.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.at(THREE).job(Late.class)::run);
		first.at(THREE.plus(Duration.ofHours(2)).plusMillis(1)).job(Late.class).run();
		assertThat(this.runs).hasSize(1);
		assertThat(output).doesNotContain("is repeated now");
		assertThatIllegalStateException().isThrownBy(first.at(THREE.plus(Duration.ofHours(2))).job(Late.class)::run);
	}

	@Test
	void callerThatCallsAgainRepeatsAFailedRunOnceIfTheJobHasCatchUp() {
		JobInstance first = start("first");
		Nightly nightly = first.job(Nightly.class);
		first.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(() -> nightly.message(THREE));
		nightly.message(THREE);
		assertThatIllegalStateException().isThrownBy(() -> nightly.messageAgain(THREE));
		assertThatIllegalStateException().isThrownBy(() -> nightly.messageAgain(THREE));
		nightly.messageAgain(THREE);
		assertThat(this.runs).hasSize(3);
	}

	private String record(String name) {
		return this.store.record(name).join().orElseThrow();
	}

	private JobInstance start(String name) {
		return start(name, Nightly.class, Late.class);
	}

	private JobInstance start(String name, Class<?>... beans) {
		JobInstance instance = JobInstance.start(name, this.store, THREE, this.runs, beans);
		this.instances.add(instance);
		return instance;
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

		@Scheduled(fixedRate = 60_000)
		@OncePerFireTime(name = "tick", maxHold = "1m")
		public void everyMinute() {
			this.work.run();
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "Asia/Tokyo")
		@OncePerFireTime("tokyo")
		public void inTokyo() {
			this.work.run();
		}

		@OncePerFireTime(name = "message", fireTime = "#time")
		public void message(Object time) {
			this.work.run();
		}

		@OncePerFireTime(name = "message-again", fireTime = "#time", catchUp = "2h")
		public void messageAgain(Instant time) {
			this.work.run();
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("later")
		public CompletableFuture<String> later() {
			this.work.run();
			return this.work.future;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("publisher")
		public Mono<String> publisher() {
			this.work.run();
			return Mono.fromFuture(this.work.future);
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("reactive")
		public Mono<Instant> reactive() {
			return Mono.deferContextual((context) -> Mono.justOrEmpty(ReactiveLockContext.fireTime(context)));
		}

	}

	static class Late {

		private final JobInstance.Work work;

		Late(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "late", catchUp = "2h")
		public void run() {
			this.work.run();
		}

	}

	static class Rare {

		private final JobInstance.Work work;

		Rare(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "long-catch-up", catchUp = "60d")
		public void withLongCatchUp() {
			this.work.run();
		}

		@Scheduled(cron = "0 0 3 1 * *", zone = "UTC")
		@OncePerFireTime("monthly")
		public void monthly() {
			this.work.run();
		}

	}

	static class EveryTwoHours {

		private final JobInstance.Work work;

		EveryTwoHours(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 */2 * * *", zone = "UTC")
		@OncePerFireTime("changing")
		public void run() {
			this.work.run();
		}

	}

	static class EveryThreeHours {

		private final JobInstance.Work work;

		EveryThreeHours(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 */3 * * *", zone = "UTC")
		@OncePerFireTime("changing")
		public void run() {
			this.work.run();
		}

	}

	@EnableAsync(proxyTargetClass = true)
	static class Background {

		private final JobInstance.Work work;

		Background(JobInstance.Work work) {
			this.work = work;
		}

		@Async
		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("background")
		public void run() {
			this.work.run();
		}

		@Async
		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("background-later")
		public CompletableFuture<String> later() {
			this.work.run();
			return this.work.future;
		}

	}

}
