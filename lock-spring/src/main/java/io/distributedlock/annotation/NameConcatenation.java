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

import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;

/**
 * A chain of {@code +} in the expression of a name. Adds numbers as SpEL does. As soon as
 * an operand is no number, joins texts, and checks each of them: SpEL would take
 * {@code "null"} for null, and whatever an object's {@code toString()} says.
 */
final class NameConcatenation extends SpelNodeImpl implements LockExpression {

	private final LockNameFormatter values;

	private final LockEvaluationContext.Shape contexts;

	/** What messages say about each of the operands. */
	private final String[] where;

	/**
	 * Create a new instance.
	 * @param values checks operands
	 * @param contexts what operands are evaluated in
	 * @param startPosition where the chain begins
	 * @param endPosition where the chain ends
	 * @param operands the operands, at least two
	 */
	NameConcatenation(LockNameFormatter values, LockEvaluationContext.Shape contexts, int startPosition,
			int endPosition, SpelNodeImpl... operands) {
		super(startPosition, endPosition, operands);
		this.values = values;
		this.contexts = contexts;
		this.where = Arrays.stream(operands).map((operand) -> " for " + operand.toStringAST()).toArray(String[]::new);
	}

	@Override
	public @Nullable Object value(LockedCall call) throws EvaluationException {
		return value(call, null);
	}

	@Override
	public TypedValue getValueInternal(ExpressionState state) throws EvaluationException {
		return new TypedValue(value(LockEvaluationContext.callOf(state), state));
	}

	private @Nullable Object value(LockedCall call, @Nullable ExpressionState state) {
		Object first = valueOf(0, call, state);
		int next = 1;
		while (next < this.children.length) {
			Object second = valueOf(next, call, state);
			next++;
			if (!(first instanceof Number) || !(second instanceof Number)) {
				// Cheaper than a builder for the few parts that names have
				String text = text(first, next - 2).concat(text(second, next - 1));
				for (int i = next; i < this.children.length; i++) {
					text = text.concat(text(valueOf(i, call, state), i));
				}
				return text;
			}
			first = sum(first, second, call);
		}
		return first;
	}

	private @Nullable Object valueOf(int index, LockedCall call, @Nullable ExpressionState state) {
		SpelNodeImpl operand = this.children[index];
		return (operand instanceof LockExpression expression && state == null) ? expression.value(call)
				: operand.getValue((state != null) ? state : new ExpressionState(this.contexts.of(call)));
	}

	private String text(@Nullable Object value, int index) {
		return (value instanceof WrittenText written) ? written.text() : this.values.text(value, this.where[index]);
	}

	private @Nullable Object sum(Object first, Object second, LockedCall call) {
		return new OpPlus(0, 0, new Constant(first), new Constant(second))
			.getValue(new ExpressionState(this.contexts.of(call)));
	}

	@Override
	public String toStringAST() {
		return Arrays.stream(this.children).map(SpelNodeImpl::toStringAST).collect(Collectors.joining(" + ", "(", ")"));
	}

	/**
	 * Return an operand that is written as text: it is taken as it is, blank or not.
	 */
	static SpelNodeImpl written(String text) {
		return new Constant(new WrittenText(text));
	}

	/**
	 * A text that is written in the expression.
	 *
	 * @param text the text
	 */
	private record WrittenText(String text) {

		@Override
		public String toString() {
			return this.text;
		}

	}

	/**
	 * A value that is known.
	 */
	private static final class Constant extends SpelNodeImpl implements LockExpression {

		private final TypedValue value;

		Constant(Object value) {
			super(0, 0);
			this.value = new TypedValue(value);
		}

		@Override
		public @Nullable Object value(LockedCall call) {
			return this.value.getValue();
		}

		@Override
		public TypedValue getValueInternal(ExpressionState state) {
			return this.value;
		}

		@Override
		public String toStringAST() {
			return "'" + this.value.getValue() + "'";
		}

	}

}
