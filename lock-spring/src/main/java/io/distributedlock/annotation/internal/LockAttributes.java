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

package io.distributedlock.annotation.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.LossReaction;
import io.distributedlock.annotation.OnContention;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one {@link DistributedLock @DistributedLock}, with placeholders
 * resolved and durations parsed. Texts that are not given are empty, durations are
 * {@code null}.
 *
 * @param permits {@code null} if not given, or evaluated for each call
 * @param written the durations and permits as they are written, by attribute
 */
public record LockAttributes(List<String> names, @Nullable Duration lease, @Nullable Duration waitTime,
		boolean autoRenew, @Nullable Duration renewInterval, @Nullable Duration minHold, @Nullable Duration maxHold,
		LossReaction onLost, OnContention onContention, String fallbackMethod, String condition, boolean fenced,
		@Nullable Integer permits, String permitsExpression, LockMode mode, Map<String, String> written) {

	/** Stands for permits that are evaluated for each call. */
	public static final int PERMITS_OF_CALL = Integer.MAX_VALUE;

	/**
	 * Check the given attributes against each other, regardless of the defaults.
	 * @throws IllegalArgumentException if they contradict each other
	 */
	public void check() {
		LockOptions neutral = LockOptions.defaults();
		if (this.lease != null) {
			over(neutral);
		}
		else {
			over(neutral, LockOptions.LONGEST, null);
		}
	}

	/**
	 * Return the defaults, overridden by the attributes that are given here. A renewal
	 * interval from the defaults that does not fit the lease is replaced by the derived
	 * interval.
	 * @throws IllegalArgumentException if the options contradict each other
	 */
	public LockOptions over(LockOptions defaults) {
		return over(defaults, or(this.lease, defaults.lease()), this.maxHold);
	}

	private LockOptions over(LockOptions defaults, Duration lease, @Nullable Duration maxHold) {
		Duration interval = this.renewInterval;
		if (interval == null && defaults.renewInterval() != null && defaults.renewInterval().compareTo(lease) < 0) {
			interval = defaults.renewInterval();
		}
		// First without limits of the defaults that need not fit the lease
		LockOptions options = defaults.withoutAutoRenew()
			.withExclusive()
			.withMinHold(Duration.ZERO)
			.withMaxHold(null)
			.withLease(lease)
			.withWaitTime(or(this.waitTime, defaults.waitTime()))
			.withRenewInterval(interval)
			.withMinHold(or(this.minHold, defaults.minHold()))
			.withMaxHold((maxHold != null) ? maxHold : defaults.maxHold())
			.withOnLost((this.onLost != LossReaction.DEFAULT) ? OnLost.valueOf(this.onLost.name()) : defaults.onLost());
		options = (this.autoRenew || defaults.autoRenew()) ? options.withAutoRenew() : options;
		if (!this.permitsExpression.isEmpty()) {
			options = options.withPermits(PERMITS_OF_CALL);
		}
		else if (this.permits != null) {
			options = options.withPermits(this.permits);
		}
		return (this.mode == LockMode.SHARED) ? options.withShared() : options;
	}

	/**
	 * Whether an attribute is given that has an effect only if the lease is renewed.
	 */
	public boolean mentionsRenewal() {
		return this.renewInterval != null || this.maxHold != null;
	}

	public boolean acceptsOthers() {
		return this.mode == LockMode.SHARED || !this.permitsExpression.isEmpty()
				|| (this.permits != null && this.permits != 1);
	}

	/**
	 * Return whether a lock with these options may have several holders.
	 */
	public static boolean acceptsOthers(LockOptions options) {
		return options.permits() != 1 || options.mode() == LockMode.SHARED;
	}

	private static Duration or(@Nullable Duration given, Duration otherwise) {
		return (given != null) ? given : otherwise;
	}

}
