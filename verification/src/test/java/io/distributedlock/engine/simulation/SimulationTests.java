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

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.Mutants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some thousand histories of several engines, and the proof that what they check is
 * checked. {@link LongSimulationTests} runs a million.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(Quiet.class)
class SimulationTests {

	private static final long SEED = 20261122;

	private static final int HISTORIES = 10_000;

	@TempDir
	private Path directory;

	@Test
	void historiesKeepAllPromises() {
		assertThat(Simulation.run(SEED, 0, HISTORIES)).isNull();
	}

	@Test
	void historiesThatOnceFailedKeepAllPromises() {
		assertThat(Corpus.all()).isNotEmpty()
			.allSatisfy((entry) -> assertThat(Simulation.run(entry.seed(), entry.number(), entry.number() + 1))
				.as(entry.name())
				.isNull());
	}

	@Test
	void theSameSeedGivesTheSameHistory() {
		for (int i = 0; i < 300; i++) {
			Script script = Script.draw(Simulation.seedOf(SEED, i));
			World.History first = new World(script, true).run();
			World.History second = new World(script, true).run();
			assertThat(second.trace()).isEqualTo(first.trace());
			assertThat(second.hash()).isEqualTo(first.hash());
			assertThat(second.events()).isEqualTo(first.events());
		}
	}

	@Test
	void anotherSeedGivesAnotherHistory() {
		assertThat(Simulation.play(1).hash()).isNotEqualTo(Simulation.play(2).hash());
	}

	@ParameterizedTest
	@ValueSource(strings = { "deadline-behind-the-end", "line-broken" })
	void aPlantedBugIsFoundAndItsScriptIsShort(String name) {
		Mutant mutant = Mutants.engine().stream().filter((each) -> each.name().equals(name)).findFirst().orElseThrow();
		SimulatedMutant planted = new SimulatedMutant(mutant, this.directory);
		long failed = planted.firstFailure(SEED, HISTORIES);
		assertThat(failed).isNotNegative();
		String report = planted.report(SEED, failed);
		assertThat(report).contains("The shortest script");
		assertThat(report.lines().filter((line) -> line.contains(": acquire") || line.contains(": execute")).count())
			.as(report)
			.isLessThan(20);
	}

}
