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
import java.util.Map;
import java.util.Optional;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The JVM of a holder or of a waiter is killed, or stands still. It has locks of all
 * kinds.
 */
@Timeout(120)
class KilledInstanceTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions PATIENT = LONG.withWaitTime(Duration.ofMinutes(1));

	/** Of those who stand still, no longer than the lease of a grant. */
	private static final Duration LEASE = Duration.ofSeconds(3);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private RemoteInstance holder;

	private RemoteInstance waiter;

	private Instance here;

	private Instance there;

	@BeforeEach
	void startJvms() {
		this.holder = RemoteInstance.start(bed.server(), "holder");
		this.waiter = RemoteInstance.start(bed.server(), "waiter");
		this.here = bed.instance("here");
		this.there = bed.instance("there");
		this.holder.awaitReady();
		this.waiter.awaitReady();
	}

	@AfterEach
	void endJvms() {
		this.holder.close();
		this.waiter.close();
	}

	@Test
	@Shows({ "Holder killed", "Waiter killed or frozen", "A dead holder's lock becomes free" })
	void killedHolderFreesTheLockAtTheEndOfTheLeaseAndKilledWaiterDelaysNoOther() {
		Map<LockKind, Call<LockHandle>> first = LockKind.map((kind) -> {
			this.holder.acquire(kind.named("first"), kind, LONG.lease(), Duration.ZERO);
			return waitFor(this.here, kind.named("first"), 1);
		});
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> this.here.locks.acquire(kind.named("second"), LONG));
		Map<LockKind, Call<LockHandle>> second = LockKind.map((kind) -> {
			this.waiter.bid(kind.named("second"), kind, LONG.lease(), PATIENT.waitTime());
			bed.awaitQueueLength(kind.named("second"), 1);
			return waitFor(this.there, kind.named("second"), 2);
		});
		Map<LockKind, LockHandle> beside = LockKind.map((kind) -> {
			LockHandle handle = this.here.locks.acquire(kind.named("beside"), kind.of(LONG));
			this.waiter.bid(kind.named("beside"), LockKind.EXCLUSIVE, LONG.lease(), PATIENT.waitTime());
			bed.awaitQueueLength(kind.named("beside"), 1);
			return handle;
		});

		this.holder.kill();
		this.waiter.kill();
		await().atMost(TestBed.SOON).until(() -> bed.inboxes("waiter").isEmpty());
		LockKind.forEach((kind) -> {
			Optional<LockHandle> company = this.there.locks.tryAcquire(kind.named("beside"), kind.of(LONG));
			assertThat(company.isPresent()).as("there is room beside the holder").isEqualTo(kind != LockKind.EXCLUSIVE);
			company.ifPresent(LockHandle::release);
			beside.get(kind).release();

			held.get(kind).close();
			assertThat(bed.isHeldBy(this.there, kind.named("second"))).isTrue();
			assertThat(second.get(kind).get().isHeld()).isTrue();
			second.get(kind).get().release();

			assertThat(first.get(kind).isDone()).isFalse();
			bed.endLeases(kind.named("first"));
			assertThat(first.get(kind).get().isHeld()).isTrue();
			first.get(kind).get().release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows({ "Holder paused beyond its lease", "Waiter killed or frozen", "No caller releases the lock of another",
			"The JVM is paused beyond the rest of its lease" })
	void pausedHolderLearnsOfTheLossBeforeTheNextStepAndHarmsNoOther() {
		Map<LockKind, Long> fencingTokens = LockKind.map((kind) -> {
			long fencingToken = this.holder.acquire(kind.named("x"), kind, LEASE, Duration.ZERO);
			assertThat(this.holder.step(kind.named("x"))).isEqualTo("held");
			return fencingToken;
		});
		Map<LockKind, LockHandle> contended = LockKind.map((kind) -> {
			LockHandle handle = this.here.locks.acquire(kind.named("contended"), LONG);
			this.waiter.bid(kind.named("contended"), kind, LEASE, PATIENT.waitTime());
			bed.awaitQueueLength(kind.named("contended"), 1);
			return handle;
		});
		this.holder.freeze();
		this.waiter.freeze();

		// A frozen waiter still looks alive: it is handed the lock, but not for long
		Map<LockKind, Call<LockHandle>> next = LockKind
			.map((kind) -> Call.start(() -> this.here.locks.acquire(kind.named("x"), PATIENT)));
		Map<LockKind, Call<LockHandle>> afterWaiter = LockKind.map((kind) -> {
			Call<LockHandle> call = waitFor(this.there, kind.named("contended"), 2);
			contended.get(kind).close();
			return call;
		});
		LockKind.forEach((kind) -> {
			assertThat(afterWaiter.get(kind).get().isHeld()).isTrue();
			assertThat(next.get(kind).get().isHeld()).isTrue();
		});

		this.holder.thaw();
		LockKind.forEach((kind) -> {
			String name = kind.named("x");
			String token = bed.holder(name);
			assertThat(this.holder.step(name)).startsWith("lost");
			this.holder.release(name);
			assertThat(bed.holder(name)).isEqualTo(token).startsWith(this.here.locks.instanceId());
			assertThat(fencingTokens.get(kind)).isLessThan(next.get(kind).get().fencingToken());
			next.get(kind).get().release();
		});

		// The waiter does not believe in a grant that is over, and waits on
		this.waiter.thaw();
		LockKind.forEach((kind) -> {
			String name = kind.named("contended");
			afterWaiter.get(kind).get().release();
			assertThat(this.waiter.awaitGrant(name)).isGreaterThan(afterWaiter.get(kind).get().fencingToken());
			assertThat(this.waiter.step(name)).isEqualTo("held");
			this.waiter.release(name);
		});
		bed.assertNothingIsLeft();
	}

	/** Waits alone for the lock, so that no holder may be beside it. */
	private static Call<LockHandle> waitFor(Instance instance, String name, int queueLength) {
		Call<LockHandle> call = Call.start(() -> instance.locks.acquire(name, PATIENT));
		bed.awaitQueueLength(name, queueLength);
		return call;
	}

}
