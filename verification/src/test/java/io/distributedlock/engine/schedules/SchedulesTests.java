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

import io.distributedlock.engine.simulation.Quiet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each scenario in some schedules: run by the profile {@code schedules}. The system
 * properties {@code schedules.count} and {@code schedules.seed} say in how many, and in
 * which. A failure names seed and number: {@link Schedules#play} plays it again.
 */
@Tag("schedules")
@ExtendWith(Quiet.class)
class SchedulesTests {

	private static final int COUNT = Integer.getInteger("schedules.count", 10);

	private static final long SEED = Long.getLong("schedules.seed", 20261127);

	@ParameterizedTest
	@EnumSource
	void noScheduleBreaksARule(Scenario scenario) {
		Schedules.Outcome outcome = Schedules.play(scenario, SEED, 0, COUNT);
		assertThat(outcome.failure()).as("%s, seed %d, schedule %d", scenario, SEED, outcome.number()).isNull();
		assertThat(outcome.number()).isEqualTo(COUNT);
	}

	@Test
	void theSameSeedFindsTheSameSchedule() {
		Runnable race = () -> {
			int[] counter = new int[1];
			Stage.Task task = () -> {
				int read = counter[0];
				Thread.yield();
				counter[0] = read + 1;
			};
			new Stage().run(0, task, task);
			Stage.check(counter[0] == 2, "An update was lost");
		};
		int found = Schedules.play(race, SEED, 0, 1000).number();
		assertThat(Schedules.play(race, SEED, 0, 1000).number()).isEqualTo(found).isLessThan(1000);
		assertThat(Schedules.play(race, SEED, found, 1).failure()).hasStackTraceContaining("An update was lost");
	}

}
