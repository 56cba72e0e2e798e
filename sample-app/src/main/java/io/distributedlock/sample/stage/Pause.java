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

package io.distributedlock.sample.stage;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Lets time pass where a scenario is about time.
 */
final class Pause {

	private Pause() {
	}

	/**
	 * Let time pass until something is so.
	 * @return how long it took, or {@code null} if it was not so within the limit
	 */
	static @Nullable Duration until(BooleanSupplier condition, Duration limit) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > limit.toNanos()) {
				return null;
			}
			of(Duration.ofMillis(20));
		}
		return Duration.ofNanos(System.nanoTime() - start);
	}

	static void of(Duration time) {
		try {
			TimeUnit.MILLISECONDS.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while time passed", ex);
		}
	}

}
