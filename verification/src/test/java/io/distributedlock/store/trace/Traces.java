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

import io.distributedlock.engine.simulation.Simulation;
import org.jspecify.annotations.Nullable;

/**
 * Writes traces and checks them.
 */
final class Traces {

	private Traces() {
	}

	/**
	 * Return what is wrong with the first trace that the models do not allow, or
	 * {@code null}.
	 */
	static @Nullable String check(TraceChecker checker, Subject subject, long seed, int traces) {
		String problem = null;
		for (long each = seed; each < seed + traces && problem == null; each++) {
			problem = checker.check(TraceWriter.write(subject, each));
		}
		return problem;
	}

	/**
	 * Simulate histories until there are enough traces, and return what is wrong with the
	 * first that the models do not allow, or {@code null}.
	 */
	static @Nullable String checkHistories(TraceChecker checker, long seed, int traces) {
		return checkHistories(checker, seed, traces, (number, recorder) -> Simulation.record(seed, number, recorder));
	}

	static @Nullable String checkHistories(TraceChecker checker, long seed, int traces, Histories histories) {
		int checked = 0;
		for (long number = 0; checked < traces; number++) {
			HistoryRecorder recorder = new HistoryRecorder("history " + number + " of seed " + seed);
			histories.record(number, recorder);
			for (Trace trace : recorder.traces()) {
				String problem = checker.check(trace);
				if (problem != null) {
					return problem;
				}
				checked++;
			}
		}
		return null;
	}

	/**
	 * Runs a history and writes down what its server does.
	 */
	interface Histories {

		void record(long number, HistoryRecorder recorder);

	}

}
