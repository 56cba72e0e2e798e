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
import io.distributedlock.LockOptions;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.actuate.endpoint.LocksEndpoint.ForceReleaseDescriptor.Outcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LockDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.StoredLocksDescriptor;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.store.StoreReport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.actuate.endpoint.Show;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An operator takes a lock from a holder in another JVM.
 */
@Timeout(120)
class ForcedReleaseTests {

	/** Its renewals would tell the holder only after a third of it. */
	private static final Duration LONG = Duration.ofMinutes(5);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private static RemoteInstance holder;

	private Instance here;

	private LocksEndpoint endpoint;

	@BeforeAll
	static void startJvm() {
		holder = RemoteInstance.start(bed.server(), "holder").awaitReady();
	}

	@AfterAll
	static void endJvm() {
		holder.close();
	}

	@BeforeEach
	void start() {
		this.here = bed.instance("here");
		LocksEndpoint.Sources sources = new LocksEndpoint.Sources(this.here.locks, this.here.locks, this.here.store,
				() -> StoreReport.EMPTY, this.here.locks.instanceId());
		this.endpoint = new LocksEndpoint(() -> sources, List::of, List::of, List::of, InstantSource.system(),
				(event) -> {
				}, Show.ALWAYS);
	}

	@Test
	@Shows({ "Operator takes the lock by force", "Somebody force-releases the lock through the endpoint" })
	void nextWaiterIsServedAndTheOldHolderIsTold() {
		LockKind.forEach((kind) -> {
			String name = kind.named("a/b");
			holder.acquire(name, kind, LONG, Duration.ZERO);
			awaitInboxOfHolder();
			Call<LockHandle> waiting = Call.start(
					() -> this.here.locks.acquire(name, LockOptions.ofLease(LONG).withWaitTime(Duration.ofMinutes(1))));
			bed.awaitQueueLength(name, 1);

			LockDescriptor lock = this.endpoint.lock(name);
			assertThat(lock.holder()).isEqualTo("holder");
			assertThat(lock.heldBy()).isEqualTo(LockInfo.Kind.OTHER_INSTANCE);
			assertThat(lock.queue()).extracting(LockDescriptor.Queued::instance).containsExactly("here");
			StoredLocksDescriptor all = (StoredLocksDescriptor) this.endpoint.locks(LocksEndpoint.Scope.STORE, null);
			assertThat(all.locks()).filteredOn((entry) -> entry.name().equals(name))
				.singleElement()
				.satisfies((entry) -> assertThat(entry.hold()).isEqualTo(lock.hold()));

			assertThat(force(name, "0123456789abcdef")).isEqualTo(Outcome.HELD_BY_ANOTHER);
			assertThat(holder.step(name)).isEqualTo("held");
			assertThat(force(name, lock.hold())).isEqualTo(Outcome.RELEASED);
			assertThat(waiting.get().isHeld()).isTrue();
			assertThat(waiting.took()).isLessThan(TestBed.SOON);
			await().atMost(TestBed.SOON).until(() -> holder.step(name).equals("lost FORCED"));

			holder.release(name);
			assertThat(bed.isHeldBy(this.here, name)).as("the old holder harms nobody").isTrue();
			assertThat(force(name, lock.hold())).as("the hold that was meant is over")
				.isEqualTo(Outcome.HELD_BY_ANOTHER);
			waiting.get().release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("One of several holders taken by force (permits)")
	void forcedReleaseLeavesThePermitOfAnotherHolder() {
		String name = LockKind.PERMITS.named("x");
		holder.acquire(name, LockKind.PERMITS, LONG, Duration.ZERO);
		awaitInboxOfHolder();
		LockOptions two = LockKind.PERMITS.of(LockOptions.ofLease(LONG).withAutoRenew());
		LockHandle beside = this.here.locks.acquire(name, two);
		LockDescriptor lock = this.endpoint.lock(name);
		assertThat(lock.company().nearest()).extracting(LockDescriptor.Holder::holder)
			.containsExactlyInAnyOrder("holder", "here");
		String hold = lock.company()
			.nearest()
			.stream()
			.filter((held) -> "holder".equals(held.holder()))
			.map(LockDescriptor.Holder::hold)
			.findFirst()
			.orElseThrow();
		assertThat(force(name, hold)).isEqualTo(Outcome.RELEASED);
		await().atMost(TestBed.SOON).until(() -> holder.step(name).equals("lost FORCED"));
		beside.extend(LONG);
		assertThat(beside.isHeld()).isTrue();
		assertThat(bed.holders(name)).singleElement()
			.satisfies((token) -> assertThat(token).startsWith(this.here.locks.instanceId()));
		beside.release();
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Messages forged by a client without access to keys")
	void forgedRevocationTakesNothing() {
		LockKind.forEach((kind) -> {
			String name = kind.named("x");
			holder.acquire(name, kind, LONG, Duration.ZERO);
			awaitInboxOfHolder();
			String token = bed.holder(name);
			String inbox = "lock:inbox:" + token.substring(0, token.lastIndexOf(':'));
			for (int i = 0; i < 100; i++) {
				assertThat(bed.number("PUBLISH", inbox, "! " + token + " " + name)).isEqualTo(1);
			}
			assertThat(holder.step(name)).isEqualTo("held");
			assertThat(bed.holder(name)).isEqualTo(token);
			bed.server().cli("DEL", "lock:" + name);
			bed.server().cli("PUBLISH", inbox, "! " + token + " " + name);
			await().atMost(TestBed.SOON).until(() -> holder.step(name).equals("lost FORCED"));
		});
	}

	private Outcome force(String name, String hold) {
		return this.endpoint.forceRelease(name, hold).outcome();
	}

	/**
	 * Who holds a lock for long listens, also if it never waited.
	 */
	private void awaitInboxOfHolder() {
		await().atMost(TestBed.SOON)
			.until(() -> !((List<?>) bed.server().cli("PUBSUB", "CHANNELS", "lock:inbox:holder*")).isEmpty());
	}

}
