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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockOptions;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.SettableTicker;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances on one store, with a clock that the test moves. Tests extend this.
 */
class EngineFixture implements AutoCloseable {

	static final LockOptions LEASE_30S = LockOptions.ofLease(Duration.ofSeconds(30));

	static final LockOptions WAITING = LEASE_30S.withWaitTime(Duration.ofMinutes(5));

	final SettableTicker ticker = new SettableTicker();

	final InMemoryLockStore table = new InMemoryLockStore(this.ticker::nanos);

	final ControlledStore store = new ControlledStore(this.table);

	final ControlledStore thereStore = new ControlledStore(this.table.connect());

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final List<LockHandle> kept = new CopyOnWriteArrayList<>();

	private volatile LockListener listener = (event) -> {
	};

	final DefaultLockService here;

	final DefaultLockService there;

	EngineFixture() {
		this(EngineSettings.of("here"));
	}

	EngineFixture(EngineSettings settings) {
		this.here = new DefaultLockService(this.store, settings, List.of(this.events::add, this::tell),
				this.ticker::nanos);
		this.there = new DefaultLockService(this.thereStore, EngineSettings.of("there"), List.of(), this.ticker::nanos);
	}

	private void tell(LockEvent event) {
		this.listener.onLockEvent(event);
	}

	void listener(LockListener listener) {
		this.listener = listener;
	}

	/**
	 * Have an instance wait in the queue of the store behind the present holder.
	 */
	CompletableFuture<LockHandle> queue(String name, LockOptions options) {
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync(name, options);
		soon(() -> this.store.queued() == 1);
		// Until the answer has been dealt with, too
		this.here.awaitIo();
		return waiter;
	}

	/**
	 * Acquire a lock that somebody else here has just wanted as well: only then it comes
	 * with fencing tokens for further local holders.
	 */
	LockHandle acquireContended(String name, LockOptions options) throws Exception {
		LockHandle first = this.here.acquire(name, options);
		CompletableFuture<LockHandle> second = this.here.acquireAsync(name, WAITING.withLease(options.lease()));
		first.close();
		return granted(second);
	}

	/**
	 * Keep a handle reachable: a lock whose handle the collector has taken is released.
	 */
	LockHandle keep(LockHandle handle) {
		this.kept.add(handle);
		return handle;
	}

	static void soon(Callable<Boolean> condition) {
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(condition);
	}

	static void awaitLatch(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Assert that a future fails, or is about to.
	 */
	static ThrowableAssertAlternative<?> assertFails(Future<?> future, Class<? extends Throwable> cause) {
		return assertThat(future).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(cause);
	}

	/**
	 * Return the handle of a wait that is over, or is about to be.
	 */
	static LockHandle granted(CompletableFuture<LockHandle> waiter) throws Exception {
		return waiter.get(30, TimeUnit.SECONDS);
	}

	/**
	 * Let time pass as it would by itself, with the thread for I/O keeping pace.
	 */
	void passWithIo(Duration time) {
		for (long i = 0; i < time.toMillis(); i += 250) {
			advance(Duration.ofMillis(Math.min(250, time.toMillis() - i)));
			this.here.awaitIo();
			this.there.awaitIo();
		}
	}

	/**
	 * Move the clock and let the watchdogs look at it.
	 */
	void advance(Duration time) {
		this.ticker.advance(time);
		this.here.runDue();
		this.there.runDue();
	}

	/**
	 * Move the clock in steps, as it would go by itself.
	 */
	void pass(Duration time) {
		Duration step = time.dividedBy(100);
		for (int i = 0; i < 100; i++) {
			advance(step);
		}
	}

	<E extends LockEvent> List<E> events(Class<E> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	@AfterEach
	@Override
	public void close() {
		this.store.answer();
		this.here.close();
		this.there.close();
	}

}
