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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.distributedlock.benchmarks.cell.HandOffCell.Latencies;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * Whether the floor of the hand-off is one. Nothing can be faster than what it is made
 * of: if a contestant undercuts the floor by more than noise, the floor was measured
 * wrongly, and every ratio to it is worthless. How much noise there is, the rounds say:
 * the ratio is drawn again many times from rounds that are chosen at random.
 */
record FloorCheck(Rounds<Latencies> handOff) {

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
	List<String> violations() {
		List<String> violations = new ArrayList<>();
		List<Latencies> floor = this.handOff.figures(Contestant.FLOOR);
		for (Contestant contestant : this.handOff.contestants()) {
			List<Latencies> rounds = this.handOff.figures(contestant);
			if (contestant != Contestant.FLOOR && Math.min(rounds.size(), floor.size()) >= LEAST_ROUNDS) {
				for (double share : SHARES) {
					double most = mostByNoise(rounds, floor, share);
					if (most < 1 - TOLERANCE) {
						violations.add(String.format(Locale.ROOT,
								"The floor of the hand-off is none: the p%.0f of %s is at most %.2f of the floor's by noise.",
								share * 100, contestant.label().replace("*", ""), most));
					}
				}
			}
		}
		return violations;
	}

	private static double mostByNoise(List<Latencies> rounds, List<Latencies> floor, double share) {
		Random random = new Random(rounds.size());
		double[] ratios = new double[DRAWS];
		Arrays.setAll(ratios, (draw) -> drawnMedian(rounds, share, random) / drawnMedian(floor, share, random));
		Arrays.sort(ratios);
		return Quantile.of(ratios, CONFIDENCE);
	}

	private static double drawnMedian(List<Latencies> rounds, double share, Random random) {
		return Quantile.of(random.ints(rounds.size(), 0, rounds.size())
			.mapToDouble((round) -> rounds.get(round).millis(share))
			.sorted()
			.toArray(), 0.5);
	}

}
