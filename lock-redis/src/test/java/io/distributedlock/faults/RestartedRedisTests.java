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

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis forgets: all of its keys, some of them, or only the scripts.
 */
@EachClient
@Timeout(120)
class RestartedRedisTests {

	private static final Duration RENEWAL = Duration.ofMinutes(1);

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions RENEWED = LONG.withAutoRenew(RENEWAL);

	private static final Duration PATIENT = Duration.ofHours(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	RestartedRedisTests(ClientLibrary client) {
		bed.use(client);
	}

	@Test
	@Shows({ "Redis restarted or flushed, key deleted", "Redis restarts without its newest data" })
	void holderLearnsOfARestartAndTheWaiterContinues() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = acquireAll(here, "x", RENEWED);
		Map<LockKind, LockHandle> alone = acquireAll(here, "alone", RENEWED);
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> {
			Call<LockHandle> call = Call
				.start(() -> there.locks.acquire(kind.named("x"), RENEWED.withWaitTime(PATIENT)));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		long restarted = System.nanoTime();
		bed.server().restart();
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).get().fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			assertThat(waiting.get(kind).tookSince(restarted)).isLessThan(TestBed.SOON);
		});
		here.advance(RENEWAL);
		LockKind.forEach((kind) -> {
			// Whoever reaches the server first: the holder asks as soon as it is back
			here.awaitLoss(kind.named("x"), LossCause.TAKEN_BY_OTHER, LossCause.KEY_VANISHED);
			here.awaitLoss(kind.named("alone"), LossCause.KEY_VANISHED);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held.get(kind)::assertHeld);
			// Neither a late release nor a renewal does anything any more
			held.get(kind).close();
			alone.get(kind).close();
		});
		here.advance(RENEWAL);
		TestBed.pass(Duration.ofMillis(200));
		LockKind.forEach((kind) -> {
			assertThat(bed.holders(kind.named("x"))).singleElement()
				.satisfies((holder) -> assertThat(holder).startsWith(there.locks.instanceId()));
			assertThat(bed.holders(kind.named("alone"))).isEmpty();
			waiting.get(kind).get().release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows({ "Redis restarted or flushed, key deleted", "Redis is flushed, or evicts the key",
			"Somebody deletes the key in Redis", "A clock breaks condition 2 or 3" })
	void lostKeyIsToldAtTheNextRenewalAndNothingIsCreatedAgain() {
		Instance here = bed.instance("here");
		Map<LockKind, LockHandle> flushed = acquireAll(here, "flushed", RENEWED);
		bed.server().flushAll();
		Map<LockKind, LockHandle> deleted = acquireAll(here, "deleted", RENEWED);
		LockKind.forEach((kind) -> bed.server().cli("DEL", "lock:" + kind.named("deleted")));
		here.advance(RENEWAL);
		for (Map<LockKind, LockHandle> lost : List.of(flushed, deleted)) {
			LockKind.forEach((kind) -> {
				here.awaitLoss(lost.get(kind).name(), LossCause.KEY_VANISHED);
				assertThat(lost.get(kind).state()).isEqualTo(LockState.LOST);
			});
		}
		here.advance(RENEWAL);
		TestBed.pass(Duration.ofMillis(200));
		LockKind.forEach((kind) -> {
			LockHandle held = deleted.get(kind);
			assertThat(bed.holders(held.name())).isEmpty();
			assertThat(bed.holders(flushed.get(kind).name())).isEmpty();
			held.close();
			LockHandle again = here.locks.acquire(held.name(), kind.of(RENEWED));
			assertThat(again.fencingToken()).isGreaterThan(held.fencingToken());
			again.release();
		});
	}

	@Test
	@Shows("Redis restarted or flushed, key deleted")
	void extensionOfADeletedLockReportsTheLoss() {
		Instance here = bed.instance("here");
		Map<LockKind, LockHandle> held = acquireAll(here, "x", LONG);
		LockKind.forEach((kind) -> {
			bed.server().cli("DEL", "lock:" + kind.named("x"));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> held.get(kind).extend(Duration.ofMinutes(1)));
			assertThat(bed.holders(kind.named("x"))).isEmpty();
			assertThat(held.get(kind).isHeld()).isFalse();
		});
	}

	@Test
	@Shows("Limits of a lock lost (permits)")
	void lostLimitIsRestoredByTheNextRenewal() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		String name = LockKind.PERMITS.named("x");
		LockOptions two = LockKind.PERMITS.of(RENEWED);
		LockHandle first = here.locks.acquire(name, two);
		LockHandle second = there.locks.acquire(name, two);
		List<String> limits = bed.holders(name).stream().map("#"::concat).toList();
		limits.forEach((limit) -> assertThat(bed.number("ZREM", "lock:" + name, limit)).isEqualTo(1));
		here.advance(RENEWAL);
		await().atMost(TestBed.SOON).until(() -> bed.number("ZCARD", "lock:" + name) == 3);
		try (Instance third = bed.instance("third")) {
			assertThat(third.locks.tryAcquire(name, LONG.withShared())).isEmpty();
			assertThat(third.locks.tryAcquire(name, LONG.withPermits(3))).isEmpty();
		}
		first.release();
		second.release();
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows({ "Redis restarted or flushed, key deleted", "Renewals without an answer" })
	void callersAreToldWhileRedisIsDownAndGoOnAfterwards() {
		Instance here = bed.impatientInstance("here");
		Map<LockKind, LockHandle> held = acquireAll(here, "x", RENEWED.withWaitTime(PATIENT));
		bed.server().kill();
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> Call
			.start(() -> here.locks.acquire(kind.named("waited"), kind.of(RENEWED).withWaitTime(PATIENT))));
		Map<LockKind, Call<LockHandle>> once = LockKind
			.map((kind) -> Call.start(() -> here.locks.acquire(kind.named("once"), kind.of(RENEWED))));
		LockKind.forEach((kind) -> {
			assertThat(once.get(kind).failure()).isInstanceOf(LockUnavailableException.class);
			assertThat(once.get(kind).took()).isLessThan(TestBed.SOON);
		});
		here.advance(RENEWED.lease());
		LockKind.forEach((kind) -> {
			here.awaitLoss(kind.named("x"), LossCause.STORE_UNREACHABLE);
			assertThat(held.get(kind).state()).isEqualTo(LockState.LOST);
		});
		long restarted = System.nanoTime();
		bed.server().restart();
		LockKind.forEach((kind) -> {
			waiting.get(kind).get().release();
			assertThat(waiting.get(kind).tookSince(restarted)).isLessThan(TestBed.SOON);
		});
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Redis restarted or flushed, key deleted")
	void forgottenScriptsAreSentAgain() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = acquireAll(here, "x", RENEWED);
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> {
			Call<LockHandle> call = Call
				.start(() -> there.locks.acquire(kind.named("x"), RENEWED.withWaitTime(PATIENT)));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		LockKind.forEach((kind) -> {
			bed.server().resetCommandStats();
			List<Runnable> steps = new ArrayList<>();
			steps.add(() -> held.get(kind).extend(Duration.ofSeconds(1)));
			steps.add(() -> assertThat(here.locks.find(kind.named("x"))).isPresent());
			steps.add(held.get(kind)::release);
			steps.add(() -> waiting.get(kind).get().release());
			steps.add(() -> here.locks.acquire(kind.named("x"), kind.of(RENEWED)).release());
			for (Runnable step : steps) {
				bed.server().cli("SCRIPT", "FLUSH");
				step.run();
			}
			assertThat(bed.server().commandStats().get("eval")).isGreaterThanOrEqualTo(5);
		});
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		bed.assertNothingIsLeft();
	}

	private static Map<LockKind, LockHandle> acquireAll(Instance instance, String name, LockOptions options) {
		return LockKind.map((kind) -> instance.locks.acquire(kind.named(name), kind.of(options)));
	}

}
