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

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static io.distributedlock.engine.EngineFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads, blocking and not, on three instances with the real clock.
 */
@Timeout(120)
class EngineStressTests {

	private static final Duration RUN = Duration.ofMillis(1200);

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(30));

	private final InMemoryLockStore table = new InMemoryLockStore();

	private final List<DefaultLockService> instances = new ArrayList<>();

	private final Witness witness = new Witness();

	EngineStressTests() {
		for (int i = 0; i < 3; i++) {
			this.instances.add(new DefaultLockService(this.table.connect(), EngineSettings.of("i" + i), List.of()));
		}
	}

	@AfterEach
	void close() {
		this.instances.forEach(DefaultLockService::close);
	}

	@Test
	void neverTwoHoldersAndTokensGrow() throws Exception {
		inThreads(24, Executors.newCachedThreadPool(), 1000, (service) -> {
			try (LockHandle handle = acquireOneWayOrTheOther(service)) {
				this.witness.enter(handle);
			}
		});
		this.witness.assertNoTwoAtOnce(1000);
		assertNothingIsLeft();
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void neverTwoHoldersInVirtualThreads() throws Exception {
		// The sources are for Java 17, which has no virtual threads
		Method virtualThreads = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
		inThreads(500, (ExecutorService) virtualThreads.invoke(null), 500, (service) -> {
			try (LockHandle handle = service.acquire("hot", OPTIONS)) {
				this.witness.enter(handle);
			}
		});
		this.witness.assertNoTwoAtOnce(500);
		assertNothingIsLeft();
	}

	@Test
	void interruptsAndCancellationsAtAnyInstantLeaveNothing() throws Exception {
		inThreads(12, Executors.newCachedThreadPool(), 10, (service) -> {
			if (ThreadLocalRandom.current().nextBoolean()) {
				cancelAtOnce(service);
			}
			else {
				acquireInterrupted(service);
			}
		});
		this.witness.assertNoTwoAtOnce(10);
		assertNothingIsLeft();
	}

	@Test
	@DisplayName("A thread that re-enters while another thread closes the outer handle holds the lock")
	void reentryDuringTheCloseOfTheOuterHandleHoldsTheLock() throws Exception {
		DefaultLockService service = this.instances.get(0);
		ExecutorService closer = Executors.newSingleThreadExecutor();
		AtomicInteger notHeld = new AtomicInteger();
		long end = System.nanoTime() + RUN.toNanos();
		while (System.nanoTime() < end) {
			Future<?> closing = closer.submit(acquireInAttempts(service)::close);
			long instant = System.nanoTime() + ThreadLocalRandom.current().nextInt(60_000);
			while (System.nanoTime() < instant) {
				Thread.onSpinWait();
			}
			// The outer handle is about to be closed: re-entry, or an acquisition anew
			try (LockHandle inner = acquireInAttempts(service)) {
				notHeld.addAndGet(inner.isHeld() ? 0 : 1);
			}
			closing.get();
		}
		closer.shutdown();
		assertThat(notHeld).hasValue(0);
		assertNothingIsLeft();
	}

	@Test
	void closingAtAnyInstantLeavesNoLock() throws Exception {
		InMemoryLockStore observer = this.table.connect();
		long end = System.nanoTime() + RUN.toNanos();
		while (System.nanoTime() < end) {
			InMemoryLockStore store = this.table.connect();
			DefaultLockService closing = new DefaultLockService(store, EngineSettings.of("closing"), List.of());
			ExecutorService executor = Executors.newCachedThreadPool();
			for (int i = 0; i < 8; i++) {
				String name = "name" + i % 6;
				executor.submit(() -> acquireUntilClosed(closing, name));
			}
			LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(3_000_000));
			closing.close();
			store.close();
			for (int i = 0; i < 6; i++) {
				assertThat(observer.find("name" + i).join()).isEmpty();
			}
			executor.shutdown();
			assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
		}
	}

	private static void acquireUntilClosed(DefaultLockService service, String name) {
		try {
			while (true) {
				if (ThreadLocalRandom.current().nextBoolean()) {
					service.acquire(name, OPTIONS).close();
				}
				else {
					service.acquireAsync(name, OPTIONS).cancel(true);
				}
			}
		}
		catch (LockUnavailableException ex) {
			// Closed
		}
	}

	private static LockHandle acquireOneWayOrTheOther(DefaultLockService service) throws Exception {
		return (ThreadLocalRandom.current().nextInt(4) == 0)
				? service.acquireAsync("hot", OPTIONS).get(30, TimeUnit.SECONDS) : service.acquire("hot", OPTIONS);
	}

	/**
	 * The release by another thread may be on its way to the store, and is not waited
	 * for.
	 */
	private static LockHandle acquireInAttempts(DefaultLockService service) {
		Optional<LockHandle> handle = Optional.empty();
		while (handle.isEmpty()) {
			handle = service.tryAcquire("hot", OPTIONS.withWaitTime(Duration.ZERO));
		}
		return handle.get();
	}

	private static void cancelAtOnce(DefaultLockService service) {
		CompletableFuture<LockHandle> future = service.acquireAsync("hot", OPTIONS);
		Thread.onSpinWait();
		if (!future.cancel(true)) {
			future.join().releaseAsync();
		}
	}

	private void acquireInterrupted(DefaultLockService service) {
		Thread self = Thread.currentThread();
		CompletableFuture<Void> interrupt = CompletableFuture.runAsync(self::interrupt,
				CompletableFuture.delayedExecutor(ThreadLocalRandom.current().nextInt(300), TimeUnit.MICROSECONDS));
		try (LockHandle handle = service.acquire("hot", OPTIONS)) {
			this.witness.enter(handle);
		}
		catch (LockInterruptedException ex) {
			assertThat(self.isInterrupted()).isTrue();
		}
		interrupt.join();
		Thread.interrupted();
	}

	private void assertNothingIsLeft() {
		for (DefaultLockService instance : this.instances) {
			soon(() -> instance.held().isEmpty() && !instance.isLocked("hot"));
			assertThat(instance.waiting()).isEmpty();
		}
		this.instances.get(0).acquire("hot", OPTIONS.withWaitTime(Duration.ZERO)).close();
	}

	/**
	 * Repeat a section in many threads until the time is over, and the lock was entered
	 * often enough, which may take longer on a busy machine.
	 */
	private void inThreads(int count, ExecutorService executor, int entries, Section section) throws Exception {
		long end = System.nanoTime() + RUN.toNanos();
		List<Future<?>> threads = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			DefaultLockService service = this.instances.get(i % this.instances.size());
			threads.add(executor.submit(() -> {
				do {
					section.run(service);
				}
				while (System.nanoTime() < end || this.witness.entries.get() < entries);
				return null;
			}));
		}
		for (Future<?> thread : threads) {
			thread.get();
		}
		executor.shutdown();
	}

	interface Section {

		void run(DefaultLockService service) throws Exception;

	}

	/**
	 * Sees whoever is inside.
	 */
	private static final class Witness {

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger violations = new AtomicInteger();

		private final AtomicLong lastToken = new AtomicLong();

		private final AtomicInteger entries = new AtomicInteger();

		/** Guarded by the lock under test alone. */
		private int unguardedEntries;

		void enter(LockHandle handle) {
			boolean alone = this.inside.incrementAndGet() == 1;
			boolean later = this.lastToken.getAndSet(handle.fencingToken()) < handle.fencingToken();
			this.violations.addAndGet((alone && later) ? 0 : 1);
			this.unguardedEntries++;
			this.entries.incrementAndGet();
			this.inside.decrementAndGet();
		}

		void assertNoTwoAtOnce(int atLeast) {
			assertThat(this.violations).hasValue(0);
			assertThat(this.entries).hasValue(this.unguardedEntries);
			assertThat(this.entries).hasValueGreaterThanOrEqualTo(atLeast);
		}

	}

}
