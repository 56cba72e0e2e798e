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
 *
 * @param handOff the hand-off
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
		List<double[]> floor = rounds(Contestant.BLOCKING_POP);
		for (Contestant contestant : this.handOff.contestants()) {
			List<double[]> rounds = rounds(contestant);
			if (contestant != Contestant.BLOCKING_POP && Math.min(rounds.size(), floor.size()) >= LEAST_ROUNDS) {
				for (double share : SHARES) {
					check(contestant, rounds, floor, share, violations);
				}
			}
		}
		return violations;
	}

	private void check(Contestant contestant, List<double[]> rounds, List<double[]> floor, double share,
			List<String> violations) {
		double[] ratios = new double[DRAWS];
		Random random = new Random(rounds.size());
		for (int draw = 0; draw < DRAWS; draw++) {
			ratios[draw] = quantile(drawn(rounds, random), share) / quantile(drawn(floor, random), share);
		}
		Arrays.sort(ratios);
		double highest = Quantile.of(ratios, CONFIDENCE);
		if (highest < 1 - TOLERANCE) {
			double ratio = quantile(rounds, share) / quantile(floor, share);
			violations.add(String.format(Locale.ROOT,
					"The floor of the hand-off is none: the p%.0f of %s is %.2f of the floor's, and at most %.2f by noise.",
					share * 100, contestant.label().replace("*", ""), ratio, highest));
		}
	}

	private List<double[]> rounds(Contestant contestant) {
		return this.handOff.figures(contestant)
			.stream()
			.map((latencies) -> latencies.nanos().stream().mapToDouble(Long::doubleValue).toArray())
			.toList();
	}

	private static List<double[]> drawn(List<double[]> rounds, Random random) {
		List<double[]> drawn = new ArrayList<>();
		for (int i = 0; i < rounds.size(); i++) {
			drawn.add(rounds.get(random.nextInt(rounds.size())));
		}
		return drawn;
	}

	private static double quantile(List<double[]> rounds, double share) {
		double[] sorted = rounds.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
		return Quantile.of(sorted, share);
	}

}
