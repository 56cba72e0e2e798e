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

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code against the model.
 */
@Timeout(300)
class TraceTests {

	private static final long SEED = Long.getLong("simulation.seed", 20261127);

	private static final int TRACES = Integer.getInteger("simulation.traces", 400);

	private final TraceChecker checker = new TraceChecker();

	@Test
	void theScriptsDoWhatTheModelsAllow() {
		try (Subjects subjects = new Subjects(); Subject subject = subjects.redis()) {
			check(subject);
		}
	}

	@Test
	void theStoreInMemoryDoesWhatTheModelsAllow() {
		try (Subject subject = new MemorySubject(InMemoryLockStore.class)) {
			check(subject);
		}
	}

	private void check(Subject subject) {
		List<String> problems = new ArrayList<>();
		long begin = System.nanoTime();
		long checking = 0;
		for (long seed = SEED; seed < SEED + TRACES; seed++) {
			Trace trace = TraceWriter.write(subject, seed);
			long from = System.nanoTime();
			String problem = this.checker.check(trace);
			checking += System.nanoTime() - from;
			if (problem != null) {
				problems.add(problem);
			}
		}
		System.err.println("STATS " + subject.isRedis() + " " + (System.nanoTime() - begin) / 1000000 + " ms, checking "
				+ checking / 1000000 + ", " + this.checker.steps() + " " + this.checker.differences() + " problems "
				+ problems.size());
		assertThat(problems.stream().limit(1).toList()).isEmpty();
	}

}
