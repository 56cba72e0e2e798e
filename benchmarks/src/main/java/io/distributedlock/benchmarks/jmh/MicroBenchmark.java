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

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs one JMH method in a JVM of its own.
 *
 * @param warmUp how long it is warmed up
 */
public record MicroBenchmark(Duration warmUp, Duration length, Path log) {

	private static final int ITERATIONS = 3;

	private static final String ALLOCATED = "gc.alloc.rate.norm";

	public Score score(String method, int threads, Map<String, String> parameters) throws RunnerException {
		ChainedOptionsBuilder options = new OptionsBuilder().include(method.replace(".", "\\.") + "$")
			.forks(1)
			.threads(threads)
			.warmupIterations(1)
			.warmupTime(TimeValue.nanoseconds(this.warmUp.toNanos()))
			.measurementIterations(ITERATIONS)
			.measurementTime(TimeValue.nanoseconds(this.length.dividedBy(ITERATIONS).toNanos()))
			.shouldFailOnError(true)
			.addProfiler(GCProfiler.class)
			.output(this.log.toString());
		parameters.forEach(options::param);
		RunResult result = new Runner(options.build()).runSingle();
		Result<?> allocated = result.getSecondaryResults().get(ALLOCATED);
		return new Score(result.getPrimaryResult().getScore(), (allocated != null) ? allocated.getScore() : Double.NaN);
	}

	/**
	 * What one method scored.
	 *
	 * @param bytes what one call allocates, in bytes
	 */
	public record Score(double value, double bytes) {

	}

}
