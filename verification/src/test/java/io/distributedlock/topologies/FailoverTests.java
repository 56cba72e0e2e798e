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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.faults.Call;
import io.distributedlock.faults.ClientLibrary;
import io.distributedlock.faults.Instance;
import io.distributedlock.faults.TestBed;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A master dies while locks are held and waited for.
 */
@Tag("topologies")
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FailoverTests {

	private static final Duration RECOVERY = Duration.ofSeconds(30);

	/** What a waiter may need beyond failover and lease. */
	private static final Duration A_FEW_SECONDS = Duration.ofSeconds(8);

	private static final Duration LEASE = Duration.ofSeconds(40);

	private static final LockOptions RENEWED = LockOptions.ofLease(LEASE)
		.withAutoRenew(Duration.ofSeconds(1))
		.withWaitTime(Duration.ofSeconds(60));

	private final AtomicInteger number = new AtomicInteger();

	private Topology topology;

	private Instance here;

	private Instance there;

	String name;

	private String key;

	abstract Topology start();

	@BeforeAll
	void startTopology() {
		this.topology = start();
	}

	@AfterAll
	void stopTopology() {
		this.topology.close();
	}

	@BeforeEach
	void startInstances() {
		// All kinds on one master, as the tag is all that counts
		this.name = "{failover:" + this.number.incrementAndGet() + "}";
		this.key = "lock:" + this.name;
		await().atMost(RECOVERY)
			.ignoreExceptions()
			.until(() -> String.valueOf(this.topology.replicaOf(this.key).cli("INFO", "replication"))
				.contains("master_link_status:up"));
		this.here = new Instance(EngineSettings.of("here"), this.topology.configuration()).warm();
		this.there = new Instance(EngineSettings.of("there"), this.topology.configuration()).warm();
	}

	@AfterEach
	void heal() {
		this.topology.heal();
		this.here.close();
		this.there.close();
	}

	@Test
	@Shows("Master killed while two instances contend")
	void replicatedLockIsKeptRenewedAndHandedOff() {
		Map<LockKind, LockHandle> held = acquireAll(RENEWED);
		Map<LockKind, Call<LockHandle>> waiting = waitAlone(this.topology.masterOf(this.key));
		this.topology.killMaster(this.key);
		Map<LockKind, Long> timesToLive = LockKind.map(this::timeToLive);
		LockKind.forEach((kind) -> {
			await().atMost(RECOVERY).until(() -> timeToLive(kind) > timesToLive.get(kind));
			assertThat(held.get(kind).isHeld()).isTrue();
			assertThat(waiting.get(kind).isDone()).isFalse();
			long released = System.nanoTime();
			held.get(kind).release();
			LockHandle next = waiting.get(kind).get();
			assertThat(waiting.get(kind).tookSince(released)).isLessThan(A_FEW_SECONDS);
			assertThat(next.fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			next.release();
			await().atMost(RECOVERY).until(() -> this.here.locks.find(name(kind)).isEmpty());
		});
		assertThat(this.here.events(LockEvent.Lost.class)).isEmpty();
		assertThat(this.there.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	@Shows({ "Master killed while two instances contend",
			"A holder whose lease runs out learns of it before Redis frees the lock" })
	void holderWithoutRenewalLearnsOfTheLossBeforeTheWaiterGetsTheLock() {
		Duration lease = Duration.ofSeconds(15);
		Map<LockKind, LockHandle> held = acquireAll(LockOptions.ofLease(lease));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> Call.start(() -> {
			LockHandle next = this.there.locks.acquire(name(kind), RENEWED);
			assertThat(held.get(kind).isHeld()).isFalse();
			return next;
		}));
		awaitQueued(this.topology.masterOf(this.key));
		this.topology.killMaster(this.key);
		long promoted = System.nanoTime();
		LockKind.forEach((kind) -> {
			LockHandle next = waiting.get(kind).get();
			assertThat(waiting.get(kind).tookSince(promoted)).isLessThan(lease.plus(A_FEW_SECONDS));
			assertThat(held.get(kind).state()).isEqualTo(LockState.LOST);
			assertThat(next.fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			next.release();
		});
	}

	@Test
	@Shows("A failover loses the newest writes")
	void holderOfAnUnreplicatedLockLearnsOfTheLossAndTheWaiterContinues() {
		RedisServer master = this.topology.masterOf(this.key);
		RedisServer replica = stopReplication();
		Map<LockKind, LockHandle> held = acquireAll(RENEWED);
		Map<LockKind, Call<LockHandle>> waiting = waitAlone(master);
		master.kill();
		replica.resume();
		awaitPromoted(replica);
		long promoted = System.nanoTime();
		LockKind.forEach((kind) -> {
			LockHandle next = waiting.get(kind).get();
			assertThat(waiting.get(kind).tookSince(promoted)).isLessThan(A_FEW_SECONDS);
			assertThat(next.fencingToken()).isGreaterThan(held.get(kind).fencingToken());
			await().atMost(A_FEW_SECONDS).until(() -> held.get(kind).state() == LockState.LOST);
			held.get(kind).close();
			assertThat(this.there.locks.find(name(kind))).get()
				.extracting(LockInfo::kind)
				.isEqualTo(LockInfo.Kind.THIS_INSTANCE);
			next.release();
		});
	}

	@ParameterizedTest
	@EnumSource
	@Shows("A failover loses the newest writes")
	void holdersOfUnreplicatedLocksLearnOfTheLossWithoutARenewal(ClientLibrary client) {
		try (Instance holder = new Instance(EngineSettings.of("holder"), this.topology.configuration(), client)
			.warm()) {
			RedisServer master = this.topology.masterOf(this.key);
			RedisServer replica = stopReplication();
			List<LockHandle> held = holdEach(holder);
			master.kill();
			replica.resume();
			awaitPromoted(replica);
			assertLost(holder, held);
		}
	}

	@ParameterizedTest
	@EnumSource
	@Shows("A failover loses the newest writes")
	void holdersLearnOfTheLossAfterAFailoverWithTheOldMasterAlive(ClientLibrary client) {
		assertLossIsTold(client, (key) -> {
			RedisServer replica = this.topology.replicaOf(key);
			loseData(replica);
			this.topology.failover(key);
			awaitPromoted(replica);
		});
	}

	/** The master still has the data, so it reports nothing to the holder. */
	private static void loseData(RedisServer replica) {
		replica.cli("CONFIG", "SET", "replica-read-only", "no");
		replica.cli("FLUSHALL");
		replica.cli("CONFIG", "SET", "replica-read-only", "yes");
	}

	/**
	 * Let something happen that loses the locks of a holder.
	 * @param happening receives a key of their master
	 */
	void assertLossIsTold(ClientLibrary client, Consumer<String> happening) {
		try (Instance holder = new Instance(EngineSettings.of("holder"), this.topology.configuration(), client)
			.warm()) {
			List<LockHandle> held = holdEach(holder);
			happening.accept(this.key);
			assertLost(holder, held);
		}
	}

	private RedisServer stopReplication() {
		RedisServer master = this.topology.masterOf(this.key);
		RedisServer replica = this.topology.replicaOf(this.key);
		replica.pause();
		master.cli("CLIENT", "KILL", "TYPE", "replica");
		return replica;
	}

	/** For so long that neither a renewal nor the deadline comes. */
	private List<LockHandle> holdEach(Instance instance) {
		LockOptions once = LockOptions.ofLease(Duration.ofMinutes(10));
		List<LockHandle> held = new ArrayList<>();
		for (LockOptions options : List.of(once, once.withAutoRenew(Duration.ofMinutes(3)),
				once.withMinHold(Duration.ofMinutes(1)))) {
			LockKind.forEach((kind) -> held.add(instance.locks.acquire(kind.named(this.name + held.size()),
					kind.of(options).withWaitTime(RECOVERY))));
		}
		// It listens after half a second
		TestBed.pass(Duration.ofSeconds(1));
		return held;
	}

	private static void assertLost(Instance instance, List<LockHandle> held) {
		// Clients may stay on a living old master for about ten seconds
		await().atMost(RECOVERY.multipliedBy(3))
			.until(() -> held.stream().allMatch((handle) -> handle.state() == LockState.LOST));
		await().until(() -> instance.events(LockEvent.Lost.class).size() == held.size());
		assertThat(instance.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
			.containsOnly(LossCause.KEY_VANISHED);
		held.forEach(LockHandle::close);
	}

	@Test
	@Shows("Master killed while two instances contend")
	void contendersOnTwoInstancesGoOnAfterACrash() {
		Map<LockKind, Queue<Long>> fences = LockKind.map((kind) -> new ConcurrentLinkedQueue<>());
		// A lock whose release was lost in the crash is free after its lease
		LockOptions options = LockOptions.ofLease(Duration.ofSeconds(3)).withWaitTime(Duration.ofSeconds(60));
		Map<LockKind, Contest> contests = LockKind.map((kind) -> new Contest(this.here, this.there, name(kind), kind,
				options, (handle) -> fences.get(kind).add(handle.fencingToken())));
		LockKind.forEach((kind) -> contests.get(kind).awaitMore(20, RECOVERY));
		RedisServer replica = this.topology.replicaOf(this.key);
		this.topology.masterOf(this.key).kill();
		awaitPromoted(replica);
		Map<LockKind, Long> last = LockKind
			.map((kind) -> fences.get(kind).stream().mapToLong(Long::longValue).max().orElseThrow());
		LockKind.forEach((kind) -> contests.get(kind).awaitMore(20, RECOVERY));
		LockKind.forEach((kind) -> {
			contests.get(kind).end();
			assertThat(fences.get(kind)).doesNotHaveDuplicates();
			assertThat(fences.get(kind).stream().mapToLong(Long::longValue).max().orElseThrow())
				.isGreaterThan(last.get(kind));
		});
	}

	private String name(LockKind kind) {
		return kind.named(this.name);
	}

	private Map<LockKind, LockHandle> acquireAll(LockOptions options) {
		return LockKind.map((kind) -> this.here.locks.acquire(name(kind), kind.of(options)));
	}

	private Map<LockKind, Call<LockHandle>> waitAlone(RedisServer master) {
		Map<LockKind, Call<LockHandle>> waiting = LockKind
			.map((kind) -> Call.start(() -> this.there.locks.acquire(name(kind), RENEWED)));
		awaitQueued(master);
		return waiting;
	}

	private void awaitQueued(RedisServer master) {
		LockKind.forEach((kind) -> await().atMost(RECOVERY)
			.until(() -> master.cli("ZCARD", this.name + "lock:" + name(kind) + ":queue").equals(1L)));
	}

	private void awaitPromoted(RedisServer replica) {
		await().atMost(RECOVERY)
			.ignoreExceptions()
			.until(() -> this.topology.masterOf(this.key) == replica
					&& String.valueOf(replica.cli("INFO", "replication")).contains("role:master"));
	}

	private long timeToLive(LockKind kind) {
		return (Long) this.topology.masterOf(this.key).cli("PTTL", "lock:" + name(kind));
	}

}
