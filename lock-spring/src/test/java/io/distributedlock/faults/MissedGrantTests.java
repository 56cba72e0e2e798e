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
import io.distributedlock.testsupport.RespClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The message that hands a lock over to a waiter does not arrive.
 */
@Timeout(120)
class MissedGrantTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private LockHandle held;

	private Instance there;

	private Call<LockHandle> waiting;

	@BeforeEach
	void oneHoldsAndOneWaits() {
		Instance here = bed.instance("here");
		this.there = bed.instanceBehindProxy("there");
		this.held = here.locks.acquire("x", LONG);
		this.waiting = Call.start(() -> this.there.locks.acquire("x", LONG.withWaitTime(Duration.ofMinutes(1))));
		bed.awaitQueueLength("x", 1);
		bed.awaitInbox(this.there);
	}

	@Test
	void aGrantThatIsLostOnItsWayIsFoundWithinASecond() throws Exception {
		String inbox = bed.inboxes("there").get(0);
		bed.proxy.refuseConnections();
		try (RespClient nobody = bed.server().client()) {
			disconnectSubscriber();
			// Redis believes that the waiter is listening
			nobody.command("SUBSCRIBE", inbox);
			long released = System.nanoTime();
			this.held.close();
			assertThat(bed.isHeldBy(this.there, "x")).isTrue();
			assertThat(this.waiting.get().isHeld()).isTrue();
			assertThat(this.waiting.tookSince(released)).isLessThan(TestBed.SOON);
		}
		await().atMost(TestBed.SOON).until(() -> bed.inboxes("there").isEmpty());
		bed.proxy.heal();
		await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(bed.inboxes("there")).containsExactly(inbox));
		this.waiting.get().release();
		bed.assertNothingIsLeft();
	}

	@Test
	void aWaiterWhoIsNotListeningIsPassedOverAndComesBackWithinASecond() {
		bed.proxy.refuseConnections();
		disconnectSubscriber();
		long released = System.nanoTime();
		this.held.close();
		assertThat(this.waiting.get().isHeld()).isTrue();
		assertThat(this.waiting.tookSince(released)).isLessThan(TestBed.SOON);
		this.waiting.get().release();
	}

	@Test
	void aSubscriptionThatIsCutIsRestoredByItself() {
		disconnectSubscriber();
		await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(bed.inboxes("there")).hasSize(1));
		long released = System.nanoTime();
		this.held.close();
		assertThat(this.waiting.get().isHeld()).isTrue();
		assertThat(this.waiting.tookSince(released)).isLessThan(TestBed.SOON);
		this.waiting.get().release();
		bed.assertNothingIsLeft();
	}

	private void disconnectSubscriber() {
		assertThat(bed.number("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1);
	}

}
