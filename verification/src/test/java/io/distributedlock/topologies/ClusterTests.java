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
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
	void contendersExcludeEachOtherInOrderOfTheirFencingTokensWhileTheSlotMoves() {
		Contest contest = contest("contended");
		contest.awaitMore(50, SOON);
		this.cluster.moveSlot("lock:contended");
		contest.awaitMore(50, SOON);
		contest.end();
	}

	@Test
	void renewalAndReleaseFollowASlotThatHasMoved() {
		LockHandle held = this.here.locks.acquire("moved", PATIENT.withAutoRenew(Duration.ofMillis(700)));
		Call<LockHandle> waiting = Call.start(() -> this.there.locks.acquire("moved", PATIENT));
		awaitQueued("moved");
		this.cluster.moveSlot("lock:moved");
		RedisServer target = this.cluster.masterOf("lock:moved");
		long timeToLive = timeToLive(target, "moved");
		await().atMost(SOON).until(() -> timeToLive(target, "moved") > timeToLive);
		assertThat(waiting.isDone()).isFalse();
		held.release();
		LockHandle next = waiting.get();
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.release();
	}

	@Test
	void locksCanBeExtendedWhileTheirSlotIsOnItsWayAndAreHandedOffOnceItHasMoved() {
		LockHandle held = this.here.locks.acquire("moving", PATIENT);
		Call<LockHandle> waiting = Call.start(() -> this.there.locks.acquire("moving", PATIENT));
		awaitQueued("moving");
		SlotMove move = this.cluster.startMovingSlot("lock:moving");
		held.extend(Duration.ofMinutes(1));
		move.moveKeys();
		held.extend(Duration.ofMinutes(2));
		assertThat(held.remaining()).isGreaterThan(Duration.ofMinutes(2));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(held::release)
			.withMessageContaining("TRYAGAIN");
		assertThat(waiting.isDone()).isFalse();
		move.finish();
		LockHandle next = waiting.get();
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.release();
	}

	@Test
	void aLockWhoseSlotIsOnItsWayIsUnavailableWithoutAWaitAndTakenWithinIt() {
		SlotMove move = this.cluster.startMovingSlot("lock:new");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.here.locks.acquire("new", PATIENT.withWaitTime(Duration.ZERO)))
			.withMessageContaining("lock 'new' in Redis Cluster")
			.withMessageContaining("TRYAGAIN");
		Call<LockHandle> waiting = Call.start(() -> this.here.locks.acquire("new", PATIENT));
		Call<Throwable> impatient = Call.start(() -> catchThrowable(
				() -> this.there.locks.acquire("new", PATIENT.withWaitTime(Duration.ofSeconds(1)))));
		assertThat(impatient.get()).isInstanceOf(LockUnavailableException.class);
		assertThat(waiting.isDone()).isFalse();
		move.finish();
		LockHandle handle = waiting.get();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.there.locks.acquire("new", PATIENT.withWaitTime(Duration.ZERO)));
		handle.release();
	}

	@Test
	void aLockOfWhichOnlyOneKeyHasMovedIsHeldByNobodyElseAndGoneAfterItsRelease() {
		for (String moved : List.of("lock:torn", "{lock:torn}:fence")) {
			LockHandle held = this.here.locks.acquire("torn", PATIENT);
			SlotMove move = this.cluster.startMovingSlot("lock:torn");
			move.moveKey(moved);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.there.locks.acquire("torn", PATIENT.withWaitTime(Duration.ZERO)));
			held.extend(Duration.ofMinutes(1));
			assertThat(held.isHeld()).isTrue();
			Call<LockHandle> waiting = Call.start(() -> this.there.locks.acquire("torn", PATIENT));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(held::release)
				.withMessageContaining("lock 'torn' in Redis Cluster");
			assertThat(waiting.isDone()).isFalse();
			move.finish();
			LockHandle next = waiting.get();
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			next.release();
		}
	}

	@Test
	void contendersExcludeEachOtherWhileTheKeysOfTheirLockMoveOneAfterTheOther() {
		Contest contest = contest("piecemeal");
		for (int round = 0; round < 3; round++) {
			contest.awaitMore(50, SOON);
			SlotMove move = this.cluster.startMovingSlot("lock:piecemeal");
			for (String key : List.of("{lock:piecemeal}:queue", "lock:piecemeal", "{lock:piecemeal}:fence",
					"{lock:piecemeal}:waiting")) {
				move.moveKey(key);
				// For a life sign of every waiter
				await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
			}
			move.finish();
		}
		contest.awaitMore(50, SOON);
		contest.end();
	}

	@Test
	void fiftyLocksOnAllMastersAreRenewed() {
		LockOptions renewed = LockOptions.ofLease(Duration.ofSeconds(3))
			.withAutoRenew()
			.withWaitTime(Duration.ofSeconds(10));
		List<LockHandle> handles = IntStream.range(0, 50)
			.mapToObj((i) -> this.here.locks.acquire("renewed:" + i, renewed))
			.toList();
		assertThat(handles.stream().map((handle) -> this.cluster.masterOf("lock:" + handle.name())).distinct())
			.hasSize(3);
		// Longer than the lease
		await().during(Duration.ofSeconds(5)).atMost(SOON).until(() -> handles.stream().allMatch(LockHandle::isHeld));
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
		awaitQueued("all:c");
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

	private void awaitQueued(String name) {
		String queue = "{lock:" + name + "}:queue";
		await().atMost(SOON).until(() -> this.cluster.masterOf(queue).cli("ZCARD", queue).equals(1L));
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

	/** One at a time, in the order of their fencing tokens. */
	private Contest contest(String name) {
		AtomicLong lastFence = new AtomicLong();
		AtomicInteger inside = new AtomicInteger();
		return new Contest(this.here, this.there, name, PATIENT, (handle) -> {
			assertThat(inside.incrementAndGet()).isOne();
			assertThat(handle.fencingToken()).isGreaterThan(lastFence.getAndSet(handle.fencingToken()));
			inside.decrementAndGet();
		});
	}

}
