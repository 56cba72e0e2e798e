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

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class RedisServerTests {

	@Test
	void anExistingRedisIsTakenFromTheEnvironmentVariables() throws Exception {
		MockEnvironment environment = new MockEnvironment().withProperty("REDIS_HOST", "redis.example")
			.withProperty("REDIS_PORT", "6380")
			.withProperty("REDIS_PASSWORD", "secret");
		try (RedisServer redis = RedisServer.from(environment)) {
			assertThat(redis.properties()).isEqualTo(Map.of("spring.data.redis.host", "redis.example",
					"spring.data.redis.port", "6380", "spring.data.redis.password", "secret"));
			assertThat(redis.description()).isEqualTo("redis.example:6380");
		}
	}

	@Test
	void portAndPasswordMayBeLeftOut() throws Exception {
		MockEnvironment environment = new MockEnvironment().withProperty("REDIS_HOST", "redis.example");
		try (RedisServer redis = RedisServer.from(environment)) {
			assertThat(redis.properties())
				.isEqualTo(Map.of("spring.data.redis.host", "redis.example", "spring.data.redis.port", "6379"));
		}
	}

	@Test
	void springPropertiesAreLeftToTheInstances() throws Exception {
		MockEnvironment environment = new MockEnvironment().withProperty("spring.data.redis.url",
				"redis://:secret@redis.example");
		try (RedisServer redis = RedisServer.from(environment)) {
			assertThat(redis.properties()).isEmpty();
		}
	}

}
