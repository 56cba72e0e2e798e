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

import java.lang.reflect.Constructor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.DefaultParameterNameDiscoverer;

/**
 * The properties that exist, with their types, as the binder sees them.
 */
final class KnownProperties {

	static final String PREFIX = "distributed-lock";

	private KnownProperties() {
	}

	/**
	 * Return all properties except the properties of single locks and leaderships.
	 */
	static Map<String, Class<?>> all() {
		Map<String, Class<?>> all = of(PREFIX + ".", DistributedLockProperties.class);
		OptionalSettings.FENCING.settings()
			.forEach((name, type) -> all.put(OptionalSettings.FENCING.root() + "." + name, type));
		return all;
	}

	/**
	 * Return the properties of a record, and of the records in it.
	 * @param prefix what all names begin with
	 */
	static Map<String, Class<?>> of(String prefix, Class<?> type) {
		Map<String, Class<?>> properties = new LinkedHashMap<>();
		Constructor<?> constructor = BeanUtils.getResolvableConstructor(type);
		@Nullable String @Nullable [] names = new DefaultParameterNameDiscoverer().getParameterNames(constructor);
		Class<?>[] types = constructor.getParameterTypes();
		for (int i = 0; names != null && i < names.length; i++) {
			String name = prefix + DataObjectPropertyName.toDashedForm(Objects.requireNonNull(names[i]));
			if (types[i].getEnclosingClass() == DistributedLockProperties.class && types[i].isRecord()) {
				properties.putAll(of(name + ".", types[i]));
			}
			else if (types[i] != Map.class) {
				properties.put(name, types[i]);
			}
		}
		return properties;
	}

}
