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
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.SettableTicker;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link CatchUp}. The time of day is set; most late runs are planned in real
 * time.
 */
class CatchUpTests {

	private static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	private static final Instant DAY_BEFORE = THREE.minus(Duration.ofDays(1));

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<JobInstance> instances = new ArrayList<>();

	private final List<String> runs = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(JobInstance::close);
		this.store.close();
	}

	@Test
	void fireTimeThatNobodyWasUpForIsRunByTheFirstInstanceThatStarts() {
		left(DAY_BEFORE, JobRecord.State.SUCCEEDED, 1);
		JobInstance first = start("first", THREE.plus(Duration.ofMinutes(90)));
		await()
			.untilAsserted(() -> assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first"));
		// The end of a run is told while its lock is still held
		await().until(() -> this.store.find("report").join().isEmpty());
		JobInstance second = start("second", THREE.plus(Duration.ofMinutes(91)));
		await().until(() -> second.job(TestScheduler.class).isIdle());
		first.at(THREE.plus(Duration.ofHours(24))).job(Report.class).write();
		assertThat(this.runs).containsExactly("first", "first");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void runWhoseInstanceDiedIsRepeatedOnceByTheFirstInstanceThatStarts(CapturedOutput output) {
		left(THREE, JobRecord.State.RUNNING, 1);
		JobInstance first = start("first", THREE.plusSeconds(60));
		await()
			.untilAsserted(() -> assertThat(first.told()).containsExactly("ABANDONED 2026-11-27T03:00:00Z by earlier",
					"SUCCEEDED 2026-11-27T03:00:00Z by first, repeated"));
		assertThat(this.runs).containsExactly("first");
		assertThat(output)
			.contains("it died, could not record the end, or lost its lock and may go on. The run is repeated now.");
	}

	@Test
	void secondRunWhoseInstanceDiedIsNotRepeated() {
		left(THREE, JobRecord.State.RUNNING, 2);
		JobInstance first = start("first", THREE.plusSeconds(60));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		assertThat(this.runs).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "RUNNING, 2, 1", "FAILED, 2, 1", "FAILED, 11, 11" })
	void runsThatAStopHasEndedDoNotCount(JobRecord.State state, int attempts, int stopped) {
		JobInstance earlier = start("earlier", THREE);
		await().until(() -> earlier.job(TestScheduler.class).isIdle());
		earlier.leave("report", THREE, state, attempts, stopped);
		earlier.close();
		JobInstance first = start("first", THREE.plusSeconds(60));
		await().untilAsserted(
				() -> assertThat(first.told()).contains("SUCCEEDED 2026-11-27T03:00:00Z by first, repeated"));
	}

	@Test
	void applicationThatItsJobStopsAgainAndAgainDoesNotRunItForever() {
		JobInstance earlier = start("earlier", THREE);
		await().until(() -> earlier.job(TestScheduler.class).isIdle());
		earlier.leave("report", THREE, JobRecord.State.FAILED, 12, 12);
		earlier.close();
		JobInstance first = start("first", THREE.plusSeconds(60));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		assertThat(this.runs).isEmpty();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void runThatFailsBecauseItsInstanceStopsIsRecordedAsSuch(CapturedOutput output) throws Exception {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		Thread stop = new Thread(first::close);
		first.work().inside = () -> {
			stop.start();
			await().until(first::isStopping);
			throw new IllegalStateException("planned.");
		};
		assertThatIllegalStateException().isThrownBy(first.job(Report.class)::write);
		stop.join();
		assertThat(JobRecord.parse(this.store.record("report").join().orElseThrow()))
			.satisfies((record) -> assertThat(record.state()).isEqualTo(JobRecord.State.FAILED))
			.satisfies((record) -> assertThat(record.stopped()).isEqualTo(1));
		assertThat(output).contains(
				"failed: java.lang.IllegalStateException: planned. This instance stops, so the run does not count: another instance repeats it, and not after 2026-11-27T05:00:00Z.");
	}

	@ParameterizedTest
	@EnumSource(names = { "RUNNING", "FAILED" })
	void runThatDidNotSucceedIsNotRepeatedWithoutRepeat(JobRecord.State state) {
		left("invoices", THREE, state, 1);
		JobInstance first = start("first", THREE.plusSeconds(60));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.job(Invoices.class).send();
		assertThat(this.runs).isEmpty();
		assertThat(first.told()).isEmpty();
		first.at(THREE.plus(Duration.ofDays(1))).job(Invoices.class).send();
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void fireTimeThatNobodyWasUpForIsRunLateWithoutRepeat() {
		left("invoices", DAY_BEFORE, JobRecord.State.SUCCEEDED, 1);
		JobInstance first = start("first", THREE.plus(Duration.ofMinutes(90)));
		await()
			.untilAsserted(() -> assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first"));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void runThatFailsWithoutRepeatSaysSoAndPlansNoOther(CapturedOutput output) {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		failsOnce(first);
		assertThatIllegalStateException().isThrownBy(first.job(Invoices.class)::send);
		assertThat(first.job(TestScheduler.class).isIdle()).isTrue();
		assertThat(output).contains("It is not repeated, as the job has repeat = false.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void fireTimeBeyondTheHorizonIsNotRunButToldAsMissedWithTheNextRun(CapturedOutput output) {
		left(DAY_BEFORE, JobRecord.State.SUCCEEDED, 1);
		JobInstance first = start("first", THREE.plus(Duration.ofHours(2)).plusMillis(1));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		assertThat(this.runs).isEmpty();
		first.at(THREE.plus(Duration.ofDays(1))).job(Report.class).write();
		assertThat(first.told()).containsExactly("MISSED 2026-11-27T03:00:00Z",
				"SUCCEEDED 2026-11-28T03:00:00Z by first");
		assertThat(output).contains(
				"Job 'report' missed 2026-11-27T03:00:00Z: no instance ran it. The run for 2026-11-28T03:00:00Z begins now. Its catchUp of 2h makes up for the newest fire time only.");
	}

	@Test
	void newJobIsNotRunLate() {
		JobInstance first = start("first", THREE.plusSeconds(60));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		assertThat(this.runs).isEmpty();
		assertThat(this.store.record("report").join()).isEmpty();
		first.job(Report.class).write();
		assertThat(this.runs).as("a call of the scheduler runs it").hasSize(1);
	}

	@Test
	void onlyTheNewestFireTimeIsCaughtUp() {
		left(THREE.minus(Duration.ofDays(3)), JobRecord.State.SUCCEEDED, 1);
		JobInstance first = start("first", THREE.plusSeconds(60));
		await().untilAsserted(() -> assertThat(first.told()).containsExactly("MISSED 2026-11-26T03:00:00Z, 2 times",
				"SUCCEEDED 2026-11-27T03:00:00Z by first"));
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void fireTimeThatDoesNotExistInSpringIsNotMadeUpFor() {
		Instant last = Instant.parse("2027-03-27T01:30:00Z");
		leftInBerlin(last);
		JobInstance first = inBerlin(Instant.parse("2027-03-28T02:00:00Z"));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		assertThat(this.runs).isEmpty();
		first.at(Instant.parse("2027-03-29T00:30:00Z")).job(Berlin.class).write();
		assertThat(first.told()).as("nothing is told as missed")
			.containsExactly("SUCCEEDED 2027-03-29T00:30:00Z by first");
	}

	@Test
	void timeThatExistsTwiceInAutumnIsRunTwice() {
		leftInBerlin(Instant.parse("2026-10-24T00:30:00Z"));
		JobInstance first = inBerlin(Instant.parse("2026-10-25T00:00:00Z"));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.at(Instant.parse("2026-10-25T00:30:00Z")).job(Berlin.class).write();
		first.at(Instant.parse("2026-10-25T01:30:00Z")).job(Berlin.class).write();
		assertThat(first.told()).containsExactly("SUCCEEDED 2026-10-25T00:30:00Z by first",
				"SUCCEEDED 2026-10-25T01:30:00Z by first");
	}

	private void leftInBerlin(Instant fireTime) {
		JobInstance earlier = inBerlin(fireTime);
		await().until(() -> earlier.job(TestScheduler.class).isIdle());
		earlier.leave("berlin", fireTime, JobRecord.State.SUCCEEDED, 1);
		earlier.close();
	}

	private JobInstance inBerlin(Instant now) {
		JobInstance instance = JobInstance.start("first", this.store, now, this.runs, Berlin.class, Scheduling.class);
		this.instances.add(instance);
		return instance;
	}

	@Test
	void runThatFailsIsRepeatedByTheSameInstanceSomewhatLater() {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		failsOnce(first);
		assertThatIllegalStateException().isThrownBy(first.job(Frequent.class)::write);
		await().untilAsserted(() -> assertThat(first.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by first",
				"SUCCEEDED 2026-11-27T03:00:00Z by first, repeated"));
	}

	@Test
	void instanceThatWasSkippedRunsTheJobWhenTheRunOfAnotherDidNotEnd() throws Exception {
		JobInstance dying = start("dying", THREE);
		JobInstance other = start("other", THREE);
		await().until(() -> other.job(TestScheduler.class).isIdle() && dying.job(TestScheduler.class).isIdle());
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		dying.work().inside = () -> {
			begun.countDown();
			uninterruptibly(end);
		};
		Thread thread = new Thread(dying.job(Frequent.class)::write);
		thread.start();
		try {
			assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
			other.job(Frequent.class).write();
			assertThat(this.runs).containsExactly("dying");
			// As if its lease had ended
			this.store.find("frequent")
				.thenCompose((found) -> this.store.forceRelease("frequent", found.orElseThrow().holder()))
				.join();
			await()
				.untilAsserted(() -> assertThat(other.told()).containsExactly("ABANDONED 2026-11-27T03:00:00Z by dying",
						"SUCCEEDED 2026-11-27T03:00:00Z by other, repeated"));
		}
		finally {
			end.countDown();
			thread.join();
		}
		assertThat(this.runs).containsExactly("dying", "other");
		assertThat(this.store.record("frequent").join().orElseThrow())
			.as("the late end of the first run is not recorded")
			.contains("succeeded")
			.contains("other");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void runThatLosesItsLockIsToldByItsInstanceAtItsEndAndByTheNextRunAsAbandoned(CapturedOutput output) {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.work().inside = () -> {
			first.work().inside = () -> {
			};
			this.store.find("frequent")
				.thenCompose((found) -> this.store.forceRelease("frequent", found.orElseThrow().holder()))
				.join();
			throw new IllegalStateException("planned");
		};
		assertThatIllegalStateException().isThrownBy(first.job(Frequent.class)::write);
		await().untilAsserted(() -> assertThat(first.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by first",
				"ABANDONED 2026-11-27T03:00:00Z by first", "SUCCEEDED 2026-11-27T03:00:00Z by first, repeated"));
		assertThat(output).contains(
				"The run of job 'frequent' for 2026-11-27T03:00:00Z ended on this instance, which could not record that. The run is repeated now.")
			.doesNotContain("did not end the run", "\tat ");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lossOfALockIsExplainedOnce(CapturedOutput output) {
		JobInstance first = JobInstance.start("first", this.store, THREE, this.runs, Limited.class, Scheduling.class);
		this.instances.add(first);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.work().inside = () -> {
			first.work().inside = () -> {
			};
			LockHandle handle = LockContext.current().orElseThrow();
			while (handle.isHeld()) {
				Thread.onSpinWait();
			}
			handle.assertHeld();
		};
		assertThatExceptionOfType(LockLostException.class).isThrownBy(first.job(Limited.class)::write)
			.withMessageEndingWith("was reached: raise maxHold, or find out why the work takes so long.");
		await().untilAsserted(() -> assertThat(first.told()).hasSize(3));
		assertThat(output.toString().lines().filter((line) -> line.contains(" ERROR "))).singleElement()
			.asString()
			.contains("Its maximum hold of 500ms was reached")
			.endsWith("Unless the work is interrupted, it goes on beside the next holder.");
		assertThat(output).contains(
				"The run of job 'limited' for 2026-11-27T03:00:00Z failed: its lock was lost. An instance may run it once more,")
			.doesNotContain("could not be recorded")
			.containsOnlyOnce("maximum hold")
			.doesNotContain("\tat ");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void callThatFailsWhileItsInstanceStopsIsLeftToAnother(CapturedOutput output) throws Exception {
		AtomicBoolean away = new AtomicBoolean();
		JobInstance first = JobInstance.startOn(failing("acquire", away::get), "first", THREE, this.runs,
				Frequent.class, Report.class);
		Thread stop = new Thread(first::close);
		first.work().inside = () -> {
			away.set(true);
			stop.start();
			await().until(first::isStopping);
			first.job(Report.class).write();
		};
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(first.job(Frequent.class)::write);
		stop.join();
		assertThat(output.toString().lines().filter((line) -> line.contains("did not begin"))).singleElement()
			.asString()
			.endsWith(" This instance stops: another one may run it until 2026-11-27T05:00:00Z.");
	}

	@Test
	void jobThatAnotherInstanceRunsIsAskedForAtMostOncePerLease() {
		Duration lease = Duration.ofMinutes(10);
		SettableTicker ticker = new SettableTicker();
		LockToken running = new LockToken("running", 1);
		List<Instant> questions = new ArrayList<>();
		try (InMemoryLockStore moved = new InMemoryLockStore(ticker::nanos);
				JobInstance other = JobInstance.startOn(
						asked(moved, () -> questions.add(THREE.plusNanos(ticker.nanos()))), "other", THREE, this.runs,
						Report.class, MovedScheduling.class)) {
			MovedScheduler scheduler = other.job(MovedScheduler.class);
			moved.acquire(new AcquireRequest("report", running, lease, 1, null)).join();
			List<Instant> ends = new ArrayList<>();
			for (Instant now = THREE; now.isBefore(THREE.plus(Duration.ofHours(1))); now = now.plusSeconds(1)) {
				// As an instance renews it: after each third of the lease
				if (Duration.between(THREE, now).toSeconds() % 200 == 0) {
					moved.extend(List.of(new LeaseExtension("report", running, lease, LeaseExtension.Mode.EXACTLY, 1)))
						.forEach(CompletableFuture::join);
				}
				Instant end = now.plus(moved.find("report").join().orElseThrow().remaining());
				other.at(now);
				if (scheduler.runDue(now)) {
					ends.add(end);
				}
				ticker.advance(Duration.ofSeconds(1));
			}
			assertThat(questions).as("in an hour").hasSameSizeAs(ends).hasSizeBetween(5, 9);
			for (int i = 1; i < questions.size(); i++) {
				assertThat(questions.get(i)).as("after the end of the lease that was known")
					.isAfterOrEqualTo(ends.get(i - 1));
			}
			assertThat(this.runs).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "acquire, The store is away.", "replaceRecord, The lock was lost before the run" })
	@ExtendWith(OutputCaptureExtension.class)
	void outageIsOneLineForAllLateAttempts(String request, String message, CapturedOutput output) {
		left(DAY_BEFORE, JobRecord.State.SUCCEEDED, 1);
		AtomicBoolean away = new AtomicBoolean(true);
		JobInstance first = JobInstance.startOn(failing(request, away::get), "first", THREE, this.runs, Report.class,
				MovedScheduling.class);
		this.instances.add(first);
		MovedScheduler scheduler = first.job(MovedScheduler.class);
		for (int minute = 0; minute <= 4; minute += 2) {
			Instant now = THREE.plus(Duration.ofMinutes(minute));
			assertThat(first.at(now).job(MovedScheduler.class).runDue(now)).isTrue();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("Job 'report'"))).hasSize(1)
			.allSatisfy((line) -> assertThat(line).contains(" WARN ")
				.contains("Job 'report' may still be due for 2026-11-27T03:00:00Z: ")
				.contains(message)
				.endsWith(" It is tried again until 2026-11-27T05:00:00Z."));
		assertThat(output).doesNotContain("\tat ");
		assertThatExceptionOfType(LockUnavailableException.class).as("a call of Spring's scheduler")
			.isThrownBy(first.job(Report.class)::write);
		assertThat(output.toString().lines().filter((line) -> line.contains("did not begin"))).singleElement()
			.asString()
			.contains(" WARN ", "Job 'report' did not begin for 2026-11-27T03:00:00Z: ", message)
			.endsWith(" It is tried again until 2026-11-27T05:00:00Z.");
		assertThat(scheduler.runDue(THREE.plus(Duration.ofMinutes(6)))).isTrue();
		assertThat(output.toString().lines().filter((line) -> line.contains("may still be due"))).hasSize(1);
		assertThat(this.runs).isEmpty();
		away.set(false);
		first.work().failure = new LockUnavailableException("other", "The work failed.", null);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> scheduler.runDue(THREE.plus(Duration.ofMinutes(8))))
			.withMessageContaining("The work failed.");
		assertThat(this.runs).containsExactly("first");
	}

	@Test
	void outageAtTheFireTimeHasAStackForAllCallersButSpringsScheduler() throws Exception {
		JobInstance first = JobInstance.startOn(
				failing("acquire", () -> true,
						() -> new LockUnavailableException("report", "The store is away.",
								new IllegalStateException("Connection refused"))),
				"first", THREE, this.runs, Report.class, MovedScheduling.class);
		this.instances.add(first);
		Report job = first.job(Report.class);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(new ScheduledMethodRunnable(job, "write")::run)
			.satisfies((ex) -> assertThat(ex.getStackTrace()).isEmpty())
			.withMessage("The store is away.")
			.havingCause()
			.satisfies((ex) -> assertThat(ex.getStackTrace()).isEmpty())
			.withMessage("Connection refused");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(job::write)
			.satisfies((ex) -> assertThat(ex.getStackTrace()).isNotEmpty());
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lateAttemptThatFailsForAnotherReasonIsToldAgain(CapturedOutput output) {
		AtomicReference<String> reason = new AtomicReference<>("The store is away.");
		JobInstance first = JobInstance.startOn(
				failing("acquire", () -> true, () -> new LockUnavailableException("report", reason.get(), null)),
				"first", THREE, this.runs, Report.class, MovedScheduling.class);
		this.instances.add(first);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(first.job(Report.class)::write);
		for (int minute = 2; minute <= 8; minute += 2) {
			reason.set((minute < 6) ? "The store is away." : "The store starts.");
			assertThat(first.job(MovedScheduler.class).runDue(THREE.plus(Duration.ofMinutes(minute)))).isTrue();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("Job 'report'"))).hasSize(2)
			.last(InstanceOfAssertFactories.STRING)
			.contains(" WARN ", "may still be due for 2026-11-27T03:00:00Z: The store starts.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void promisedRunThatDoesNotComeAsTheRecordIsGoneIsToldOnce(CapturedOutput output) {
		AtomicBoolean away = new AtomicBoolean(true);
		JobInstance first = JobInstance.startOn(failing("acquire", away::get), "first", THREE, this.runs, Report.class,
				MovedScheduling.class);
		this.instances.add(first);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(first.job(Report.class)::write);
		away.set(false);
		MovedScheduler scheduler = first.job(MovedScheduler.class);
		assertThat(scheduler.runDue(THREE.plusSeconds(60))).isTrue();
		first.job(Jobs.class).stop();
		first.job(Jobs.class).start();
		assertThat(scheduler.runDue(THREE.plusSeconds(120))).as("an attempt that nobody was promised").isTrue();
		assertThat(this.runs).isEmpty();
		assertThat(output.toString().lines().filter((line) -> line.contains("is not run late for"))).singleElement()
			.asString()
			.contains(" WARN ",
					"Job 'report' is not run late for 2026-11-27T03:00:00Z: the lock store has no record of the job,")
			.endsWith(" Check whether its work is done, and do it by hand if not.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void fireTimeThatThisInstanceHasRunIsNotAskedForOnceMore(CapturedOutput output) {
		AtomicBoolean away = new AtomicBoolean();
		JobInstance first = JobInstance.startOn(failing("acquire", away::get), "first", THREE, this.runs, Report.class,
				MovedScheduling.class);
		this.instances.add(first);
		MovedScheduler scheduler = first.job(MovedScheduler.class);
		assertThat(scheduler.runDue(THREE)).isTrue();
		LockToken other = new LockToken("other", 1);
		this.store.acquire(new AcquireRequest("report", other, Duration.ofSeconds(30), 1, null)).join();
		first.job(Report.class).write();
		this.store.release("report", other).join();
		first.job(Report.class).write();
		assertThat(this.runs).containsExactly("first");
		away.set(true);
		Instant later = THREE.plusSeconds(60);
		assertThat(first.at(later).job(MovedScheduler.class).runDue(later)).as("the look that the skip planned")
			.isTrue();
		assertThat(output).doesNotContain("may still be due");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lookForALateRunThatFindsTheLockHeldIsNotToldAsASkippedFireTime(CapturedOutput output) {
		LockToken other = new LockToken("other", 1);
		this.store.acquire(new AcquireRequest("report", other, Duration.ofSeconds(30), 1, null)).join();
		start("first", THREE.plusSeconds(60));
		await().untilAsserted(() -> assertThat(output).contains("Report.write is skipped: lock 'report' is held by",
				"It only looked whether a late run for 2026-11-27T03:00:00Z is due."));
		assertThat(output).doesNotContain("Its fire time is");
	}

	@Test
	void runOfOneNameDoesNotStandForThatOfAnother() {
		JobInstance first = JobInstance.start("first", this.store, THREE, this.runs, PerTenant.class,
				MovedScheduling.class);
		this.instances.add(first);
		PerTenant job = first.job(PerTenant.class);
		job.write();
		job.of("b");
		first.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(job::write);
		first.work().failure = null;
		assertThat(this.runs).hasSize(2);
		Instant later = THREE.plusSeconds(90);
		assertThat(first.at(later).job(MovedScheduler.class).runDue(later)).isTrue();
		assertThat(this.runs).as("the failed run is repeated").hasSize(3);
	}

	@ParameterizedTest
	@CsvSource({ "The password is wrong., The password is wrong. It is tried again until 2026-11-27T05:00:00Z.",
			"Do this: +get, It is tried again until 2026-11-27T05:00:00Z. Do this: +get" })
	@ExtendWith(OutputCaptureExtension.class)
	void refusalThatLastsIsToldAsAnOutageIs(String refusal, String told, CapturedOutput output) {
		left(DAY_BEFORE, JobRecord.State.SUCCEEDED, 1);
		JobInstance first = JobInstance.startOn(refusing(refusal), "first", THREE, this.runs, Report.class,
				MovedScheduling.class);
		this.instances.add(first);
		MovedScheduler scheduler = first.job(MovedScheduler.class);
		assertThat(scheduler.runDue(THREE)).isTrue();
		assertThat(output.toString().lines().filter((line) -> line.contains("Job 'report'"))).singleElement()
			.asString()
			.contains(" WARN ", "may still be due for 2026-11-27T03:00:00Z: ")
			.endsWith(": " + told);
		assertThat(this.runs).isEmpty();
	}

	/** Return a store that refuses its client. */
	private LockStore refusing(String refusal) {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> method.getName().equals("acquire")
						? CompletableFuture.failedFuture(new LockConfigurationException("report", refusal, null))
						: method.invoke(this.store, arguments));
	}

	/**
	 * Return a store that for a while gives no lock, or forgets it before the work
	 * begins.
	 */
	private LockStore failing(String request, BooleanSupplier away) {
		return failing(request, away, () -> new LockUnavailableException("report", "The store is away.", null));
	}

	private LockStore failing(String request, BooleanSupplier away, Supplier<LockUnavailableException> failure) {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (!away.getAsBoolean() || !method.getName().equals(request)) {
						return method.invoke(this.store, arguments);
					}
					return request.equals("acquire") ? CompletableFuture.failedFuture(failure.get())
							: CompletableFuture.completedFuture(new RecordChange.Outcome.NotHeld());
				});
	}

	/**
	 * Return a store that tells of each request for a lock.
	 */
	private static LockStore asked(LockStore store, Runnable asked) {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("acquire")) {
						asked.run();
					}
					return method.invoke(store, arguments);
				});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void jobThatAnOperatorHeldIsRunWhenTheHoldEndsEarly(CapturedOutput output) {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.job(Frequent.class).write();
		LockToken operator = LockToken.ofOperator("shop-1", "anna", "maintenance");
		this.store.acquire(new AcquireRequest("frequent", operator, Duration.ofHours(1), 1, null)).join();
		first.at(THREE.plusSeconds(60)).job(Frequent.class).write();
		assertThat(this.runs).hasSize(1);
		assertThat(output).contains("held by operator 'anna' (maintenance)");
		this.store.release("frequent", operator).join();
		await().untilAsserted(() -> assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first",
				"SUCCEEDED 2026-11-27T03:01:00Z by first"));
	}

	private static void uninterruptibly(CountDownLatch latch) {
		try {
			latch.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void instanceThatStopsRunsNothingLate() {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.work().failure = new IllegalStateException("planned");
		assertThatIllegalStateException().isThrownBy(first.job(Frequent.class)::write);
		assertThat(first.job(TestScheduler.class).isIdle()).isFalse();
		first.job(Jobs.class).stop();
		assertThat(first.job(TestScheduler.class).isIdle()).isTrue();
		first.job(Jobs.class).start();
		await().untilAsserted(() -> assertThat(this.runs).as("as soon as it starts again").hasSize(2));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void withoutSchedulingTheStartSaysThatOnce(CapturedOutput output) {
		this.instances.add(JobInstance.start("first", this.store, THREE, this.runs, Report.class));
		assertThat(output.toString().lines().filter((line) -> line.contains("'report'"))).singleElement()
			.asString()
			.endsWith(
					"Spring calls no @Scheduled method on this instance, so these jobs are not called here at their fire times, nor late: 'report'. Add @EnableScheduling to a configuration class, unless only other instances are to run them.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void withASchedulerButWithoutSchedulingJobsAreOnlyRunLate(CapturedOutput output) {
		this.instances
			.add(JobInstance.start("first", this.store, THREE, this.runs, MovedScheduling.class, Report.class));
		assertThat(output.toString().lines().filter((line) -> line.contains("'report'"))).singleElement()
			.asString()
			.contains("are not called here at their fire times: 'report'.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void withoutASchedulerTheStartSaysThatNothingIsRunLate(CapturedOutput output) {
		this.instances.add(JobInstance.start("first", this.store, THREE, this.runs, Report.class,
				ScheduledAnnotationBeanPostProcessor.class));
		assertThat(output.toString().lines().filter((line) -> line.contains("'report'"))).singleElement()
			.asString()
			.contains(
					"Job 'report' is not run late on this instance, although it has catchUp: there is no TaskScheduler bean.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void withSeveralBeansOfOneClassTheStartSaysThatNothingIsRunLate(CapturedOutput output) {
		this.instances
			.add(JobInstance.start("first", this.store, THREE, this.runs, Scheduling.class, TwoReports.class));
		assertThat(output).contains("several beans have it (one, other), and one of them runs each fire time.");
	}

	@Test
	void jobOfALazyBeanIsRunLateWhenItsBeanIsThere() {
		left(DAY_BEFORE, JobRecord.State.SUCCEEDED, 1);
		JobInstance first = JobInstance.start("first", this.store, THREE.plusSeconds(60), this.runs, Scheduling.class,
				LazyReport.class);
		this.instances.add(first);
		first.job(Report.class);
		await().untilAsserted(() -> assertThat(this.runs).containsExactly("first"));
	}

	@Test
	void jobWhoseRunTakesLongerThanItsPeriodIsRunForTheNewestFireTimeAfterwards() {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.work().inside = () -> first.at(THREE.plusSeconds(61)).work().inside = () -> {
		};
		first.job(Frequent.class).write();
		await().untilAsserted(() -> assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first",
				"SUCCEEDED 2026-11-27T03:01:00Z by first"));
	}

	@Test
	void failedRunForAFireTimeThatCameBeforeItsTimeIsRepeated() {
		JobInstance first = start("first", THREE.plusMillis(58_500));
		await().until(() -> first.job(TestScheduler.class).isIdle());
		failsOnce(first);
		assertThatIllegalStateException().isThrownBy(first.job(Frequent.class)::write);
		first.at(THREE.plusSeconds(60));
		await().untilAsserted(() -> assertThat(first.told()).containsExactly("FAILED 2026-11-27T03:01:00Z by first",
				"SUCCEEDED 2026-11-27T03:01:00Z by first, repeated"));
	}

	private static void failsOnce(JobInstance instance) {
		instance.work().inside = () -> {
			instance.work().inside = () -> {
			};
			throw new IllegalStateException("planned");
		};
	}

	@Test
	void jobThatFailsWhileItsSchedulerStopsThrowsItsOwnException() {
		JobInstance first = start("first", THREE);
		await().until(() -> first.job(TestScheduler.class).isIdle());
		first.work().failure = new IllegalStateException("planned");
		first.work().inside = first.job(TestScheduler.class)::shutdown;
		assertThatIllegalStateException().isThrownBy(first.job(Frequent.class)::write).withMessage("planned");
		assertThat(this.store.find("frequent").join()).isEmpty();
	}

	private void left(Instant fireTime, JobRecord.State state, int attempt) {
		left("report", fireTime, state, attempt);
	}

	private void left(String job, Instant fireTime, JobRecord.State state, int attempt) {
		JobInstance earlier = start("earlier", fireTime);
		await().until(() -> earlier.job(TestScheduler.class).isIdle());
		earlier.leave(job, fireTime, state, attempt);
		earlier.close();
	}

	private JobInstance start(String name, Instant now) {
		JobInstance instance = JobInstance.start(name, this.store, now, this.runs, Report.class, Frequent.class,
				Invoices.class, Scheduling.class);
		this.instances.add(instance);
		return instance;
	}

	@Configuration(proxyBeanMethods = false)
	static class Scheduling {

		@Bean
		TestScheduler taskScheduler() {
			return new TestScheduler();
		}

	}

	@SuppressWarnings("serial")
	static class TestScheduler extends ThreadPoolTaskScheduler {

		TestScheduler() {
			setRemoveOnCancelPolicy(true);
		}

		boolean isIdle() {
			return getScheduledThreadPoolExecutor().getQueue().isEmpty() && getActiveCount() == 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MovedScheduling {

		@Bean
		MovedScheduler taskScheduler() {
			return new MovedScheduler();
		}

	}

	/**
	 * Plans one task at a time, and runs it when the test says that its time has come.
	 */
	@SuppressWarnings("serial")
	static class MovedScheduler extends TestScheduler {

		private @Nullable Runnable task;

		private Instant time = THREE;

		MovedScheduler() {
			setClock(Clock.fixed(THREE, ZoneOffset.UTC));
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, Instant time) {
			assertThat(this.task).isNull();
			this.task = task;
			this.time = time;
			return mock(ScheduledFuture.class);
		}

		boolean runDue(Instant now) {
			setClock(Clock.fixed(now, ZoneOffset.UTC));
			Runnable due = this.time.isAfter(now) ? null : this.task;
			if (due != null) {
				this.task = null;
				due.run();
			}
			return due != null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoReports {

		@Bean
		Report one(JobInstance.Work work) {
			return new Report(work);
		}

		@Bean
		Report other(JobInstance.Work work) {
			return new Report(work);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyReport {

		@Bean
		@Lazy
		Report report(JobInstance.Work work) {
			return new Report(work);
		}

	}

	static class Report {

		private final JobInstance.Work work;

		Report(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "report", catchUp = "2h")
		public void write() {
			this.work.run();
		}

	}

	static class Frequent {

		private final JobInstance.Work work;

		Frequent(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 * * * * *", zone = "UTC")
		@OncePerFireTime(name = "frequent", catchUp = "10s", timeout = "2s")
		public void write() {
			this.work.run();
		}

	}

	static class PerTenant {

		private final JobInstance.Work work;

		private volatile String tenant = "a";

		PerTenant(JobInstance.Work work) {
			this.work = work;
		}

		public String tenant() {
			return this.tenant;
		}

		public void of(String tenant) {
			this.tenant = tenant;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "report:#{#root.target.tenant()}", catchUp = "2h")
		public void write() {
			this.work.run();
		}

	}

	static class Limited {

		private final JobInstance.Work work;

		Limited(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 * * * * *", zone = "UTC")
		@OncePerFireTime(name = "limited", catchUp = "10s", timeout = "500ms", maxHold = "500ms")
		public void write() {
			this.work.run();
		}

	}

	static class Invoices {

		private final JobInstance.Work work;

		Invoices(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "invoices", catchUp = "2h", repeat = false)
		public void send() {
			this.work.run();
		}

	}

	static class Berlin {

		private final JobInstance.Work work;

		Berlin(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
		@OncePerFireTime(name = "berlin", catchUp = "3h")
		public void write() {
			this.work.run();
		}

	}

}
