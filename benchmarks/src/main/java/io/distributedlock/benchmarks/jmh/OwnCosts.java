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

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import org.openjdk.jmh.runner.RunnerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.cell.Quantile;
import io.distributedlock.benchmarks.jmh.MicroBenchmark.Score;

/**
 * What this project costs without Redis, in nanoseconds and bytes.
 */
public record OwnCosts(Map<Cost, List<Score>> scores) {

	private static final Logger logger = LoggerFactory.getLogger(OwnCosts.class);

	public static OwnCosts measure(int rounds, MicroBenchmark benchmark) {
		Map<Cost, List<Score>> scores = new EnumMap<>(Cost.class);
		for (int round = 0; round < rounds; round++) {
			logger.info("Own costs: round {} of {}", round + 1, rounds);
			for (Cost cost : Cost.values()) {
				scores.computeIfAbsent(cost, (key) -> new ArrayList<>()).addAll(measure(cost, benchmark));
			}
		}
		return new OwnCosts(scores);
	}

	private static List<Score> measure(Cost cost, MicroBenchmark benchmark) {
		try {
			return List.of(benchmark.score(cost.method, cost.threads, cost.parameters));
		}
		catch (RunnerException ex) {
			logger.warn("{} failed", cost, ex);
			return List.of();
		}
	}

	/**
	 * The median of the rounds.
	 * @return nanoseconds, not a number if every round failed
	 */
	public double nanos(Cost cost) {
		return median(cost, Score::value);
	}

	/**
	 * What is allocated, the median of the rounds.
	 * @return bytes of one call, not a number if every round failed
	 */
	public double bytes(Cost cost) {
		return median(cost, Score::bytes);
	}

	private double median(Cost cost, ToDoubleFunction<Score> figure) {
		double[] sorted = this.scores.getOrDefault(cost, List.of()).stream().mapToDouble(figure).sorted().toArray();
		return Quantile.of(sorted, 0.5);
	}

	public enum Cost {

		DIRECT_CALL("a direct call", AnnotatedCall.class, "directCall", 1, Map.of("grantedBy", "service")),

		ANNOTATION("an annotated call with one SpEL argument, without the engine", AnnotatedCall.class, "annotatedCall",
				1, Map.of("grantedBy", "service")),

		ANNOTATION_AND_ENGINE("the same with the engine, the store stubbed", AnnotatedCall.class, "annotatedCall", 1,
				Map.of("grantedBy", "store")),

		GATE_ALONE("the engine alone, the store stubbed, 1 thread", LocalGate.class, "acquireAndRelease", 1, Map.of()),

		GATE_CONTENDED("the engine alone, the store stubbed, 4 threads on one name", LocalGate.class,
				"acquireAndRelease", 4, Map.of());

		private final String label;

		private final String method;

		private final int threads;

		private final Map<String, String> parameters;

		Cost(String label, Class<?> type, String method, int threads, Map<String, String> parameters) {
			this.label = label;
			this.method = type.getName() + '.' + method;
			this.threads = threads;
			this.parameters = parameters;
		}

		public String label() {
			return this.label;
		}

	}

}
