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

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.ref.Reference;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.LockClient.Hold;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Holds many locks at once. The result is the heap that each of them takes, in bytes, its
 * name included; the array that keeps them is not counted.
 */
record HoldMany(int count) implements Task<Double> {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final int WARM_UP = 2_000;

	private static final int COLLECTIONS = 4;

	@Override
	public Double run(Bench bench) throws Exception {
		@Nullable Hold[] holds = new @Nullable Hold[WARM_UP + this.count];
		take(bench.client(), holds, 0, WARM_UP);
		long before = usedHeap();
		take(bench.client(), holds, WARM_UP, holds.length);
		long after = usedHeap();
		Reference.reachabilityFence(holds);
		return (after - before) / (double) this.count;
	}

	private static void take(LockClient client, @Nullable Hold[] holds, int from, int to) throws Exception {
		for (int index = from; index < to; index++) {
			holds[index] = client.acquire("held:" + index, LEASE, Duration.ZERO);
		}
	}

	/**
	 * The least after several collections: other threads allocate meanwhile.
	 */
	private static long usedHeap() {
		MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
		long least = Long.MAX_VALUE;
		for (int collection = 0; collection < COLLECTIONS; collection++) {
			System.gc();
			least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
		}
		return least;
	}

}
