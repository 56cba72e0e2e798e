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

package io.distributedlock.faults;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.EachKind;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Interrupts at any instant of an acquisition and of a release, on a real Redis.
 */
@Timeout(120)
class InterruptTests {

	/** For each kind of lock. */
	private static final int TRIALS = 150;

	private static final LockOptions LEASE = LockOptions.ofLease(Duration.ofSeconds(30));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final Random random = new Random(42);

	private Instance here;

	private Instance there;

	@BeforeEach
	void start() {
		this.here = bed.instance("here");
		this.there = bed.instance("there");
	}

	@EachKind
	@Shows("Thread interrupted")
	void interruptDuringTheAcquisitionOfAFreeLockLeavesNothing(LockKind kind) throws Exception {
		AtomicInteger thrown = new AtomicInteger();
		for (int trial = 0; trial < TRIALS; trial++) {
			String name = kind.named("free:" + trial);
			Outcome outcome = interrupted(() -> this.here.locks.acquire(name, kind.of(LEASE).withAutoRenew()), 300);
			if (outcome.handle != null) {
				outcome.handle.close();
			}
			else {
				thrown.incrementAndGet();
				assertThat(outcome.failure).isInstanceOf(LockInterruptedException.class);
				// The caller waits for the answer to the release for 0.25 s at most
				await().atMost(TestBed.SOON).until(() -> bed.holder(name) == null);
			}
			assertThat(outcome.flag).isTrue();
			assertThat(bed.holder(name)).isNull();
		}
		assertThat(thrown.get()).isPositive();
		assertThat(this.here.locks.held()).isEmpty();
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@EachKind
	@Shows("Thread interrupted")
	void interruptWhileWaitingForAHeldLockLeavesNothing(LockKind kind) throws Exception {
		String name = kind.named("held");
		LockHandle elsewhere = this.there.locks.acquire(name, LockOptions.ofLease(Duration.ofMinutes(5)));
		for (int trial = 0; trial < TRIALS; trial++) {
			Outcome outcome = interrupted(
					() -> this.here.locks.acquire(name, kind.of(LEASE).withWaitTime(Duration.ofSeconds(30))), 300);
			assertThat(outcome.failure).isInstanceOf(LockInterruptedException.class);
			assertThat(outcome.flag).isTrue();
			// The caller waits for the answer to that for 0.25 s at most
			await().atMost(TestBed.SOON).untilAsserted(() -> {
				assertThat(bed.queueLength(name)).isZero();
				assertThat(bed.number("HLEN", "{lock:" + name + "}:waiting")).isZero();
			});
		}
		elsewhere.close();
		assertThat(bed.holder(name)).isNull();
		assertThat(this.here.locks.waiting()).isEmpty();
	}

	@EachKind
	@Shows("Thread interrupted")
	void interruptedReleaseCompletes(LockKind kind) throws Exception {
		for (int trial = 0; trial < TRIALS; trial++) {
			String name = kind.named("release:" + trial);
			CountDownLatch acquired = new CountDownLatch(1);
			Outcome outcome = interrupted(() -> {
				LockHandle handle = this.here.locks.acquire(name, kind.of(LEASE));
				acquired.countDown();
				handle.close();
				return null;
			}, acquired, 200);
			assertThat(outcome.failure).isNull();
			assertThat(outcome.flag).isTrue();
			assertThat(bed.holder(name)).isNull();
		}
	}

	private Outcome interrupted(Acquisition acquisition, int withinMicros) throws Exception {
		return interrupted(acquisition, new CountDownLatch(0), withinMicros);
	}

	private Outcome interrupted(Acquisition acquisition, CountDownLatch when, int withinMicros) throws Exception {
		AtomicReference<Outcome> outcome = new AtomicReference<>();
		CountDownLatch interrupted = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			LockHandle handle = null;
			Throwable failure = null;
			try {
				handle = acquisition.acquire();
			}
			catch (Throwable ex) {
				failure = ex;
			}
			try {
				// The flag may have been set after the last look at it
				interrupted.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			outcome.set(new Outcome(handle, failure, Thread.currentThread().isInterrupted()));
		});
		thread.start();
		when.await();
		LockSupport.parkNanos(this.random.nextInt(withinMicros * 1000));
		thread.interrupt();
		interrupted.countDown();
		thread.join();
		return outcome.get();
	}

	interface Acquisition {

		LockHandle acquire() throws Exception;

	}

	private record Outcome(LockHandle handle, Throwable failure, boolean flag) {

	}

}
