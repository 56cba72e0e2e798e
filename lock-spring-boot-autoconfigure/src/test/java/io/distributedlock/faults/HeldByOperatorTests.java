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
import java.time.InstantSource;
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.actuate.endpoint.LocksEndpoint.ForceReleaseDescriptor.Outcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor.HoldOutcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LockDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.WhenHeld;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.store.StoreReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.actuate.endpoint.Show;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An operator holds a lock for a time, in Redis.
 */
@EachClient
@Timeout(120)
class HeldByOperatorTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	HeldByOperatorTests(ClientLibrary client) {
		bed.use(client);
	}

	private static LocksEndpoint endpointOf(Instance instance) {
		LocksEndpoint.Sources sources = new LocksEndpoint.Sources(instance.locks, instance.locks, instance.store,
				() -> StoreReport.EMPTY, instance.locks.instanceId());
		return new LocksEndpoint(() -> sources, List::of, List::of, List::of, InstantSource.system(), (event) -> {
		}, Show.ALWAYS);
	}

	@Test
	void everyKindOfCallerIsRefusedWithTheReasonAlsoAfterTheInstanceHasEnded() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockKind.forEach((kind) -> {
			String name = kind.named("a");
			assertThat(endpointOf(there).hold(name, "10m", "maintenance", null, null).outcome())
				.isEqualTo(HoldOutcome.HELD);
		});
		there.locks.close();
		there.store.close();
		LockKind.forEach((kind) -> {
			String name = kind.named("a");
			LockOptions options = kind.of(LockOptions.ofLease(MINUTE));
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> here.locks.acquire(name, options))
				.withMessageContaining("held by operator 'JMX' (maintenance)");
			LockDescriptor lock = endpointOf(here).lock(name);
			assertThat(lock.heldBy()).isEqualTo(LockInfo.Kind.OPERATOR);
			Call<LockHandle> waiting = Call.start(() -> here.locks.acquire(name, options.withWaitTime(MINUTE)));
			bed.awaitQueueLength(name, 1);
			assertThat(endpointOf(here).forceRelease(name, lock.hold()).outcome()).isEqualTo(Outcome.RELEASED);
			assertThat(waiting.get().isHeld()).isTrue();
			assertThat(waiting.took()).as("the waiter is served at once").isLessThan(TestBed.SOON);
			waiting.get().release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	void operatorGetsTheLockAfterThePresentHoldersOfEachKindAndBeforeLaterWaiters() {
		Instance here = bed.instance("here");
		Instance third = bed.instance("third");
		LocksEndpoint endpoint = endpointOf(bed.instance("there"));
		LockKind.forEach((kind) -> {
			String name = kind.named("a");
			LockOptions options = kind.of(LockOptions.ofLease(MINUTE));
			LockHandle handle = here.locks.acquire(name, options);
			HoldDescriptor waits = endpoint.hold(name, "10m", "maintenance", WhenHeld.WAIT, null);
			assertThat(waits.outcome()).isEqualTo(HoldOutcome.WAITING);
			Call<LockHandle> later = Call.start(() -> third.locks.acquire(name, options.withWaitTime(MINUTE)));
			bed.awaitQueueLength(name, 2);
			assertThat(handle.isHeld()).isTrue();
			handle.release();
			LockDescriptor lock = endpoint.lock(name);
			assertThat(lock.hold()).isEqualTo(waits.hold());
			assertThat(lock.remaining()).as("its whole time, without a further request")
				.isGreaterThan(Duration.ofMinutes(9));
			assertThat(endpoint.forceRelease(name, waits.hold()).outcome()).isEqualTo(Outcome.RELEASED);
			later.get().release();
		});
		endpoint.close();
		bed.assertNothingIsLeft();
	}

}
