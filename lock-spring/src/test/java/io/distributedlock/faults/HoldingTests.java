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

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

/**
 * What holding a lock costs, and what is not held any more.
 */
@Timeout(120)
class HoldingTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final Duration RENEWAL = Duration.ofMinutes(1);

	private static final LockOptions RENEWED = LONG.withAutoRenew(RENEWAL);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	@Test
	void theInstanceThatDidNotWaitForItsReleaseFindsTheLockFree() {
		EngineSettings settings = EngineSettings.of("here").withClosing(EngineSettings.Closing.RETURNS_WHEN_SENT);
		Instance here = bed.instance(settings);
		for (int i = 0; i < 500; i++) {
			Optional<LockHandle> handle = here.locks.tryAcquire("x", LONG);
			assertThat(handle).isPresent();
			handle.get().close();
		}
		await().untilAsserted(() -> assertThat(here.locks.find("x")).isEmpty());
	}

	@Test
	void anUncontendedPairIsTwoCommandsAndReentryNone() {
		Instance here = bed.instance("here");
		bed.server().resetCommandStats();
		for (int i = 0; i < 10; i++) {
			try (LockHandle outer = here.locks.acquire("x", LONG); LockHandle inner = here.locks.acquire("x", LONG)) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
		}
		Map<String, Long> commands = new TreeMap<>(bed.server().commandStats());
		// What the scripts do
		commands.keySet()
			.removeAll(List.of("get", "set", "time", "del", "zpopmin", "zrem", "hdel", "config|resetstat"));
		assertThat(commands).containsExactly(Map.entry("evalsha", 20L));
	}

	@Test
	void aCallbackThatBlocksKeepsTheNewsFromNobodyElse() {
		Instance here = bed.instance("here");
		CompletableFuture<Void> begun = new CompletableFuture<>();
		CompletableFuture<Void> end = new CompletableFuture<>();
		List<String> told = new CopyOnWriteArrayList<>();
		try (LockHandle first = here.locks.acquire("first", RENEWED);
				LockHandle second = here.locks.acquire("second", RENEWED)) {
			first.onLost((loss) -> {
				begun.complete(null);
				end.join();
				told.add("first");
			});
			first.onLost((loss) -> told.add("first, too"));
			second.onLost((loss) -> told.add("second"));
			bed.server().cli("DEL", "lock:first");
			here.advance(RENEWAL);
			await().atMost(TestBed.SOON).until(begun::isDone);
			await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(told).containsExactly("first, too"));
			bed.server().cli("DEL", "lock:second");
			here.advance(RENEWAL);
			here.awaitLosses(LossCause.KEY_VANISHED, LossCause.KEY_VANISHED);
			await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(told).containsExactly("first, too", "second"));
			second.onLost((loss) -> told.add("second, late"));
			await().atMost(TestBed.SOON)
				.untilAsserted(() -> assertThat(told).containsExactly("first, too", "second", "second, late"));
		}
		finally {
			end.complete(null);
		}
		await().atMost(TestBed.SOON).until(() -> told.contains("first"));
	}

	@Test
	void aThousandLocksAreRenewedByOneThreadInFewCommands() {
		Instance here = bed.instance("here");
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			handles.add(here.locks.acquire("renewed:" + i, RENEWED));
		}
		bed.server().resetCommandStats();
		// Longer than the lease
		int renewals = 5;
		for (int i = 1; i <= renewals; i++) {
			here.advance(RENEWAL);
			long sent = i * 1000;
			await().atMost(TestBed.SOON).until(() -> bed.server().commandStats().getOrDefault("pexpire", 0L) == sent);
		}
		Map<String, Long> commands = bed.server().commandStats();
		// A hundred in each command, and some batches that are not full
		assertThat(commands.get("evalsha") + commands.getOrDefault("eval", 0L)).isLessThan(renewals * 20);
		assertThat(handles).allMatch(LockHandle::isHeld);
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		assertThat(here.locks.held()).hasSize(1000);
		assertThat(Threads.ofLocks().stream().filter((thread) -> thread.getName().contains("renewal"))).hasSize(1);
		handles.forEach(LockHandle::releaseAsync);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void anInnerLockNeverShortensTheOuterOne() {
		Instance here = bed.instance("here");
		LockHandle outer = here.locks.acquire("x", LONG);
		LockHandle inner = here.locks.acquire("x", LockOptions.ofLease(Duration.ofMillis(100)));
		assertThat(bed.timeToLive("x")).isGreaterThan(Duration.ofMinutes(4));
		inner.close();
		here.advance(Duration.ofSeconds(1));
		assertThat(outer.isHeld()).isTrue();
		assertThat(bed.timeToLive("x")).isGreaterThan(Duration.ofMinutes(4));
		outer.release();
		bed.assertNothingIsLeft();
	}

	@Test
	void reentryDoesNotHideALoss() {
		Instance here = bed.instance("here");
		LockHandle outer = here.locks.acquire("x", RENEWED);
		bed.server().cli("DEL", "lock:x");
		here.advance(RENEWAL);
		await().atMost(TestBed.SOON).until(() -> outer.state() == LockState.LOST);
		LockHandle inner = here.locks.acquire("x", LONG);
		assertThat(inner.isHeld()).isTrue();
		assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		assertThat(outer.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::assertHeld);
		outer.close();
		assertThat(inner.isHeld()).isTrue();
		assertThat(bed.isHeldBy(here, "x")).isTrue();
		inner.release();
		bed.assertNothingIsLeft();
	}

	@Test
	void theOldHandleNeitherExtendsNorReleasesWhatSomebodyElseHas() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle extended = here.locks.acquire("extended", LONG);
		LockHandle released = here.locks.acquire("released", LONG);
		bed.server().cli("DEL", "lock:extended", "lock:released");
		LockOptions shorter = LockOptions.ofLease(Duration.ofMinutes(1));
		List<LockHandle> next = List.of(there.locks.acquire("extended", shorter),
				there.locks.acquire("released", shorter));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> extended.extend(Duration.ofMinutes(9)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(released::release);
		assertThat(bed.isHeldBy(there, "extended")).isTrue();
		assertThat(bed.isHeldBy(there, "released")).isTrue();
		assertThat(bed.timeToLive("extended")).isLessThanOrEqualTo(Duration.ofMinutes(1));
		here.awaitLosses(LossCause.TAKEN_BY_OTHER, LossCause.TAKEN_BY_OTHER);
		next.forEach(LockHandle::release);
	}

	@Test
	void anExtensionOfALockThatWasHandedOffJustNowStays() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = there.locks.acquire("x", LONG);
		Call<LockHandle> extended = Call.start(() -> {
			LockHandle handle = here.locks.acquire("x",
					LockOptions.ofLease(Duration.ofSeconds(4)).withWaitTime(TestBed.SOON));
			handle.extend(Duration.ofMinutes(1));
			return handle;
		});
		bed.awaitQueueLength("x", 1);
		held.close();
		assertThat(extended.get().remaining()).isGreaterThan(Duration.ofSeconds(50));
		// Meanwhile, the short lease of a grant is brought to the length that was asked
		// for
		TestBed.always(Duration.ofMillis(300), () -> bed.timeToLive("x").compareTo(Duration.ofSeconds(50)) > 0);
		assertThat(extended.get().remaining()).isGreaterThan(Duration.ofSeconds(50));
		extended.get().release();
	}

	@Test
	void anExpiredLockIsFreeForAnotherThreadOfTheSameInstance() {
		Instance here = bed.instance("here");
		long acquired = System.nanoTime();
		LockHandle expired = here.locks.acquire("x", LockOptions.ofLease(Duration.ofMillis(600)));
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire("x", LONG.withWaitTime(TestBed.SOON)));
		LockHandle next = waiting.get();
		assertThat(waiting.tookSince(acquired)).isBetween(Duration.ofMillis(500), TestBed.SOON);
		assertThat(expired.state()).isEqualTo(LockState.LOST);
		assertThat(next.fencingToken()).isGreaterThan(expired.fencingToken());
		expired.close();
		assertThat(next.isHeld()).isTrue();
		assertThat(bed.isHeldBy(here, "x")).isTrue();
		next.release();
	}

	@Test
	void anExpiredLockIsFreeForASingleAttempt() {
		Instance here = bed.instance("here");
		here.locks.acquire("x", LockOptions.ofLease(Duration.ofMillis(100)));
		await().atMost(TestBed.SOON).until(() -> bed.holder("x") == null);
		Optional<LockHandle> next = Call.start(() -> here.locks.tryAcquire("x", LONG)).get();
		assertThat(next).get().satisfies(LockHandle::release);
	}

	@Test
	void theLockOfADeadThreadIsNotRenewed() throws Exception {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Thread owner = new Thread(() -> here.locks.asLock("x", RENEWED).lock());
		owner.start();
		owner.join();
		Call<LockHandle> next = Call.start(() -> there.locks.acquire("x", LONG.withWaitTime(TestBed.SOON)));
		bed.awaitQueueLength("x", 1);
		here.advance(RENEWAL);
		next.get().release();
		here.awaitLosses(LossCause.OWNER_DIED);
	}

	@Test
	void aForgottenHandleGivesItsLockBack() {
		Instance here = bed.instance("here");
		Call.start(() -> here.locks.acquire("x", RENEWED).name()).get();
		assertThat(bed.isHeldBy(here, "x")).isTrue();
		WeakReference<Object> collected = new WeakReference<>(new Object());
		await().atMost(TestBed.SOON).until(() -> {
			System.gc();
			return collected.get() == null;
		});
		here.advance(RENEWAL);
		await().atMost(TestBed.SOON).until(() -> bed.holder("x") == null);
		assertThat(here.locks.held()).isEmpty();
	}

	@Test
	void aLeaseShorterThanTheRoundTripIsRefusedAndLeavesNothing() {
		Instance here = bed.instanceBehindProxy("here");
		bed.proxy.delay(Duration.ofMillis(200));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> here.locks.acquire("x", LockOptions.ofLease(Duration.ofMillis(100))))
			.withMessageContaining("100 ms")
			.withMessageContaining("longer timeout");
		bed.assertNothingIsLeft();
	}

	/**
	 * How many names can be set with the system property {@code names}.
	 */
	@Test
	void manyNamesThatWereTakenOnceLeaveNothingAfterTheRetention() throws Exception {
		Instance here = bed.coldInstance("here",
				RedisLockSettings.defaults().withFenceRetention(Duration.ofSeconds(2)));
		LockOptions second = LockOptions.ofLease(Duration.ofSeconds(1));
		for (int i = 0; i < Integer.getInteger("names", 2_000); i++) {
			here.locks.acquire("order:" + i, second).close();
		}
		assertThat(bed.number("DBSIZE")).isPositive();
		await().atMost(TestBed.SOON).until(() -> bed.number("DBSIZE") == 0);
	}

	@Test
	void keysOfALockThatIsNotUsedAnyMoreEndByThemselves() {
		Instance here = bed.instance("here");
		here.locks.acquire("x", LONG).close();
		assertThat(bed.server().cli("KEYS", "*lock:x*")).asInstanceOf(LIST).containsExactly("{lock:x}:fence");
		assertThat(bed.number("PTTL", "{lock:x}:fence")).isBetween(Duration.ofMinutes(9).toMillis(),
				Duration.ofMinutes(10).toMillis());
	}

}
