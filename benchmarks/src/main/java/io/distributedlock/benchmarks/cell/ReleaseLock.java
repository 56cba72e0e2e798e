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

import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Releases what {@link TakeLock} took. The result is the moment just before, on the clock
 * of {@link System#nanoTime()}.
 */
record ReleaseLock() implements Task<Long> {

	@Override
	public Long run(Bench bench) {
		TakeLock.Taken taken = bench.take(TakeLock.Taken.class);
		long releasedAt = System.nanoTime();
		taken.hold().close();
		return releasedAt;
	}

}
