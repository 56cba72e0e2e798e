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

package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.autoconfigure.DistributedLockProperties.Defaults;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;

/**
 * Turns properties into options: the defaults, and the overrides of single locks. Both
 * are checked on creation, so that a contradiction ends the start-up. Ordered after other
 * customizers, so that the configuration takes precedence.
 */
final class ConfiguredLockOptions implements LockOptionsCustomizer, Ordered {

	private final LockOptions defaults;

	private final Map<String, NamedLock> locks;

	ConfiguredLockOptions(DistributedLockProperties properties) {
		this.defaults = defaults(properties);
		this.locks = properties.locks();
		this.locks.forEach(ConfiguredLockOptions::checkOnItsOwn);
	}

	static LockOptionsCustomizer all(ObjectProvider<LockOptionsCustomizer> customizers) {
		return customizers.orderedStream()
			.reduce((name, options) -> options,
					(first, second) -> (name, options) -> second.customize(name, first.customize(name, options)));
	}

	LockOptions defaults() {
		return this.defaults;
	}

	@Override
	public LockOptions customize(String declaredName, LockOptions options) {
		NamedLock lock = this.locks.get(declaredName);
		return (lock != null) ? checked(settings(declaredName, lock), () -> combine(lock, options)) : options;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	private static LockOptions defaults(DistributedLockProperties properties) {
		Defaults defaults = properties.defaults();
		Duration interval = properties.renewal().interval();
		Map<String, @Nullable Object> settings = new LinkedHashMap<>();
		settings.put("distributed-lock.defaults.timeout", defaults.timeout());
		settings.put("distributed-lock.defaults.wait-time", defaults.waitTime());
		settings.put("distributed-lock.defaults.min-hold", defaults.minHold());
		settings.put("distributed-lock.defaults.max-hold", defaults.maxHold());
		settings.put("distributed-lock.renewal.interval", interval);
		return checked(settings, () -> {
			LockOptions options = LockOptions.ofLease(defaults.timeout())
				.withWaitTime(defaults.waitTime())
				.withRenewInterval(interval)
				.withMinHold(defaults.minHold())
				.withMaxHold(defaults.maxHold())
				.withOnLost(defaults.onLost());
			return defaults.autoRenew() ? options.withAutoRenew() : options;
		});
	}

	/**
	 * An override is combined with options that are not known at start-up, so only its
	 * own values are checked against the rules: a missing timeout counts as the longest.
	 */
	private static void checkOnItsOwn(String name, NamedLock lock) {
		boolean anyTimeout = lock.timeout() == null;
		NamedLock alone = new NamedLock(anyTimeout ? LockOptions.LONGEST : lock.timeout(), lock.waitTime(),
				lock.autoRenew(), lock.renewInterval(), lock.minHold(), anyTimeout ? null : lock.maxHold(),
				lock.onLost(), lock.permits(), lock.mode(), null);
		checked(settings(name, lock), () -> combine(alone, LockOptions.ofLease(LockOptions.LONGEST)));
	}

	private static LockOptions combine(NamedLock lock, LockOptions options) {
		// First without limits of the options that need not fit the lease
		LockOptions combined = options.withoutAutoRenew()
			.withMinHold(Duration.ZERO)
			.withMaxHold(null)
			.withLease(either(lock.timeout(), options.lease()))
			.withWaitTime(either(lock.waitTime(), options.waitTime()))
			.withRenewInterval((lock.renewInterval() != null) ? lock.renewInterval() : options.renewInterval())
			.withMinHold(either(lock.minHold(), options.minHold()))
			.withMaxHold((lock.maxHold() != null) ? lock.maxHold() : options.maxHold())
			.withOnLost(either(lock.onLost(), options.onLost()));
		combined = withCompany(lock, combined);
		return either(lock.autoRenew(), options.autoRenew()) ? combined.withAutoRenew() : combined;
	}

	/**
	 * The mode of the configuration replaces the permits of the code, and the other way
	 * round.
	 */
	private static LockOptions withCompany(NamedLock lock, LockOptions options) {
		if (lock.permits() == null && lock.mode() == null) {
			return options;
		}
		LockOptions combined = options.withExclusive();
		combined = (lock.permits() != null) ? combined.withPermits(lock.permits()) : combined;
		return (lock.mode() == LockMode.SHARED) ? combined.withShared() : combined;
	}

	private static <T> T either(@Nullable T first, T second) {
		return (first != null) ? first : second;
	}

	private static Map<String, @Nullable Object> settings(String name, NamedLock lock) {
		String prefix = "distributed-lock.locks[" + name + "].";
		Map<String, @Nullable Object> settings = new LinkedHashMap<>();
		settings.put(prefix + "timeout", lock.timeout());
		settings.put(prefix + "wait-time", lock.waitTime());
		settings.put(prefix + "auto-renew", lock.autoRenew());
		settings.put(prefix + "renew-interval", lock.renewInterval());
		settings.put(prefix + "min-hold", lock.minHold());
		settings.put(prefix + "max-hold", lock.maxHold());
		settings.put(prefix + "permits", lock.permits());
		settings.put(prefix + "mode", lock.mode());
		return settings;
	}

	private static LockOptions checked(Map<String, @Nullable Object> settings, Supplier<LockOptions> options) {
		try {
			return options.get();
		}
		catch (IllegalArgumentException ex) {
			throw LockStartupException.ofOptions(settings, ex);
		}
	}

}
