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

package io.distributedlock.store.trace;

import java.util.EnumSet;

import io.distributedlock.engine.simulation.Quiet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code against the model: a thousand traces of the scripts on a real server, of the
 * store in memory, and of simulated histories. {@link LongTraceTests} checks more, and
 * {@link RemovedRulesTests} proves that a missing rule is found.
 */
@Timeout(300)
@ExtendWith(Quiet.class)
class TraceTests {

	private static final long SEED = 20261127;

	private static final int OF_THE_SCRIPTS = 400;

	private static final int OF_THE_MEMORY = 300;

	private static final int OF_THE_SIMULATION = 300;

	private final TraceChecker checker = new TraceChecker();

	/**
	 * They show everything in which the code differs on purpose: what is listed without
	 * need would hide a mistake.
	 */
	@Test
	void theScriptsDoWhatTheModelsAllow() {
		try (Subjects subjects = new Subjects(); Subject subject = subjects.redis()) {
			assertThat(Traces.check(this.checker, subject, SEED, OF_THE_SCRIPTS)).isNull();
		}
		assertThat(this.checker.differences().keySet()).isEqualTo(EnumSet.allOf(Difference.class));
	}

	@Test
	void theStoreInMemoryDoesWhatTheModelsAllow() {
		try (Subject subject = Subjects.memory()) {
			assertThat(Traces.check(this.checker, subject, SEED, OF_THE_MEMORY)).isNull();
		}
	}

	@Test
	void theSimulatedServerDoesWhatTheModelsAllow() {
		assertThat(Traces.checkHistories(this.checker, SEED, OF_THE_SIMULATION)).isNull();
	}

}
