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

package io.distributedlock.sample.stage;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;

/**
 * The Redis that the instances use: an existing one if there is any, else an embedded
 * one.
 *
 * @param own the embedded one, or {@code null}
 */
record RedisServer(String description, Map<String, String> properties,
		@Nullable EmbeddedRedis own) implements AutoCloseable {

	static RedisServer from(Environment environment) throws IOException {
		if (environment.containsProperty("spring.data.redis.url")
				|| environment.containsProperty("spring.data.redis.host")) {
			return new RedisServer("as configured by spring.data.redis", Map.of(), null);
		}
		if (environment.containsProperty("REDIS_HOST")) {
			return existing(environment.getRequiredProperty("REDIS_HOST"),
					environment.getProperty("REDIS_PORT", "6379"), environment.getProperty("REDIS_PASSWORD", ""));
		}
		EmbeddedRedis redis = EmbeddedRedis.start();
		return new RedisServer("embedded, port %d, password %s".formatted(redis.port(), redis.password()),
				properties("127.0.0.1", Integer.toString(redis.port()), redis.password()), redis);
	}

	private static RedisServer existing(String host, String port, String password) {
		return new RedisServer(host + ":" + port, properties(host, port, password), null);
	}

	private static Map<String, String> properties(String host, String port, String password) {
		Map<String, String> properties = new HashMap<>();
		properties.put("spring.data.redis.host", host);
		properties.put("spring.data.redis.port", port);
		if (!password.isEmpty()) {
			properties.put("spring.data.redis.password", password);
		}
		return properties;
	}

	@Override
	public void close() {
		if (this.own != null) {
			this.own.close();
		}
	}

}
