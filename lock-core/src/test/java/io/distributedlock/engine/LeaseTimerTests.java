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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.SettableTicker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.distributedlock.engine.EngineFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseTimer}.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(30)
class LeaseTimerTests {

	private final SettableTicker clock = new SettableTicker();

	/** Without a thread: only the test calls what is due. */
	private final LeaseTimer timer = new LeaseTimer(this.clock::nanos, (loop) -> null);

	@AfterEach
	void close() {
		this.timer.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 20, 400 })
	void dueEntriesFireInOrderLikeASortedList(int scheduledAtOnce) {
		Random random = new Random(scheduledAtOnce);
		List<Entry> fired = Collections.synchronizedList(new ArrayList<>());
		List<Entry> entries = new ArrayList<>();
		for (int i = 0; i < scheduledAtOnce; i++) {
			entries.add(new Entry(fired));
		}
		for (int round = 0; round < 20_000; round++) {
			Entry entry = entries.get(random.nextInt(entries.size()));
			switch (random.nextInt(8)) {
				case 0 -> cancel(entry);
				case 1 -> advance(random.nextInt(200), entries, fired);
				default -> schedule(entry, this.clock.nanos() + random.nextInt(1000));
			}
		}
	}

	@Test
	void failureIsLoggedWithWhatItMeansAndWhatToDo(CapturedOutput output) {
		this.timer.schedule(new LeaseTimer.Timed() {

			@Override
			void fire(long now) {
				throw new IllegalStateException("thrown by the test");
			}

			@Override
			public String toString() {
				return "the lease of 'order'";
			}

		}, this.clock.nanos());
		this.timer.runDue();
		assertThat(output).contains(
				"The lock watchdog failed to handle the lease of 'order': a lock may not be renewed, and its holder not be told of the loss. Its handle knows by the clock, so isHeld() and assertHeld() are right. "
						+ "Unless memory ran out, report this with its stack trace.")
			.contains("java.lang.IllegalStateException: thrown by the test");
	}

	private void schedule(Entry entry, long due) {
		entry.expected = due;
		this.timer.schedule(entry, due);
	}

	private void cancel(Entry entry) {
		entry.expected = Long.MAX_VALUE;
		this.timer.cancel(entry);
	}

	private void advance(long nanos, List<Entry> entries, List<Entry> fired) {
		long now = this.clock.advance(Duration.ofNanos(nanos));
		List<Entry> due = entries.stream().filter((entry) -> entry.expected <= now).toList();
		long next = entries.stream()
			.mapToLong((entry) -> entry.expected)
			.filter((at) -> at > now)
			.min()
			.orElse(Long.MAX_VALUE);
		assertThat(this.timer.runDue()).isEqualTo(next);
		assertThat(fired).containsExactlyInAnyOrderElementsOf(due)
			.isSortedAccordingTo((a, b) -> Long.compare(a.expected, b.expected));
		fired.clear();
		due.forEach((entry) -> entry.expected = Long.MAX_VALUE);
	}

	@Test
	void cancelIgnoresUnscheduledAndFiredEntries() {
		Entry entry = new Entry(new ArrayList<>());
		this.timer.cancel(entry);
		this.timer.schedule(entry, 1);
		this.clock.advance(Duration.ofNanos(1));
		this.timer.runDue();
		this.timer.cancel(entry);
		this.timer.cancel(entry);
		assertThat(entry.fired).hasSize(1);
	}

	@Test
	void threadIsWokenForANewEarliestEntry() {
		LeaseTimer real = new LeaseTimer(System::nanoTime);
		AtomicInteger fired = new AtomicInteger();
		real.schedule(counting(new AtomicInteger()), System.nanoTime() + Duration.ofHours(1).toNanos());
		// The thread has seen the first one, and sleeps
		soon(() -> threadsParkedFor(real) == 1);
		int times = 20;
		long before = System.nanoTime();
		for (int i = 1; i <= times; i++) {
			int expected = i;
			real.schedule(counting(fired), System.nanoTime() + Duration.ofMillis(5).toNanos());
			soon(() -> fired.get() == expected);
		}
		// By itself it looks once a second
		assertThat(System.nanoTime() - before).isBetween(Duration.ofMillis(5 * times).toNanos(),
				Duration.ofSeconds(times / 2).toNanos());
		real.close();
		soon(() -> threadsParkedFor(real) == 0);
	}

	private static long threadsParkedFor(LeaseTimer timer) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> LockSupport.getBlocker(thread) == timer)
			.count();
	}

	@Test
	void runDueWaitsForTheThreadOfTheTimer() throws Exception {
		LeaseTimer timer = new LeaseTimer(this.clock::nanos);
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch stalled = new CountDownLatch(1);
		AtomicInteger fired = new AtomicInteger();
		timer.schedule(new LeaseTimer.Timed() {

			@Override
			void fire(long now) {
				entered.countDown();
				awaitUninterruptibly(stalled);
				fired.incrementAndGet();
			}

		}, 0);
		entered.await();
		CompletableFuture<Integer> seen = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			timer.runDue();
			seen.complete(fired.get());
		});
		caller.start();
		soon(() -> seen.isDone() || caller.getState() == Thread.State.WAITING);
		stalled.countDown();
		assertThat(seen.get()).isEqualTo(1);
		timer.close();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void threadOfTheTimerSurvivesAThrowingEntry() {
		LeaseTimer real = new LeaseTimer(System::nanoTime);
		AtomicInteger fired = new AtomicInteger();
		real.schedule(new LeaseTimer.Timed() {

			@Override
			void fire(long now) {
				throw new StackOverflowError("The test made the timer fail.");
			}

		}, System.nanoTime());
		real.schedule(counting(fired), System.nanoTime());
		soon(() -> fired.get() == 1);
		real.close();
	}

	@Test
	void nothingIsScheduledAfterTheCloseAndCancellingIsHarmless() {
		List<Entry> fired = new ArrayList<>();
		Entry before = new Entry(fired);
		Entry after = new Entry(fired);
		this.timer.schedule(before, 1);
		this.timer.close();
		this.timer.schedule(after, 1);
		this.timer.cancel(before);
		this.timer.cancel(after);
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.timer.runDue()).isEqualTo(Long.MAX_VALUE);
		assertThat(fired).isEmpty();
	}

	private static LeaseTimer.Timed counting(AtomicInteger fired) {
		return new LeaseTimer.Timed() {

			@Override
			void fire(long now) {
				fired.incrementAndGet();
			}

		};
	}

	private static final class Entry extends LeaseTimer.Timed {

		private final List<Entry> fired;

		private long expected = Long.MAX_VALUE;

		Entry(List<Entry> fired) {
			this.fired = fired;
		}

		@Override
		void fire(long now) {
			this.fired.add(this);
		}

	}

}
