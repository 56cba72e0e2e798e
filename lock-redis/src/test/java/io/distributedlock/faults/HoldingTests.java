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
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.kinds.EachKind;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
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
	void instanceFindsTheLockFreeWithoutWaitingForTheRelease() {
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

	@EachKind
	@Shows("Callback of onLost blocks or throws")
	void blockedOrThrowingCallbackDoesNotStopOtherCallbacks(LockKind kind) {
		Instance here = bed.instance("here");
		CompletableFuture<Void> begun = new CompletableFuture<>();
		CompletableFuture<Void> end = new CompletableFuture<>();
		List<String> told = new CopyOnWriteArrayList<>();
		try (LockHandle first = here.locks.acquire(kind.named("first"), kind.of(RENEWED));
				LockHandle second = here.locks.acquire(kind.named("second"), kind.of(RENEWED))) {
			first.onLost((loss) -> {
				begun.complete(null);
				end.join();
				told.add("first");
			});
			first.onLost((loss) -> {
				throw new IllegalStateException("A callback that throws");
			});
			first.onLost((loss) -> told.add("first, too"));
			second.onLost((loss) -> told.add("second"));
			bed.server().cli("DEL", "lock:" + first.name());
			here.advance(RENEWAL);
			await().atMost(TestBed.SOON).until(begun::isDone);
			await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(told).containsExactly("first, too"));
			bed.server().cli("DEL", "lock:" + second.name());
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
	@Shows("A living holder with autoRenew keeps its lock")
	void renewedLockOutlivesItsLease() {
		Instance here = bed.instance("here");
		Map<LockKind, LockHandle> handles = LockKind
			.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(RENEWED)));
		// Longer than the lease
		for (int i = 0; i < 6; i++) {
			here.advance(RENEWAL);
			LockKind.forEach((kind) -> await().atMost(TestBed.SOON)
				.until(() -> handles.get(kind).remaining().compareTo(Duration.ofMinutes(4)) > 0));
		}
		assertThat(handles.values()).allMatch(LockHandle::isHeld);
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		handles.values().forEach(LockHandle::release);
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows({ "The work outlasts its lease, without autoRenew", "A dead holder's lock becomes free",
			"A holder whose lease runs out learns of it before Redis frees the lock" })
	void holderLearnsOfTheEndOfTheLeaseBeforeRedisFreesTheLock() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Duration lease = Duration.ofHours(1);
		Map<LockKind, LockHandle> handles = LockKind
			.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(LockOptions.ofLease(lease))));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> {
			Call<LockHandle> call = Call
				.start(() -> there.locks.acquire(kind.named("x"), LONG.withWaitTime(Duration.ofMinutes(1))));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		Map<LockKind, CompletableFuture<Duration>> leftWhenTold = LockKind.map((kind) -> {
			CompletableFuture<Duration> left = new CompletableFuture<>();
			handles.get(kind).onLost((loss) -> left.complete(bed.timeToLive(kind.named("x"))));
			return left;
		});
		// One percent and a second before the end of the lease
		Duration deadline = lease.minus(lease.dividedBy(100)).minusSeconds(1);
		here.advance(deadline);
		LockKind.forEach((kind) -> {
			// Had the clock of Redis been moved as well, it would not have freed the lock
			assertThat(leftWhenTold.get(kind)).succeedsWithin(TestBed.SOON)
				.satisfies((left) -> assertThat(left).isGreaterThan(deadline.plusSeconds(1)));
			here.awaitLoss(kind.named("x"), LossCause.LEASE_EXPIRED);
			assertThat(waiting.get(kind).isDone()).isFalse();
			bed.endLeases(kind.named("x"));
			LockHandle next = waiting.get(kind).get();
			assertThat(next.fencingToken()).isGreaterThan(handles.get(kind).fencingToken());
			next.release();
		});
	}

	@EachKind
	@Shows("The work outlasts maxHold")
	void lockIsLostWhenItsMaximumHoldEnds(LockKind kind) {
		Instance here = bed.instance("here");
		LockOptions options = LockOptions.ofLease(Duration.ofSeconds(90))
			.withAutoRenew(Duration.ofSeconds(30))
			.withMaxHold(Duration.ofSeconds(120));
		LockHandle handle = here.locks.acquire(kind.named("x"), kind.of(options));
		for (int renewal = 0; renewal < 3; renewal++) {
			here.advance(Duration.ofSeconds(29));
			assertThat(handle.isHeld()).isTrue();
			// What was sent is answered
			assertThat(bed.isHeldBy(here, kind.named("x"))).isTrue();
			here.locks.acquire(kind.named("other"), kind.of(LONG)).release();
		}
		assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
		here.advance(Duration.ofSeconds(29));
		assertThat(handle.isHeld()).isFalse();
		here.awaitLoss(kind.named("x"), LossCause.MAX_HOLD_REACHED);
	}

	@Test
	@Shows("Lock released before its minHold ends")
	void minimumHoldEndsLongBeforeTheLease() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		TestBed.withEachKind((kind) -> {
			String name = kind.named("kept");
			here.locks.acquire(name, kind.of(LONG).withMinHold(Duration.ofMillis(1500))).release();
			assertThat(there.locks.tryAcquire(name, LONG)).isEmpty();
			there.locks.acquire(name, LONG.withWaitTime(TestBed.SOON)).release();
		});
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows("Re-entry with a shorter lease")
	void innerLockNeverShortensTheOuterOne(LockKind kind) {
		Instance here = bed.instance("here");
		String name = kind.named("x");
		LockHandle outer = here.locks.acquire(name, kind.of(LONG));
		LockHandle inner = here.locks.acquire(name, kind.of(LockOptions.ofLease(Duration.ofMillis(100))));
		assertThat(bed.timeToLive(name)).isGreaterThan(Duration.ofMinutes(4));
		assertThat(bed.holders(name)).hasSize(1);
		inner.close();
		here.advance(Duration.ofSeconds(1));
		assertThat(outer.isHeld()).isTrue();
		assertThat(bed.timeToLive(name)).isGreaterThan(Duration.ofMinutes(4));
		outer.release();
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows("Lease ended, then re-entry")
	void reentryDoesNotHideALoss(LockKind kind) {
		Instance here = bed.instance("here");
		String name = kind.named("x");
		LockHandle outer = here.locks.acquire(name, kind.of(RENEWED));
		bed.endLeases(name);
		here.advance(RENEWAL);
		await().atMost(TestBed.SOON).until(() -> outer.state() == LockState.LOST);
		LockHandle inner = here.locks.acquire(name, kind.of(LONG));
		assertThat(inner.isHeld()).isTrue();
		assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		assertThat(outer.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::assertHeld);
		outer.close();
		assertThat(inner.isHeld()).isTrue();
		assertThat(bed.isHeldBy(here, name)).isTrue();
		inner.release();
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows({ "Lease ended before the release", "No caller releases the lock of another" })
	void oldHandleNeitherExtendsNorReleasesTheLockOfTheNextHolder(LockKind kind) {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		String extended = kind.named("extended");
		String released = kind.named("released");
		LockHandle toExtend = here.locks.acquire(extended, kind.of(LONG));
		LockHandle toRelease = here.locks.acquire(released, kind.of(LONG));
		bed.endLeases(extended);
		bed.endLeases(released);
		LockOptions shorter = kind.of(LockOptions.ofLease(Duration.ofMinutes(1)).withWaitTime(TestBed.SOON));
		List<LockHandle> next = List.of(there.locks.acquire(extended, shorter), there.locks.acquire(released, shorter));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> toExtend.extend(Duration.ofMinutes(9)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(toRelease::release);
		for (String name : List.of(extended, released)) {
			assertThat(bed.holders(name)).singleElement()
				.satisfies((holder) -> assertThat(holder).startsWith(there.locks.instanceId()));
			assertThat(bed.timeToLive(name)).isLessThanOrEqualTo(Duration.ofMinutes(1));
		}
		here.awaitLosses(LossCause.TAKEN_BY_OTHER, LossCause.TAKEN_BY_OTHER);
		next.forEach(LockHandle::release);
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Waiters get the lock")
	void extensionOfAJustHandedOffLockStays() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		TestBed.withEachKind((kind) -> {
			String name = kind.named("x");
			LockHandle held = there.locks.acquire(name, LONG);
			Call<LockHandle> extended = Call.start(() -> {
				LockHandle handle = here.locks.acquire(name,
						kind.of(LockOptions.ofLease(Duration.ofSeconds(4))).withWaitTime(TestBed.SOON));
				handle.extend(Duration.ofMinutes(1));
				return handle;
			});
			bed.awaitQueueLength(name, 1);
			held.close();
			assertThat(extended.get().remaining()).isGreaterThan(Duration.ofSeconds(50));
			// Meanwhile, the short lease of a grant is brought to the length that was
			// asked for
			TestBed.always(Duration.ofMillis(300), () -> bed.timeToLive(name).compareTo(Duration.ofSeconds(50)) > 0);
			assertThat(extended.get().remaining()).isGreaterThan(Duration.ofSeconds(50));
			extended.get().release();
		});
	}

	@EachKind
	@Shows("Lease ended before the release")
	void expiredLockIsFreeForAnotherThreadOfTheSameInstance(LockKind kind) {
		Instance here = bed.instance("here");
		String name = kind.named("x");
		LockHandle expired = here.locks.acquire(name, kind.of(LONG));
		// Its wait goes by the clock that is moved
		LockOptions patient = LONG.withWaitTime(LONG.lease().multipliedBy(2));
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire(name, patient));
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 1);
		assertThat(expired.isHeld()).isTrue();
		here.advance(LONG.lease());
		assertThat(expired.state()).isEqualTo(LockState.LOST);
		assertThat(waiting.isDone()).as("Redis has not freed it").isFalse();
		bed.endLeases(name);
		long ended = System.nanoTime();
		LockHandle next = waiting.get();
		assertThat(waiting.tookSince(ended)).isLessThan(TestBed.SOON);
		assertThat(next.fencingToken()).isGreaterThan(expired.fencingToken());
		expired.close();
		assertThat(next.isHeld()).isTrue();
		assertThat(bed.isHeldBy(here, name)).isTrue();
		next.release();
	}

	@EachKind
	@Shows("Lease ended before the release")
	void expiredLockIsFreeForASingleAttempt(LockKind kind) {
		Instance here = bed.instance("here");
		LockHandle expired = here.locks.acquire(kind.named("x"), kind.of(LONG));
		here.advance(LONG.lease());
		bed.endLeases(kind.named("x"));
		Optional<LockHandle> next = Call.start(() -> here.locks.tryAcquire(kind.named("x"), LONG)).get();
		assertThat(next).get().satisfies(LockHandle::release);
		assertThat(expired.state()).isEqualTo(LockState.LOST);
	}

	@EachKind
	@Shows("Thread with a Lock view dies without unlocking")
	void lockOfADeadThreadIsNotRenewed(LockKind kind) throws Exception {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Thread owner = new Thread(() -> here.locks.asLock(kind.named("x"), kind.of(RENEWED)).lock());
		owner.start();
		owner.join();
		Call<LockHandle> next = Call.start(() -> there.locks.acquire(kind.named("x"), LONG.withWaitTime(TestBed.SOON)));
		bed.awaitQueueLength(kind.named("x"), 1);
		here.advance(RENEWAL);
		next.get().release();
		here.awaitLosses(LossCause.OWNER_DIED);
	}

	@Test
	@Shows("Owner forgets the handle")
	void forgottenHandleGivesItsLockBack() {
		Instance here = bed.instance("here");
		for (LockOptions options : List.of(RENEWED, LONG)) {
			LockKind.forEach((kind) -> {
				Call.start(() -> here.locks.acquire(kind.named("x"), kind.of(options)).name()).get();
				assertThat(bed.isHeldBy(here, kind.named("x"))).isTrue();
			});
			WeakReference<Object> collected = new WeakReference<>(new Object());
			await().atMost(TestBed.SOON).until(() -> {
				System.gc();
				return collected.get() == null;
			});
			// The next renewal, or two thirds of the lease
			here.advance(options.autoRenew() ? RENEWAL : LONG.lease().multipliedBy(2).dividedBy(3));
			LockKind
				.forEach((kind) -> await().atMost(TestBed.SOON).until(() -> bed.holders(kind.named("x")).isEmpty()));
			assertThat(here.locks.held()).isEmpty();
		}
	}

	/**
	 * How many names can be set with the system property {@code names}.
	 */
	@Test
	void manyNamesLeaveNothingAfterTheRetention() throws Exception {
		// A fencing token is kept for two leases at least
		Duration retention = Duration.ofSeconds(5);
		Instance here = bed.coldInstance("here", Instance.PATIENT.withFenceRetention(retention));
		// With a wait, a grant that comes too late on a busy machine is asked for again
		LockOptions second = LockOptions.ofLease(Duration.ofSeconds(1)).withWaitTime(TestBed.SOON);
		for (int i = 0; i < Integer.getInteger("names", 2_000); i++) {
			here.locks.acquire("order:" + i, second).close();
		}
		assertThat(bed.number("DBSIZE")).isPositive();
		await().atMost(TestBed.SOON).until(() -> bed.number("DBSIZE") == 0);
	}

	@EachKind
	void keysOfALockThatIsNotUsedAnyMoreEndByThemselves(LockKind kind) {
		Instance here = bed.instance("here");
		String fence = "{lock:" + kind.named("x") + "}:fence";
		here.locks.acquire(kind.named("x"), kind.of(LONG)).close();
		assertThat(bed.server().cli("KEYS", "*lock:x*")).asInstanceOf(LIST).containsExactly(fence);
		assertThat(bed.number("PTTL", fence)).isBetween(Duration.ofMinutes(9).toMillis(),
				Duration.ofMinutes(10).toMillis());
	}

}
