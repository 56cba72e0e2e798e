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

package io.distributedlock.migration;

import java.util.regex.Pattern;

/**
 * Names as this project reads them: as they are, or as templates with {@code #{…}}.
 */
final class LockNames {

	/** What makes a text an expression: see {@code LockExpressionParser}. */
	private static final Pattern EXPRESSION = Pattern
		.compile("^\\s*['\"]|#[\\p{L}_$]|(?<![\\p{L}\\p{N}_.-])@[\\p{L}_'\"]|(?<![\\p{L}\\p{N}_$])T\\("
				+ "|^\\s*(?:method|target|targetClass|args)\\s*[.\\[]|['\"]\\s*\\+|\\+\\s*['\"]");

	private static final Pattern QUOTED = Pattern.compile("'((?:[^']|'')*)'");

	private LockNames() {
	}

	/**
	 * Return the name of a text that has no expression for the other library.
	 */
	static String ofLiteral(String text) {
		return isExpression(text) ? "#{" + quoted(text) + "}" : text;
	}

	/**
	 * Return the name of a text whose {@code #{…}} the other library evaluates.
	 */
	static String ofTemplate(String text) {
		return text.contains("#{") ? text : ofLiteral(text);
	}

	/**
	 * Return the part of a template for an expression.
	 */
	static String ofExpression(String expression) {
		var quoted = QUOTED.matcher(expression.strip());
		if (quoted.matches()) {
			String text = quoted.group(1).replace("''", "'");
			return text.contains("#{") ? "#{" + expression.strip() + "}" : text;
		}
		return "#{" + expression.strip() + "}";
	}

	static boolean isExpression(String text) {
		return text.contains("#{") || EXPRESSION.matcher(text).find();
	}

	private static String quoted(String text) {
		return "'" + text.replace("'", "''") + "'";
	}

}
