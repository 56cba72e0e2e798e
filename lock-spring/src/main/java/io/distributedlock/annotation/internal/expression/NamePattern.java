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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.distributedlock.internal.DeclaredLock.Match;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The parts of a name that are the same for each call.
 *
 * @param parts in their order, {@code null} for each one that depends on the call
 */
record NamePattern(List<@Nullable String> parts) {

	static NamePattern of(Expression name) {
		List<@Nullable String> parts = new ArrayList<>();
		collect(name, parts);
		return new NamePattern(Collections.unmodifiableList(parts));
	}

	private static void collect(Expression expression, List<@Nullable String> parts) {
		if (expression instanceof CompositeStringExpression template) {
			Arrays.stream(template.getExpressions()).forEach((part) -> collect(part, parts));
		}
		else if (expression instanceof LiteralExpression literal) {
			parts.add(literal.getExpressionString());
		}
		else if (expression instanceof SpelExpression spel) {
			collect(spel.getAST(), parts);
		}
		else {
			parts.add(null);
		}
	}

	private static void collect(SpelNode node, List<@Nullable String> parts) {
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			collect(node.getChild(0), parts);
			collect(node.getChild(1), parts);
		}
		else if (node instanceof StringLiteral literal) {
			parts.add(String.valueOf(literal.getLiteralValue().getValue()));
		}
		else {
			parts.add(null);
		}
	}

	/**
	 * Whether no part is the same for each call.
	 */
	boolean isAny() {
		return this.parts.stream().allMatch(Objects::isNull);
	}

	/**
	 * Takes time in proportion to the length of the name, whatever its author wants. Each
	 * part that depends on the call has a character at least.
	 */
	Match match(String name) {
		if (isAny()) {
			return Match.ANY;
		}
		int at = 0;
		boolean open = false;
		for (int i = 0; i < this.parts.size(); i++) {
			String part = this.parts.get(i);
			if (part == null) {
				at++;
				open = true;
				continue;
			}
			boolean last = i == this.parts.size() - 1;
			int found = !open ? at : last ? name.length() - part.length() : name.indexOf(part, at);
			if (found < at || !name.startsWith(part, found)) {
				return Match.NONE;
			}
			at = found + part.length();
			open = false;
		}
		return (open ? at <= name.length() : at == name.length()) ? Match.PATTERN : Match.NONE;
	}

	@Override
	public String toString() {
		return this.parts.stream().map((part) -> Objects.requireNonNullElse(part, "*")).collect(Collectors.joining());
	}

}
