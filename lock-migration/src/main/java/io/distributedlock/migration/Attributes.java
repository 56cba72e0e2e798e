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

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;

/**
 * The attributes that are written in an annotation.
 */
final class Attributes {

	private final Map<String, Expression> values = new LinkedHashMap<>();

	private final Cursor cursor;

	Attributes(J.Annotation annotation, Cursor cursor) {
		this.cursor = cursor;
		if (annotation.getArguments() == null) {
			return;
		}
		for (Expression argument : annotation.getArguments()) {
			if (argument instanceof J.Assignment assignment
					&& assignment.getVariable() instanceof J.Identifier attribute) {
				this.values.put(attribute.getSimpleName(), assignment.getAssignment());
			}
			else if (!(argument instanceof J.Empty)) {
				this.values.put("value", argument);
			}
		}
	}

	/**
	 * Return the attributes of an annotation that is a value of this one.
	 */
	Attributes of(J.Annotation value) {
		return new Attributes(value, this.cursor);
	}

	Set<String> names() {
		return this.values.keySet();
	}

	boolean has(String name) {
		return this.values.containsKey(name);
	}

	@Nullable Expression get(String name) {
		return this.values.get(name);
	}

	/**
	 * Return a text, if it is written as a literal.
	 */
	@Nullable String text(String name) {
		return textOf(this.values.get(name));
	}

	/**
	 * Return a number, if it is written as a literal.
	 */
	@Nullable Long number(String name) {
		Expression value = this.values.get(name);
		if (value instanceof J.Unary unary && unary.getOperator() == J.Unary.Type.Negative
				&& unary.getExpression() instanceof J.Literal literal && literal.getValue() instanceof Number number) {
			return -number.longValue();
		}
		return (value instanceof J.Literal literal && literal.getValue() instanceof Number number) ? number.longValue()
				: null;
	}

	/**
	 * Whether a value names this constant, or class.
	 */
	boolean names(String name, String constant) {
		return this.values.containsKey(name)
				&& (source(name).equals(constant) || source(name).endsWith("." + constant));
	}

	boolean isTrue(String name) {
		return this.values.containsKey(name) && source(name).equals("true");
	}

	/**
	 * Return a value as it is written.
	 */
	String source(String name) {
		Expression value = this.values.get(name);
		return (value != null) ? sourceOf(value) : "";
	}

	String sourceOf(Expression value) {
		return value.<Expression>withPrefix(Space.EMPTY).printTrimmed(this.cursor);
	}

	static @Nullable String textOf(@Nullable Expression value) {
		return (value instanceof J.Literal literal && literal.getValue() instanceof String text) ? text : null;
	}

	/**
	 * Return a text as it is written in Java.
	 */
	static String quoted(String text) {
		return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

}
