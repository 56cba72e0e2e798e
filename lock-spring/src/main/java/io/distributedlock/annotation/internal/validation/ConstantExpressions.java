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

package io.distributedlock.annotation.internal.validation;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.annotation.internal.expression.LockExpressionTypes;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import org.springframework.util.ClassUtils;

/**
 * Finds what an expression gives for all arguments: a value that is written, or a
 * comparison of values that are never equal. SpEL compares numbers by their value, texts
 * by their characters, and never a number, a boolean or an enum constant with a text.
 */
record ConstantExpressions(LockExpressionTypes types) {

	private static final Pattern NUMBER = Pattern.compile("-?\\d{1,9}(?:\\.\\d+)?");

	/**
	 * Find comparisons of values that are never equal, however deep they are.
	 * @param found takes the problem and the action
	 */
	void impossible(SpelNode node, BiConsumer<String, String> found) {
		if (node instanceof OpEQ || node instanceof OpNE) {
			String operator = (node instanceof OpEQ) ? " == " : " != ";
			SpelNode left = node.getChild(0);
			SpelNode right = node.getChild(1);
			if (isNeverNull(left) && right instanceof NullLiteral && node instanceof OpEQ) {
				found.accept(left.toStringAST() + " is never null.", "Remove the comparison.");
			}
			compare(value(left), operator, value(right), found);
		}
		else if (node instanceof CompoundExpression) {
			String path = node.toStringAST();
			this.types.followPath(node, (step) -> {
				if (step.member() instanceof MethodReference call && call.getName().equals("equals")
						&& call.getChildCount() == 1) {
					String written = path.substring(0, path.lastIndexOf(".equals(")).replaceFirst("\\?$", "");
					compare(new Value(written, step.type(), written.startsWith("'")), " == ", value(call.getChild(0)),
							found);
				}
			});
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			impossible(node.getChild(i), found);
		}
	}

	private Value value(SpelNode node) {
		return new Value(node.toStringAST(), this.types.typeOf(node), node instanceof Literal);
	}

	private static void compare(Value left, String operator, Value right, BiConsumer<String, String> found) {
		Class<?> leftKind = left.kind();
		Class<?> rightKind = right.kind();
		if (leftKind == null || rightKind == null || leftKind == rightKind) {
			return;
		}
		found.accept("%s and %s are never equal.".formatted(left.description(), right.description()),
				(rightKind == String.class) ? left.comparedWith(right, operator) : (leftKind == String.class)
						? right.comparedWith(left, operator) : "Compare values of one type.");
	}

	private boolean isNeverNull(SpelNode node) {
		Class<?> type = (node instanceof VariableReference) ? this.types.typeOf(node) : null;
		return type != null && type.isPrimitive();
	}

	/**
	 * Return the value of a condition for all arguments, or {@code null} if the value
	 * depends on them.
	 */
	@Nullable Boolean condition(SpelNode node) {
		if (node instanceof OpAnd || node instanceof OpOr) {
			Boolean decisive = node instanceof OpOr;
			Boolean left = condition(node.getChild(0));
			Boolean right = condition(node.getChild(1));
			if (decisive.equals(left) || decisive.equals(right)) {
				return decisive;
			}
			return (left != null && right != null) ? !decisive : null;
		}
		if (node instanceof OperatorNot) {
			Boolean negated = condition(node.getChild(0));
			return (negated != null) ? !negated : null;
		}
		if (node instanceof OpNE && isNeverNull(node.getChild(0)) && node.getChild(1) instanceof NullLiteral) {
			return true;
		}
		Object value = isWritten(node) ? result(node) : null;
		String text = String.valueOf(value);
		return (text.equals("true") || text.equals("false")) ? Boolean.valueOf(text) : null;
	}

	/**
	 * Return whether a node consists of values that are written, and of operators.
	 */
	static boolean isWritten(SpelNode node) {
		if (node instanceof Literal) {
			return true;
		}
		boolean operator = node instanceof Operator || node instanceof Ternary || node instanceof InlineList;
		for (int i = 0; i < node.getChildCount(); i++) {
			operator = operator && isWritten(node.getChild(i));
		}
		return operator;
	}

	/**
	 * Return the result of a node that is written, or {@code null} if there is none.
	 */
	static @Nullable Object result(SpelNode node) {
		try {
			return node.getValue(new ExpressionState(SimpleEvaluationContext.forReadOnlyDataBinding().build()));
		}
		catch (EvaluationException ex) {
			return null;
		}
	}

	/**
	 * A side of a comparison.
	 */
	private record Value(String written, @Nullable Class<?> type, boolean literal) {

		String description() {
			return this.literal ? "the literal " + this.written : this.written
					+ ((this.type != null) ? ", which is of type " + this.type.getSimpleName() + "," : "");
		}

		/**
		 * Values of a kind may be equal, and are never equal to one of another kind.
		 * Returns {@code null} for other types: their {@code equals} may accept anything.
		 */
		@Nullable Class<?> kind() {
			if (this.type == null) {
				return null;
			}
			Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(this.type);
			if (boxed.isEnum()) {
				return boxed;
			}
			if (!boxed.getName().startsWith("java.")) {
				return null;
			}
			if (Number.class.isAssignableFrom(boxed)) {
				return Number.class;
			}
			if (!Modifier.isFinal(boxed.getModifiers())) {
				return null;
			}
			return CharSequence.class.isAssignableFrom(boxed) ? String.class : boxed;
		}

		/**
		 * Return how to compare this value with a text.
		 */
		String comparedWith(Value text, String operator) {
			String quoted = text.written;
			if (this.literal) {
				return "Write " + quoted + operator + "'" + this.written + "'.";
			}
			String content = text.literal ? quoted.substring(1, quoted.length() - 1) : "";
			if ((kind() == Boolean.class && Set.of("true", "false").contains(content))
					|| (kind() == Number.class && NUMBER.matcher(content).matches())) {
				return "Write " + this.written + operator + content + ".";
			}
			Object @Nullable [] enumConstants = (this.type != null) ? this.type.getEnumConstants() : null;
			boolean constant = enumConstants != null;
			if (enumConstants != null && text.literal) {
				List<String> constants = Arrays.stream(enumConstants).map((each) -> ((Enum<?>) each).name()).toList();
				quoted = constants.contains(content) ? quoted
						: "'" + Objects.requireNonNullElse(SimilarNames.nearest(content, constants), content) + "'";
			}
			return "Write " + this.written + ((this.type != null && this.type.isPrimitive()) ? "." : "?.")
					+ (constant ? "name()" : "toString()") + operator + quoted + ".";
		}

	}

}
