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
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.distributedlock.benchmarks.cell.HandOffCell.Latencies;
import io.distributedlock.benchmarks.contestant.Contestant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A floor that is none makes every ratio to it worthless: the run must say so by itself.
 */
class FloorCheckTests {

	private final Random random = new Random(1);

	@Test
	void aContestantThatIsFasterThanTheFloorByMoreThanNoiseIsNamed() {
		assertThat(violations(8, 85_000)).hasSize(2)
			.first()
			.asString()
			.startsWith("The floor of the hand-off is none: the p50 of this project is at most 0.8");
	}

	@Test
	void noiseIsNoReasonToDoubtTheFloor() {
		assertThat(violations(8, 99_000)).isEmpty();
		assertThat(violations(8, 150_000)).isEmpty();
	}

	@Test
	void twoRoundsTellNothingAboutNoise() {
		assertThat(violations(2, 50_000)).isEmpty();
	}

	private List<String> violations(int rounds, long nanos) {
		return Rounds
			.interleaved(new HandOffCell(null, null), rounds, List.of(Contestant.OURS, Contestant.FLOOR),
					(contestant) -> round((contestant == Contestant.FLOOR) ? 100_000 : nanos))
			.violations();
	}

	/** Samples that spread by a tenth, in a round that is shifted by a hundredth. */
	private Latencies round(long nanos) {
		double shift = 1 + this.random.nextGaussian() / 100;
		List<Long> samples = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			samples.add((long) (nanos * shift * (1 + this.random.nextDouble() / 10)));
		}
		return Latencies.of(samples);
	}

}
