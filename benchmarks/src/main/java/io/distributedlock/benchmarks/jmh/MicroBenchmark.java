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

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs one JMH method in a JVM of its own.
 *
 * @param warmUp how long it is warmed up
 * @param length how long it is measured
 * @param log where JMH writes its own report
 */
public record MicroBenchmark(Duration warmUp, Duration length, Path log) {

	private static final int ITERATIONS = 3;

	/**
	 * Runs the method.
	 * @param method the fully qualified name
	 * @param threads how many threads call it
	 * @param parameters JMH parameters
	 * @param properties system properties of the JVM
	 * @return the score in the method's own unit
	 * @throws RunnerException if the method failed
	 */
	public double score(String method, int threads, Map<String, String> parameters, Map<String, String> properties)
			throws RunnerException {
		ChainedOptionsBuilder options = new OptionsBuilder().include(method.replace(".", "\\.") + "$")
			.forks(1)
			.threads(threads)
			.warmupIterations(1)
			.warmupTime(TimeValue.nanoseconds(this.warmUp.toNanos()))
			.measurementIterations(ITERATIONS)
			.measurementTime(TimeValue.nanoseconds(this.length.dividedBy(ITERATIONS).toNanos()))
			.shouldFailOnError(true)
			.output(this.log.toString());
		parameters.forEach(options::param);
		options.jvmArgsAppend(properties.entrySet()
			.stream()
			.map((property) -> "-D" + property.getKey() + '=' + property.getValue())
			.toArray(String[]::new));
		return new Runner(options.build()).runSingle().getPrimaryResult().getScore();
	}

}
