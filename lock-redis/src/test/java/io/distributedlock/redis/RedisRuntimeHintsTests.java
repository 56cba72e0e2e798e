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

package io.distributedlock.redis;

import java.lang.reflect.Field;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisRuntimeHints}.
 */
class RedisRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	@BeforeEach
	void registerAsSpringDoes() {
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter(RedisRuntimeHints.class::isInstance)
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "acquire", "extend", "release", "find", "record" })
	void theScriptsAreKept(String script) {
		String resource = "io/distributedlock/redis/" + script + ".lua";
		assertThat(getClass().getClassLoader().getResource(resource)).isNotNull();
		assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(this.hints);
	}

	@Test
	void theConnectionSettingsOfTheApplicationCanBeRead() throws NoSuchFieldException {
		Field configuration = LettuceConnectionFactory.class.getDeclaredField("configuration");
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(configuration)).accepts(this.hints);
	}

}
