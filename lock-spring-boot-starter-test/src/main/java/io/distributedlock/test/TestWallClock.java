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

package io.distributedlock.test;

import java.time.Instant;

import io.distributedlock.internal.WallClock;
import org.jspecify.annotations.Nullable;

/**
 * The time of day for jobs. As long as a test has not set it, it is that of the machine,
 * ahead by as much as the test has advanced the clock of the locks. Then it stands still
 * and only moves with that clock.
 */
final class TestWallClock implements WallClock {

	private final TestClock clock;

	/** The reading of the clock when the test began. */
	private volatile long begin;

	/** The time of day when the clock read zero, or {@code null} if it was not set. */
	private volatile @Nullable Instant origin;

	TestWallClock(TestClock clock) {
		this.clock = clock;
	}

	@Override
	public Instant now() {
		Instant origin = this.origin;
		long reading = this.clock.nanos();
		return (origin != null) ? origin.plusNanos(reading) : Instant.now().plusNanos(reading - this.begin);
	}

	boolean isSet() {
		return this.origin != null;
	}

	void set(Instant time) {
		this.origin = time.minusNanos(this.clock.nanos());
	}

	void reset() {
		this.begin = this.clock.nanos();
		this.origin = null;
	}

}
