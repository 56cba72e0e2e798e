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

package io.distributedlock.benchmarks.cell;

import java.time.Duration;

/**
 * Where threads of several JVMs wait for each other, so that all of them begin at the
 * same moment, however long one of them took to get there. Moments are told by
 * {@link System#nanoTime()}, which is one clock for all JVMs of a Linux machine.
 */
final class StartLine {

	private static final int READY = 7;

	private static final int START_AT = 8;

	/**
	 * Time for everybody to see the signal.
	 */
	private static final Duration LEAD = Duration.ofMillis(20);

	private StartLine() {
	}

	/**
	 * Waits for all others and for the common start.
	 */
	static long await(Board board, int participants) {
		if (board.add(READY, 1) == participants - 1) {
			board.set(START_AT, System.nanoTime() + LEAD.toNanos());
		}
		Pause.until(() -> board.get(START_AT) != 0);
		long startAt = board.get(START_AT);
		Pause.until(startAt);
		return startAt;
	}

}
