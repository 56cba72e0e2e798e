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

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.internal.GivenOptions;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one {@link DistributedLock @DistributedLock}, with placeholders
 * resolved and durations parsed. Texts that are not given are empty.
 *
 * @param options the attributes that are options of the lock; the permits are
 * {@link LockAttribute#PERMITS_OF_CALL} if they are evaluated for each call
 * @param once how the annotation restricts calls to one for each fire time, or
 * {@code null} if it does not
 * @param written the numbers and texts exactly as written, by the name of the attribute
 */
public record LockAttributes(List<String> names, GivenOptions options, OnContention onContention, String fallbackMethod,
		String condition, boolean fenced, String permitsExpression, @Nullable Once once, Map<String, String> written) {

	private static final Pattern LARGE_NUMBER = Pattern.compile("\\d{4,18}");

	/**
	 * Return the defaults, overridden by the attributes that are given here. A renewal
	 * interval from the defaults that does not fit the lease is replaced by the derived
	 * interval. A maximum hold that does not is left out: it limits renewals, and
	 * {@link #exceeds} tells whether there are any.
	 * @throws IllegalArgumentException if the options contradict each other
	 */
	public LockOptions over(LockOptions defaults) {
		LockOptions others = defaults.withExclusive();
		Duration interval = others.renewInterval();
		Duration lease = (Duration) given(LockAttribute.TIMEOUT);
		if (lease != null && isShorter(defaults.maxHold(), lease)) {
			others = others.withMaxHold(null);
		}
		if (interval != null && lease != null && interval.compareTo(lease) >= 0) {
			others = others.withRenewInterval(null);
		}
		return this.options.over(others);
	}

	/**
	 * Return whether renewals have no limit because that of the defaults is shorter than
	 * the lease.
	 */
	public static boolean exceeds(LockOptions options, LockOptions defaults) {
		return options.autoRenew() && options.maxHold() == null && isShorter(defaults.maxHold(), options.lease());
	}

	private static boolean isShorter(@Nullable Duration maxHold, Duration lease) {
		return maxHold != null && maxHold.compareTo(lease) < 0;
	}

	/**
	 * Return the value of an option, or {@code null} if it is not given.
	 */
	public @Nullable Object given(LockAttribute option) {
		return this.options.values().get(option);
	}

	/**
	 * Return how to give a duration another value: as a text, in which seconds and
	 * milliseconds cannot be confused.
	 */
	public String setting(AnnotatedMethod method, LockAttribute duration, Duration value) {
		String number = duration.attribute();
		String text = "%s = \"%s\"".formatted(method.attribute(number + "String"), Printable.of(value));
		return this.written.containsKey(number) ? text + " in place of " + number : text;
	}

	/**
	 * Return whether a number probably means milliseconds rather than seconds. A lease of
	 * hours and a few seconds is never intended.
	 */
	public static boolean isProbablyMilliseconds(LockAttribute attribute, String number) {
		if (!LARGE_NUMBER.matcher(number).matches()) {
			return false;
		}
		long seconds = Long.parseLong(number);
		return seconds % 1000 == 0 || (attribute == LockAttribute.TIMEOUT && seconds > Duration.ofHours(1).toSeconds()
				&& seconds % 60 != 0);
	}

	/**
	 * Whether an attribute is given that has an effect only if the lease is renewed.
	 */
	public boolean mentionsRenewal() {
		return given(LockAttribute.RENEW_INTERVAL) != null || given(LockAttribute.MAX_HOLD) != null;
	}

	public boolean acceptsOthers() {
		Object permits = given(LockAttribute.PERMITS);
		return given(LockAttribute.MODE) == LockMode.SHARED || (permits != null && !permits.equals(1));
	}

	/**
	 * Return the permits that the result of an expression stands for, or 0 if it is not a
	 * whole number of at least 1.
	 */
	public static int permitsOf(@Nullable Object result) {
		try {
			long permits = new BigDecimal(String.valueOf(result).strip()).longValueExact();
			return (int) Math.max(0, Math.min(permits, LockAttribute.PERMITS_OF_CALL - 1));
		}
		catch (NumberFormatException | ArithmeticException ex) {
			return 0;
		}
	}

	/**
	 * Return whether a lock with these options may have several holders.
	 */
	public static boolean acceptsOthers(LockOptions options) {
		return options.permits() != 1 || options.mode() == LockMode.SHARED;
	}

	/**
	 * The attributes of {@link io.distributedlock.annotation.OncePerFireTime}.
	 *
	 * @param catchUp how late a run may be, or {@code null} for never
	 * @param repeat whether a run that failed or did not end is run once more
	 * @param fireTime the expression for the fire time, or an empty text
	 */
	public record Once(@Nullable Duration catchUp, boolean repeat, String fireTime) {
	}

}
