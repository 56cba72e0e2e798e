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

import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.internal.OptionalModule;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.util.ClassUtils;

/**
 * The groups of properties that belong to optional modules. Known by the names of their
 * classes, so that a group whose module is missing is refused instead of ignored.
 */
enum OptionalSettings {

	LEADERSHIP(OptionalModule.LEADERSHIP, "leadership",
			"io.distributedlock.autoconfigure.leadership.LeadershipProperties$NamedLeadership"),

	FENCING(OptionalModule.FENCING, "fencing", "io.distributedlock.autoconfigure.fencing.FencingProperties");

	private final OptionalModule module;

	private final ConfigurationPropertyName root;

	private final String className;

	OptionalSettings(OptionalModule module, String group, String className) {
		this.module = module;
		this.root = ConfigurationPropertyName.of(KnownProperties.PREFIX).append(group);
		this.className = className;
	}

	OptionalModule module() {
		return this.module;
	}

	ConfigurationPropertyName root() {
		return this.root;
	}

	static boolean isRoot(ConfigurationPropertyName property) {
		return Stream.of(values()).anyMatch((group) -> group.root.equals(property));
	}

	/**
	 * Return the group of a property if its module is missing, or {@code null}.
	 */
	static @Nullable OptionalSettings missingFor(ConfigurationPropertyName property) {
		return Stream.of(values())
			.filter((group) -> (group.root.equals(property) || group.root.isAncestorOf(property))
					&& !group.module.isPresent())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the settings by the last part of the property, or none if the module is
	 * missing.
	 */
	Map<String, Class<?>> settings() {
		return this.module.isPresent()
				? KnownProperties.of("",
						ClassUtils.resolveClassName(this.className, OptionalSettings.class.getClassLoader()))
				: Map.of();
	}

}
