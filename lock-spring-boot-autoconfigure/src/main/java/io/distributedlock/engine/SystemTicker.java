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

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The monotonic clock of the JVM, corrected for suspension. While a machine is suspended
 * its monotonic clock may stand still although leases run out, so if the wall clock leaps
 * ahead of the monotonic one, the leap counts as elapsed time. Slow drift between the two
 * does not, nor does a wall clock that is set back.
 */
final class SystemTicker implements Ticker {

	static final long LEAP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long DRIFT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long FRAME_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final LongSupplier monotonicNanos;

	private final LongSupplier wallMillis;

	private final long origin;

	private final AtomicLong skew;

	private final AtomicLong suspended = new AtomicLong();

	SystemTicker(LongSupplier monotonicNanos, LongSupplier wallMillis) {
		this.monotonicNanos = monotonicNanos;
		this.wallMillis = wallMillis;
		this.origin = monotonicNanos.getAsLong();
		this.skew = new AtomicLong(TimeUnit.MILLISECONDS.toNanos(wallMillis.getAsLong()) - this.origin);
	}

	@Override
	public long nanos() {
		long monotonic = this.monotonicNanos.getAsLong();
		long leap = TimeUnit.MILLISECONDS.toNanos(this.wallMillis.getAsLong()) - monotonic - this.skew.get();
		if (leap > DRIFT_NANOS || leap < -DRIFT_NANOS) {
			adjust();
			monotonic = this.monotonicNanos.getAsLong();
		}
		return monotonic - this.origin + this.suspended.get();
	}

	/**
	 * A pause of this thread between the readings of the two clocks looks like a leap, so
	 * only a wall clock reading that is framed closely by two of the monotonic clock
	 * counts.
	 */
	private void adjust() {
		long known = this.skew.get();
		long before = this.monotonicNanos.getAsLong();
		long wall = TimeUnit.MILLISECONDS.toNanos(this.wallMillis.getAsLong());
		if (this.monotonicNanos.getAsLong() - before > FRAME_NANOS) {
			return;
		}
		long leap = wall - before - known;
		if (this.skew.compareAndSet(known, known + leap) && leap > LEAP_NANOS) {
			this.suspended.addAndGet(leap);
		}
	}

}
