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
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.kinds.EachKind;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Several locks at once, all or none, when something comes in between.
 */
@Timeout(120)
class SeveralLocksTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5)).withAutoRenew();

	private static final LockOptions PATIENT = LONG.withWaitTime(Duration.ofMinutes(1));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private Instance here;

	private Instance there;

	@BeforeEach
	void start() {
		this.here = bed.instanceBehindProxy("here");
		this.there = bed.instance("there");
	}

	@EachKind
	@Shows({ "Thread interrupted", "Wait ends, or the instance closes, while waiting" })
	void interruptWhileTheLastIsWaitedForLeavesNothing(LockKind kind) {
		List<String> names = names(kind);
		LockHandle held = this.there.locks.acquire(names.get(2), LONG);
		Call<LockHandle> all = Call.start(() -> this.here.locks.acquireAll(names, kind.of(PATIENT)));
		bed.awaitQueueLength(names.get(2), 1);
		assertThat(this.here.locks.held()).hasSize(2);
		all.interrupt();
		assertThat(all.failure()).isInstanceOf(LockInterruptedException.class);
		assertThat(this.here.locks.held()).isEmpty();
		assertThat(bed.holder(names.get(0))).isNull();
		assertThat(bed.holder(names.get(1))).isNull();
		// The caller waits for the answer to that for 0.25 s at most
		bed.awaitQueueLength(names.get(2), 0);
		held.release();
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows("Thread interrupted")
	void interruptAtAnyMomentLeavesAllOrNothing(LockKind kind) {
		Random random = new Random(7);
		int interrupted = 0;
		for (int trial = 0; trial < 50; trial++) {
			Call<LockHandle> all = Call.start(() -> this.here.locks.acquireAll(names(kind), kind.of(PATIENT)));
			LockSupport.parkNanos(random.nextInt(1_000_000));
			all.interrupt();
			Throwable failure = all.failure();
			if (failure == null) {
				assertThat(this.here.locks.held()).hasSize(3);
				all.get().release();
			}
			else {
				assertThat(failure).isInstanceOf(LockInterruptedException.class);
				interrupted++;
			}
			assertThat(this.here.locks.held()).isEmpty();
			// The caller waits for the answer to the last release for 0.25 s at most
			await().atMost(TestBed.SOON)
				.until(() -> names(kind).stream().allMatch((name) -> bed.holders(name).isEmpty()));
		}
		assertThat(interrupted).isPositive();
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows({ "Wait ends, or the instance closes, while waiting",
			"Wait ends after at least one refusal, by Redis or a local holder" })
	void endedWaitAndRefusingRedisLeaveNothing() {
		LockOptions brief = LONG.withWaitTime(Duration.ofMillis(700));
		TestBed.withEachKind((kind) -> {
			LockHandle held = this.there.locks.acquire(names(kind).get(2), LONG);
			Call<LockHandle> late = Call.start(() -> this.here.locks.acquireAll(names(kind), kind.of(brief)));
			assertThat(late.failure()).isInstanceOf(LockNotAcquiredException.class);
			// One wait for all
			assertThat(late.took()).isBetween(Duration.ofMillis(690), TestBed.SOON);
			held.release();
		});
		bed.assertNothingIsLeft();
		LockKind.forEach((kind) -> {
			bed.proxy.answerNext("lock:" + names(kind).get(2), "-LOADING Redis is loading the dataset in memory");
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.here.locks.acquireAll(names(kind), kind.of(LONG)));
		});
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Waiters get the lock")
	void lockAcquiredAfterALongWaitHasExactlyTheRequestedLease() {
		LockOptions fourSeconds = LockOptions.ofLease(Duration.ofSeconds(4)).withWaitTime(Duration.ofSeconds(30));
		TestBed.withEachKind((kind) -> {
			List<String> names = names(kind);
			String single = kind.named("single");
			String repeated = kind.named("repeated");
			LockHandle held = this.there.locks.acquire(names.get(1), LONG);
			LockHandle other = this.there.locks.acquire(single, LONG);
			Call<LockHandle> all = Call.start(() -> this.here.locks.acquireAll(names, kind.of(fourSeconds)));
			Call<LockHandle> one = Call.start(() -> this.here.locks.acquire(single, kind.of(fourSeconds)));
			bed.awaitQueueLength(names.get(1), 1);
			bed.awaitQueueLength(single, 1);
			// The first one is kept for longer than its lease
			TestBed.always(Duration.ofMillis(4500), () -> bed.isHeldBy(this.here, names.get(0)));
			bed.proxy.answerNext("lock:" + repeated, "-LOADING Redis is loading the dataset in memory");
			bed.proxy.rewriteNextReply("lock:" + repeated, "-LOADING Redis is loading the dataset in memory");
			Call<LockHandle> retried = Call.start(() -> this.here.locks.acquire(repeated, kind.of(fourSeconds)));
			held.release();
			other.release();
			retried.get();
			one.get();
			LockHandle handle = all.get();
			for (String name : List.of(names.get(0), names.get(1), names.get(2), single, repeated)) {
				assertThat(bed.timeToLive(name)).as(name).isBetween(Duration.ofMillis(1), Duration.ofSeconds(4));
			}
			assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(2));
			// A grant that was pushed is short at first
			await().atMost(Duration.ofSeconds(2))
				.until(() -> bed.timeToLive(single).compareTo(Duration.ofSeconds(3)) > 0);
			assertThat(bed.timeToLive(single)).isLessThanOrEqualTo(Duration.ofSeconds(4));
			handle.release();
			one.get().release();
			retried.get().close();
		});
		bed.assertNothingIsLeft();
	}

	private static List<String> names(LockKind kind) {
		return List.of(kind.named("a"), kind.named("b"), kind.named("c"));
	}

}
