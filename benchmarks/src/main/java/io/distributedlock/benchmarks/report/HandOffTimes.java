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

import java.util.Collection;

import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.Quantile;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The hand-off times of one contestant, all rounds together.
 *
 * @param sorted milliseconds in ascending order
 */
record HandOffTimes(double[] sorted) {

	static HandOffTimes of(Rounds<HandOffCell.Latencies> rounds, Contestant contestant) {
		return new HandOffTimes(rounds.figures(contestant)
			.stream()
			.map(HandOffCell.Latencies::nanos)
			.flatMap(Collection::stream)
			.mapToDouble((nanos) -> nanos / 1e6)
			.sorted()
			.toArray());
	}

	int count() {
		return this.sorted.length;
	}

	double millis(double share) {
		return Quantile.of(this.sorted, share);
	}

}
