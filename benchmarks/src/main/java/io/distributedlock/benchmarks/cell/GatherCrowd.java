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

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Starts many threads that wait for one lock; ends when all of them have asked.
 */
record GatherCrowd(String lock, int size, ThreadKind kind) implements Task<@Nullable Void> {

	@Override
	public @Nullable Void run(Bench bench) throws Exception {
		Crowd crowd = new Crowd(bench.client(), this.lock, this.size);
		crowd.gather(this.kind);
		bench.leave(crowd);
		return null;
	}

}
