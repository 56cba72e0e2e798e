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

package io.distributedlock.benchmarks.cell;

import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.LockClient.Hold;

/**
 * Many threads that wait for one lock, and release it as soon as they have it.
 */
final class Crowd {

	private static final Duration WAIT = Duration.ofMinutes(5);

	private static final Logger logger = LoggerFactory.getLogger(Crowd.class);

	private final LockClient client;

	private final String lock;

	private final CountDownLatch asked;

	private final CountDownLatch ended;

	private final AtomicInteger served = new AtomicInteger();

	private final AtomicLong lastServedAt = new AtomicLong(Long.MIN_VALUE);

	Crowd(LockClient client, String lock, int size) {
		this.client = client;
		this.lock = lock;
		this.asked = new CountDownLatch(size);
		this.ended = new CountDownLatch(size);
	}

	void gather(ThreadKind kind) throws InterruptedException {
		for (long left = this.asked.getCount(); left > 0; left--) {
			kind.start(this::stand);
		}
		this.asked.await();
	}

	// The lock is held, not used.
	@SuppressWarnings("try")
	private void stand() {
		this.asked.countDown();
		try (Hold hold = this.client.acquire(this.lock, TakeLock.LEASE, WAIT)) {
			this.lastServedAt.accumulateAndGet(System.nanoTime(), Math::max);
			this.served.incrementAndGet();
		}
		catch (Exception ex) {
			logger.warn("A waiter failed", ex);
		}
		finally {
			this.ended.countDown();
		}
	}

	/**
	 * Waits until everybody had the lock, or for so long at most.
	 */
	Served await(Duration limit) throws InterruptedException {
		this.ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
		return new Served(this.served.get(), this.lastServedAt.get());
	}

	/**
	 * What came of the wait.
	 *
	 * @param lastAt when the last of them got it, on the clock of
	 * {@link System#nanoTime()}
	 */
	record Served(int count, long lastAt) implements Serializable {

	}

}
