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

package io.distributedlock.annotation.internal.expression;

import java.time.Duration;

import io.distributedlock.internal.DeclaredLock.Match;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for {@link NamePattern}.
 */
class NamePatternTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			order:#{#id}          | order:42      | PATTERN
			order:#{#id}          | order:        | NONE
			order:#{#id}          | orders:42     | NONE
			order:#{#id}          | my-order:42   | NONE
			#{#id}:order          | 42:order      | PATTERN
			#{#id}:order          | 42:orders     | NONE
			a:#{#x}:b:#{#y}       | a:1:b:2       | PATTERN
			a:#{#x}:b:#{#y}       | a:1:c:2       | NONE
			a:#{#x}:b:#{#y}       | a:1:b:        | NONE
			a:#{#x}:a             | a:a           | NONE
			a:#{#x}:a             | a:1:a         | PATTERN
			#{#x}#{#y}-           | 1-            | NONE
			#{#x}#{#y}-           | 12-           | PATTERN
			'order:' + #id        | order:42      | PATTERN
			'a:' + #x + ':' + #y  | a:1:2         | PATTERN
			'a:' + #x + ':' + #y  | a:1           | NONE
			#name                 | anything      | ANY
			#ids.!['a:' + #this]  | anything      | ANY
			#{#name}              | anything      | ANY
			""")
	void fixedPartsAreCompared(String written, String name, Match expected) {
		assertThat(pattern(written).match(name)).isEqualTo(expected);
	}

	@Test
	void longHostileNameIsComparedInNoTime() {
		NamePattern pattern = pattern("#{#a}:".repeat(30) + "#{#z}!");
		assertThat(pattern.match("a:".repeat(30) + "z!")).isEqualTo(Match.PATTERN);
		assertTimeoutPreemptively(Duration.ofSeconds(5),
				() -> assertThat(pattern.match(":".repeat(4_000))).isEqualTo(Match.NONE));
	}

	private static NamePattern pattern(String written) {
		SpelExpressionParser parser = new SpelExpressionParser();
		return NamePattern.of(written.contains("#{") ? parser.parseExpression(written, new TemplateParserContext())
				: parser.parseExpression(written));
	}

}
