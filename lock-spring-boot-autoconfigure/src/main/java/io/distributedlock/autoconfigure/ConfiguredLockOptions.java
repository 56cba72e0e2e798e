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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.internal.OptionSettings;
import io.distributedlock.internal.GivenOptions;

import org.springframework.core.Ordered;

/**
 * Turns properties into options: the defaults, and the overrides of single locks. Both
 * are checked on creation, so that a contradiction ends the start-up. Ordered after other
 * customizers, so that the configuration takes precedence.
 */
final class ConfiguredLockOptions implements LockOptionsCustomizer, Ordered {

	static final ConfiguredLockOptions NONE = new ConfiguredLockOptions(LockOptions.defaults(), Map.of());

	private final LockOptions defaults;

	private final Map<String, OptionSettings> locks;

	private ConfiguredLockOptions(LockOptions defaults, Map<String, OptionSettings> locks) {
		this.defaults = defaults;
		this.locks = locks;
	}

	static ConfiguredLockOptions of(DistributedLockProperties properties) {
		List<LockStartupException> refused = contradictions(properties.givenDefaults(), properties.locks());
		if (!refused.isEmpty()) {
			throw LockStartupException.ofAll(refused);
		}
		Map<String, OptionSettings> locks = new TreeMap<>();
		properties.locks().forEach((name, lock) -> locks.put(name, settings(name, lock)));
		return new ConfiguredLockOptions(
				OptionSettings.ofDefaults(properties.givenDefaults()).over(LockOptions.defaults()), locks);
	}

	/**
	 * Return what contradicts itself.
	 */
	static List<LockStartupException> contradictions(GivenOptions defaults, Map<String, NamedLock> locks) {
		List<LockStartupException> refused = new ArrayList<>();
		collect(refused, OptionSettings.ofDefaults(defaults)::check);
		new TreeMap<>(locks).forEach((name, lock) -> collect(refused, settings(name, lock)::check));
		return refused;
	}

	private static OptionSettings settings(String name, NamedLock lock) {
		return new OptionSettings("distributed-lock.locks[" + name + "].", lock.given());
	}

	private static void collect(List<LockStartupException> refused, Runnable check) {
		try {
			check.run();
		}
		catch (LockStartupException ex) {
			refused.add(ex);
		}
	}

	LockOptions defaults() {
		return this.defaults;
	}

	@Override
	public LockOptions customize(String declaredName, LockOptions options) {
		OptionSettings settings = this.locks.get(declaredName);
		return (settings != null) ? settings.over(options) : options;
	}

	@Override
	public String toString() {
		return "distributed-lock.locks";
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

}
