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

package io.distributedlock.testsupport;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits for states of a server, which no signal tells of.
 */
final class Waiting {

	private static final long INTERVAL_MILLIS = 10;

	private Waiting() {
	}

	/**
	 * Looks again and again. A server that cannot be reached, or answers with an error,
	 * is not there yet.
	 * @param expectation what is waited for, for the error message
	 * @throws IllegalStateException if it does not come true in time
	 */
	static void until(String expectation, Duration timeout, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!holds(condition)) {
			if (System.nanoTime() - start > timeout.toNanos()) {
				throw new IllegalStateException("Not within %s: %s".formatted(timeout, expectation));
			}
			pause();
		}
	}

	private static boolean holds(BooleanSupplier condition) {
		try {
			return condition.getAsBoolean();
		}
		catch (UncheckedIOException | RespException ex) {
			return false;
		}
	}

	private static void pause() {
		try {
			Thread.sleep(INTERVAL_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for a server", ex);
		}
	}

}
