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

package io.distributedlock.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NativeDetector;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.TypedValue;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Rebuilds a parsed expression for the evaluation of names: whatever joins texts becomes
 * a {@link NameConcatenation}, which checks its operands, and the rest is
 * {@linkplain CompiledOnce compiled after some use}.
 */
final class LockExpressionBuilder {

	private final SpelParserConfiguration configuration;

	private final LockEvaluationContext.Shape contexts;

	private final LockNameFormatter values;

	LockExpressionBuilder(SpelParserConfiguration configuration, LockEvaluationContext.Shape contexts,
			LockNameFormatter values) {
		this.configuration = configuration;
		this.contexts = contexts;
		this.values = values;
	}

	/**
	 * Rebuild the expression of a name.
	 * @param parsed what the parser gave
	 * @return what to evaluate
	 */
	LockExpression name(Expression parsed) {
		if (parsed instanceof CompositeStringExpression template) {
			return template(template);
		}
		return (parsed instanceof SpelExpression spel) ? evaluated(checked((SpelNodeImpl) spel.getAST(), true))
				: (call) -> parsed.getValue(this.contexts.of(call));
	}

	/**
	 * Rebuild an expression whose value is no text.
	 * @param parsed what the parser gave
	 * @return what to evaluate
	 */
	LockExpression condition(Expression parsed) {
		return (parsed instanceof SpelExpression spel) ? evaluated(ready((SpelNodeImpl) spel.getAST()))
				: (call) -> parsed.getValue(this.contexts.of(call));
	}

	private LockExpression evaluated(SpelNodeImpl node) {
		return (node instanceof LockExpression expression) ? expression : interpreted(node);
	}

	private LockExpression interpreted(SpelNodeImpl node) {
		return (call) -> node.getValue(new ExpressionState(this.contexts.of(call), this.configuration));
	}

	/**
	 * A template is a chain whose operands stand in {@code #{…}}.
	 */
	private LockExpression template(CompositeStringExpression template) {
		List<SpelNodeImpl> operands = new ArrayList<>();
		operands.add(NameConcatenation.written(""));
		for (Expression piece : template.getExpressions()) {
			if (piece instanceof LiteralExpression literal) {
				operands.add(NameConcatenation.written(literal.getExpressionString()));
			}
			else if (piece instanceof SpelExpression spel) {
				operands.add(operand((SpelNodeImpl) spel.getAST(), true));
			}
		}
		return new NameConcatenation(this.values, this.contexts, 0, 0, operands.toArray(SpelNodeImpl[]::new));
	}

	/**
	 * Rebuild a node.
	 * @param node the node
	 * @param outer whether it is evaluated against the root object, and not against an
	 * element of a projection or the like
	 */
	private SpelNodeImpl checked(SpelNodeImpl node, boolean outer) {
		if (!joinsTexts(node)) {
			return outer ? ready(node) : node;
		}
		if (isChain(node)) {
			List<SpelNodeImpl> operands = new ArrayList<>();
			flatten(node, outer, operands);
			return new NameConcatenation(this.values, this.contexts, node.getStartPosition(), node.getEndPosition(),
					operands.toArray(SpelNodeImpl[]::new));
		}
		SpelNodeImpl rebuilt = withChildren(node, (index) -> {
			boolean inner = node instanceof Projection || (node instanceof CompoundExpression && index > 0);
			return checked((SpelNodeImpl) node.getChild(index), outer && !inner);
		});
		return (rebuilt != null) ? rebuilt : node;
	}

	private void flatten(SpelNodeImpl node, boolean outer, List<SpelNodeImpl> operands) {
		if (isChain(node)) {
			flatten((SpelNodeImpl) node.getChild(0), outer, operands);
			operands.add(operand((SpelNodeImpl) node.getChild(1), outer));
		}
		else {
			operands.add(operand(node, outer));
		}
	}

	/**
	 * What is written as text is taken as it is, also where it is one of two
	 * alternatives: it may be blank.
	 */
	private SpelNodeImpl operand(SpelNodeImpl node, boolean outer) {
		if (node instanceof StringLiteral literal) {
			return NameConcatenation.written(String.valueOf(literal.getLiteralValue().getValue()));
		}
		if (node instanceof Ternary || node instanceof Elvis) {
			SpelNodeImpl rebuilt = withChildren(node, (index) -> {
				SpelNodeImpl child = (SpelNodeImpl) node.getChild(index);
				return (index > 0) ? operand(child, outer) : checked(child, outer);
			});
			return (rebuilt != null) ? rebuilt : node;
		}
		return checked(node, outer);
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
	private static @Nullable SpelNodeImpl withChildren(SpelNodeImpl node, Rebuild rebuild) {
		int start = node.getStartPosition();
		int end = node.getEndPosition();
		if (node instanceof Projection projection) {
			return new Projection(projection.isNullSafe(), start, end, rebuild.child(0));
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

	private static SpelNodeImpl[] children(SpelNode node, Rebuild rebuild) {
		return IntStream.range(0, node.getChildCount()).mapToObj(rebuild::child).toArray(SpelNodeImpl[]::new);
	}

	/**
	 * Read arguments without the interpreter, and compile what else costs something to
	 * interpret. What asks beans or static methods is not, because an expression that
	 * fails in its compiled form is evaluated again.
	 */
	private SpelNodeImpl ready(SpelNodeImpl node) {
		SpelNodeImpl argument = argument(node);
		if (argument != null) {
			return argument;
		}
		return (node instanceof Literal || asksOthers(node)) ? node
				: new CompiledOnce(node, this.contexts, this.configuration);
	}

	/**
	 * Return what reads an argument, or its properties, or {@code null} if the node is
	 * anything else.
	 */
	private @Nullable SpelNodeImpl argument(SpelNodeImpl node) {
		SpelNode start = (node instanceof CompoundExpression) ? node.getChild(0) : node;
		String variable = (start instanceof VariableReference) ? start.toStringAST().substring(1) : null;
		Integer position = (variable != null) ? this.contexts.positions().get(variable) : null;
		// Those two are never arguments
		if (position == null || "root".equals(variable) || "this".equals(variable)) {
			return null;
		}
		List<ArgumentReference.Property> properties = new ArrayList<>();
		for (int i = 1; start != node && i < node.getChildCount(); i++) {
			if (!(node.getChild(i) instanceof PropertyOrFieldReference property) || property.isNullSafe()) {
				return null;
			}
			properties.add(new ArgumentReference.Property(property.getName()));
		}
		return new ArgumentReference(position, properties, node.toStringAST(), interpreted(node));
	}

	private static boolean asksOthers(SpelNode node) {
		return node instanceof BeanReference || node instanceof TypeReference
				|| children(node).anyMatch(LockExpressionBuilder::asksOthers);
	}

	private static Stream<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
	}

	/**
	 * Gives the new child of a node.
	 */
	private interface Rebuild {

		SpelNodeImpl child(int index);

	}

	/**
	 * An expression, or an operand of one, that is compiled to byte code after some use,
	 * and once only. When it meets a value of a class that it was not compiled for, it is
	 * interpreted for good: SpEL itself would compile it again and again.
	 */
	private static final class CompiledOnce extends SpelNodeImpl implements LockExpression {

		private static final Log logger = LogFactory.getLog(LockExpressionBuilder.class);

		private static final int EVALUATIONS_BEFORE = 100;

		private final SpelNodeImpl node;

		private final LockEvaluationContext.Shape contexts;

		private final SpelParserConfiguration configuration;

		private final AtomicInteger evaluations = new AtomicInteger(
				NativeDetector.inNativeImage() ? EVALUATIONS_BEFORE : 0);

		private volatile @Nullable SpelExpression compiled;

		/**
		 * Create a new instance.
		 * @param node what to evaluate, against the root object
		 * @param contexts what it is evaluated in
		 * @param configuration says which class loader to compile for
		 */
		CompiledOnce(SpelNodeImpl node, LockEvaluationContext.Shape contexts, SpelParserConfiguration configuration) {
			super(node.getStartPosition(), node.getEndPosition());
			this.node = node;
			this.contexts = contexts;
			this.configuration = configuration;
		}

		@Override
		public @Nullable Object value(LockedCall call) throws EvaluationException {
			LockEvaluationContext context = this.contexts.of(call);
			SpelExpression expression = this.compiled;
			if (expression != null) {
				return compiledValue(expression, context);
			}
			Object value = interpretedValue(context);
			if (this.evaluations.get() < EVALUATIONS_BEFORE
					&& this.evaluations.incrementAndGet() == EVALUATIONS_BEFORE) {
				compile();
			}
			return value;
		}

		/**
		 * If the interpreter fails as well, it is the value that is wrong, and not its
		 * class.
		 */
		private @Nullable Object compiledValue(SpelExpression expression, LockEvaluationContext context) {
			try {
				return expression.getValue(context);
			}
			catch (EvaluationException ex) {
				Object value = interpretedValue(context);
				this.compiled = null;
				logger.debug("'" + toStringAST() + "' met another class and is interpreted from now on", ex);
				return value;
			}
		}

		private @Nullable Object interpretedValue(LockEvaluationContext context) {
			return this.node.getValue(new ExpressionState(context, this.configuration));
		}

		@Override
		public TypedValue getValueInternal(ExpressionState state) throws EvaluationException {
			return new TypedValue(value(LockEvaluationContext.callOf(state)));
		}

		private void compile() {
			try {
				SpelExpression expression = new SpelExpression(toStringAST(), this.node, this.configuration);
				if (expression.compileExpression()) {
					this.compiled = expression;
				}
			}
			catch (RuntimeException | LinkageError ex) {
				logger.debug("'" + toStringAST() + "' cannot be compiled and stays interpreted", ex);
			}
		}

		@Override
		public String toStringAST() {
			return this.node.toStringAST();
		}

	}

}
