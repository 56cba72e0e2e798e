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
package io.distributedlock.engine.simulation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import io.distributedlock.testsupport.mutation.Mutant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many histories of jobs: run by the profile {@code simulation}. The system properties
 * {@code simulation.job.histories} and {@code simulation.seed} say how many and which,
 * {@code simulation.mutant.histories} how soon a planted bug has to be found with each of
 * several seeds.
 */
@Tag("simulation")
@ExtendWith(Quiet.class)
class LongJobSimulationTests {

	private static final long HISTORIES = Long.getLong("simulation.job.histories", 100_000);

	private static final long SEED = Long.getLong("simulation.seed", System.nanoTime() & 0xFFFFFF);

	private static final long MUTANT_HISTORIES = Long.getLong("simulation.mutant.histories", 100_000);

	private static final int SEEDS = Math.max(5, Integer.getInteger("simulation.mutant.seeds", 1));

	@TempDir
	private Path directory;

	@Test
	void jobsKeepAllPromises() {
		long begin = System.nanoTime();
		String report = JobSimulation.run(SEED, 0, HISTORIES);
		LongSimulationTests.say("%d histories of jobs with seed %d in %.0f s".formatted(HISTORIES, SEED,
				(System.nanoTime() - begin) / 1e9));
		assertThat(report).isNull();
	}

	@Test
	void allPlantedBugsAreFoundWithEachSeed() {
		List<String> missed = new ArrayList<>();
		long most = 0;
		LongSimulationTests.say(
				"| planted bug of a job | why it is one | histories until it was found with each seed | what was found |");
		LongSimulationTests.say("|---|---|---|---|");
		for (Mutant mutant : JobMutants.all()) {
			SimulatedMutant planted = new SimulatedMutant(mutant, this.directory, JobSimulation.class);
			long[] failed = LongStream.range(SEED, SEED + SEEDS)
				.map((seed) -> planted.firstFailure(seed, MUTANT_HISTORIES))
				.toArray();
			boolean found = LongStream.of(failed).allMatch((number) -> number >= 0);
			long histories = LongStream.of(failed).max().orElseThrow() + 1;
			most = Math.max(most, histories);
			if (!found) {
				missed.add(mutant.name());
			}
			LongSimulationTests.say("| `%s` | %s | %s | %s |".formatted(mutant.name(), mutant.why(),
					found ? histories : "**not with each**", (failed[0] >= 0) ? planted.finding(SEED, failed[0]) : ""));
		}
		LongSimulationTests.say("%d seeds from %d on: each planted bug of a job was found within %d histories"
			.formatted(SEEDS, SEED, most));
		assertThat(missed).isEmpty();
	}

}
