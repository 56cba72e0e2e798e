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

import java.util.Locale;
import java.util.function.IntFunction;

import io.distributedlock.engine.simulation.Quiet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * More traces than {@link TraceTests} checks: run by the profile {@code simulation}. The
 * system properties {@code simulation.traces} and {@code simulation.seed} say how many of
 * each kind, and which.
 */
@Tag("simulation")
@ExtendWith(Quiet.class)
class LongTraceTests {

	private static final int TRACES = Integer.getInteger("simulation.traces", 2000);

	private static final long SEED = Long.getLong("simulation.seed", System.nanoTime() & 0xFFFFFF);

	private final TraceChecker checker = new TraceChecker();

	@Test
	void theScriptsDoWhatTheModelsAllow() {
		try (Subjects subjects = new Subjects(); Subject subject = subjects.redis()) {
			check("the scripts", (traces) -> Traces.check(this.checker, subject, SEED, traces));
		}
	}

	@Test
	void theStoreInMemoryDoesWhatTheModelsAllow() {
		try (Subject subject = Subjects.memory()) {
			check("the memory", (traces) -> Traces.check(this.checker, subject, SEED, traces));
		}
	}

	@Test
	void theSimulatedServerDoesWhatTheModelsAllow() {
		check("the simulation", (traces) -> Traces.checkHistories(this.checker, SEED, traces));
	}

	private void check(String what, IntFunction<@Nullable String> traces) {
		long begin = System.nanoTime();
		String problem = traces.apply(TRACES);
		System.out.println(String.format(Locale.ROOT,
				"%d traces of %s with seed %d in %.0f s: %d steps, differences %s", TRACES, what, SEED,
				(System.nanoTime() - begin) / 1e9, this.checker.steps(), this.checker.differences()));
		assertThat(problem).isNull();
	}

}
