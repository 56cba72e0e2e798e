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
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Rebuilds a parsed expression for the evaluation of names: whatever joins texts becomes
 * a {@link NameConcatenation}, which checks its operands.
 */
record LockExpressionBuilder(SpelParserConfiguration configuration, LockNameFormatter values) {

	Expression name(Expression parsed) {
		if (parsed instanceof CompositeStringExpression template) {
			return expression(parsed, template(template));
		}
		return (parsed instanceof SpelExpression spel) ? expression(parsed, checked((SpelNodeImpl) spel.getAST()))
				: parsed;
	}

	private Expression expression(Expression parsed, SpelNodeImpl node) {
		return new SpelExpression(parsed.getExpressionString(), node, this.configuration);
	}

	/**
	 * A template is a chain whose operands stand in {@code #{…}}.
	 */
	private SpelNodeImpl template(CompositeStringExpression template) {
		List<SpelNodeImpl> operands = new ArrayList<>();
		operands.add(NameConcatenation.written(""));
		for (Expression piece : template.getExpressions()) {
			if (piece instanceof LiteralExpression literal) {
				operands.add(NameConcatenation.written(literal.getExpressionString()));
			}
			else if (piece instanceof SpelExpression spel) {
				operands.add(operand((SpelNodeImpl) spel.getAST()));
			}
		}
		return new NameConcatenation(this.values, 0, 0, operands.toArray(SpelNodeImpl[]::new));
	}

	private SpelNodeImpl checked(SpelNodeImpl node) {
		if (!joinsTexts(node)) {
			return node;
		}
		if (isChain(node)) {
			List<SpelNodeImpl> operands = new ArrayList<>();
			flatten(node, operands);
			return new NameConcatenation(this.values, node.getStartPosition(), node.getEndPosition(),
					operands.toArray(SpelNodeImpl[]::new));
		}
		SpelNodeImpl rebuilt = withChildren(node, (index) -> checked((SpelNodeImpl) node.getChild(index)));
		return (rebuilt != null) ? rebuilt : node;
	}

	private void flatten(SpelNodeImpl node, List<SpelNodeImpl> operands) {
		if (isChain(node)) {
			flatten((SpelNodeImpl) node.getChild(0), operands);
			operands.add(operand((SpelNodeImpl) node.getChild(1)));
		}
		else {
			operands.add(operand(node));
		}
	}

	/**
	 * Literal text is taken as it is, even as one of two alternatives: it may be blank.
	 */
	private SpelNodeImpl operand(SpelNodeImpl node) {
		if (node instanceof StringLiteral literal) {
			return NameConcatenation.written(String.valueOf(literal.getLiteralValue().getValue()));
		}
		if (node instanceof Ternary || node instanceof Elvis) {
			SpelNodeImpl rebuilt = withChildren(node, (index) -> {
				SpelNodeImpl child = (SpelNodeImpl) node.getChild(index);
				return (index > 0) ? operand(child) : checked(child);
			});
			return (rebuilt != null) ? rebuilt : node;
		}
		return checked(node);
	}

	private static boolean isChain(SpelNode node) {
		return node instanceof OpPlus && node.getChildCount() == 2;
	}

	private static boolean joinsTexts(SpelNode node) {
		return isChain(node) || children(node).anyMatch(LockExpressionBuilder::joinsTexts);
	}

	/**
	 * Return the same node with other children, or {@code null} if its value is not made
	 * of theirs.
	 */
	private static @Nullable SpelNodeImpl withChildren(SpelNodeImpl node, IntFunction<SpelNodeImpl> rebuild) {
		int start = node.getStartPosition();
		int end = node.getEndPosition();
		if (node instanceof Projection projection) {
			return new Projection(projection.isNullSafe(), start, end, rebuild.apply(0));
		}
		if (node instanceof MethodReference method) {
			return new MethodReference(method.isNullSafe(), method.getName(), start, end, children(node, rebuild));
		}
		if (node instanceof CompoundExpression) {
			return new CompoundExpression(start, end, children(node, rebuild));
		}
		if (node instanceof Ternary) {
			return new Ternary(start, end, children(node, rebuild));
		}
		if (node instanceof Elvis) {
			return new Elvis(start, end, children(node, rebuild));
		}
		return (node instanceof InlineList) ? new InlineList(start, end, children(node, rebuild)) : null;
	}

	private static SpelNodeImpl[] children(SpelNode node, IntFunction<SpelNodeImpl> rebuild) {
		return IntStream.range(0, node.getChildCount()).mapToObj(rebuild).toArray(SpelNodeImpl[]::new);
	}

	private static Stream<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
	}

}
