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

package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link EngineSettings}.
 */
class EngineSettingsTests {

	@ParameterizedTest
	@CsvSource({ "app@host-42, app@host-42", "a~b:c d, a_b_c_d", "ä, _" })
	void theInstanceNameIsMadeReadable(String given, String kept) {
		assertThat(EngineSettings.of(given).instanceName()).isEqualTo(kept);
	}

	@Test
	void theInstanceNameIsShortened() {
		assertThat(EngineSettings.of("x".repeat(100)).instanceName()).isEqualTo("x".repeat(64));
	}

	@Test
	void refusesAnEmptyInstanceName() {
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.of(""))
			.withMessageContaining("The name of the instance is empty");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 101 })
	void refusesNumbersOfLocalHandoffsOutOfRange(int count) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EngineSettings.of("a").withLocalHandoffs(count, Duration.ZERO))
			.withMessageContaining("is " + count + ", but must be from 0 to 100");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 100 })
	void acceptsTheLimitsOfLocalHandoffs(int count) {
		assertThat(EngineSettings.of("a").withLocalHandoffs(count, Duration.ZERO).localHandoffs()).isEqualTo(count);
	}

	@Test
	void refusesNegativeTimes() {
		Duration negative = Duration.ofMillis(-1);
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.of("a").withLocalHandoffs(1, negative))
			.withMessageContaining("PT-0.001S, but must not be negative");
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.of("a").withCleanupWait(negative))
			.withMessageContaining("PT-0.001S, but must not be negative");
	}

	@Test
	void refusesANegativeNumberOfLeases() {
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.of("a").withLongHoldFactor(-1))
			.withMessageContaining("is -1, but must not be negative");
	}

	@Test
	void eachInstanceIdIsUniqueAndNamesTheInstance() {
		EngineSettings settings = EngineSettings.of("app@host");
		assertThat(settings.newInstanceId()).matches("app@host~[A-Za-z0-9_-]{22}")
			.isNotEqualTo(settings.newInstanceId());
	}

}
