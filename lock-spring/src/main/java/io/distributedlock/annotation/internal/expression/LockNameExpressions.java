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
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.internal.DeclaredLock.Match;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/**
 * The lock names of a method, fixed or evaluated for each call.
 */
public final class LockNameExpressions {

	private final LockExpressionParser.Scope scope;

	private final List<Part> parts;

	/**
	 * {@code null} if the names depend on the call.
	 */
	private final @Nullable List<String> fixed;

	private LockNameExpressions(LockExpressionParser.Scope scope, List<Part> parts) {
		this(scope, parts, parts.stream().allMatch((part) -> part.expression() == null)
				? parts.stream().map(Part::text).toList() : null);
	}

	private LockNameExpressions(LockExpressionParser.Scope scope, List<Part> parts, @Nullable List<String> fixed) {
		this.scope = scope;
		this.parts = parts;
		this.fixed = fixed;
	}

	/**
	 * @param mistakes takes those of single names, which are left out
	 */
	public static LockNameExpressions of(List<String> names, LockExpressionParser.Scope scope,
			Consumer<InvalidLockDefinitionException> mistakes) {
		List<Part> parts = new ArrayList<>();
		for (String name : names) {
			try {
				parts.add(part(name, scope));
			}
			catch (InvalidLockDefinitionException ex) {
				mistakes.accept(ex);
			}
		}
		if (parts.isEmpty()) {
			String name = scope.method().qualifiedName();
			parts.add(new Part(name, null, new LockNameFormatter(name, scope.method()), null));
		}
		return new LockNameExpressions(scope, List.copyOf(parts));
	}

	private static Part part(String name, LockExpressionParser.Scope scope) {
		Expression parsed = scope.name(name);
		String quoted = LockExpressionParser.quotedText(parsed);
		String text = (quoted != null) ? quoted : name;
		if (text.isBlank()) {
			throw scope.method()
				.invalid("name", name, "The name is blank.", "Leave the attribute out to use the name of the method.");
		}
		LockNameFormatter values = new LockNameFormatter(text, scope.method());
		return (parsed == null || quoted != null) ? new Part(text, null, values, null)
				: new Part(text, scope.evaluatedName(parsed, values), values, NamePattern.of(parsed));
	}

	/**
	 * @param evaluated the result of {@link #evaluate}, or nothing if the call does not
	 * need the lock
	 */
	public LockNameExpressions as(List<String> evaluated) {
		return new LockNameExpressions(this.scope, this.parts, evaluated);
	}

	public boolean areEvaluated() {
		return this.fixed == null;
	}

	public List<String> asWritten() {
		return this.parts.stream().map(Part::text).toList();
	}

	/**
	 * Return the names, with a star for each part that depends on the call, because two
	 * methods seldom use the same name for an argument. A name that depends on the call
	 * as a whole is returned as it is written.
	 */
	public Stream<String> patterns() {
		return this.parts.stream()
			.map((part) -> (part.pattern() != null && !part.pattern().isAny()) ? part.pattern().toString()
					: part.text());
	}

	/**
	 * Return how a name relates to the names of the calls.
	 */
	public Match match(String name) {
		return this.parts.stream().map((part) -> part.match(name)).min(Comparator.naturalOrder()).orElse(Match.NONE);
	}

	/**
	 * Return the names of the locks for a call, at least one.
	 */
	public List<String> evaluate(LockedCall call) {
		if (this.fixed != null) {
			return this.fixed;
		}
		EvaluationContext context = this.scope.contextOf(call);
		if (this.parts.size() == 1) {
			Object value = valueOf(this.parts.get(0), context);
			if (value instanceof String name && !name.isBlank()) {
				return List.of(name);
			}
		}
		List<String> names = new ArrayList<>();
		for (Part part : this.parts) {
			names.addAll(part.values().texts(valueOf(part, context)));
		}
		return names;
	}

	/**
	 * Two are the same if they are written in the same way.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockNameExpressions that && asWritten().equals(that.asWritten());
	}

	@Override
	public int hashCode() {
		return asWritten().hashCode();
	}

	private static @Nullable Object valueOf(Part part, EvaluationContext context) {
		Expression expression = part.expression();
		if (expression == null) {
			return part.text();
		}
		try {
			return expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw part.values().failure("cannot be evaluated. " + EvaluationProblem.of(ex), ex);
		}
	}

	/**
	 * @param text as it is written
	 * @param expression {@code null} if the text is the name
	 * @param pattern {@code null} if the text is the name
	 */
	private record Part(String text, @Nullable Expression expression, LockNameFormatter values,
			@Nullable NamePattern pattern) {

		Match match(String name) {
			if (this.text.equals(name)) {
				return (this.pattern != null) ? Match.DECLARATION : Match.NAME;
			}
			return (this.pattern != null) ? this.pattern.match(name) : Match.NONE;
		}
	}

}
