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

package io.distributedlock.redis;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The settings of a {@link RedisLockStore}. Immutable.
 *
 * @since 0.1.0
 */
public final class RedisLockSettings {

	private static final RedisLockSettings DEFAULTS = new RedisLockSettings();

	private String keyPrefix = "lock:";

	private Duration commandTimeout = Duration.ofSeconds(1);

	private Duration connectTimeout = Duration.ofSeconds(2);

	private Duration maxGrantLease = Duration.ofSeconds(3);

	private Duration fenceRetention = Duration.ofMinutes(10);

	private Map<String, String> keys = Map.of();

	private RedisLockSettings() {
	}

	/**
	 * Return the default settings.
	 * @return the settings
	 */
	public static RedisLockSettings defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the text that precedes the name of a lock in its key.
	 * @return the prefix, by default {@code lock:}
	 */
	public String keyPrefix() {
		return this.keyPrefix;
	}

	/**
	 * Return the time within which each future completes.
	 * @return the timeout, by default 1 s
	 */
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	/**
	 * Return how long the store's own connections may take to be established. Until the
	 * first one is, futures may take this much longer.
	 * @return the timeout, by default 2 s
	 */
	public Duration connectTimeout() {
		return this.connectTimeout;
	}

	/**
	 * Return the longest lease under which a lock is handed off to a waiter, which then
	 * extends it.
	 * @return the lease, by default 3 s
	 */
	public Duration maxGrantLease() {
		return this.maxGrantLease;
	}

	/**
	 * Return how long the last fencing token of a lock is kept after a grant; at least
	 * twice the lease in any case.
	 * @return the time, by default 10 min
	 */
	public Duration fenceRetention() {
		return this.fenceRetention;
	}

	/**
	 * Return the exact keys of single locks, which replace prefix and name.
	 * @return the keys by the name of the lock, by default none
	 */
	public Map<String, String> keys() {
		return this.keys;
	}

	/**
	 * Return these settings with another prefix.
	 * @param keyPrefix the prefix; not empty and not beginning with a brace
	 * @return the new settings
	 * @throws IllegalArgumentException if the prefix cannot be used
	 */
	public RedisLockSettings withKeyPrefix(String keyPrefix) {
		return with((copy) -> copy.keyPrefix = keyPrefix);
	}

	/**
	 * Return these settings with another command timeout.
	 * @param commandTimeout the timeout, at least 1 ms
	 * @return the new settings
	 * @throws IllegalArgumentException if it is shorter
	 */
	public RedisLockSettings withCommandTimeout(Duration commandTimeout) {
		requirePositive(commandTimeout, "command timeout");
		return with((copy) -> copy.commandTimeout = commandTimeout);
	}

	/**
	 * Return these settings with another connect timeout.
	 * @param connectTimeout the timeout, at least 1 ms
	 * @return the new settings
	 * @throws IllegalArgumentException if it is shorter
	 */
	public RedisLockSettings withConnectTimeout(Duration connectTimeout) {
		requirePositive(connectTimeout, "connect timeout");
		return with((copy) -> copy.connectTimeout = connectTimeout);
	}

	/**
	 * Return these settings with another longest lease of a hand-off.
	 * @param maxGrantLease the lease, at least 1 ms
	 * @return the new settings
	 * @throws IllegalArgumentException if it is shorter
	 */
	public RedisLockSettings withMaxGrantLease(Duration maxGrantLease) {
		requirePositive(maxGrantLease, "longest lease of a grant");
		return with((copy) -> copy.maxGrantLease = maxGrantLease);
	}

	/**
	 * Return these settings with another retention of fencing tokens.
	 * @param fenceRetention how long to keep the last fencing token of a lock, at least 1
	 * ms
	 * @return the new settings
	 * @throws IllegalArgumentException if it is shorter
	 */
	public RedisLockSettings withFenceRetention(Duration fenceRetention) {
		requirePositive(fenceRetention, "retention of fencing tokens");
		return with((copy) -> copy.fenceRetention = fenceRetention);
	}

	/**
	 * Return these settings with exact keys for single locks, which another library uses
	 * for the same work.
	 * @param keys the whole keys by the name of the lock
	 * @return the new settings
	 * @throws IllegalArgumentException if a key is blank or belongs to another lock
	 */
	public RedisLockSettings withKeys(Map<String, String> keys) {
		return with((copy) -> copy.keys = Map.copyOf(keys));
	}

	/** Changes fields only in a copy that nobody else sees yet. */
	private RedisLockSettings with(Consumer<RedisLockSettings> change) {
		RedisLockSettings copy = new RedisLockSettings();
		copy.keyPrefix = this.keyPrefix;
		copy.commandTimeout = this.commandTimeout;
		copy.connectTimeout = this.connectTimeout;
		copy.maxGrantLease = this.maxGrantLease;
		copy.fenceRetention = this.fenceRetention;
		copy.keys = this.keys;
		change.accept(copy);
		// Refuses what would make two locks share a key
		new KeyLayout(copy.keyPrefix, copy.keys);
		return copy;
	}

	private static void requirePositive(Duration duration, String what) {
		if (duration.toMillis() <= 0) {
			throw new IllegalArgumentException("The " + what + " is " + duration + ". Set one of at least 1 ms.");
		}
	}

}
