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

package io.distributedlock.testsupport;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis as a Spring Boot application is told of it.
 */
final class SpringProperties {

	private SpringProperties() {
	}

	static String[] of(String host, int port, @Nullable String password) {
		List<String> properties = new ArrayList<>();
		properties.add("spring.data.redis.host=" + host);
		properties.add("spring.data.redis.port=" + port);
		if (password != null) {
			properties.add("spring.data.redis.password=" + password);
		}
		return properties.toArray(String[]::new);
	}

}
