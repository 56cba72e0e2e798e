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

package io.distributedlock.benchmarks.report;

import java.util.List;

import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.Quantile;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The hand-off times of one contestant. A quantile is the median of that of each round:
 * something else that keeps the machine busy for a moment spoils a round, not the figure.
 *
 * @param rounds the times of each round in milliseconds, in ascending order
 */
record HandOffTimes(List<double[]> rounds) {

	static HandOffTimes of(Rounds<HandOffCell.Latencies> rounds, Contestant contestant) {
		return new HandOffTimes(rounds.figures(contestant)
			.stream()
			.filter((latencies) -> !latencies.nanos().isEmpty())
			.map(HandOffTimes::sortedMillis)
			.toList());
	}

	private static double[] sortedMillis(HandOffCell.Latencies latencies) {
		return latencies.nanos().stream().mapToDouble((nanos) -> nanos / 1e6).sorted().toArray();
	}

	int count() {
		return this.rounds.stream().mapToInt((round) -> round.length).sum();
	}

	double millis(double share) {
		return Quantile.of(ofEachRound(share).stream().mapToDouble(Double::doubleValue).sorted().toArray(), 0.5);
	}

	List<Double> ofEachRound(double share) {
		return this.rounds.stream().map((round) -> Quantile.of(round, share)).toList();
	}

}
