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

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The figures of one contestant in one round of one contended cell.
 *
 * @param executed commands that Redis ran, those inside scripts included, per acquisition
 * @param longestWait the longest wait in milliseconds
 * @param longestWaitAlone the longest wait of those who want to be alone
 */
public record ContendedFigures(double perSecond, double executed, double longestWait, double longestWaitAlone,
		long mostInside, double threadFairness, double jvmFairness, long lostUpdates, long overlaps, long failures) {

	static ContendedFigures of(List<Contend.Tally> tallies, long counter, Duration length, long executed) {
		long entered = tallies.stream().mapToLong(Contend.Tally::entered).sum();
		long counted = tallies.stream().mapToLong(Contend.Tally::total).sum();
		double wait = tallies.stream().mapToLong(Contend.Tally::longestWait).max().orElse(0) / 1e6;
		double alone = tallies.stream().mapToLong(Contend.Tally::longestWaitAlone).max().orElse(0) / 1e6;
		long inside = tallies.stream().mapToLong(Contend.Tally::mostInside).max().orElse(0);
		return new ContendedFigures(counted * 1e9 / length.toNanos(), executed / (double) entered, wait, alone, inside,
				evenness(threads(tallies)), evenness(jvms(tallies)), entered - counter,
				tallies.stream().mapToLong(Contend.Tally::overlaps).sum(),
				tallies.stream().mapToLong(Contend.Tally::failures).sum());
	}

	private static LongStream threads(List<Contend.Tally> tallies) {
		Stream<Long> counts = tallies.stream().map(Contend.Tally::counted).flatMap(Collection::stream);
		return counts.mapToLong(Long::longValue);
	}

	private static LongStream jvms(List<Contend.Tally> tallies) {
		return tallies.stream().mapToLong(Contend.Tally::total);
	}

	private static double evenness(LongStream counts) {
		var summary = counts.summaryStatistics();
		return (summary.getMax() > 0) ? summary.getMin() / (double) summary.getMax() : 0;
	}

}
