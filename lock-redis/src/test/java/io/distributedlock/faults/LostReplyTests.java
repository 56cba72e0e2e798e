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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * The connection breaks after Redis has executed a command, or before.
 */
@EachClient
@Timeout(120)
class LostReplyTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final ClientLibrary client;

	LostReplyTests(ClientLibrary client) {
		this.client = client;
		bed.use(client);
	}

	@Test
	@Shows("Acquisition without an answer")
	void singleAttemptIsUnavailableAndLeavesNoOrphan() {
		bed.proxy.delay(Duration.ofMillis(100));
		TestBed.withEachKind((kind) -> {
			Instance here = bed.instanceBehindProxy("here");
			// Redis knows the scripts
			here.locks.acquire(kind.named("other"), kind.of(LONG)).release();
			String name = kind.named("x");
			Fault fault = bed.proxy.dropNextReply("lock:" + name);
			Call<Optional<LockHandle>> attempt = Call.start(() -> here.locks.tryAcquire(name, kind.of(LONG)));
			// The lock itself may have been given back by then
			await().atMost(TestBed.SOON).until(() -> bed.fence(name) != null);
			String token = bed.holder(name);
			fault.awaitStrike(TestBed.SOON);
			if (this.client == ClientLibrary.JEDIS) {
				// Another connection is open, so the request is sent again
				assertThat(attempt.get()).get().satisfies((handle) -> {
					assertThat(bed.holders(name)).containsExactly(token);
					handle.close();
				});
			}
			else {
				assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
			}
			assertThat(attempt.took()).isLessThan(TestBed.SOON);
		});
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Acquisition without an answer")
	void singleAttemptLeavesNoOrphanEvenIfTheConnectionStaysDown() {
		Map<LockKind, Instance> instances = LockKind.map((kind) -> bed.impatientInstanceBehindProxy("here"));
		Map<LockKind, Fault> faults = LockKind.map((kind) -> bed.proxy.dropNextReply("lock:" + kind.named("x")));
		bed.proxy.refuseConnections();
		TestBed.withEachKind((kind) -> {
			Instance here = instances.get(kind);
			String name = kind.named("x");
			Call<?> attempt = Call.start(() -> here.locks.tryAcquire(name, kind.of(LONG)));
			faults.get(kind).awaitStrike(TestBed.SOON);
			assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
			assertThat(attempt.took()).isLessThan(TestBed.SOON);
			assertThat(bed.isHeldBy(here, name)).isTrue();
		});
		bed.proxy.heal();
		bed.assertNothingIsLeft(TestBed.SOON);
		TestBed.withEachKind(
				(kind) -> instances.get(kind).locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(PATIENCE))
					.close());
	}

	@Test
	@Shows("Acquisition without an answer")
	void waiterTakesTheGrantOfALostAnswer() {
		Map<LockKind, Instance> instances = LockKind.map((kind) -> bed.instanceBehindProxy("here"));
		Map<LockKind, Fault> faults = LockKind.map((kind) -> bed.proxy.dropNextReply("lock:" + kind.named("x")));
		bed.proxy.refuseConnections();
		Map<LockKind, Call<LockHandle>> attempts = LockKind.map((kind) -> Call
			.start(() -> instances.get(kind).locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(PATIENCE))));
		faults.values().forEach((fault) -> fault.awaitStrike(TestBed.SOON));
		Map<LockKind, String> tokens = LockKind.map((kind) -> bed.holder(kind.named("x")));
		bed.proxy.heal();
		LockKind.forEach((kind) -> {
			Instance here = instances.get(kind);
			String name = kind.named("x");
			LockHandle handle = attempts.get(kind).get();
			assertThat(bed.holders(name)).containsExactly(tokens.get(kind));
			assertThat(tokens.get(kind)).startsWith(here.locks.instanceId());
			assertThat(handle.fencingToken()).isLessThanOrEqualTo(Long.parseLong(bed.fence(name).split(" ")[0]));
			assertThat(attempts.get(kind).took()).isLessThan(TestBed.SOON);
			assertThat(here.events(LockEvent.Acquired.class)).filteredOn((event) -> event.name().equals(name))
				.hasSize(1);
			handle.close();
		});
		bed.assertNothingIsLeft();
	}

	/**
	 * Lettuce gives up the first command of a connection that breaks, and repeats the
	 * others.
	 */
	@Test
	@Shows("Acquisition without an answer")
	void requestThatTheClientRepeatsIsGrantedWithTheSameToken() {
		bed.proxy.delay(Duration.ofMillis(100));
		TestBed.withEachKind((kind) -> {
			Instance here = bed.instanceBehindProxy("here");
			Fault fault = bed.proxy.dropNextReply("lock:" + kind.named("first"));
			CompletableFuture<LockHandle> first = here.locks.acquireAsync(kind.named("first"), kind.of(LONG));
			CompletableFuture<LockHandle> second = here.locks.acquireAsync(kind.named("second"), kind.of(LONG));
			await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(here, kind.named("second")));
			String token = bed.holder(kind.named("second"));
			fault.awaitStrike(TestBed.SOON);
			LockHandle handle = second.orTimeout(60, TimeUnit.SECONDS).join();
			assertThat(bed.holders(kind.named("second"))).containsExactly(token);
			assertThat(handle.isHeld()).isTrue();
			handle.close();
			if (this.client == ClientLibrary.JEDIS) {
				first.join().close();
			}
			else {
				assertThat(catchThrowable(first::join)).hasCauseInstanceOf(LockUnavailableException.class);
			}
		});
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Release or renewal without an answer")
	void unansweredReleaseIsNotReportedAsALoss() {
		bed.proxy.delay(Duration.ofMillis(100));
		TestBed.withEachKind((kind) -> {
			Instance here = bed.instanceBehindProxy("here");
			LockHandle closed = here.locks.acquire(kind.named("closed"), kind.of(LONG));
			LockHandle released = here.locks.acquire(kind.named("released"), kind.of(LONG));
			LockHandle repeated = here.locks.acquire(kind.named("repeated"), kind.of(LONG));
			// A release names the queue, and a question after an interruption does not
			Fault fault = bed.proxy.dropNextReply(TestBed.queue(kind.named("closed")));
			CompletableFuture<Void> closing = closed.releaseAsync();
			CompletableFuture<Void> repeating = repeated.releaseAsync();
			fault.awaitStrike(TestBed.SOON);
			CompletableFuture.allOf(closing, repeating).orTimeout(60, TimeUnit.SECONDS).join();
			// This one insists on an answer
			fault = bed.proxy.dropNextReply(TestBed.queue(kind.named("released")));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(released::release);
			fault.awaitStrike(TestBed.SOON);
			assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Redis restarted or flushed, key deleted")
	void realLossIsToldAtTheRelease() {
		Instance here = bed.instanceBehindProxy("here");
		Map<LockKind, LockHandle> handles = LockKind.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(LONG)));
		bed.server().flushAll();
		LockKind.forEach(
				(kind) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(handles.get(kind)::release));
	}

	@Test
	@Shows({ "Release or renewal without an answer", "No caller releases the lock of another" })
	void repeatedReleaseLeavesTheLockToTheNextHolder() {
		TestBed.withEachKind((kind) -> {
			Instance here = bed.instanceBehindProxy("here");
			Instance there = bed.instance("there");
			String name = kind.named("x");
			LockHandle handle = here.locks.acquire(name, kind.of(LONG));
			Call<LockHandle> waiting = Call.start(() -> there.locks.acquire(name, LONG.withWaitTime(PATIENCE)));
			bed.awaitQueueLength(name, 1);
			Fault lost = bed.proxy.dropNextReply("lock:" + name);
			Fault repeated = bed.proxy.rewriteNextReply("lock:" + name, "-LOADING the answer to the repeated release");
			handle.close();
			lost.awaitStrike(TestBed.SOON);
			assertThat(waiting.get().isHeld()).isTrue();
			repeated.awaitStrike(TestBed.SOON);
			assertThat(bed.isHeldBy(there, name)).isTrue();
			assertThat(here.events(LockEvent.Lost.class)).isEmpty();
			waiting.get().close();
		});
	}

	@Test
	@Shows("Release or renewal without an answer")
	void releaseThatNeverArrivedIsRepeated() {
		TestBed.withEachKind((kind) -> {
			Instance here = bed.instanceBehindProxy("here");
			LockHandle handle = here.locks.acquire(kind.named("x"), kind.of(LONG));
			Fault fault = bed.proxy.dropNextRequest("lock:" + kind.named("x"));
			handle.close();
			fault.awaitStrike(TestBed.SOON);
		});
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Release or renewal without an answer")
	void renewalWithoutAnAnswerIsRepeated() {
		TestBed.withEachKind((kind) -> {
			Instance here = bed.instanceBehindProxy("here");
			LockHandle handle = here.locks.acquire(kind.named("x"), kind.of(LONG).withAutoRenew(Duration.ofMinutes(1)));
			for (int i = 0; i < 2; i++) {
				Fault fault = bed.proxy.dropNextReply("lock:" + kind.named("x"));
				here.advance(Duration.ofMinutes(1));
				fault.awaitStrike(TestBed.SOON);
				await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0);
			}
			assertThat(here.events(LockEvent.Lost.class)).isEmpty();
			handle.release();
		});
	}

}
