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

package io.distributedlock.annotation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockOptions;
import io.distributedlock.LockHandle;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.core.task.VirtualThreadTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for annotated methods that are called by virtual threads.
 */
@EnabledForJreRange(min = JRE.JAVA_25)
class VirtualThreadsTests {

	private static final int THREADS = 10_000;

	private static final String PINNED = "jdk.VirtualThreadPinned";

	@Test
	void tenThousandContendersAreAllServedAndNonePinsItsCarrier() throws Exception {
		List<RecordedEvent> pinned = new CopyOnWriteArrayList<>();
		CountDownLatch marked = new CountDownLatch(1);
		try (DefaultLockService locks = new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("instance"),
				List.of());
				LockFixture fixture = new LockFixture(locks);
				RecordingStream events = new RecordingStream()) {
			Counter counter = fixture.start(Counter.class);
			counter.count();
			waitOnce(locks, counter);
			events.enable(PINNED).withoutThreshold().withStackTrace();
			events.onEvent(PINNED, (event) -> {
				pinned.add(event);
				if (isOfTest(event)) {
					marked.countDown();
				}
			});
			events.setReuse(false);
			events.startAsync();
			contend(counter);
			assertThat(counter.served()).isEqualTo(THREADS + 2);
			pinOnPurpose();
			assertThat(marked.await(30, TimeUnit.SECONDS)).as("a thread that pins is seen").isTrue();
			await().until(() -> locks.held().isEmpty() && locks.waiting().isEmpty());
		}
		assertThat(pinned).filteredOn((event) -> !isOfTest(event)).noneMatch(VirtualThreadsTests::isOurs);
	}

	/**
	 * A thread that loads a class while others load it is pinned: load all that is
	 * needed.
	 */
	private static void waitOnce(DefaultLockService locks, Counter counter) throws InterruptedException {
		LockHandle handle = locks.acquire("counter", LockOptions.defaults());
		Thread waiter = new Thread(counter::count);
		waiter.start();
		await().until(() -> !locks.waiting().isEmpty());
		handle.close();
		waiter.join();
	}

	private static void contend(Counter counter) throws InterruptedException {
		VirtualThreadTaskExecutor executor = new VirtualThreadTaskExecutor("contender-");
		CountDownLatch done = new CountDownLatch(THREADS);
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		for (int i = 0; i < THREADS; i++) {
			executor.execute(() -> {
				try {
					counter.count();
				}
				catch (Throwable ex) {
					failure.set(ex);
				}
				finally {
					done.countDown();
				}
			});
		}
		assertThat(done.await(120, TimeUnit.SECONDS)).isTrue();
		assertThat(failure.get()).isNull();
	}

	/**
	 * A thread that waits in the initializer of a class cannot leave its carrier.
	 */
	private static void pinOnPurpose() {
		new VirtualThreadTaskExecutor("pinned-").execute(Pinning::touch);
	}

	private static boolean isOfTest(RecordedEvent event) {
		return event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.anyMatch((frame) -> frame.getMethod().getType().getName().contains("$Pinning"));
	}

	private static boolean isOurs(RecordedEvent event) {
		return event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.map((frame) -> frame.getMethod().getType().getName())
			.anyMatch((type) -> type.startsWith("io.distributedlock.") && !type.contains("VirtualThreadsTests"));
	}

	static class Pinning {

		static {
			java.util.concurrent.locks.LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
		}

		static void touch() {
		}

	}

	static class Counter {

		private final AtomicInteger inside = new AtomicInteger();

		/** Not atomic: the lock guards it. */
		private int served;

		@DistributedLock(name = "counter", waitTime = 110, timeout = 300)
		public void count() {
			assertThat(this.inside.incrementAndGet()).isOne();
			this.served++;
			this.inside.decrementAndGet();
		}

		/**
		 * The proxy, which has this field as well, passes the question on.
		 */
		public int served() {
			return this.served;
		}

	}

}
