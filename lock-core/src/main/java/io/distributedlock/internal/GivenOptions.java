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

package io.distributedlock.internal;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a lock from one source, an annotation or the configuration. They
 * override the options of other sources.
 */
public final class GivenOptions {

	private final Map<LockAttribute, Object> values = new EnumMap<>(LockAttribute.class);

	/**
	 * @param value {@code null} if it is not given
	 */
	public GivenOptions with(LockAttribute attribute, @Nullable Object value) {
		GivenOptions result = new GivenOptions();
		result.values.putAll(this.values);
		if (value != null) {
			result.values.put(attribute, value);
		}
		return result;
	}

	/**
	 * @param attribute {@code null} for none
	 */
	public GivenOptions without(@Nullable LockAttribute attribute) {
		GivenOptions result = new GivenOptions();
		result.values.putAll(this.values);
		if (attribute != null) {
			result.values.remove(attribute);
		}
		return result;
	}

	public Map<LockAttribute, Object> values() {
		return Collections.unmodifiableMap(this.values);
	}

	/**
	 * Return the options of this source alone. An unset lease counts as the longest.
	 * @throws IllegalArgumentException if they contradict each other
	 */
	public LockOptions alone() {
		Integer permits = (Integer) this.values.get(LockAttribute.PERMITS);
		Object mode = this.values.get(LockAttribute.MODE);
		if (permits != null && mode == LockMode.SHARED) {
			throw new IllegalArgumentException(
					"A shared lock has no permits, but some are given: use permits to let a limited number of callers in, and SHARED to let any number in.");
		}
		if (permits != null && permits > 1 && mode == LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException(
					"The permits let in %d callers, but the mode is exclusive, which lets in one.".formatted(permits));
		}
		if (this.values.containsKey(LockAttribute.TIMEOUT)) {
			return over(LockOptions.defaults());
		}
		return with(LockAttribute.TIMEOUT, LockOptions.LONGEST).without(LockAttribute.MAX_HOLD)
			.over(LockOptions.defaults());
	}

	/**
	 * Return other options, overridden by the given ones. Permits replace the mode of the
	 * others, and a mode their permits.
	 * @throws IllegalArgumentException if the result contradicts itself
	 */
	public LockOptions over(LockOptions others) {
		boolean company = this.values.containsKey(LockAttribute.PERMITS) || this.values.containsKey(LockAttribute.MODE);
		LockOptions kept = company ? others.withExclusive() : others;
		// First without limits that need not fit the lease
		LockOptions result = kept.withoutAutoRenew().withMinHold(Duration.ZERO).withMaxHold(null);
		for (LockAttribute each : LockAttribute.OPTIONS) {
			Object given = this.values.get(each);
			result = each.set(result, (given != null) ? given : each.of(kept));
		}
		return result;
	}

}
