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

/**
 * In how large a company the threads of a contended cell may be inside.
 */
public enum Company {

	NONE,

	THREE,

	/**
	 * Of ten threads, nine share the lock and one has it alone.
	 */
	READERS_AND_WRITERS;

	/**
	 * How many may be inside at most while a thread is.
	 */
	int limit(int thread) {
		return switch (this) {
			case NONE -> 1;
			case THREE -> 3;
			case READERS_AND_WRITERS -> (thread % 10 == 0) ? 1 : Integer.MAX_VALUE;
		};
	}

}
