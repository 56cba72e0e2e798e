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

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Refuses properties of single locks that would be ignored without a word: a name with a
 * dot in it that does not stand in brackets, or a setting that does not exist.
 */
final class NamedLockPropertiesCheck {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("distributed-lock.locks");

	private static final Set<String> SETTINGS = Set.of("timeout", "waittime", "autorenew", "renewinterval", "minhold",
			"maxhold", "onlost");

	private NamedLockPropertiesCheck() {
	}

	/**
	 * Check all properties below {@code distributed-lock.locks}.
	 * @param environment where to look
	 * @throws InvalidLockSettingsException if one would be ignored
	 */
	static void check(Environment environment) {
		Map<String, String> ignored = new LinkedHashMap<>();
		Map<String, String> intended = new LinkedHashMap<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				iterable.stream().filter((name) -> isIgnored(name)).forEach((name) -> {
					ignored.put(written(name), valueOf(source, name));
					intended.put(written(name), intended(name));
				});
			}
		}
		if (!ignored.isEmpty()) {
			throw new InvalidLockSettingsException(
					"Properties of single locks have no effect: either the name of the lock contains a dot and does not stand in brackets, or the setting does not exist.",
					ignored,
					"Write " + String.join(", ", intended.values())
							+ ". The settings of a lock are timeout, wait-time, auto-renew, renew-interval, min-hold, max-hold and on-lost.",
					null);
		}
	}

	private static boolean isIgnored(ConfigurationPropertyName name) {
		if (!ROOT.isAncestorOf(name)) {
			return false;
		}
		boolean oneElementForTheName = name.getNumberOfElements() == ROOT.getNumberOfElements() + 2;
		return !oneElementForTheName || !SETTINGS.contains(name.getLastElement(Form.UNIFORM));
	}

	private static String written(ConfigurationPropertyName name) {
		return ROOT + "." + elements(name, name.getNumberOfElements());
	}

	private static String intended(ConfigurationPropertyName name) {
		int last = name.getNumberOfElements() - 1;
		return "'" + ROOT + "[" + elements(name, last) + "]." + name.getElement(last, Form.ORIGINAL) + "'";
	}

	private static String elements(ConfigurationPropertyName name, int end) {
		return IntStream.range(ROOT.getNumberOfElements(), end)
			.mapToObj((index) -> name.getElement(index, Form.ORIGINAL))
			.collect(Collectors.joining("."));
	}

	private static String valueOf(ConfigurationPropertySource source, ConfigurationPropertyName name) {
		return String.valueOf(source.getConfigurationProperty(name).getValue());
	}

}
