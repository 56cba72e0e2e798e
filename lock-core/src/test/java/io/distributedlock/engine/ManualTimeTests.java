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
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.internal.Wait;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DefaultLockService#catchUp} and {@link Shutdown#abandonAll}.
 */
@Timeout(30)
class ManualTimeTests extends EngineFixture {

	@Test
	void waitOfAThreadEndsWhenTheClockPassesTheLimit() throws Exception {
		keep(this.there.acquire("a", LockOptions.ofLease(Duration.ofHours(1))));
		FutureTask<LockHandle> waiter = waitInThread("a", WAITING);
		assertThat(this.here.catchUp()).isLessThan(until(WAITING));
		move(WAITING.waitTime().minusSeconds(1));
		assertThat(this.here.waiting()).hasSize(1);
		move(Duration.ofSeconds(1));
		assertThat(this.here.waiting()).isEmpty();
		assertFails(waiter, LockNotAcquiredException.class);
		assertThat(this.store.commands).endsWith("release");
	}

	@Test
	@DisplayName("A lock is renewed if the clock is moved from one thing that is due to the next")
	void lockIsRenewedIfTheClockJumpsToTheNextDueTime() {
		LockHandle renewed = this.here.acquire("a", LEASE_30S.withAutoRenew());
		LockHandle other = this.here.acquire("b", LEASE_30S);
		long end = this.ticker.nanos() + Duration.ofMinutes(10).toNanos();
		for (long next = this.here.catchUp(); next < end; next = this.here.catchUp()) {
			assertThat(next).isGreaterThan(this.ticker.nanos());
			move(Duration.ofNanos(next - this.ticker.nanos()));
		}
		assertThat(renewed.isHeld()).isTrue();
		assertThat(other.isHeld()).isFalse();
		renewed.close();
		assertThat(this.here.catchUp()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aWaitWithoutLimitCanBeRefused() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		FutureTask<LockHandle> waiter = waitInThread("a", LEASE_30S.withWaitTime(Duration.ofSeconds(Long.MAX_VALUE)));
		Wait wait = this.here.waits().get(0);
		assertThat(wait.name()).isEqualTo("a");
		assertThat(wait.thread()).isNotNull();
		assertThat(wait.until()).isGreaterThan(until(LEASE_30S.withWaitTime(Duration.ofDays(3000))));
		this.here.refuse(wait, "The test waits for ever.");
		this.here.refuse(wait, "This is too late.");
		assertFails(waiter, LockUnavailableException.class).withMessageContaining("The test waits for ever.");
		move(Duration.ofSeconds(1));
		elsewhere.close();
		this.here.awaitIo();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void abandonedLockIsLostWithoutEventsAndInterrupts() throws Exception {
		LockHandle held = this.here.acquire("a", LEASE_30S.withOnLost(OnLost.INTERRUPT));
		held.onLost((loss) -> this.events.add(loss));
		FutureTask<LockHandle> behindHere = waitInThread("a", WAITING);
		keep(this.there.acquire("b", LEASE_30S));
		CompletableFuture<LockHandle> behindThere = queue("b", WAITING);
		this.here.abandonAll("Test 'x' has ended.");
		assertThat(this.here.held()).isEmpty();
		assertThat(this.here.waiting()).isEmpty();
		assertThat(held.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::assertHeld)
			.withMessageContaining("Test 'x' has ended.");
		assertFails(behindHere, LockUnavailableException.class).withMessageContaining("Test 'x' has ended.");
		assertThat(behindThere).failsWithin(Duration.ofSeconds(10));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		held.close();
		this.here.awaitIo();
		this.table.clear();
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		assertThat(this.here.tryAcquire("a", LEASE_30S)).isEmpty();
		elsewhere.close();
		this.here.acquire("a", LEASE_30S).close();
		soon(() -> events(LockEvent.Released.class).size() == 1);
		assertThat(events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void afterTheCloseNothingIsDue() throws Exception {
		granted(this.here.acquireAsync("a", LEASE_30S));
		this.here.close();
		assertThat(this.here.catchUp()).isEqualTo(Long.MAX_VALUE);
		this.here.abandonAll("Nothing is left.");
	}

	private FutureTask<LockHandle> waitInThread(String name, LockOptions options) {
		FutureTask<LockHandle> waiter = new FutureTask<>(() -> this.here.acquire(name, options));
		Thread thread = new Thread(waiter, "waiter");
		thread.start();
		soon(() -> LockSupport.getBlocker(thread) instanceof BlockingWaiter);
		this.here.awaitIo();
		return waiter;
	}

	private long until(LockOptions options) {
		return this.ticker.nanos() + TimeUnit.MILLISECONDS.toNanos(options.waitTime().toMillis());
	}

	private void move(Duration time) {
		this.ticker.advance(time);
		this.here.catchUp();
		this.there.catchUp();
	}

}
