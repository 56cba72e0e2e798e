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

package io.distributedlock.benchmarks.contestant;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.LockClient.Hold;

/**
 * Asks again every 10 ms, for locks that do not wait by themselves.
 */
final class Poll {

	static final Duration INTERVAL = Duration.ofMillis(10);

	private Poll() {
	}

	static Hold until(Duration wait, Supplier<@Nullable Hold> attempt) throws InterruptedException, TimeoutException {
		long deadline = System.nanoTime() + wait.toNanos();
		while (true) {
			Hold hold = attempt.get();
			if (hold != null) {
				return hold;
			}
			if (System.nanoTime() - deadline >= 0) {
				throw new TimeoutException("The lock was not free within " + wait);
			}
			TimeUnit.NANOSECONDS.sleep(INTERVAL.toNanos());
		}
	}

}
