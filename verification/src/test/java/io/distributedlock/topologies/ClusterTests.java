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

package io.distributedlock.topologies;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.faults.Call;
import io.distributedlock.faults.Instance;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.SlotMove;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Two instances on a cluster whose masters are all well, while slots move between them.
 */
@Tag("topologies")
@Timeout(120)
class ClusterTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions PATIENT = LockOptions.ofLease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(60));

	private static ClusterTopology topology;

	private final RedisCluster cluster = topology.cluster();

	private Instance here;

	private Instance there;

	@BeforeAll
	static void startTopology() {
		topology = ClusterTopology.start();
	}

	@AfterAll
	static void stopTopology() {
		topology.close();
	}

	@BeforeEach
	void startInstances() {
		this.here = new Instance(EngineSettings.of("here"), topology.configuration()).warm();
		this.there = new Instance(EngineSettings.of("there"), topology.configuration()).warm();
	}

	@AfterEach
	void nothingIsLeft() {
		await().atMost(SOON).untilAsserted(() -> assertThat(keys()).allMatch((key) -> key.endsWith(":fence")));
		assertThat(this.here.events(LockEvent.Lost.class)).isEmpty();
		assertThat(this.there.events(LockEvent.Lost.class)).isEmpty();
		this.here.close();
		this.there.close();
	}

	@Test
	@Shows("Slot of a lock moves")
	void contendersExcludeEachOtherInOrderOfTheirFencingTokensWhileTheSlotMoves() {
		Map<LockKind, Contest> contests = LockKind.map((kind) -> contest("{contended}", kind));
		awaitMore(contests);
		this.cluster.moveSlot("lock:{contended}");
		awaitMore(contests);
		LockKind.forEach((kind) -> assertThat(contests.get(kind).end()).isEmpty());
	}

	@Test
	@Shows("Slot of a lock moves")
	void renewalAndReleaseFollowAMovedSlot() {
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> this.here.locks.acquire(kind.named("{moved}"),
				kind.of(PATIENT).withAutoRenew(Duration.ofMillis(700))));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> waitAlone(kind.named("{moved}")));
		this.cluster.moveSlot("lock:{moved}");
		RedisServer target = this.cluster.masterOf("lock:{moved}");
		LockKind.forEach((kind) -> {
			long timeToLive = timeToLive(target, kind.named("{moved}"));
			await().atMost(SOON).until(() -> timeToLive(target, kind.named("{moved}")) > timeToLive);
			assertThat(waiting.get(kind).isDone()).isFalse();
			held.get(kind).release();
			assertThat(waiting.get(kind).get().fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			waiting.get(kind).get().release();
		});
	}

	@Test
	@Shows("Slot of a lock on its way (TRYAGAIN)")
	void locksCanBeExtendedAndReleasedWhileTheSlotMoves() {
		Map<LockKind, LockHandle> held = LockKind
			.map((kind) -> this.here.locks.acquire(kind.named("{moving}"), kind.of(PATIENT)));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> waitAlone(kind.named("{moving}")));
		SlotMove move = this.cluster.startMovingSlot("lock:{moving}");
		LockKind.forEach((kind) -> held.get(kind).extend(Duration.ofMinutes(1)));
		move.moveKeys();
		LockKind.forEach((kind) -> {
			LockHandle handle = held.get(kind);
			handle.extend(Duration.ofMinutes(2));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(2));
			assertThat(waiting.get(kind).isDone()).isFalse();
			handle.release();
		});
		move.finish();
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).get().fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			waiting.get(kind).get().release();
		});
	}

	@Test
	@Shows("Slot of a lock on its way (TRYAGAIN)")
	void exclusiveWaiterIsGrantedTheLockAfterTheMove() {
		assertNextHolderIsGrantedTheLockAfterTheMove("{last}", (kind) -> kind.of(PATIENT), (kind) -> PATIENT);
	}

	@Test
	@Shows("Slot of a lock on its way (TRYAGAIN)")
	void waiterOfEachKindIsGrantedTheLockAfterTheMove() {
		assertNextHolderIsGrantedTheLockAfterTheMove("{only}", (kind) -> PATIENT, (kind) -> kind.of(PATIENT));
	}

	private void assertNextHolderIsGrantedTheLockAfterTheMove(String name, Function<LockKind, LockOptions> holder,
			Function<LockKind, LockOptions> waiter) {
		Map<LockKind, LockHandle> held = LockKind
			.map((kind) -> this.here.locks.acquire(kind.named(name), holder.apply(kind)));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> waitFor(kind.named(name), waiter.apply(kind)));
		SlotMove move = this.cluster.startMovingSlot("lock:" + name);
		LockKind.forEach((kind) -> held.get(kind).close());
		move.finish();
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).get().fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			waiting.get(kind).get().release();
		});
	}

	@Test
	@Shows("Slot of a lock on its way (TRYAGAIN)")
	void locksAreRenewedWhileTheSlotMovesForLongerThanTheLease() {
		LockOptions renewed = LockOptions.ofLease(Duration.ofSeconds(20))
			.withAutoRenew(Duration.ofSeconds(1))
			.withWaitTime(Duration.ofSeconds(10));
		// Several of each kind, which are renewed together
		Map<LockKind, List<LockHandle>> held = LockKind.map((kind) -> IntStream.range(0, 5)
			.mapToObj((i) -> this.here.locks.acquire(kind.named("{slow}" + i), kind.of(renewed)))
			.toList());
		SlotMove move = this.cluster.startMovingSlot("lock:{slow}");
		LockKind.forEach((kind) -> {
			move.moveKey("lock:" + kind.named("{slow}1"));
			move.moveKey(key(kind.named("{slow}2"), ":fence"));
		});
		await().during(Duration.ofMinutes(1))
			.atMost(Duration.ofMinutes(1).plus(SOON))
			.until(() -> held.values().stream().flatMap(List::stream).allMatch(LockHandle::isHeld));
		move.finish();
		held.values().forEach((handles) -> handles.forEach(LockHandle::release));
	}

	@Test
	@Shows("Slot of a lock on its way (TRYAGAIN)")
	void lockInAMovingSlotIsUnavailableWithoutAWaitAndGrantedWithinAWait() {
		SlotMove move = this.cluster.startMovingSlot("lock:{new}");
		LockKind.forEach((kind) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(
					() -> this.here.locks.acquire(kind.named("{new}"), kind.of(PATIENT).withWaitTime(Duration.ZERO)))
			.withMessageContaining("lock '" + kind.named("{new}") + "' in Redis Cluster")
			.withMessageContaining("TRYAGAIN"));
		Map<LockKind, Call<LockHandle>> waiting = LockKind
			.map((kind) -> Call.start(() -> this.here.locks.acquire(kind.named("{new}"), kind.of(PATIENT))));
		Map<LockKind, Call<Throwable>> impatient = LockKind
			.map((kind) -> Call.start(() -> catchThrowable(() -> this.there.locks.acquire(kind.named("{new}"),
					kind.of(PATIENT).withWaitTime(Duration.ofSeconds(1))))));
		LockKind.forEach((kind) -> {
			assertThat(impatient.get(kind).get()).isInstanceOf(LockUnavailableException.class);
			assertThat(waiting.get(kind).isDone()).isFalse();
		});
		move.finish();
		LockKind.forEach((kind) -> {
			LockHandle handle = waiting.get(kind).get();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.there.locks.acquire(kind.named("{new}"), PATIENT.withWaitTime(Duration.ZERO)));
			handle.release();
		});
	}

	@Test
	@Shows("Slot of a lock on its way (TRYAGAIN)")
	void lockWithOneMovedKeyHasNoOtherHolderAndIsGoneAfterTheRelease() {
		for (String moved : List.of("", ":fence")) {
			Map<LockKind, LockHandle> held = LockKind
				.map((kind) -> this.here.locks.acquire(kind.named("{torn}"), kind.of(PATIENT)));
			SlotMove move = this.cluster.startMovingSlot("lock:{torn}");
			Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> {
				move.moveKey(key(kind.named("{torn}"), moved));
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(
						() -> this.there.locks.acquire(kind.named("{torn}"), PATIENT.withWaitTime(Duration.ZERO)));
				held.get(kind).extend(Duration.ofMinutes(1));
				assertThat(held.get(kind).isHeld()).isTrue();
				return Call.start(() -> this.there.locks.acquire(kind.named("{torn}"), PATIENT));
			});
			LockKind.forEach((kind) -> {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(held.get(kind)::release)
					.withMessageContaining("lock '" + kind.named("{torn}") + "' in Redis Cluster");
				assertThat(waiting.get(kind).isDone()).isFalse();
			});
			move.finish();
			LockKind.forEach((kind) -> {
				assertThat(waiting.get(kind).get().fencingToken()).isGreaterThan(held.get(kind).fencingToken());
				waiting.get(kind).get().release();
			});
		}
	}

	@Test
	@Shows("Slot of a lock moves")
	void contendersExcludeEachOtherWhileTheKeysOfTheirLockMoveOneAfterTheOther() {
		Map<LockKind, Contest> contests = LockKind.map((kind) -> contest("{piecemeal}", kind));
		for (int round = 0; round < 3; round++) {
			awaitMore(contests);
			SlotMove move = this.cluster.startMovingSlot("lock:{piecemeal}");
			for (String suffix : List.of(":queue", "", ":fence", ":waiting")) {
				LockKind.forEach((kind) -> move.moveKey(key(kind.named("{piecemeal}"), suffix)));
				// For a life sign of every waiter
				await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
			}
			move.finish();
		}
		awaitMore(contests);
		LockKind.forEach((kind) -> assertThat(contests.get(kind).end()).isEmpty());
	}

	@Test
	void fiftyLocksOnAllMastersAreRenewed() {
		LockOptions renewed = LockOptions.ofLease(Duration.ofSeconds(10))
			.withAutoRenew(Duration.ofSeconds(1))
			.withWaitTime(Duration.ofSeconds(10));
		List<LockHandle> handles = IntStream.range(0, 50)
			.mapToObj((i) -> this.here.locks.acquire("renewed:" + i, LockKind.values()[i % 3].of(renewed)))
			.toList();
		assertThat(handles.stream().map((handle) -> this.cluster.masterOf("lock:" + handle.name())).distinct())
			.hasSize(3);
		// Longer than the lease
		await().during(Duration.ofSeconds(12))
			.atMost(SOON.plus(SOON))
			.until(() -> handles.stream().allMatch(LockHandle::isHeld));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.there.locks.acquire("renewed:49", PATIENT.withWaitTime(Duration.ZERO)));
		handles.forEach(LockHandle::release);
	}

	@Test
	void locksOfSeveralSlotsAreTakenTogetherOrNotAtAll() {
		Set<String> names = Set.of("all:a", "all:b", "all:c", "all:{tag}d", "all:{tag}e", "all:}f{");
		assertThat(names.stream().map((name) -> this.cluster.masterOf("lock:" + name)).distinct())
			.hasSizeGreaterThan(1);
		assertThat(this.cluster.slotOf("lock:all:{tag}d")).isEqualTo(this.cluster.slotOf("lock:all:{tag}e"));
		LockHandle one = this.there.locks.acquire("all:c", PATIENT);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.locks.acquireAll(names, PATIENT.withWaitTime(Duration.ofMillis(300))));
		await().atMost(SOON).until(() -> locks(), Set.of("lock:all:c")::equals);
		Call<LockHandle> waiting = Call.start(() -> this.here.locks.acquireAll(names, PATIENT));
		await().atMost(SOON).until(() -> keys().contains("{lock:all:c}:queue"));
		one.release();
		LockHandle all = waiting.get();
		assertThat(locks()).hasSize(names.size());
		all.release();
	}

	@Test
	void namesWithHashTagsAndBracesAreHandedOff() {
		for (String name : List.of("{tag}a", "b{tag}", "c}d", "{}e", "}{f", "g{h")) {
			LockHandle held = this.here.locks.acquire(name, PATIENT);
			Call<LockHandle> waiting = Call.start(() -> this.there.locks.acquire(name, PATIENT));
			await().atMost(SOON).until(() -> keys().stream().anyMatch((key) -> key.endsWith(":queue")));
			held.release();
			LockHandle next = waiting.get();
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			next.release();
		}
	}

	/** The name of a key of a lock whose name begins with a tag. */
	private static String key(String name, String suffix) {
		String key = "lock:" + name;
		return suffix.isEmpty() ? key : name.substring(0, name.indexOf('}') + 1) + key + suffix;
	}

	private void awaitQueued(String name) {
		String queue = key(name, ":queue");
		await().atMost(SOON).until(() -> this.cluster.masterOf(queue).cli("ZCARD", queue).equals(1L));
	}

	private Call<LockHandle> waitAlone(String name) {
		return waitFor(name, PATIENT);
	}

	private Call<LockHandle> waitFor(String name, LockOptions options) {
		Call<LockHandle> call = Call.start(() -> this.there.locks.acquire(name, options));
		awaitQueued(name);
		return call;
	}

	private static long timeToLive(RedisServer server, String name) {
		return (Long) server.cli("PTTL", "lock:" + name);
	}

	private Set<String> locks() {
		return keys().stream().filter((key) -> key.startsWith("lock:")).collect(Collectors.toSet());
	}

	/** Of masters and replicas. */
	private Set<String> keys() {
		return this.cluster.nodes()
			.stream()
			.flatMap((node) -> ((List<?>) node.cli("KEYS", "*")).stream())
			.map(String.class::cast)
			.collect(Collectors.toSet());
	}

	/** Whoever is alone is so in the order of the fencing tokens. */
	private Contest contest(String name, LockKind kind) {
		AtomicLong lastFence = new AtomicLong();
		return new Contest(this.here, this.there, kind.named(name), kind, PATIENT, (handle) -> {
			if (kind == LockKind.EXCLUSIVE) {
				assertThat(handle.fencingToken()).isGreaterThan(lastFence.getAndSet(handle.fencingToken()));
			}
		});
	}

	private static void awaitMore(Map<LockKind, Contest> contests) {
		LockKind.forEach((kind) -> contests.get(kind).awaitMore(50, SOON));
	}

}
