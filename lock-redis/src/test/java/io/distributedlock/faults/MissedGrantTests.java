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

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.Fault;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * The message that hands a lock over to a waiter does not arrive.
 */
@EachClient
@Timeout(120)
class MissedGrantTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private Map<LockKind, LockHandle> held;

	private Instance there;

	private Map<LockKind, Call<LockHandle>> waiting;

	private final ClientLibrary client;

	MissedGrantTests(ClientLibrary client) {
		this.client = client;
		bed.use(client);
	}

	@BeforeEach
	void oneHoldsAndOneWaits() {
		Instance here = bed.instance("here");
		this.there = bed.instanceBehindProxy("there");
		this.held = LockKind.map((kind) -> here.locks.acquire(kind.named("x"), LONG));
		this.waiting = LockKind.map((kind) -> {
			Call<LockHandle> call = Call.start(
					() -> this.there.locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(Duration.ofMinutes(1))));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		bed.awaitInbox(this.there);
	}

	@Test
	@Shows({ "Message to a waiter lost, subscription cut", "Waiters get the lock" })
	void lostGrantIsFoundWithinASecond() {
		LockKind.forEach((kind) -> {
			Fault fault = bed.proxy.loseNextMessage(kind.named("x"));
			this.held.get(kind).close();
			assertThat(bed.isHeldBy(this.there, kind.named("x"))).isTrue();
			fault.awaitStrike(TestBed.SOON);
		});
		assertAllAreGranted();
		LockKind.forEach((kind) -> this.waiting.get(kind).get().release());
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Message to a waiter lost, subscription cut")
	void waiterWithoutASubscriptionIsPassedOverAndReturnsWithinASecond() {
		assumeThat(this.client).as("Jedis subscribes with any connection of its pool").isEqualTo(ClientLibrary.LETTUCE);
		bed.proxy.refuseConnections();
		disconnectSubscribers();
		LockKind.forEach((kind) -> this.held.get(kind).close());
		assertAllAreGranted();
		LockKind.forEach((kind) -> this.waiting.get(kind).get().release());
	}

	@Test
	@Shows("Message to a waiter lost, subscription cut")
	void cutSubscriptionIsRestored() {
		disconnectSubscribers();
		await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(bed.inboxes("there")).hasSize(1));
		LockKind.forEach((kind) -> this.held.get(kind).close());
		assertAllAreGranted();
		LockKind.forEach((kind) -> this.waiting.get(kind).get().release());
		bed.assertNothingIsLeft();
	}

	private void assertAllAreGranted() {
		long released = System.nanoTime();
		LockKind.forEach((kind) -> {
			assertThat(this.waiting.get(kind).get().isHeld()).isTrue();
			assertThat(this.waiting.get(kind).tookSince(released)).isLessThan(TestBed.SOON);
		});
	}

	/** Those that have held for long listen as well. */
	private void disconnectSubscribers() {
		assertThat(bed.number("CLIENT", "KILL", "TYPE", "pubsub")).isPositive();
	}

}
