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

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A monotonic clock that stands still until a test moves it. Safe for use by several
 * threads.
 */
public final class SettableTicker {

	private final AtomicLong nanos = new AtomicLong();

	/**
	 * Returns the current reading, in nanoseconds from an arbitrary origin.
	 */
	public long nanos() {
		return this.nanos.get();
	}

	/**
	 * Moves the clock forward.
	 * @throws IllegalArgumentException if the duration is negative
	 */
	public long advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("A monotonic clock cannot go back by " + duration);
		}
		return this.nanos.addAndGet(duration.toNanos());
	}

}
