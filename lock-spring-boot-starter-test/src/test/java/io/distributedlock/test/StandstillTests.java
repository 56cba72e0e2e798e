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

package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.test.AutoConfigureDistributedLock.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Standstill} in a real time that is moved by hand as well.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(30)
class StandstillTests {

	private static final LockOptions LEASE = LockOptions.ofLease(Duration.ofSeconds(30));

	private static final LockOptions FOR_EVER = LEASE.withWaitTime(Duration.ofSeconds(Long.MAX_VALUE));

	private final TestClock clock = new TestClock();

	private final DefaultLockService service = new DefaultLockService(new TestLockStore(this.clock, Mode.DENY),
			EngineSettings.of("instance"), List.of(), this.clock);

	private final AtomicLong realTime = new AtomicLong();

	private final Standstill standstill = new Standstill(this.clock, () -> Stream.of(this.service), this::advance,
			this.realTime::get);

	@AfterEach
	void close() {
		this.standstill.close();
		this.service.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 60 })
	void aWaitOfTheTestItselfEndsInRealTimeButAfterFiveSecondsAtMost(int seconds, CapturedOutput output) {
		Duration waitTime = Duration.ofSeconds(seconds);
		FutureTask<LockHandle> test = waitInThread("test", LEASE.withWaitTime(waitTime), true);
		pass(Duration.ofSeconds(Math.min(seconds, 5)).minusMillis(1));
		assertThat(this.clock.nanos()).isZero();
		pass(Duration.ofMillis(1));
		assertThat(this.clock.nanos()).isEqualTo(waitTime.toNanos());
		assertThat(test).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(output).doesNotContain("TestLocks.advance");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void otherWaitsEndAfterFiveSecondsWithAdviceInAWarning(boolean blocking, CapturedOutput output) {
		LockOptions options = LEASE.withWaitTime(Duration.ofSeconds(2));
		Future<LockHandle> waiting = blocking ? waitInThread("worker", options, false)
				: this.service.acquireAsync("a", options);
		pass(Duration.ofMillis(4999));
		assertThat(this.clock.nanos()).isZero();
		pass(Duration.ofMillis(1));
		assertThat(this.clock.nanos()).isEqualTo(options.waitTime().toNanos());
		assertThat(waiting).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(output).contains(blocking ? "Thread 'worker' waited for lock 'a'" : "A future waited for lock 'a'")
			.contains("Call TestLocks.advance(...)");
	}

	@Test
	void aWaitWithoutLimitIsRefusedAfterThirtySeconds() {
		FutureTask<LockHandle> test = waitInThread("test", FOR_EVER, true);
		pass(Duration.ofMillis(29_999));
		assertThat(this.service.waiting()).hasSize(1);
		pass(Duration.ofMillis(1));
		assertThat(this.clock.nanos()).isZero();
		assertThat(test).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("The test waits for lock 'a'")
			.withMessageContaining("stands still");
	}

	@Test
	void aClockThatIsMovedInTimeDoesNotJump() {
		CompletableFuture<LockHandle> future = this.service.acquireAsync("a",
				LEASE.withWaitTime(Duration.ofMinutes(1)));
		for (int i = 1; i <= 10; i++) {
			pass(Duration.ofSeconds(4));
			advance(Duration.ofNanos(1));
		}
		assertThat(this.clock.nanos()).isEqualTo(10);
		assertThat(future).isNotDone();
	}

	/**
	 * Let real time pass, seen at its beginning and its end.
	 */
	private void pass(Duration time) {
		this.standstill.look();
		this.realTime.addAndGet(time.toNanos());
		this.standstill.look();
	}

	private void advance(Duration time) {
		this.clock.moveTo(this.clock.nanos() + time.toNanos());
		this.service.catchUp();
	}

	private FutureTask<LockHandle> waitInThread(String name, LockOptions options, boolean test) {
		FutureTask<LockHandle> waiter = new FutureTask<>(() -> this.service.acquire("a", options));
		Thread thread = new Thread(waiter, name);
		if (test) {
			this.standstill.watch(thread);
		}
		thread.start();
		await().until(() -> this.service.waiting().size() == 1);
		return waiter;
	}

}
