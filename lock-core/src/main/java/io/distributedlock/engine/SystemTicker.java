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

import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The monotonic clock of the JVM, corrected for suspension, for which it may stand still
 * although leases run out. If the wall clock gets ahead of it by more than drift can
 * explain, the difference counts as elapsed time. A wall clock that is set back does not
 * count.
 *
 * <p>
 * Drift is the effect of clock discipline: at most 83 ms in a second, and usually a
 * hundredth of that. The clocks are compared with their readings a moment ago, so slow
 * drift never adds up to a jump, while suspensions do add up. Only after a long time
 * without a reading can a small difference be either; then it does not count. While a
 * lease is held, the timer reads the clock once a second, so this cannot hide a
 * suspension from a holder. If the wall clock is stepped ahead, a lease ends earlier than
 * necessary, which is safe.
 */
final class SystemTicker implements Ticker {

	/** A difference that no drift explains, however long ago the last reading was. */
	static final long LEAP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/** A difference that drift may explain, between readings that are close. */
	static final long DRIFT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	/** After this time, drift may have made more. */
	static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** How old the reading to compare with may be before a new one takes its place. */
	private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long FRAME_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final LongSupplier monotonicNanos;

	private final LongSupplier wallMillis;

	private final long origin;

	private final AtomicReference<Reading> last;

	SystemTicker() {
		this(System::nanoTime, Clock.systemUTC()::millis);
	}

	SystemTicker(LongSupplier monotonicNanos, LongSupplier wallMillis) {
		this.monotonicNanos = monotonicNanos;
		this.wallMillis = wallMillis;
		this.origin = monotonicNanos.getAsLong();
		this.last = new AtomicReference<>(new Reading(this.origin, wallNanos() - this.origin, 0));
	}

	@Override
	public long nanos() {
		Reading reading = this.last.get();
		long monotonic = this.monotonicNanos.getAsLong();
		long ahead = wallNanos() - monotonic - reading.skew;
		if (ahead > DRIFT_NANOS || ahead < -DRIFT_NANOS || monotonic - reading.at > REFRESH_NANOS) {
			reading = compare(reading);
			monotonic = this.monotonicNanos.getAsLong();
		}
		return monotonic - this.origin + reading.suspended;
	}

	/**
	 * A pause of this thread between the readings of the two clocks looks like a jump.
	 * Only a wall clock reading that lies closely between two readings of the monotonic
	 * clock therefore counts.
	 */
	private Reading compare(Reading previous) {
		long before = this.monotonicNanos.getAsLong();
		long wall = wallNanos();
		if (this.monotonicNanos.getAsLong() - before > FRAME_NANOS) {
			return previous;
		}
		long ahead = wall - before - previous.skew;
		boolean close = before - previous.at < CLOSE_NANOS;
		boolean suspended = ahead > (close ? DRIFT_NANOS : LEAP_NANOS);
		Reading current = new Reading(before, previous.skew + ahead, previous.suspended + (suspended ? ahead : 0));
		return this.last.compareAndSet(previous, current) ? current : this.last.get();
	}

	private long wallNanos() {
		return TimeUnit.MILLISECONDS.toNanos(this.wallMillis.getAsLong());
	}

	/**
	 * How the clocks stood.
	 *
	 * @param skew the wall time less the monotonic time
	 * @param suspended how much time the monotonic clock has missed so far
	 */
	private record Reading(long at, long skew, long suspended) {

	}

}
