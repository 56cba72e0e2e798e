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

import org.jspecify.annotations.Nullable;

/**
 * How to acquire and hold a lock. Immutable; derive variants with the {@code with…}
 * methods.
 *
 * @param lease the time to live of the lock in the store, from 10 ms to 3650 days, after
 * which the store frees a lock that was neither renewed nor released
 * @param waitTime how long to wait for a lock that is held elsewhere; zero means one
 * attempt, times beyond 3650 days count as unlimited
 * @param autoRenew whether the lease is renewed until release
 * @param renewInterval the time between two renewals, at most half of the lease, or
 * {@code null} for a third of the lease
 * @param minHold the minimum time, from the acquisition, for which the lock stays taken
 * even if it is released earlier; zero for none, at most the lease
 * @param maxHold the maximum time for which the lock is renewed, at least the lease, or
 * {@code null} for no limit; times beyond 3650 days count as unlimited
 * @param onLost what happens when the lock is lost
 * @param declaredName the low-cardinality name of this use of locks in meters and events
 * @since 0.1.0
 */
public record LockOptions(Duration lease, Duration waitTime, boolean autoRenew, @Nullable Duration renewInterval,
		Duration minHold, @Nullable Duration maxHold, OnLost onLost, String declaredName) {

	/**
	 * The declared name of acquisitions that have no other.
	 */
	public static final String UNDECLARED = "undeclared";

	/**
	 * The longest lease; longer waits and holds count as unlimited.
	 */
	public static final Duration LONGEST = Duration.ofDays(3650);

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	private static final LockOptions DEFAULTS = new LockOptions(Duration.ofSeconds(30), Duration.ZERO, false, null,
			Duration.ZERO, null, OnLost.LOG, UNDECLARED);

	/**
	 * Check the values against each other.
	 * @throws IllegalArgumentException if they contradict each other; the message names
	 * the value and the rule
	 */
	public LockOptions {
		check(lease.compareTo(SHORTEST_LEASE) >= 0, "The lease is %s, but must be at least %s", lease, SHORTEST_LEASE);
		check(lease.compareTo(LONGEST) <= 0, "The lease is %s, but must be at most %s", lease, LONGEST);
		check(!waitTime.isNegative(), "The wait is %s, but must not be negative; zero means one attempt", waitTime);
		if (waitTime.compareTo(LONGEST) > 0) {
			waitTime = LONGEST;
		}
		if (renewInterval != null) {
			check(!renewInterval.isNegative() && !renewInterval.isZero(),
					"The renewal interval is %s, but must be positive", renewInterval);
			check(renewInterval.compareTo(lease.dividedBy(2)) <= 0,
					"The renewal interval is %s, but must be at most half of the lease of %s, so that a renewal that fails can be repeated before the lease ends",
					renewInterval, lease);
		}
		check(!minHold.isNegative(), "The minimum hold is %s, but must not be negative; zero means none", minHold);
		check(minHold.compareTo(lease) <= 0, "The minimum hold is %s, but must not be longer than the lease of %s",
				minHold, lease);
		if (maxHold != null) {
			check(maxHold.compareTo(lease) >= 0, "The maximum hold is %s, but must not be shorter than the lease of %s",
					maxHold, lease);
			if (maxHold.compareTo(LONGEST) > 0) {
				maxHold = null;
			}
		}
		check(!declaredName.isBlank(), "The declared name must not be blank, but is '%s'%s", declaredName, "");
	}

	/**
	 * Return options with the given lease, no wait, no renewal and no other limits.
	 * @param lease the lease
	 * @return the options
	 */
	public static LockOptions lease(Duration lease) {
		return DEFAULTS.withLease(lease);
	}

	/**
	 * Return the built-in defaults: a lease of 30 s, no wait, no renewal.
	 * @return the built-in defaults
	 */
	public static LockOptions builtIn() {
		return DEFAULTS;
	}

	/**
	 * Return the time between two renewals, as configured or derived from the lease.
	 * @return the interval in force
	 */
	public Duration effectiveRenewInterval() {
		return (this.renewInterval != null) ? this.renewInterval : this.lease.dividedBy(3);
	}

	/**
	 * Return these options with another lease.
	 * @param lease the lease
	 * @return the new options
	 */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(lease, this.waitTime, this.autoRenew, this.renewInterval, this.minHold, this.maxHold,
				this.onLost, this.declaredName);
	}

	/**
	 * Return these options with another wait.
	 * @param waitTime the wait; zero means one attempt
	 * @return the new options
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.lease, waitTime, this.autoRenew, this.renewInterval, this.minHold, this.maxHold,
				this.onLost, this.declaredName);
	}

	/**
	 * Return these options with renewal at their renewal interval, or every third of the
	 * lease if they have none.
	 * @return the new options
	 */
	public LockOptions withAutoRenew() {
		return new LockOptions(this.lease, this.waitTime, true, this.renewInterval, this.minHold, this.maxHold,
				this.onLost, this.declaredName);
	}

	/**
	 * Return these options with renewal at the given interval.
	 * @param interval the time between two renewals
	 * @return the new options
	 */
	public LockOptions withAutoRenew(Duration interval) {
		return new LockOptions(this.lease, this.waitTime, true, interval, this.minHold, this.maxHold, this.onLost,
				this.declaredName);
	}

	/**
	 * Return these options without renewal.
	 * @return the new options
	 */
	public LockOptions withoutAutoRenew() {
		return new LockOptions(this.lease, this.waitTime, false, null, this.minHold, this.maxHold, this.onLost,
				this.declaredName);
	}

	/**
	 * Return these options with another minimum hold.
	 * @param minHold the minimum hold; zero for none
	 * @return the new options
	 */
	public LockOptions withMinHold(Duration minHold) {
		return new LockOptions(this.lease, this.waitTime, this.autoRenew, this.renewInterval, minHold, this.maxHold,
				this.onLost, this.declaredName);
	}

	/**
	 * Return these options with another maximum hold.
	 * @param maxHold the maximum hold, or {@code null} for no limit
	 * @return the new options
	 */
	public LockOptions withMaxHold(@Nullable Duration maxHold) {
		return new LockOptions(this.lease, this.waitTime, this.autoRenew, this.renewInterval, this.minHold, maxHold,
				this.onLost, this.declaredName);
	}

	/**
	 * Return these options with another reaction to a loss.
	 * @param onLost what happens when the lock is lost
	 * @return the new options
	 */
	public LockOptions withOnLost(OnLost onLost) {
		return new LockOptions(this.lease, this.waitTime, this.autoRenew, this.renewInterval, this.minHold,
				this.maxHold, onLost, this.declaredName);
	}

	/**
	 * Return these options with another declared name.
	 * @param declaredName a low-cardinality name for meters and events, not blank
	 * @return the new options
	 */
	public LockOptions withDeclaredName(String declaredName) {
		return new LockOptions(this.lease, this.waitTime, this.autoRenew, this.renewInterval, this.minHold,
				this.maxHold, this.onLost, declaredName);
	}

	private static void check(boolean holds, String rule, Object value, Object limit) {
		if (!holds) {
			throw new IllegalArgumentException(rule.formatted(printable(value), printable(limit)) + ".");
		}
	}

	private static Object printable(Object value) {
		return (value instanceof Duration duration) ? Printable.of(duration) : value;
	}

	private static void check(boolean holds, String rule, Object value) {
		check(holds, rule, value, "");
	}

}
