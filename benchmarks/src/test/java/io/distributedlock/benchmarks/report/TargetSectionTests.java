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

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.distributedlock.benchmarks.cell.HandOffCell.Latencies;
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.cell.SignCell;
import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.jmh.MicroBenchmark.Score;
import io.distributedlock.benchmarks.jmh.OwnCosts;
import io.distributedlock.benchmarks.jmh.OwnCosts.Cost;
import io.distributedlock.benchmarks.scale.HeldLocks;
import io.distributedlock.benchmarks.scale.ManyInstances;
import io.distributedlock.benchmarks.scale.ManyNames;
import io.distributedlock.benchmarks.scale.ScaleFigures;
import io.distributedlock.benchmarks.startup.Start;
import io.distributedlock.benchmarks.startup.StartUps;
import io.distributedlock.benchmarks.startup.Variant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which figures are compared with which targets.
 */
class TargetSectionTests {

	private static final List<Contestant> CONTESTANTS = List.of(Contestant.BARE_LOOP, Contestant.DISTRIBUTED_LOCK,
			Contestant.RELEASE_AHEAD, Contestant.STORE_SCRIPTS, Contestant.BLOCKING_POP);

	@Test
	void ratiosAreThoseToTheirYardstick() throws Exception {
		assertThat(section(100, 8)).contains("Hand-off between two JVMs: p50 / floor | ≤ 1.15 | 1.10 | yes |",
				"Hand-off between two JVMs: p99 / floor | ≤ 1.50 | 1.10 | yes |",
				"Uncontended pair / bare loop | ≤ 1.05 | 1.00 | yes |",
				"Uncontended pair, 64 threads on as many names / bare loop | ≤ 1.05 | 1.00 | yes |",
				"Uncontended pair: processor time of Redis / bare loop | ≤ 1.30 | 1.00 | yes |",
				"Uncontended pair: commands, those inside scripts included | ≤ 8.00 | 8.00 | yes |",
				"Uncontended pair with `release.await=false` / the same scripts through a bare template | ≤ 0.60 | 0.50 | yes |",
				"Sign of life of a waiter: commands, those inside the script included | ≤ 5.00 | 5.00 | yes |",
				"with the engine, the store stubbed, µs | ≤ 1.00 | 0.40 | yes |",
				"Allocated per pair, the store stubbed, bytes | ≤ 500 | 400 | yes |",
				"added by the starter, nothing annotated, ms | ≤ 100 | 90.0 | yes |",
				"validation of an annotated bean, ms | ≤ 0.50 | 0.60 | **no** |",
				"whichever is dearer, ms | ≤ 0.50 | 0.20 | yes |", "commands/s for 500 of them | ≤ 1.00 | 0.90 | yes |",
				"renewed: threads | ≤ 1.00 | 2.00 | **no** |", "idle: objects left | ≤ 0.00 | 0.00 | yes |",
				"idle: keys left | ≤ 0.00 | 1.00 | **no** |",
				"waiting for one lock: commands/s for each | ≤ 1.00 | 0.95 | yes |",
				"served out of order | ≤ 0.00 | 0.00 | yes |");
	}

	@Test
	void whatIsMissedIsMarked() throws Exception {
		assertThat(section(200, 10)).contains("Uncontended pair / bare loop | ≤ 1.05 | 2.00 | **no** |",
				"Uncontended pair: commands, those inside scripts included | ≤ 8.00 | 10.0 | **no** |");
	}

	@Test
	void whatWasNotAskedForIsLeftOut() throws Exception {
		Results nothing = new Results(Map.of(), Map.of(), Map.of(), Rounds.none(), Rounds.none(),
				new OwnCosts(Map.of()), Rounds.none(), Map.of(), Rounds.none(), new StartUps(Map.of()), null,
				List.of());
		assertThat(new TargetSection().markdown(nothing)).doesNotContain("| ≤").doesNotContain("| ≥");
	}

	private static String section(double micros, double executed) throws InterruptedException {
		Rounds<PairCell.Figures> pair = Rounds.interleaved("test", 3, CONTESTANTS,
				(contestant) -> pair(contestant, micros, executed));
		Rounds<Latencies> handOff = Rounds.interleaved("test", 3, CONTESTANTS, (contestant) -> new Latencies(
				Collections.nCopies(10, (contestant == Contestant.BLOCKING_POP) ? 100_000L : 110_000L)));
		Rounds<SignCell.Signs> signs = Rounds.interleaved("test", 1, List.of(Contestant.DISTRIBUTED_LOCK),
				(contestant) -> new SignCell.Signs(List.of(4L, 5L)));
		Map<Cost, List<Score>> costs = new EnumMap<>(Cost.class);
		costs.put(Cost.DIRECT_CALL, List.of(new Score(1, 0)));
		costs.put(Cost.ANNOTATION, List.of(new Score(201, 100)));
		costs.put(Cost.ANNOTATION_AND_ENGINE, List.of(new Score(401, 500)));
		costs.put(Cost.GATE_ALONE, List.of(new Score(300, 400)));
		return new TargetSection().markdown(new Results(Map.of(), Map.of(), Map.of(), pair, signs, new OwnCosts(costs),
				handOff, Map.of(), Rounds.none(), startUps(), scale(), List.of()));
	}

	private static StartUps startUps() {
		Map<Variant, List<Start>> starts = new EnumMap<>(Variant.class);
		double[] ready = { 1000, 1090, 1100, 1200, 1300, 1500, 1620, 1400, 1580 };
		for (Variant variant : Variant.values()) {
			starts.put(variant, List.of(new Start(ready[variant.ordinal()], 1, 1, 1, 1)));
		}
		return new StartUps(starts);
	}

	private static ScaleFigures scale() {
		return new ScaleFigures(new HeldLocks.Figures(10_000, 18, 2, 10_000),
				new ManyNames.Figures(100, 1000, 1024, 0, 1),
				new ManyInstances.Figures(1_000, 0.95, 1_007, 1_000, 0, 4));
	}

	private static PairCell.Figures pair(Contestant contestant, double micros, double executed) {
		PairCell.Commands commands = new PairCell.Commands(2, executed);
		return switch (contestant) {
			case DISTRIBUTED_LOCK -> new PairCell.Figures(micros, micros / 4, 50, commands);
			case RELEASE_AHEAD -> new PairCell.Figures(75, 20, 50, commands);
			case STORE_SCRIPTS -> new PairCell.Figures(150, 30, 50, commands);
			default -> new PairCell.Figures(100, 25, 50, commands);
		};
	}

}
