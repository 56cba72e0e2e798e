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

package io.distributedlock.autoconfigure.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.distributedlock.LockOptions;
import io.distributedlock.internal.GivenOptions;
import io.distributedlock.internal.LockAttribute;

/**
 * The options of locks that the properties below one prefix give. A contradiction ends
 * the start, with a report of the properties that it is about and how to correct them.
 *
 * @param prefix ends in a dot
 */
public record OptionSettings(String prefix, GivenOptions given) {

	private static final String DEFAULTS = "distributed-lock.defaults.";

	/**
	 * Create the settings of all locks.
	 */
	public static OptionSettings ofDefaults(GivenOptions given) {
		return new OptionSettings(DEFAULTS, given);
	}

	/**
	 * Check the settings alone: the other options are not known yet.
	 * @throws LockStartupException if they contradict each other
	 */
	public void check() {
		checked(this.given::alone);
	}

	/**
	 * Return other options, overridden by the settings.
	 * @throws LockStartupException if the result contradicts itself
	 */
	public LockOptions over(LockOptions others) {
		return checked(() -> this.given.over(others));
	}

	private LockOptions checked(Supplier<LockOptions> options) {
		try {
			return options.get();
		}
		catch (IllegalArgumentException ex) {
			String problem = String.valueOf(ex.getMessage());
			LockAttribute ruled = Objects.requireNonNullElse(LockAttribute.ofRule(problem), LockAttribute.TIMEOUT);
			Map<String, Object> found = new LinkedHashMap<>();
			this.given.values().forEach((option, value) -> {
				if (option == ruled || option == ruled.limit()) {
					found.put(property(option), value);
				}
			});
			throw LockStartupException.ofSettings(problem, found, ruled.fix(property(ruled)), ex);
		}
	}

	private String property(LockAttribute option) {
		return (option == LockAttribute.RENEW_INTERVAL && this.prefix.equals(DEFAULTS))
				? "distributed-lock.renewal.interval" : this.prefix + option.property();
	}

}
