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

import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Waits until everybody of {@link GatherCrowd} had the lock, or for so long at most.
 */
record ServeCrowd(Duration limit) implements Task<Crowd.Served> {

	@Override
	public Crowd.Served run(Bench bench) throws Exception {
		return bench.take(Crowd.class).await(this.limit);
	}

}
