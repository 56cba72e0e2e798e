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

package io.distributedlock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when another holder has the lock and it did not become free within the wait.
 * This is a normal outcome, not an outage.
 *
 * @since 0.1.0
 */
public final class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	private static final Duration LONG = Duration.ofSeconds(10);

	private final Duration waited;

	private final @Nullable LockInfo holder;

	/**
	 * Create a new instance.
	 * @param name the name of the lock
	 * @param waited how long the caller waited
	 * @param holder who holds it, or {@code null} if unknown
	 */
	public LockNotAcquiredException(String name, Duration waited, @Nullable LockInfo holder) {
		super(name, message(name, waited, holder), null);
		this.waited = waited;
		this.holder = holder;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the call to the refusal
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return who held the lock when it was last seen.
	 * @return the holder, or {@code null} if unknown
	 */
	public @Nullable LockInfo getHolder() {
		return this.holder;
	}

	private static String message(String name, Duration waited, @Nullable LockInfo holder) {
		StringBuilder text = new StringBuilder("Lock '").append(name).append("' is ");
		text.append((holder != null) ? holder.describe() : "held elsewhere");
		if (holder != null && holder.remaining() != null && !holder.othersWait()) {
			text.append(", for at most ").append(rounded(holder.remaining())).append(" more unless renewed");
		}
		text.append("; not acquired ");
		return (waited.isZero() ? text.append("in one attempt, without waiting.")
				: text.append("within ").append(rounded(waited)).append('.'))
			.toString();
	}

	/**
	 * A long time is easier to read without milliseconds.
	 */
	private static String rounded(Duration duration) {
		ChronoUnit unit = (duration.compareTo(LONG) >= 0) ? ChronoUnit.SECONDS : ChronoUnit.MILLIS;
		return Printable.of(duration.plus(unit.getDuration().minusNanos(1)).truncatedTo(unit));
	}

}
