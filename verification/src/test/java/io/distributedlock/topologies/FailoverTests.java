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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.faults.Call;
import io.distributedlock.faults.Instance;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

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

	private String name;

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
		this.name = "failover:" + this.number.incrementAndGet();
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
	void aLockThatTheReplicaKnowsIsKeptRenewedAndHandedOff() {
		LockHandle held = this.here.locks.acquire(this.name, RENEWED);
		Call<LockHandle> waiting = Call.start(() -> this.there.locks.acquire(this.name, RENEWED));
		awaitQueued();
		this.topology.killMaster(this.key);
		long timeToLive = timeToLive();
		await().atMost(RECOVERY).until(() -> timeToLive() > timeToLive);
		assertThat(held.isHeld()).isTrue();
		assertThat(waiting.isDone()).isFalse();
		long released = System.nanoTime();
		held.release();
		LockHandle next = waiting.get();
		assertThat(waiting.tookSince(released)).isLessThan(A_FEW_SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.release();
		assertThat(this.here.events(LockEvent.Lost.class)).isEmpty();
		assertThat(this.there.events(LockEvent.Lost.class)).isEmpty();
		await().atMost(RECOVERY).until(() -> holder() == null);
	}

	@Test
	void aHolderWhoDoesNotRenewIsToldBeforeTheWaiterGetsTheLock() {
		Duration lease = Duration.ofSeconds(4);
		LockHandle held = this.here.locks.acquire(this.name, LockOptions.ofLease(lease));
		Call<LockHandle> waiting = Call.start(() -> {
			LockHandle next = this.there.locks.acquire(this.name, RENEWED);
			assertThat(held.isHeld()).isFalse();
			return next;
		});
		awaitQueued();
		this.topology.killMaster(this.key);
		long promoted = System.nanoTime();
		LockHandle next = waiting.get();
		assertThat(waiting.tookSince(promoted)).isLessThan(lease.plus(A_FEW_SECONDS));
		assertThat(held.state()).isEqualTo(LockState.LOST);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.release();
	}

	@Test
	void aHolderWhoseLockTheReplicaNeverSawIsToldAndTheWaiterGoesOn() {
		RedisServer master = this.topology.masterOf(this.key);
		RedisServer replica = this.topology.replicaOf(this.key);
		replica.pause();
		master.cli("CLIENT", "KILL", "TYPE", "replica");
		LockHandle held = this.here.locks.acquire(this.name, RENEWED);
		Call<LockHandle> waiting = Call.start(() -> this.there.locks.acquire(this.name, RENEWED));
		awaitQueued(master);
		master.kill();
		replica.resume();
		awaitPromoted(replica);
		long promoted = System.nanoTime();
		LockHandle next = waiting.get();
		assertThat(waiting.tookSince(promoted)).isLessThan(A_FEW_SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		await().atMost(A_FEW_SECONDS).until(() -> held.state() == LockState.LOST);
		held.close();
		assertThat(holder()).startsWith(this.there.locks.instanceId());
		next.release();
	}

	@Test
	void contendersOnTwoInstancesGoOnAfterACrash() {
		Queue<Long> fences = new ConcurrentLinkedQueue<>();
		// A lock whose release was lost in the crash is free after its lease
		LockOptions options = LockOptions.ofLease(Duration.ofSeconds(3)).withWaitTime(Duration.ofSeconds(60));
		Contest contest = new Contest(this.here, this.there, this.name, options,
				(handle) -> fences.add(handle.fencingToken()));
		contest.awaitMore(20, RECOVERY);
		RedisServer replica = this.topology.replicaOf(this.key);
		this.topology.masterOf(this.key).kill();
		awaitPromoted(replica);
		long last = fences.stream().mapToLong(Long::longValue).max().orElseThrow();
		contest.awaitMore(20, RECOVERY);
		contest.end();
		assertThat(fences).doesNotHaveDuplicates();
		assertThat(List.copyOf(fences).get(fences.size() - 1)).isGreaterThan(last);
	}

	private void awaitQueued() {
		awaitQueued(this.topology.masterOf(this.key));
	}

	private void awaitQueued(RedisServer master) {
		await().atMost(RECOVERY).until(() -> master.cli("ZCARD", "{" + this.key + "}:queue").equals(1L));
	}

	private void awaitPromoted(RedisServer replica) {
		await().atMost(RECOVERY)
			.ignoreExceptions()
			.until(() -> this.topology.masterOf(this.key) == replica
					&& String.valueOf(replica.cli("INFO", "replication")).contains("role:master"));
	}

	private String holder() {
		return (String) this.topology.masterOf(this.key).cli("GET", this.key);
	}

	private long timeToLive() {
		return (Long) this.topology.masterOf(this.key).cli("PTTL", this.key);
	}

}
