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

package io.distributedlock.example;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What docs/lock-service.md promises to an application in plain Java.
 */
@Timeout(60)
class PlainJavaApplicationTests {

	private static final EngineSettings SETTINGS = EngineSettings.of("shop");

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(1));

	private final LockStore store = new InMemoryLockStore();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final DefaultLockService locks = new DefaultLockService(this.store,
			SETTINGS.withNonBlockingThreads(() -> Thread.currentThread().getName().equals("event-loop")),
			List.of(this.events::add));

	@AfterEach
	void close() {
		this.locks.close();
		this.store.close();
	}

	@Test
	void lossCallbackIsCalled() {
		CompletableFuture<LossCause> loss = new CompletableFuture<>();
		LockHandle handle = this.locks.acquire("short", LockOptions.ofLease(Duration.ofSeconds(1)));
		handle.onLost((event) -> loss.complete(event.cause()));
		assertThat(loss).succeedsWithin(Duration.ofSeconds(20))
			// The second on a machine that stalls
			.isIn(LossCause.LEASE_EXPIRED, LossCause.PROCESS_PAUSED);
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void listenersReceiveEvents() {
		this.locks.acquire("order:42", LONG).close();
		await().untilAsserted(
				() -> assertThat(this.events).extracting(LockEvent::name).containsExactly("order:42", "order:42"));
	}

	@Test
	void holderKeepsItsLockWhileTheApplicationStops() throws Exception {
		CountDownLatch working = new CountDownLatch(1);
		CompletableFuture<Boolean> heldToTheEnd = CompletableFuture
			.supplyAsync(() -> this.locks.execute("work", LONG, (handle) -> {
				working.countDown();
				await().untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> this.locks.tryAcquire("new", LONG).ifPresent(LockHandle::close)));
				return handle.isHeld();
			}));
		assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();
		this.locks.close(Duration.ofSeconds(30));
		assertThat(heldToTheEnd).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	@Test
	void oneCandidateLeads() {
		try (DefaultLockService elsewhere = new DefaultLockService(this.store, EngineSettings.of("other"), List.of());
				LeaderElection here = new LeaderElection(this.locks);
				LeaderElection there = new LeaderElection(elsewhere);
				Leadership one = here.campaign("scheduler", LONG);
				Leadership other = there.campaign("scheduler", LONG)) {
			await().until(() -> one.isLeader() != other.isLeader());
		}
	}

	@Test
	void eventLoopDoesNotWaitForALock() throws Exception {
		CompletableFuture<LockHandle> acquired = new CompletableFuture<>();
		Thread eventLoop = new Thread(() -> {
			try {
				acquired.complete(this.locks.acquire("order:42", LONG.withWaitTime(Duration.ofSeconds(5))));
			}
			catch (RuntimeException ex) {
				acquired.completeExceptionally(ex);
			}
		}, "event-loop");
		eventLoop.start();
		eventLoop.join();
		assertThat(acquired).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalStateException.class);
	}

}
