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

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.redis.RestrictedUser;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
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
	static final RedisExtension redis = RedisExtension.with(RestrictedUser.onServer(RedisServer.builder()));

	@RegisterExtension
	final TestBed bed = TestBed.ofRestrictedUser(redis);

	private LockHandle held;

	private Instance there;

	private Call<LockHandle> waiting;

	@BeforeEach
	void oneHoldsAndOneWaits() {
		Instance here = this.bed.instance("here");
		this.there = this.bed.instanceBehindProxy("there");
		this.held = here.locks.acquire("x", LONG);
		this.waiting = Call.start(() -> this.there.locks.acquire("x", LONG.withWaitTime(Duration.ofMinutes(1))));
		this.bed.awaitQueueLength("x", 1);
		await().atMost(TestBed.SOON).until(() -> !inboxes().isEmpty());
	}

	@Test
	void aGrantThatIsLostOnItsWayIsFoundWithinASecond() throws Exception {
		String inbox = inboxes().get(0);
		this.bed.proxy.refuseConnections();
		try (RespClient nobody = this.bed.server().client()) {
			disconnectSubscriber();
			// Redis believes that the waiter is listening
			nobody.command("SUBSCRIBE", inbox);
			long released = System.nanoTime();
			this.held.close();
			assertThat(this.bed.isHeldBy(this.there, "x")).isTrue();
			assertThat(this.waiting.get().isHeld()).isTrue();
			assertThat(this.waiting.tookSince(released)).isLessThan(TestBed.SOON);
		}
		await().atMost(TestBed.SOON).until(() -> inboxes().isEmpty());
		this.bed.proxy.heal();
		await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(inboxes()).containsExactly(inbox));
		this.waiting.get().release();
		this.bed.assertNothingIsLeft();
	}

	@Test
	void aWaiterWhoIsNotListeningIsPassedOverAndComesBackWithinASecond() {
		this.bed.proxy.refuseConnections();
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
		await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(inboxes()).hasSize(1));
		long released = System.nanoTime();
		this.held.close();
		assertThat(this.waiting.get().isHeld()).isTrue();
		assertThat(this.waiting.tookSince(released)).isLessThan(TestBed.SOON);
		this.waiting.get().release();
		this.bed.assertNothingIsLeft();
	}

	private void disconnectSubscriber() {
		assertThat(this.bed.number("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1);
	}

	@SuppressWarnings("unchecked")
	private List<String> inboxes() {
		return (List<String>) this.bed.server().cli("PUBSUB", "CHANNELS", "lock:inbox:there*");
	}

}
