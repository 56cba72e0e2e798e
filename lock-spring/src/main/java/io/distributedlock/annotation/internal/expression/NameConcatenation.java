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
final class NameConcatenation extends SpelNodeImpl {

	private final LockNameFormatter values;

	/** The wording of messages about each operand. */
	private final String[] where;

	/**
	 * @param operands at least two
	 */
	NameConcatenation(LockNameFormatter values, int startPosition, int endPosition, SpelNodeImpl... operands) {
		super(startPosition, endPosition, operands);
		this.values = values;
		this.where = Arrays.stream(operands).map((operand) -> " for " + operand.toStringAST()).toArray(String[]::new);
	}

	@Override
	public TypedValue getValueInternal(ExpressionState state) throws EvaluationException {
		Object result = this.children[0].getValue(state);
		String text = null;
		for (int i = 1; i < this.children.length; i++) {
			Object next = this.children[i].getValue(state);
			if (text == null && result instanceof Number && next instanceof Number) {
				result = new OpPlus(0, 0, new Constant(result), new Constant(next)).getValue(state);
			}
			else {
				// Cheaper than a builder for the few parts that names have
				text = ((text != null) ? text : text(result, i - 1)).concat(text(next, i));
			}
		}
		return new TypedValue((text != null) ? text : result);
	}

	private String text(@Nullable Object value, int index) {
		return (value instanceof WrittenText written) ? written.text() : this.values.text(value, this.where[index]);
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

	private record WrittenText(String text) {

		@Override
		public String toString() {
			return this.text;
		}

	}

	private static final class Constant extends SpelNodeImpl {

		private final TypedValue value;

		Constant(Object value) {
			super(0, 0);
			this.value = new TypedValue(value);
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
