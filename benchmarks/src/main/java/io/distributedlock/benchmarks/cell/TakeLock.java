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

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.LockClient.Hold;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Takes a lock and keeps it until {@link ReleaseLock}.
 */
record TakeLock(String lock) implements Task<@Nullable Void> {

	static final Duration LEASE = Duration.ofMinutes(10);

	@Override
	public @Nullable Void run(Bench bench) throws Exception {
		bench.leave(new Taken(bench.client().acquire(this.lock, LEASE, Duration.ofSeconds(10))));
		return null;
	}

	/**
	 * A lock kept between two tasks.
	 */
	record Taken(Hold hold) {

	}

}
