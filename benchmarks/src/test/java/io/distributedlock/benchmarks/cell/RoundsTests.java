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
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

import static io.distributedlock.benchmarks.contestant.Contestant.BARE;
import static io.distributedlock.benchmarks.contestant.Contestant.BASELINE;
import static io.distributedlock.benchmarks.contestant.Contestant.OURS;
import static org.assertj.core.api.Assertions.assertThat;

class RoundsTests {

	@Test
	void contestantsTakeTurnsAndEachRoundBeginsWithAnotherOne() {
		List<Contestant> order = new ArrayList<>();
		table(3, (contestant) -> {
			order.add(contestant);
			return 1.0;
		}, BARE, OURS);
		assertThat(order).containsExactly(BARE, OURS, OURS, BARE, BARE, OURS);
	}

	@Test
	void ratioIsTheMedianOfThatToTheFirstContestantInTheSameRound() {
		// The machine gets slower: the medians differ by a factor of 3, each pair by 2
		Iterator<Double> bare = List.of(1.0, 10.0, 100.0).iterator();
		Iterator<Double> ours = List.of(2.0, 30.0, 200.0).iterator();
		assertThat(table(3, (contestant) -> ((contestant == BARE) ? bare : ours).next(), OURS, BARE)).isEqualTo("""
				### Test

				| Lock | Ratio | Median | Most | Sum |
				| --- | ---: | ---: | ---: | ---: |
				| bare Lettuce loop | 1 | 10 | 100 | 111 |
				| **this project** | 2 | 30 | 200 | 232 |
				""");
	}

	@Test
	void anotherBuildIsTheYardstickIfItTakesPart() {
		assertThat(table(1, (contestant) -> (contestant == BASELINE) ? 2.0 : 3.0, BARE, OURS, BASELINE))
			.contains("| **this project** | 1.50 |");
	}

	@Test
	void contestantThatFailsInAllRoundsHasARemarkInsteadOfFigures() {
		assertThat(table(2, (contestant) -> {
			if (contestant == BARE) {
				throw new IllegalStateException("a | b\nc");
			}
			return 12_345.6;
		}, BARE, OURS)).contains("| bare Lettuce loop | failed: a / b c |  |  |  |")
			.contains("| **this project** | - | 12,346 | 12,346 | 24,691 |");
	}

	@Test
	void lockThatDoesNotExcludeSpoilsTheRun() {
		assertThat(violations(0, 0)).isEmpty();
		assertThat(violations(1, 0)).singleElement().asString().contains("did not exclude");
		assertThat(violations(0, 1)).singleElement().asString().contains("did not exclude");
	}

	private static List<String> violations(long lostUpdates, long overlaps) {
		ContendedFigures figures = new ContendedFigures(1, 1, 1, 1, 1, 1, 1, lostUpdates, overlaps, 0);
		ContendedCell cell = new ContendedCell(null, ContendedShape.ALONE.get(0), Duration.ZERO);
		return Rounds.interleaved(cell, 1, List.of(OURS), (contestant) -> figures).violations();
	}

	private static String table(int rounds, Function<Contestant, Double> figures, Contestant... contestants) {
		return Rounds.interleaved(new TestCell(), rounds, List.of(contestants), figures).table();
	}

	private record TestCell() implements Cell<Double> {

		@Override
		public String title() {
			return "Test";
		}

		@Override
		public Set<Contestant> contestants() {
			return Set.of(Contestant.values());
		}

		@Override
		public Double measure(Contestant contestant, Fleet fleet) {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<Column<Double>> columns() {
			return List.of(Column.ratio("Ratio", Double::doubleValue), Column.median("Median", Double::doubleValue),
					Column.max("Most", Double::doubleValue), Column.sum("Sum", Double::doubleValue));
		}

	}

}
