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
import java.util.Objects;
import java.util.function.Consumer;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * How to acquire and hold a lock. Immutable; derive variants with the {@code with…}
 * methods.
 *
 * <p>
 * Methods that return options throw an {@link IllegalArgumentException} if the values
 * contradict each other; its message names the value and the rule. To change several
 * values that limit each other, begin with {@link #ofLease(Duration)}.
 *
 * @since 0.1.0
 */
public final class LockOptions {

	/**
	 * The declared name of acquisitions that have no other.
	 */
	public static final String UNDECLARED = "undeclared";

	/**
	 * The longest lease; longer waits and holds count as unlimited.
	 */
	public static final Duration LONGEST = Duration.ofDays(3650);

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	private static final LockOptions DEFAULTS = new LockOptions(new Values());

	private final Duration lease;

	private final Duration waitTime;

	private final boolean autoRenew;

	private final @Nullable Duration renewInterval;

	private final Duration minHold;

	private final @Nullable Duration maxHold;

	private final OnLost onLost;

	private final String declaredName;

	private final int permits;

	private final LockMode mode;

	private LockOptions(Values values) {
		Duration lease = values.lease;
		check(lease.compareTo(SHORTEST_LEASE) >= 0, "The lease is %s, but must be at least %s", lease, SHORTEST_LEASE);
		check(lease.compareTo(LONGEST) <= 0, "The lease is %s, but must be at most %s", lease, LONGEST);
		Duration waitTime = values.waitTime;
		check(!waitTime.isNegative(), "The wait is %s, but must not be negative; zero means one attempt", waitTime);
		Duration renewInterval = values.renewInterval;
		if (renewInterval != null) {
			check(!renewInterval.isNegative() && !renewInterval.isZero(),
					"The renewal interval is %s, but must be positive", renewInterval);
			check(renewInterval.compareTo(lease.dividedBy(2)) <= 0,
					"The renewal interval is %s, but must be at most half of the lease of %s, so that a failed renewal can be repeated before the lease ends",
					renewInterval, lease);
		}
		Duration minHold = values.minHold;
		check(!minHold.isNegative(), "The minimum hold is %s, but must not be negative; zero means none", minHold);
		check(minHold.compareTo(lease) <= 0, "The minimum hold is %s, but must not be longer than the lease of %s",
				minHold, lease);
		Duration maxHold = values.maxHold;
		if (maxHold != null) {
			check(maxHold.compareTo(lease) >= 0, "The maximum hold is %s, but must not be shorter than the lease of %s",
					maxHold, lease);
		}
		check(!values.declaredName.isBlank(), "The declared name must not be blank, but is '%s'%s",
				values.declaredName);
		check(values.permits >= 1, "The permits are %s, but must be at least %s", values.permits, 1);
		check(values.permits == 1 || values.mode != LockMode.SHARED,
				"A shared lock has no permits: use either permits, to let a limited number of callers in, or SHARED, to let any number in%s%s",
				"");
		this.lease = lease;
		this.waitTime = (waitTime.compareTo(LONGEST) > 0) ? LONGEST : waitTime;
		this.autoRenew = values.autoRenew;
		this.renewInterval = renewInterval;
		this.minHold = minHold;
		this.maxHold = (maxHold != null && maxHold.compareTo(LONGEST) > 0) ? null : maxHold;
		this.onLost = values.onLost;
		this.declaredName = values.declaredName;
		this.permits = values.permits;
		this.mode = values.mode;
	}

	/**
	 * Return options with the given lease, no wait, no renewal and no other limits.
	 * @param lease the lease, from 10 ms to 3650 days
	 * @return the options
	 */
	public static LockOptions ofLease(Duration lease) {
		return DEFAULTS.withLease(lease);
	}

	/**
	 * Return the built-in defaults: a lease of 30 s, no wait, no renewal.
	 * @return the built-in defaults
	 * @see LockService#defaults()
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the time to live of the lock in the store, after which the store frees a
	 * lock that was neither renewed nor released.
	 * @return the lease, from 10 ms to 3650 days
	 */
	public Duration lease() {
		return this.lease;
	}

	/**
	 * Return how long to wait for a lock that is held elsewhere.
	 * @return the wait; zero means one attempt, 3650 days mean no limit
	 */
	public Duration waitTime() {
		return this.waitTime;
	}

	/**
	 * Return whether the lease is renewed until release.
	 * @return whether it is renewed
	 */
	public boolean autoRenew() {
		return this.autoRenew;
	}

	/**
	 * Return the time between two renewals.
	 * @return the interval, at most half of the lease, or {@code null} for a third of the
	 * lease
	 */
	public @Nullable Duration renewInterval() {
		return this.renewInterval;
	}

	/**
	 * Return the time between two renewals, as configured or derived from the lease.
	 * @return the interval in force
	 */
	public Duration effectiveRenewInterval() {
		return (this.renewInterval != null) ? this.renewInterval : this.lease.dividedBy(3);
	}

	/**
	 * Return the minimum time, from the acquisition, for which the lock stays taken even
	 * if it is released earlier. If the work throws, {@code execute} and annotated
	 * methods release the lock immediately.
	 * @return the minimum hold, at most the lease; zero for none
	 */
	public Duration minHold() {
		return this.minHold;
	}

	/**
	 * Return the maximum time for which a lock that is renewed is held: the last renewal
	 * is cut to it. Only {@link LockHandle#extend} goes beyond.
	 * @return the maximum hold, at least the lease, or {@code null} for no limit
	 */
	public @Nullable Duration maxHold() {
		return this.maxHold;
	}

	/**
	 * Return the reaction to the loss of the lock.
	 * @return the reaction
	 */
	public OnLost onLost() {
		return this.onLost;
	}

	/**
	 * Return the low-cardinality name of this use of locks in meters and events.
	 * @return the declared name, not blank
	 */
	public String declaredName() {
		return this.declaredName;
	}

	/**
	 * Return how many callers may hold the lock at the same time, on all instances
	 * together. Each caller states how many holders it accepts, itself included, and
	 * never holds the lock together with more.
	 * @return the permits, at least 1; 1 for a lock with one holder; also 1 for a
	 * {@linkplain #mode() shared} lock, which has no limit
	 */
	public int permits() {
		return this.permits;
	}

	/**
	 * Return whether any number of others may hold the lock at the same time.
	 * @return the mode; {@link LockMode#EXCLUSIVE} by default, also with several permits
	 */
	public LockMode mode() {
		return this.mode;
	}

	/**
	 * Return these options with another lease.
	 * @param lease the lease, from 10 ms to 3650 days
	 * @return the new options
	 */
	public LockOptions withLease(Duration lease) {
		return with((values) -> values.lease = lease);
	}

	/**
	 * Return these options with another wait.
	 * @param waitTime the wait; zero means one attempt, times beyond 3650 days count as
	 * unlimited
	 * @return the new options
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return with((values) -> values.waitTime = waitTime);
	}

	/**
	 * Return these options with renewal at their renewal interval, or every third of the
	 * lease if they have none.
	 * @return the new options
	 */
	public LockOptions withAutoRenew() {
		return with((values) -> values.autoRenew = true);
	}

	/**
	 * Return these options with renewal at the given interval.
	 * @param interval the time between two renewals, at most half of the lease
	 * @return the new options
	 */
	public LockOptions withAutoRenew(Duration interval) {
		return with((values) -> {
			values.autoRenew = true;
			values.renewInterval = interval;
		});
	}

	/**
	 * Return these options without renewal, and without a renewal interval.
	 * @return the new options
	 */
	public LockOptions withoutAutoRenew() {
		return with((values) -> {
			values.autoRenew = false;
			values.renewInterval = null;
		});
	}

	/**
	 * Return these options with another renewal interval, which applies if renewal is
	 * enabled.
	 * @param interval the time between two renewals, at most half of the lease, or
	 * {@code null} for a third of the lease
	 * @return the new options
	 */
	public LockOptions withRenewInterval(@Nullable Duration interval) {
		return with((values) -> values.renewInterval = interval);
	}

	/**
	 * Return these options with another minimum hold.
	 * @param minHold the minimum hold, at most the lease; zero for none
	 * @return the new options
	 */
	public LockOptions withMinHold(Duration minHold) {
		return with((values) -> values.minHold = minHold);
	}

	/**
	 * Return these options with another maximum hold.
	 * @param maxHold the maximum hold, at least the lease, or {@code null} for no limit;
	 * times beyond 3650 days count as unlimited
	 * @return the new options
	 */
	public LockOptions withMaxHold(@Nullable Duration maxHold) {
		return with((values) -> values.maxHold = maxHold);
	}

	/**
	 * Return these options with another reaction to a loss.
	 * @param onLost the reaction to the loss of the lock
	 * @return the new options
	 */
	public LockOptions withOnLost(OnLost onLost) {
		return with((values) -> values.onLost = onLost);
	}

	/**
	 * Return these options with another declared name.
	 * @param declaredName a low-cardinality name for meters and events, not blank
	 * @return the new options
	 */
	public LockOptions withDeclaredName(String declaredName) {
		return with((values) -> values.declaredName = declaredName);
	}

	/**
	 * Return these options for a lock that several callers may hold at the same time, on
	 * all instances together. If callers use different numbers, the smallest one among
	 * the holders and the caller applies. Fencing tokens order the holders, but cannot
	 * fence them against each other.
	 * @param permits how many, at least 1; 1 for a lock with one holder
	 * @return the new options
	 */
	public LockOptions withPermits(int permits) {
		return with((values) -> values.permits = permits);
	}

	/**
	 * Return these options for a shared lock: any number of callers may hold it at the
	 * same time, but none while a caller holds it exclusively. Shared callers do not
	 * overtake a caller that waits for the exclusive lock.
	 * @return the new options
	 */
	public LockOptions withShared() {
		return with((values) -> values.mode = LockMode.SHARED);
	}

	/**
	 * Return these options for a lock with one holder.
	 * @return the new options
	 */
	public LockOptions withExclusive() {
		return with((values) -> {
			values.mode = LockMode.EXCLUSIVE;
			values.permits = 1;
		});
	}

	private LockOptions with(Consumer<Values> change) {
		Values values = new Values();
		values.lease = this.lease;
		values.waitTime = this.waitTime;
		values.autoRenew = this.autoRenew;
		values.renewInterval = this.renewInterval;
		values.minHold = this.minHold;
		values.maxHold = this.maxHold;
		values.onLost = this.onLost;
		values.declaredName = this.declaredName;
		values.permits = this.permits;
		values.mode = this.mode;
		change.accept(values);
		return new LockOptions(values);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockOptions that && this.lease.equals(that.lease) && this.waitTime.equals(that.waitTime)
				&& this.autoRenew == that.autoRenew && Objects.equals(this.renewInterval, that.renewInterval)
				&& this.minHold.equals(that.minHold) && Objects.equals(this.maxHold, that.maxHold)
				&& this.onLost == that.onLost && this.declaredName.equals(that.declaredName)
				&& this.permits == that.permits && this.mode == that.mode;
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.lease, this.waitTime, this.autoRenew, this.renewInterval, this.minHold, this.maxHold,
				this.onLost, this.declaredName, this.permits, this.mode);
	}

	@Override
	public String toString() {
		return "LockOptions[lease=" + this.lease + ", waitTime=" + this.waitTime + ", autoRenew=" + this.autoRenew
				+ ", renewInterval=" + this.renewInterval + ", minHold=" + this.minHold + ", maxHold=" + this.maxHold
				+ ", onLost=" + this.onLost + ", declaredName=" + this.declaredName + ", permits=" + this.permits
				+ ", mode=" + this.mode + "]";
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

	/**
	 * The values of options that do not exist yet; at first, the built-in defaults.
	 */
	private static final class Values {

		private Duration lease = Duration.ofSeconds(30);

		private Duration waitTime = Duration.ZERO;

		private boolean autoRenew;

		private @Nullable Duration renewInterval;

		private Duration minHold = Duration.ZERO;

		private @Nullable Duration maxHold;

		private OnLost onLost = OnLost.LOG;

		private String declaredName = UNDECLARED;

		private int permits = 1;

		private LockMode mode = LockMode.EXCLUSIVE;

	}

}
