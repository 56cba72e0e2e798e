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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.distributedlock.engine.EngineFixture.granted;
import static io.distributedlock.engine.EngineFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for orders of requests, answers, grants and cancellations that are possible but
 * rarely happen by themselves.
 */
@Timeout(30)
class InterleavingTests {

	private static final LockOptions LEASE_30S = LockOptions.lease(Duration.ofSeconds(30));

	private static final LockOptions WAITING = LEASE_30S.withWaitTime(Duration.ofMinutes(5));

	private final EngineFixture fixture = new EngineFixture();

	private final ControlledStore store = this.fixture.store;

	private final DefaultLockService here = this.fixture.here;

	private final DefaultLockService there = this.fixture.there;

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void aWaitThatEndsBetweenThePreparationAndTheSendingOfItsRequestLeavesTheQueue() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CountDownLatch busy = occupyIo();
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a", WAITING);
		assertThat(this.store.queued()).isEqualTo(2);
		this.fixture.advance(Duration.ofSeconds(1));
		waiter.cancel(true);
		busy.countDown();
		soon(() -> this.store.queued() == 1);
		elsewhere.close();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	/**
	 * Keep the thread for I/O busy until the latch is counted down.
	 */
	private CountDownLatch occupyIo() throws Exception {
		LockHandle elsewhere = this.there.acquire("occupied", LEASE_30S);
		this.fixture.queue("occupied", WAITING);
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch latch = new CountDownLatch(1);
		this.store.before("acquire", () -> {
			entered.countDown();
			await(latch);
		});
		this.fixture.advance(Duration.ofSeconds(1));
		entered.await();
		assertThat(elsewhere.isHeld()).isTrue();
		return latch;
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
