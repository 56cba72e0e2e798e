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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.redis.RedisLockSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis is frozen: connections stay open and even new ones are taken, but nothing is
 * answered until it thaws, and then all that was sent is carried out.
 */
@EachClient
@Timeout(120)
class FrozenRedisTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final ClientLibrary client;

	FrozenRedisTests(ClientLibrary client) {
		this.client = client;
		bed.use(client);
	}

	@Test
	@Shows({ "Redis hangs, while a caller acquires", "Wait ends without any answer",
			"A locked method starts only with the lock" })
	void callersAreToldWithinTheirTimeLimitsAndNothingIsLeftAfterwards() {
		Instance here = bed.impatientInstance("here");
		Instance cold = bed.coldInstance("cold", RedisLockSettings.defaults());
		LockOptions second = LONG.withWaitTime(Duration.ofSeconds(1));
		Map<LockKind, LockHandle> held = LockKind
			.map((kind) -> here.locks.acquire(kind.named("held"), kind.of(LONG).withWaitTime(TestBed.SOON)));
		bed.server().pause();
		List<Runnable> checks = new ArrayList<>();
		LockKind.forEach((kind) -> {
			Call<?> once = Call.start(() -> here.locks.tryAcquire(kind.named("once"), kind.of(LONG)));
			Call<?> waiting = Call.start(() -> here.locks.tryAcquire(kind.named("waited"), kind.of(second)));
			Call<?> first = Call.run(() -> cold.locks.executeWithoutResult(kind.named("first"), kind.of(second),
					(handle) -> assertThat(handle).as("works without the lock").isNull()));
			Call<?> closing = Call.run(held.get(kind)::close);
			checks.add(() -> {
				assertUnavailable(once, "'" + kind.named("once") + "'");
				assertUnavailable(waiting, "'" + kind.named("waited") + "'");
				assertUnavailable(first, "'" + kind.named("first") + "'");
				assertThat(closing.failure()).isNull();
				assertThat(closing.took()).isLessThan(TestBed.SOON);
			});
		});
		checks.forEach(Runnable::run);
		bed.server().resume();
		if (this.client == ClientLibrary.LETTUCE) {
			// Requests of calls that are over wait in the connection
			LockKind.forEach((kind) -> await().atMost(TestBed.SOON).until(() -> bed.fence(kind.named("once")) != null));
		}
		bed.assertNothingIsLeft(TestBed.SOON);
		LockKind.forEach((kind) -> {
			LockOptions patient = kind.of(LONG).withWaitTime(TestBed.SOON);
			here.locks.acquire(kind.named("once"), patient).close();
			cold.locks.acquire(kind.named("first"), patient).close();
		});
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	@Shows("Wait ends after at least one refusal, by Redis or a local holder")
	void waiterRefusedBeforeTheFreezeEndsBusy() {
		Instance here = bed.impatientInstance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> there.locks.acquire(kind.named("x"), LONG));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> {
			Call<LockHandle> call = Call
				.start(() -> here.locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(Duration.ofMillis(1500))));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		bed.server().pause();
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).failure()).isInstanceOf(LockNotAcquiredException.class);
			assertThat(waiting.get(kind).took()).isLessThan(TestBed.SOON);
		});
		bed.server().resume();
		held.values().forEach(LockHandle::release);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	/** The command timeout or the wait, each 1 s, and 0.25 s for cleaning up. */
	private static void assertUnavailable(Call<?> call, String name) {
		assertThat(call.failure()).isInstanceOf(LockUnavailableException.class).hasMessageContaining(name);
		assertThat(call.took()).isBetween(Duration.ofMillis(900), TestBed.SOON);
	}

	@Test
	@Shows("Redis hangs, while a caller acquires")
	void callersBeforeTheFirstConnectionAreToldSoWithinBothTimeouts() {
		Instance cold = bed.coldInstance("cold",
				RedisLockSettings.defaults()
					.withConnectTimeout(Duration.ofMillis(600))
					.withCommandTimeout(Duration.ofMillis(300)));
		bed.server().pause();
		Map<LockKind, CompletableFuture<LockHandle>> calls = LockKind
			.map((kind) -> cold.locks.acquireAsync(kind.named("first"), kind.of(LONG)));
		// Unlike the wait, which has no limit, with the reason why the attempt to connect
		// failed, if that ends in time
		LockKind.forEach((kind) -> assertThat(calls.get(kind)).failsWithin(TestBed.SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageMatching(
					"(?s).*(Connection initialization timed out|there was no connection within|No answer about) .*"));
		bed.server().resume();
		LockKind.forEach(
				(kind) -> cold.locks.acquire(kind.named("first"), kind.of(LONG).withWaitTime(TestBed.SOON)).close());
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Redis hangs for less than the rest of the lease")
	void freezeShorterThanTheLeaseCostsNoLock() {
		Instance here = bed.impatientInstance("here");
		Instance there = bed.instance("there");
		LockOptions renewed = LockOptions.ofLease(Duration.ofMinutes(4)).withAutoRenew(Duration.ofMinutes(1));
		Map<LockKind, LockHandle> handles = LockKind
			.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(renewed).withWaitTime(TestBed.SOON)));
		Map<LockKind, Call<Optional<LockHandle>>> waiting = LockKind.map((kind) -> {
			Call<Optional<LockHandle>> call = Call
				.start(() -> there.locks.tryAcquire(kind.named("x"), renewed.withWaitTime(Duration.ofMinutes(1))));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		bed.server().pause();
		here.advance(Duration.ofMinutes(2));
		// Longer than the command timeout: a renewal has failed
		TestBed.always(Duration.ofMillis(1300), () -> handles.values().stream().allMatch(LockHandle::isHeld));
		LockKind.forEach((kind) -> assertThat(handles.get(kind).remaining()).isLessThan(Duration.ofMinutes(2)));
		bed.server().resume();
		LockKind.forEach((kind) -> {
			LockHandle handle = handles.get(kind);
			await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(3)) > 0);
			assertThat(waiting.get(kind).isDone()).isFalse();
			handle.release();
			assertThat(waiting.get(kind).get()).get().satisfies((next) -> {
				assertThat(next.isHeld()).isTrue();
				next.close();
			});
		});
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		bed.assertNothingIsLeft();
	}

}
