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

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits without a lock.
 */
final class Pause {

	private static final long STEP = 50_000;

	private Pause() {
	}

	static void until(long nanoTime) {
		while (true) {
			long left = nanoTime - System.nanoTime();
			if (left <= 0) {
				return;
			}
			LockSupport.parkNanos(left);
		}
	}

	static void until(BooleanSupplier condition) {
		long deadline = System.nanoTime() + 30_000_000_000L;
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("The other JVM does not go on");
			}
			LockSupport.parkNanos(STEP);
		}
	}

}
