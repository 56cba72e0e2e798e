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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockOptions;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads, blocking and not, on three instances with the real clock.
 */
@Timeout(60)
class EngineStressTests {

	private static final LockOptions OPTIONS = LockOptions.lease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(30));

	private final InMemoryLockStore table = new InMemoryLockStore();

	private final List<DefaultLockService> instances = new ArrayList<>();

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
		AtomicInteger inside = new AtomicInteger();
		AtomicLong lastToken = new AtomicLong();
		AtomicLong violations = new AtomicLong();
		AtomicLong unsafe = new AtomicLong();
		long[] counter = new long[1];
		AtomicLong acquisitions = new AtomicLong();
		inThreads(24, 3, (service) -> {
			try (LockHandle handle = acquire(service)) {
				if (inside.incrementAndGet() != 1) {
					violations.incrementAndGet();
				}
				if (lastToken.getAndSet(handle.fencingToken()) >= handle.fencingToken()) {
					violations.incrementAndGet();
				}
				counter[0]++;
				acquisitions.incrementAndGet();
				inside.decrementAndGet();
			}
		});
		assertThat(violations).hasValue(0);
		assertThat(unsafe).hasValue(0);
		assertThat(counter[0]).isEqualTo(acquisitions.get()).isGreaterThan(1000);
		System.err.println("acquisitions " + acquisitions.get());
		assertNothingIsLeft();
	}

	private static LockHandle acquire(DefaultLockService service) throws Exception {
		return (ThreadLocalRandom.current().nextInt(4) == 0)
				? service.acquireAsync("hot", OPTIONS).get(30, TimeUnit.SECONDS) : service.acquire("hot", OPTIONS);
	}

	@Test
	void interruptsAndCancellationsAtAnyInstantLeaveNothing() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicLong violations = new AtomicLong();
		inThreads(12, 3, (service) -> {
			if (ThreadLocalRandom.current().nextBoolean()) {
				CompletableFuture<LockHandle> future = service.acquireAsync("hot", OPTIONS);
				Thread.onSpinWait();
				if (!future.cancel(true)) {
					future.join().releaseAsync();
				}
				return;
			}
			Thread self = Thread.currentThread();
			CompletableFuture<Void> interrupt = CompletableFuture.runAsync(self::interrupt,
					CompletableFuture.delayedExecutor(ThreadLocalRandom.current().nextInt(300), TimeUnit.MICROSECONDS));
			try (LockHandle handle = service.acquire("hot", OPTIONS)) {
				if (inside.incrementAndGet() != 1) {
					violations.incrementAndGet();
				}
				inside.decrementAndGet();
			}
			catch (LockInterruptedException ex) {
				assertThat(self.isInterrupted()).isTrue();
			}
			interrupt.join();
			Thread.interrupted();
		});
		assertThat(violations).hasValue(0);
		assertNothingIsLeft();
	}

	private void assertNothingIsLeft() {
		for (DefaultLockService instance : this.instances) {
			org.awaitility.Awaitility.await().until(() -> instance.held().isEmpty() && !instance.isLocked("hot"));
			assertThat(instance.waiting()).isEmpty();
		}
		this.instances.get(0).acquire("hot", OPTIONS.withWaitTime(Duration.ZERO)).close();
	}

	private void inThreads(int count, int seconds, Section section) throws Exception {
		AtomicBoolean stop = new AtomicBoolean();
		List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			DefaultLockService service = this.instances.get(i % this.instances.size());
			Thread thread = new Thread(() -> {
				try {
					while (!stop.get()) {
						section.run(service);
					}
				}
				catch (Throwable ex) {
					failures.add(ex);
				}
			});
			threads.add(thread);
			thread.start();
		}
		TimeUnit.SECONDS.sleep(seconds);
		stop.set(true);
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(failures).isEmpty();
	}

	interface Section {

		void run(DefaultLockService service) throws Exception;

	}

}
