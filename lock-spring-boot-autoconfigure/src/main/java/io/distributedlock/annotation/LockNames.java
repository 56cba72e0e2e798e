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

import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.util.ObjectUtils;

/**
 * The names that a method is locked by, fixed or evaluated for each call.
 */
final class LockNames {

	private final LockedMethodReference method;

	private final List<Part> parts;

	/**
	 * What every call gets, or {@code null} if the names depend on the call.
	 */
	private final @Nullable List<String> fixed;

	private LockNames(LockedMethodReference method, List<Part> parts) {
		this.method = method;
		this.parts = parts;
		this.fixed = parts.stream().allMatch((part) -> part.expression() == null)
				? parts.stream().map(Part::text).toList() : null;
	}

	static LockNames of(List<String> names, LockExpressionParser.Scope scope) {
		if (names.isEmpty()) {
			return new LockNames(scope.method(), List.of(new Part(scope.method().qualifiedName(), null)));
		}
		return new LockNames(scope.method(), names.stream().map((name) -> part(name, scope)).toList());
	}

	private static Part part(String name, LockExpressionParser.Scope scope) {
		if (name.isBlank()) {
			throw new InvalidLockDefinitionException(Kind.NAME, scope.method(), "name", name, "The name is blank.",
					"Leave the attribute out to use the name of the method.", null);
		}
		return new Part(name, scope.name(name));
	}

	/**
	 * Tell whether the names depend on the call.
	 * @return whether {@link #evaluate} needs its argument
	 */
	boolean areEvaluated() {
		return this.fixed == null;
	}

	/**
	 * Return the names as they are written.
	 * @return literals and expressions
	 */
	List<String> asWritten() {
		return this.parts.stream().map(Part::text).toList();
	}

	/**
	 * Return the names of the locks for a call.
	 * @param context the call, may be {@code null} if nothing needs evaluation
	 * @return the names, at least one
	 * @throws InvalidLockNameException if an expression fails, or gives nothing that can
	 * be a name
	 */
	List<String> evaluate(@Nullable LockEvaluationContext context) {
		if (this.fixed != null || context == null) {
			return (this.fixed != null) ? this.fixed : List.of();
		}
		if (this.parts.size() == 1) {
			Object value = valueOf(this.parts.get(0), context);
			if (value instanceof String name && !name.isBlank()) {
				return List.of(name);
			}
		}
		List<String> names = new ArrayList<>();
		for (Part part : this.parts) {
			collect(part, valueOf(part, context), names);
		}
		return names;
	}

	private @Nullable Object valueOf(Part part, LockEvaluationContext context) {
		Expression expression = part.expression();
		if (expression == null) {
			return part.text();
		}
		try {
			return (expression instanceof CompositeStringExpression template) ? fill(part, template, context)
					: expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw failure(part, "cannot be evaluated: " + ex.getMessage() + ".", ex);
		}
	}

	private String fill(Part part, CompositeStringExpression template, LockEvaluationContext context) {
		StringBuilder name = new StringBuilder();
		for (Expression piece : template.getExpressions()) {
			if (piece instanceof LiteralExpression text) {
				name.append(text.getExpressionString());
			}
			else {
				name.append(singleText(part, piece.getValue(context)));
			}
		}
		return name.toString();
	}

	private String singleText(Part part, @Nullable Object value) {
		List<String> texts = new ArrayList<>(1);
		collect(part, value, texts);
		if (texts.size() > 1) {
			throw failure(part,
					"gave several values within a template. Use a projection, as in #ids.!['order:' + #this].");
		}
		return texts.get(0);
	}

	private void collect(Part part, @Nullable Object value, List<String> names) {
		if (value instanceof Optional<?> optional) {
			collect(part, optional.orElse(null), names);
		}
		else if (value instanceof Iterable<?> elements && !(value instanceof Path)) {
			int before = names.size();
			elements.forEach((element) -> collect(part, element, names));
			requireMore(part, before, names);
		}
		else if (value != null && value.getClass().isArray()) {
			int before = names.size();
			for (int i = 0; i < Array.getLength(value); i++) {
				collect(part, Array.get(value, i), names);
			}
			requireMore(part, before, names);
		}
		else {
			names.add(text(part, value));
		}
	}

	private void requireMore(Part part, int before, List<String> names) {
		if (names.size() == before) {
			throw failure(part, "gave an empty collection. A lock needs at least one name.");
		}
	}

	private String text(Part part, @Nullable Object value) {
		if (value == null) {
			throw failure(part, "gave null. Call the method with a value, or make the expression cope with null.");
		}
		String text = value.toString();
		if (text == null || text.isBlank()) {
			throw failure(part, "gave a blank text. A blank name would lock unrelated calls against each other.");
		}
		if (!(value instanceof CharSequence) && text.equals(ObjectUtils.identityToString(value))) {
			throw failure(part, "gave an object of " + value.getClass().getName()
					+ ", which has no toString() of its own: its name would be another one in every instance. Use a property that identifies it.");
		}
		return text;
	}

	private InvalidLockNameException failure(Part part, String problem) {
		return failure(part, problem, null);
	}

	private InvalidLockNameException failure(Part part, String problem, @Nullable Throwable cause) {
		return new InvalidLockNameException(part.text(),
				"The lock name expression \"" + part.text() + "\" on " + this.method.description() + " " + problem,
				cause);
	}

	/**
	 * One of the declared names.
	 *
	 * @param text as it is written
	 * @param expression what to evaluate, or {@code null} if the text is the name
	 */
	private record Part(String text, @Nullable Expression expression) {
	}

}
