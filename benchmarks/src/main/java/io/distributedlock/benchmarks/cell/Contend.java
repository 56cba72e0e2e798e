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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * A few threads of one JVM take one lock as often as they can.
 *
 * @param participants how many threads of all JVMs: they begin together
 */
record Contend(String lock, int threads, int participants, Duration section, Duration length, String board,
		Company company) implements Task<Contend.Tally> {

	@Override
	public Tally run(Bench bench) throws Exception {
		return run(bench.client());
	}

	Tally run(LockClient client) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		try {
			Board shared = Board.open(this.board);
			List<Contender> contenders = new ArrayList<>();
			for (int thread = 0; thread < this.threads; thread++) {
				contenders.add(new Contender(client, this, shared, this.company.limit(thread)));
			}
			List<Turns.Count> counts = new ArrayList<>();
			for (Future<Turns.Count> count : executor.invokeAll(contenders)) {
				counts.add(count.get());
			}
			return Tally.of(counts);
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * What the threads of one JVM saw.
	 *
	 * @param entered all acquisitions, those after the end included
	 * @param longestWait the longest wait in nanoseconds
	 * @param longestWaitAlone the longest wait of those who want to be alone
	 */
	record Tally(List<Long> counted, long entered, long overlaps, long failures, long longestWait,
			long longestWaitAlone, long mostInside) implements Serializable {

		static Tally of(List<Turns.Count> counts) {
			return new Tally(counts.stream().map(Turns.Count::counted).toList(),
					counts.stream().mapToLong(Turns.Count::entered).sum(),
					counts.stream().mapToLong(Turns.Count::overlaps).sum(),
					counts.stream().mapToLong(Turns.Count::failures).sum(),
					counts.stream().mapToLong(Turns.Count::longestWait).max().orElse(0),
					counts.stream().filter(Turns.Count::alone).mapToLong(Turns.Count::longestWait).max().orElse(0),
					counts.stream().mapToLong(Turns.Count::mostInside).max().orElse(0));
		}

		long total() {
			return this.counted.stream().mapToLong(Long::longValue).sum();
		}

	}

}
