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

package io.distributedlock.benchmarks.jmh;

import java.net.URI;
import java.util.Map;

import org.openjdk.jmh.runner.RunnerException;

import io.distributedlock.benchmarks.cell.Measurement;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * Measures the uncontended pair, in microseconds.
 *
 * @param benchmark how JMH is run
 * @param redis the address of Redis
 */
public record UncontendedCell(MicroBenchmark benchmark, URI redis) implements Measurement<Double> {

	@Override
	public Double measure(Contestant contestant) throws RunnerException {
		return this.benchmark.score(UncontendedPair.class.getName() + ".acquireAndRelease", 1,
				Map.of("contestant", contestant.name()), Map.of(UncontendedPair.REDIS, this.redis.toString()));
	}

}
