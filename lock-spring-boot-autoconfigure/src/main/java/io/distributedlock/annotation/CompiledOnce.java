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

import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NativeDetector;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression, or an operand of one, that is compiled to byte code after some use, and
 * once only. When it meets a value of a class that it was not compiled for, it is
 * interpreted for good: SpEL itself would compile it again and again.
 */
final class CompiledOnce extends SpelNodeImpl implements LockExpression {

	private static final Log logger = LogFactory.getLog(CompiledOnce.class);

	private static final int EVALUATIONS_BEFORE = 100;

	private final SpelNodeImpl node;

	private final SpelParserConfiguration configuration;

	private final AtomicInteger evaluations = new AtomicInteger(
			NativeDetector.inNativeImage() ? EVALUATIONS_BEFORE : 0);

	private volatile @Nullable SpelExpression compiled;

	/**
	 * Create one.
	 * @param node what to evaluate, against the root object
	 * @param configuration says which class loader to compile for
	 */
	CompiledOnce(SpelNodeImpl node, SpelParserConfiguration configuration) {
		super(node.getStartPosition(), node.getEndPosition());
		this.node = node;
		this.configuration = configuration;
	}

	@Override
	public @Nullable Object value(EvaluationContext context) throws EvaluationException {
		SpelExpression expression = this.compiled;
		if (expression != null) {
			return compiledValue(expression, context);
		}
		Object value = interpretedValue(context);
		if (this.evaluations.get() < EVALUATIONS_BEFORE && this.evaluations.incrementAndGet() == EVALUATIONS_BEFORE) {
			compile();
		}
		return value;
	}

	/**
	 * If the interpreter fails as well, it is the value that is wrong, and not its class.
	 */
	private @Nullable Object compiledValue(SpelExpression expression, EvaluationContext context) {
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

	private @Nullable Object interpretedValue(EvaluationContext context) {
		return this.node.getValue(new ExpressionState(context, this.configuration));
	}

	@Override
	public TypedValue getValueInternal(ExpressionState state) throws EvaluationException {
		return new TypedValue(value(state.getEvaluationContext()));
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
