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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The arithmetic of leases, in nanoseconds.
 */
final class LeaseTimes {

	static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	/** Some 73 years: longer times count as this, so that sums do not overflow. */
	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

	private LeaseTimes() {
	}

	/**
	 * Return the nanoseconds of a time that may come from anywhere: negative ones count
	 * as zero, and huge ones as some 73 years.
	 */
	static long nanos(Duration duration) {
		if (duration.isNegative()) {
			return 0;
		}
		return ((duration.compareTo(LONGEST) < 0) ? duration : LONGEST).toNanos();
	}

	/**
	 * Return when a lease must be considered as ended, if the request that started it was
	 * sent at the given time: clearly before the store ends it. One percent allows for
	 * clocks of different speed, the rest for telling the holder.
	 */
	static long deadline(long sentAt, long lease) {
		return sentAt + lease - Math.max(lease / 100, 2 * MILLI) - Math.min(lease / 10, SECOND);
	}

	/**
	 * Return when a lease that was not renewed is at risk.
	 */
	static long riskAt(long sentAt, long lease) {
		return sentAt + lease / 3 * 2;
	}

	/**
	 * Return how often a waiter confirms its place in the queue: this is its life sign,
	 * the cure for a lost message and the detection of a lease that ended.
	 */
	static long pollInterval(long lease) {
		return Math.max(Math.min(lease / 3, SECOND), 3 * MILLI);
	}

}
