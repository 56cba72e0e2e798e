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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SystemTicker}.
 */
class SystemTickerTests {

	private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

	private final AtomicLong monotonic = new AtomicLong(-5_000_000_000L);

	private final AtomicLong wall = new AtomicLong(Duration.ofDays(20_000).toNanos());

	private final AtomicReference<Runnable> beforeWall = new AtomicReference<>(() -> {
	});

	private final SystemTicker ticker = new SystemTicker(this.monotonic::get, () -> {
		this.beforeWall.getAndSet(() -> {
		}).run();
		return this.wall.get() / 1_000_000;
	});

	@Test
	void startsAtZeroAndFollowsTheMonotonicClock() {
		assertThat(this.ticker.nanos()).isZero();
		both(Duration.ofMillis(1234));
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofMillis(1234).toNanos());
	}

	@Test
	void timeOfASuspensionCounts() {
		this.wall.addAndGet(Duration.ofMinutes(3).toNanos());
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofMinutes(3).toNanos());
		both(Duration.ofSeconds(1));
		this.wall.addAndGet(Duration.ofMillis(501).toNanos());
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofMillis(181_501).toNanos());
	}

	@Test
	void accumulatedDriftDoesNotCount() {
		for (int i = 0; i < 1000; i++) {
			both(Duration.ofSeconds(1));
			this.wall.addAndGet(((i < 700) ? 1 : -1) * Duration.ofMillis(30).toNanos());
			this.ticker.nanos();
		}
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofSeconds(1000).toNanos());
	}

	@Test
	void shortSuspensionsCountAndAddUp() {
		for (int i = 1; i <= 10; i++) {
			this.wall.addAndGet(Duration.ofMillis(60).toNanos());
			assertThat(this.ticker.nanos()).isEqualTo(Duration.ofMillis(60L * i + i - 1).toNanos());
			both(Duration.ofMillis(1));
		}
	}

	@Test
	void leapWithinTheDriftDoesNotCount() {
		this.wall.addAndGet(SystemTicker.DRIFT_NANOS);
		assertThat(this.ticker.nanos()).isZero();
	}

	@Test
	void aSmallDifferenceAfterALongTimeWithoutAReadingDoesNotCount() {
		both(Duration.ofNanos(SystemTicker.CLOSE_NANOS));
		this.wall.addAndGet(SystemTicker.LEAP_NANOS);
		assertThat(this.ticker.nanos()).isEqualTo(SystemTicker.CLOSE_NANOS);
		both(Duration.ofSeconds(1));
		this.wall.addAndGet(SystemTicker.LEAP_NANOS);
		assertThat(this.ticker.nanos())
			.isEqualTo(SystemTicker.CLOSE_NANOS + Duration.ofSeconds(1).toNanos() + SystemTicker.LEAP_NANOS);
	}

	@Test
	void wallClockSetBackDoesNotCountAndHidesNoLaterLeap() {
		this.wall.addAndGet(-Duration.ofHours(1).toNanos());
		assertThat(this.ticker.nanos()).isZero();
		both(Duration.ofSeconds(1));
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		this.wall.addAndGet(Duration.ofMinutes(2).toNanos());
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofSeconds(121).toNanos());
	}

	@Test
	void aPauseBetweenTheReadingsIsNoLeap() {
		this.beforeWall.set(() -> both(Duration.ofSeconds(20)));
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofSeconds(20).toNanos());
	}

	@Test
	void aLeapThatIsSeenInAPauseCountsAtTheNextReading() {
		this.wall.addAndGet(Duration.ofMinutes(1).toNanos());
		// A second reading of the wall clock is framed, and the frame is too wide
		this.beforeWall.set(() -> this.beforeWall.set(() -> both(Duration.ofSeconds(1))));
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		assertThat(this.ticker.nanos()).isEqualTo(Duration.ofSeconds(61).toNanos());
	}

	@Test
	void leapSeenByManyThreadsCountsOnceAndNoReadingGoesBack() throws Exception {
		AtomicLong backwards = new AtomicLong();
		List<Thread> threads = new ArrayList<>();
		CountDownLatch ready = new CountDownLatch(4);
		AtomicLong leaps = new AtomicLong(50);
		for (int i = 0; i < 4; i++) {
			Thread thread = new Thread(() -> {
				ready.countDown();
				long last = 0;
				while (leaps.get() > 0) {
					long now = this.ticker.nanos();
					backwards.addAndGet((now < last) ? 1 : 0);
					last = now;
				}
			});
			threads.add(thread);
			thread.start();
		}
		ready.await();
		try {
			for (long expected = 1; leaps.get() > 0; expected++) {
				this.wall.addAndGet(Duration.ofMinutes(1).toNanos());
				long elapsed = this.ticker.nanos();
				// A thread that has seen the leap may not have counted it yet
				for (long begin = System.nanoTime(); elapsed < Duration.ofMinutes(expected).toNanos()
						&& System.nanoTime() - begin < PATIENCE_NANOS;) {
					elapsed = this.ticker.nanos();
				}
				assertThat(elapsed).isEqualTo(Duration.ofMinutes(expected).toNanos());
				leaps.decrementAndGet();
			}
		}
		finally {
			leaps.set(0);
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(backwards).hasValue(0);
	}

	@Test
	void theTickerOfTheSystemGoesWithTheClock() {
		Ticker system = Ticker.system();
		long first = system.nanos();
		long nanoTime = System.nanoTime();
		while (System.nanoTime() - nanoTime < 2_000_000) {
			Thread.onSpinWait();
		}
		assertThat(system.nanos() - first).isGreaterThanOrEqualTo(2_000_000);
		assertThat(first).isNotNegative();
	}

	private void both(Duration time) {
		this.monotonic.addAndGet(time.toNanos());
		this.wall.addAndGet(time.toNanos());
	}

}
