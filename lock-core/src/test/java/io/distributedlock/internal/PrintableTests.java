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

package io.distributedlock.internal;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Printable}.
 */
class PrintableTests {

	@ParameterizedTest
	@CsvSource({ "000A", "000D", "0000", "001B", "007F", "0085", "00A0", "00AD", "061C", "200B", "200D", "200E", "2028",
			"2029", "202E", "2066", "2069", "2800", "3000", "3164", "FE0F", "FEFF", "D800", "DC00", "E000", "FFFF" })
	void controlAndInvisibleCharactersAreEscaped(String code) {
		char hidden = (char) Integer.parseInt(code, 16);
		String shown = Printable.of("a" + hidden + "b");
		assertThat(shown).isEqualTo("a\\u" + code + "b");
		assertThat(Printable.of(shown)).isEqualTo(shown);
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			E0041,   a\\uDB40\\uDC41b
			E0100,   a\\uDB40\\uDD00b
			""")
	void hiddenCharactersBeyondTheBasicPlaneAreEscaped(String code, String expected) {
		assertThat(Printable.of("a" + Character.toString(Integer.parseInt(code, 16)) + "b")).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "pay:7:order-4711", "https://example.org/a?b=c&d=%20#e", "Größe", "日本語", "مرحبا",
			"\uD83D\uDD12", "a\u0301", "C:\\new\\u0041", "it's \"quoted\"" })
	void otherTextStaysUnchanged(String text) {
		assertThat(Printable.of(text)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, 0s", "PT30S, 30s", "PT1M30S, 1m30s", "PT0.5S, 500ms", "PT0.01S, 10ms", "PT1.25S, 1s250ms",
			"P10D, 10d", "PT25H, 1d1h", "PT-5S, -5s", "PT-0.5S, -500ms", "PT-24H, -1d",
			"PT-23H-59M-59.5S, -23h59m59s500ms", "PT0.000001001S, 1us1ns", "P3650D, 3650d" })
	void durationIsShownInTheFormOfAProperty(Duration duration, String text) {
		assertThat(Printable.of(duration)).isEqualTo(text);
	}

	@Test
	void theShortestAndTheLongestDurationAreShownToo() {
		assertThat(Printable.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo("-106751991167300d15h30m8s");
		assertThat(Printable.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
			.isEqualTo("106751991167300d15h30m7s999ms999us999ns");
	}

}
