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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.LockClient.Hold;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Each thread acquires and releases a lock of its own, over and over.
 *
 * @param holders how many may hold a lock, see
 * {@link LockClient#join(String, int, Duration, Duration)}
 */
record TakePairs(int threads, int holders, long most, Duration limit) implements Task<TakePairs.Taken> {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@Override
	public Taken run(Bench bench) throws Exception {
		LockClient client = bench.client();
		long began = System.nanoTime();
		long pairs = (this.threads == 1) ? take(client, "uncontended", began) : takeTogether(client, began);
		return new Taken(pairs, System.nanoTime() - began);
	}

	private long takeTogether(LockClient client, long began) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		try {
			List<Callable<Long>> takers = new ArrayList<>();
			for (int thread = 0; thread < this.threads; thread++) {
				String name = "uncontended:" + thread;
				takers.add(() -> take(client, name, began));
			}
			long pairs = 0;
			for (Future<Long> taken : executor.invokeAll(takers)) {
				pairs += taken.get();
			}
			return pairs;
		}
		finally {
			executor.shutdownNow();
		}
	}

	private long take(LockClient client, String name, long began) throws Exception {
		long limitNanos = this.limit.toNanos();
		long pairs = 0;
		while (pairs < this.most && System.nanoTime() - began < limitNanos) {
			Hold hold = (this.holders == 1) ? client.acquire(name, LEASE, Duration.ZERO)
					: client.join(name, this.holders, LEASE, Duration.ZERO);
			hold.close();
			pairs++;
		}
		return pairs;
	}

	/**
	 * What was taken.
	 *
	 * @param nanos in how many nanoseconds
	 */
	record Taken(long pairs, long nanos) implements Serializable {

		double micros() {
			return this.nanos / 1e3 / this.pairs;
		}

	}

}
