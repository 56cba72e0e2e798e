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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Redis does what it is asked, but the reply is lost with the connection, so that nobody
 * knows.
 */
@Timeout(120)
class LostReplyTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	@Test
	void aSingleAttemptIsUnavailableAndLeavesNoOrphan() {
		Instance here = bed.instanceBehindProxy("here");
		bed.proxy.delay(Duration.ofMillis(100));
		Fault fault = bed.proxy.dropNextReply("lock:x");
		Call<?> attempt = Call.start(() -> here.locks.tryAcquire("x", LONG));
		await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(here, "x"));
		assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
		assertThat(attempt.took()).isLessThan(TestBed.SOON);
		fault.awaitStrike(TestBed.SOON);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void aSingleAttemptLeavesNoOrphanEvenIfTheConnectionStaysDown() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		Fault fault = bed.proxy.dropNextReply("lock:x");
		bed.proxy.refuseConnections();
		Call<?> attempt = Call.start(() -> here.locks.tryAcquire("x", LONG));
		fault.awaitStrike(TestBed.SOON);
		assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
		assertThat(attempt.took()).isLessThan(TestBed.SOON);
		assertThat(bed.isHeldBy(here, "x")).isTrue();
		bed.proxy.heal();
		bed.assertNothingIsLeft(TestBed.SOON);
		here.locks.acquire("x", LONG.withWaitTime(PATIENCE)).close();
	}

	@Test
	void oneWhoWaitsTakesTheGrantThatHeDidNotHearOf() {
		Instance here = bed.instanceBehindProxy("here");
		Fault fault = bed.proxy.dropNextReply("lock:x");
		bed.proxy.refuseConnections();
		Call<LockHandle> attempt = Call.start(() -> here.locks.acquire("x", LONG.withWaitTime(PATIENCE)));
		fault.awaitStrike(TestBed.SOON);
		String token = bed.holder("x");
		String fence = bed.fence("x");
		bed.proxy.heal();
		LockHandle handle = attempt.get();
		assertThat(token).isEqualTo(bed.holder("x")).startsWith(here.locks.instanceId());
		assertThat(fence).isEqualTo(bed.fence("x"));
		assertThat(handle.fencingToken()).isLessThanOrEqualTo(Long.parseLong(fence.split(" ")[0]));
		assertThat(attempt.took()).isLessThan(TestBed.SOON);
		assertThat(here.events(LockEvent.Acquired.class)).filteredOn((event) -> event.name().equals("x")).hasSize(1);
		handle.close();
		bed.assertNothingIsLeft();
	}

	@Test
	void whatTheClientRepeatsByItselfIsGrantedWithTheSameToken() {
		Instance here = bed.instanceBehindProxy("here");
		bed.proxy.delay(Duration.ofMillis(100));
		// The client gives up the first command of a connection that breaks and repeats
		// the others
		Fault fault = bed.proxy.dropNextReply("lock:first");
		CompletableFuture<LockHandle> first = here.locks.acquireAsync("first", LONG);
		CompletableFuture<LockHandle> second = here.locks.acquireAsync("second", LONG);
		await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(here, "second"));
		String token = bed.holder("second");
		fault.awaitStrike(TestBed.SOON);
		LockHandle handle = second.orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(bed.holder("second")).isEqualTo(token);
		assertThat(handle.isHeld()).isTrue();
		handle.close();
		assertThat(catchThrowable(first::join)).hasCauseInstanceOf(LockUnavailableException.class);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void aReleaseIsNotALoss() {
		Instance here = bed.instanceBehindProxy("here");
		LockHandle closed = here.locks.acquire("closed", LONG);
		LockHandle released = here.locks.acquire("released", LONG);
		LockHandle repeated = here.locks.acquire("repeated", LONG);
		bed.proxy.delay(Duration.ofMillis(100));
		Fault fault = bed.proxy.dropNextReply("lock:closed");
		CompletableFuture<Void> closing = closed.releaseAsync();
		CompletableFuture<Void> repeating = repeated.releaseAsync();
		fault.awaitStrike(TestBed.SOON);
		CompletableFuture.allOf(closing, repeating).orTimeout(60, TimeUnit.SECONDS).join();
		// This one insists on an answer
		fault = bed.proxy.dropNextReply("lock:released");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(released::release);
		fault.awaitStrike(TestBed.SOON);
		bed.assertNothingIsLeft();
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void aRealLossIsToldAtTheRelease() {
		Instance here = bed.instanceBehindProxy("here");
		LockHandle handle = here.locks.acquire("x", LONG);
		bed.server().flushAll();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release);
	}

	@Test
	void aReleaseThatIsRepeatedLeavesTheLockToTheWaiterWhoGotIt() {
		Instance here = bed.instanceBehindProxy("here");
		Instance there = bed.instance("there");
		LockHandle handle = here.locks.acquire("x", LONG);
		Call<LockHandle> waiting = Call.start(() -> there.locks.acquire("x", LONG.withWaitTime(PATIENCE)));
		bed.awaitQueueLength("x", 1);
		Fault fault = bed.proxy.dropNextReply("lock:x");
		bed.server().resetCommandStats();
		handle.close();
		fault.awaitStrike(TestBed.SOON);
		assertThat(waiting.get().isHeld()).isTrue();
		// Release, its repetition, and the extension of the grant
		await().atMost(TestBed.SOON).until(() -> bed.server().commandStats().getOrDefault("evalsha", 0L) >= 3);
		assertThat(bed.isHeldBy(there, "x")).isTrue();
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		waiting.get().close();
	}

	@Test
	void aReleaseThatNeverArrivedIsRepeated() {
		Instance here = bed.instanceBehindProxy("here");
		LockHandle handle = here.locks.acquire("x", LONG);
		Fault fault = bed.proxy.dropNextRequest("lock:x");
		handle.close();
		fault.awaitStrike(TestBed.SOON);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void aRenewalIsNotALoss() {
		Instance here = bed.instanceBehindProxy("here");
		LockHandle handle = here.locks.acquire("x", LONG.withAutoRenew(Duration.ofMinutes(1)));
		for (int i = 0; i < 2; i++) {
			Fault fault = bed.proxy.dropNextReply("lock:x");
			here.advance(Duration.ofMinutes(1));
			fault.awaitStrike(TestBed.SOON);
			await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0);
		}
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		handle.release();
	}

}
