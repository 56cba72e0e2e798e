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

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.core.env.Environment;

/**
 * Where a setting comes from: the line of a file, or an environment variable.
 */
public final class SettingOrigin {

	private SettingOrigin() {
	}

	/**
	 * Return it in parentheses, after a blank, or an empty text if it is not known.
	 * @param setting the name of a property, as it may be written
	 */
	public static String of(String setting, Environment environment) {
		Origin origin = find(setting, environment);
		return (origin != null) ? " (" + origin + ")" : "";
	}

	/**
	 * Return the environment variable that sets a property, or the property itself.
	 */
	public static String nameOf(String setting, Environment environment) {
		return (find(setting, environment) instanceof SystemEnvironmentOrigin variable) ? variable.getProperty()
				: setting;
	}

	/**
	 * Return a setting as it is written, or {@code null} if it is not.
	 */
	public static @Nullable ConfigurationProperty property(String setting, Environment environment) {
		ConfigurationPropertyName name = ConfigurationPropertyName.adapt(setting, '.');
		// To the binder, these are two names
		ConfigurationPropertyName withoutBrackets = ConfigurationPropertyName
			.adapt(setting.replace('[', '.').replace("]", ""), '.');
		for (ConfigurationPropertySource each : ConfigurationPropertySources.get(environment)) {
			ConfigurationProperty property = Optional.ofNullable(each.getConfigurationProperty(name))
				.orElseGet(() -> each.getConfigurationProperty(withoutBrackets));
			if (property != null) {
				return property;
			}
		}
		return null;
	}

	private static @Nullable Origin find(String setting, Environment environment) {
		ConfigurationProperty property = property(setting, environment);
		// Without another, only the source is known, such as the command line
		return (property == null) ? null : (property.getOrigin() instanceof PropertySourceOrigin source)
				? source.getOrigin() : property.getOrigin();
	}

}
