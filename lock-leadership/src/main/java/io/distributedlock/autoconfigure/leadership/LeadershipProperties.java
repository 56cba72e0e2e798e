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

package io.distributedlock.autoconfigure.leadership;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.internal.GivenOptions;
import io.distributedlock.internal.LockAttribute;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of leaderships.
 *
 * @param leadership Leaderships for which this instance stands, by name: enabled,
 * timeout, renew-interval and max-hold. Each becomes a bean. A name that contains other
 * characters than letters, digits and dashes must be in brackets.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock")
public record LeadershipProperties(@DefaultValue Map<String, NamedLeadership> leadership) {

	/**
	 * Copy the leaderships.
	 */
	public LeadershipProperties {
		leadership = Map.copyOf(leadership);
	}

	/**
	 * A leadership for which this instance stands.
	 *
	 * @param enabled Whether this instance stands. The bean exists in any case, and never
	 * leads if not.
	 * @param timeout Time after which the store frees the lock of a leader that was
	 * killed (its lease). It is always renewed.
	 * @param renewInterval Time between two renewals, at most half of the lease. A third
	 * of the lease by default.
	 * @param maxHold Longest term. Unlimited by default.
	 */
	public record NamedLeadership(@DefaultValue("true") boolean enabled, @DefaultValue("10s") Duration timeout,
			@Nullable Duration renewInterval, @Nullable Duration maxHold) {

		/**
		 * Return the options of its lock.
		 */
		public GivenOptions given() {
			return new GivenOptions().with(LockAttribute.TIMEOUT, this.timeout)
				.with(LockAttribute.RENEW_INTERVAL, this.renewInterval)
				.with(LockAttribute.MAX_HOLD, this.maxHold);
		}

	}

}
