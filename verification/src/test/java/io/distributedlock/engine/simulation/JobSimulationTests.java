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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some hundred histories of jobs, and the proof that what they check is checked.
 * {@link LongJobSimulationTests} runs more, and plants all bugs.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(Quiet.class)
class JobSimulationTests {

	private static final long SEED = 20261127;

	private static final int HISTORIES = 500;

	@TempDir
	private Path directory;

	@Test
	void jobsKeepAllPromises() {
		assertThat(JobSimulation.run(SEED, 0, HISTORIES)).isNull();
	}

	@Test
	void theSameSeedGivesTheSameHistory() {
		for (int i = 0; i < 50; i++) {
			Script script = JobPlan.draw(Simulation.seedOf(SEED, i));
			World.History first = new World(script, true).run();
			World.History second = new World(script, true).run();
			assertThat(second.trace()).isEqualTo(first.trace());
			assertThat(second.hash()).isEqualTo(first.hash());
		}
	}

	@Test
	void aPlantedBugIsFound() {
		Mutant mutant = JobMutants.all()
			.stream()
			.filter((each) -> each.name().equals("job: told-after-the-claim"))
			.findFirst()
			.orElseThrow();
		SimulatedMutant planted = new SimulatedMutant(mutant, this.directory, JobSimulation.class);
		long failed = planted.firstFailure(SEED, HISTORIES);
		assertThat(failed).isNotNegative();
		assertThat(planted.report(SEED, failed)).contains("The shortest script", "a job every");
	}

}
