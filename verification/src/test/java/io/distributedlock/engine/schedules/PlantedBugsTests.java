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

package io.distributedlock.engine.schedules;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.engine.simulation.Quiet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The proof that the scenarios find errors in the use of threads. With the system
 * property {@code schedules.bugs} all planted bugs, otherwise two of them.
 */
@Tag("schedules")
@ExtendWith(Quiet.class)
class PlantedBugsTests {

	private static final int MOST = 5000;

	private static final long SEED = Long.getLong("schedules.seed", 20261127);

	@TempDir
	private Path directory;

	@ParameterizedTest
	@MethodSource("bugs")
	void aPlantedBugIsFound(PlantedBug bug) {
		Schedules.Outcome outcome = Schedules.play(bug.plant(this.directory), SEED, 0, MOST);
		System.out.printf("| `%s` | %s | %d | %s |%n", bug, bug.mutant().why(), outcome.number() + 1, bug.scenario());
		assertThat(outcome.failure()).as("%s in %d schedules", bug, outcome.number()).isNotNull();
		assertThat(Schedules.play(bug.scenario(), SEED, outcome.number(), 1).failure()).as("without the bug").isNull();
	}

	static Stream<PlantedBug> bugs() {
		List<String> few = List.of("waiter-removed-twice", "handle-closed-twice");
		return PlantedBug.all()
			.stream()
			.filter((bug) -> Boolean.getBoolean("schedules.bugs") || few.contains(bug.toString()));
	}

}
