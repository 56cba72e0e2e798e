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
 * What a server is started with.
 *
 * @param password the password, or {@code null} for none
 * @param port the port, or {@code null} for a free one
 * @param directives further directives of {@code redis.conf} as command line arguments
 */
record RedisSettings(@Nullable String password, @Nullable Integer port, List<String> directives) {

	RedisSettings {
		directives = List.copyOf(directives);
	}

	List<String> arguments() {
		List<String> arguments = new ArrayList<>(List.of("--save", "", "--appendonly", "no"));
		if (this.password != null) {
			arguments.addAll(List.of("--requirepass", this.password, "--masterauth", this.password));
		}
		arguments.addAll(this.directives);
		return arguments;
	}

}
