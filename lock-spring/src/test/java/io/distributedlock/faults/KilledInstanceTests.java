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

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The JVM of a holder or of a waiter is killed, or stands still.
 */
@Timeout(120)
class KilledInstanceTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	/** Of those who stand still, no longer than the lease of a grant. */
	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration PATIENT = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private RemoteInstance holder;

	private RemoteInstance waiter;

	private Instance here;

	@BeforeEach
	void startJvms() {
		this.holder = RemoteInstance.start(bed.server(), "holder");
		this.waiter = RemoteInstance.start(bed.server(), "waiter");
		this.here = bed.instance("here");
		this.holder.awaitReady();
		this.waiter.awaitReady();
	}

	@AfterEach
	void endJvms() {
		this.holder.close();
		this.waiter.close();
	}

	@Test
	void theLockOfAKilledHolderIsFreeWhenItsLeaseEndsAndAKilledWaiterDelaysNobody() {
		this.holder.acquire("first", Duration.ofMinutes(5), Duration.ZERO);
		LockHandle held = this.here.locks.acquire("second", LONG);
		Instance there = bed.instance("there");
		this.waiter.bid("second", Duration.ofMinutes(5), PATIENT);
		bed.awaitQueueLength("second", 1);
		Call<LockHandle> second = Call.start(() -> there.locks.acquire("second", LONG.withWaitTime(PATIENT)));
		bed.awaitQueueLength("second", 2);
		Call<LockHandle> first = Call.start(() -> this.here.locks.acquire("first", LONG.withWaitTime(PATIENT)));
		bed.awaitQueueLength("first", 1);

		this.holder.kill();
		this.waiter.kill();
		await().atMost(TestBed.SOON).until(() -> bed.inboxes("waiter").isEmpty());
		held.close();
		assertThat(bed.isHeldBy(there, "second")).isTrue();
		assertThat(second.get().isHeld()).isTrue();
		assertThat(first.isDone()).isFalse();
		bed.server().cli("PEXPIRE", "lock:first", "1");
		assertThat(first.get().isHeld()).isTrue();
		second.get().release();
		first.get().release();
		bed.assertNothingIsLeft();
	}

	@Test
	void aHolderThatStoodStillIsToldBeforeItsNextStepAndHarmsNobody() {
		long fencingToken = this.holder.acquire("x", LEASE, Duration.ZERO);
		assertThat(this.holder.step()).isEqualTo("held");
		LockHandle other = this.here.locks.acquire("contended", LONG);
		this.waiter.bid("contended", LEASE, PATIENT);
		bed.awaitQueueLength("contended", 1);
		this.holder.freeze();
		this.waiter.freeze();

		// A frozen waiter still looks alive: it is handed the lock, but not for long
		Call<LockHandle> next = Call.start(() -> this.here.locks.acquire("x", LONG.withWaitTime(PATIENT)));
		Instance there = bed.instance("there");
		Call<LockHandle> afterWaiter = Call.start(() -> there.locks.acquire("contended", LONG.withWaitTime(PATIENT)));
		bed.awaitQueueLength("contended", 2);
		other.close();
		assertThat(afterWaiter.get().isHeld()).isTrue();
		assertThat(next.get().isHeld()).isTrue();
		String token = bed.holder("x");

		this.holder.thaw();
		assertThat(this.holder.step()).startsWith("lost");
		this.holder.release();
		assertThat(bed.holder("x")).isEqualTo(token).startsWith(this.here.locks.instanceId());
		assertThat(fencingToken).isLessThan(next.get().fencingToken());

		// The waiter does not believe in a grant that is over, and waits on
		this.waiter.thaw();
		afterWaiter.get().release();
		assertThat(Long.parseLong(this.waiter.answer("granted"))).isGreaterThan(afterWaiter.get().fencingToken());
		assertThat(this.waiter.step()).isEqualTo("held");
		this.waiter.release();
		next.get().release();
		bed.assertNothingIsLeft();
	}

}
