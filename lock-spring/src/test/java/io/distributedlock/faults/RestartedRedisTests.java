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

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis forgets: all of its keys, or only the scripts.
 */
@Timeout(120)
class RestartedRedisTests {

	private static final Duration RENEWAL = Duration.ofMinutes(1);

	private static final LockOptions RENEWED = LockOptions.ofLease(Duration.ofMinutes(5)).withAutoRenew(RENEWAL);

	private static final Duration PATIENT = Duration.ofHours(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	@Test
	void afterARestartTheHolderIsToldAndTheWaiterGoesOnByItself() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = here.locks.acquire("x", RENEWED);
		LockHandle alone = here.locks.acquire("alone", RENEWED);
		Call<LockHandle> waiting = Call.start(() -> there.locks.acquire("x", RENEWED.withWaitTime(PATIENT)));
		bed.awaitQueueLength("x", 1);
		long restarted = System.nanoTime();
		bed.server().restart();
		LockHandle next = waiting.get();
		assertThat(waiting.tookSince(restarted)).isLessThan(TestBed.SOON);
		here.advance(RENEWAL);
		await().atMost(TestBed.SOON).until(() -> held.state() == LockState.LOST && alone.state() == LockState.LOST);
		here.awaitLosses(LossCause.TAKEN_BY_OTHER, LossCause.KEY_VANISHED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::assertHeld);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());

		// Neither a late release nor a renewal does anything any more
		held.close();
		alone.close();
		here.advance(RENEWAL);
		TestBed.always(Duration.ofMillis(200), () -> bed.isHeldBy(there, "x") && bed.holder("alone") == null);
		next.release();
		bed.assertNothingIsLeft();
	}

	@Test
	void aFlushIsToldAtTheNextRenewalAndNothingIsCreatedAgain() {
		Instance here = bed.instance("here");
		LockHandle held = here.locks.acquire("x", RENEWED);
		bed.server().flushAll();
		here.advance(RENEWAL);
		await().atMost(TestBed.SOON).until(() -> held.state() == LockState.LOST);
		here.awaitLosses(LossCause.KEY_VANISHED);
		here.advance(RENEWAL);
		TestBed.always(Duration.ofMillis(200), () -> bed.holder("x") == null);
		held.close();
		LockHandle again = here.locks.acquire("x", RENEWED);
		assertThat(again.fencingToken()).isGreaterThan(held.fencingToken());
		again.release();
	}

	@Test
	void aDeletedLockIsToldToAHolderWhoAsksForMoreTime() {
		Instance here = bed.instance("here");
		LockHandle held = here.locks.acquire("x", LockOptions.ofLease(Duration.ofMinutes(5)));
		bed.server().cli("DEL", "lock:x");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(Duration.ofMinutes(1)));
		assertThat(bed.holder("x")).isNull();
		assertThat(held.isHeld()).isFalse();
	}

	@Test
	void whileRedisIsDownCallersAreToldSoAndAfterwardsAllGoesOn() {
		Instance here = bed.impatientInstance("here");
		LockHandle held = here.locks.acquire("x", RENEWED.withWaitTime(PATIENT));
		bed.server().kill();
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire("waited", RENEWED.withWaitTime(PATIENT)));
		Call<LockHandle> once = Call.start(() -> here.locks.acquire("once", RENEWED));
		assertThat(once.failure()).isInstanceOf(LockUnavailableException.class);
		assertThat(once.took()).isLessThan(TestBed.SOON);
		here.advance(RENEWED.lease());
		await().atMost(TestBed.SOON).until(() -> held.state() == LockState.LOST);
		here.awaitLosses(LossCause.STORE_UNREACHABLE);
		long restarted = System.nanoTime();
		bed.server().restart();
		waiting.get().release();
		assertThat(waiting.tookSince(restarted)).isLessThan(TestBed.SOON);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void scriptsThatRedisForgetsAreSentAgain() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = here.locks.acquire("x", RENEWED);
		Call<LockHandle> waiting = Call.start(() -> there.locks.acquire("x", RENEWED.withWaitTime(PATIENT)));
		bed.awaitQueueLength("x", 1);
		bed.server().resetCommandStats();
		List<Runnable> steps = List.of(() -> held.extend(Duration.ofSeconds(1)),
				() -> assertThat(here.locks.find("x")).isPresent(), held::release, () -> waiting.get().release(),
				() -> here.locks.acquire("x", RENEWED).release());
		for (Runnable step : steps) {
			bed.server().cli("SCRIPT", "FLUSH");
			step.run();
		}
		assertThat(bed.server().commandStats().get("eval")).isGreaterThanOrEqualTo(5);
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		bed.assertNothingIsLeft();
	}

}
