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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.Quantile;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * Whether the floor of the hand-off is one. Nothing can be faster than what it is made
 * of: if a contestant undercuts the floor by more than noise, the floor was measured
 * wrongly, and every ratio to it is worthless. How much noise there is, the rounds say:
 * the ratio is drawn again many times from rounds that are chosen at random.
 */
public record FloorCheck(Rounds<HandOffCell.Latencies> handOff) {

	/** Fewer rounds tell nothing about noise. */
	private static final int LEAST_ROUNDS = 5;

	private static final int DRAWS = 400;

	/** Of hundred runs with a contestant that equals the floor, one may fail. */
	private static final double CONFIDENCE = 0.99;

	/** What no round can tell: the floor and a contestant may run different code. */
	private static final double TOLERANCE = 0.02;

	private static final double[] SHARES = { 0.5, 0.99 };

	/**
	 * The contestants that undercut the floor.
	 * @return a sentence for each, empty if the floor is one
	 */
	public List<String> violations() {
		List<String> violations = new ArrayList<>();
		HandOffTimes floor = HandOffTimes.of(this.handOff, Contestant.BLOCKING_POP);
		for (Contestant contestant : this.handOff.contestants()) {
			HandOffTimes times = HandOffTimes.of(this.handOff, contestant);
			if (contestant != Contestant.BLOCKING_POP
					&& Math.min(times.rounds().size(), floor.rounds().size()) >= LEAST_ROUNDS) {
				for (double share : SHARES) {
					check(contestant, times, floor, share, violations);
				}
			}
		}
		return violations;
	}

	private void check(Contestant contestant, HandOffTimes times, HandOffTimes floor, double share,
			List<String> violations) {
		Random random = new Random(times.count());
		double[] ratios = new double[DRAWS];
		Arrays.setAll(ratios, (draw) -> drawnMedian(times.ofEachRound(share), random)
				/ drawnMedian(floor.ofEachRound(share), random));
		Arrays.sort(ratios);
		double highest = Quantile.of(ratios, CONFIDENCE);
		if (highest < 1 - TOLERANCE) {
			violations.add(String.format(Locale.ROOT,
					"The floor of the hand-off is none: the p%.0f of %s is %.2f of the floor's, and at most %.2f by noise.",
					share * 100, contestant.label().replace("*", ""), times.millis(share) / floor.millis(share),
					highest));
		}
	}

	private static double drawnMedian(List<Double> rounds, Random random) {
		return Quantile.of(random.ints(rounds.size(), 0, rounds.size()).mapToDouble(rounds::get).sorted().toArray(),
				0.5);
	}

}
