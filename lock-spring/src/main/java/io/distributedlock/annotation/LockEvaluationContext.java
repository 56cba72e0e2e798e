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

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The evaluation of the expressions of one call. Variables are looked up among the
 * arguments, without copying them; everything else is shared by all calls. Expressions
 * cannot assign.
 */
final class LockEvaluationContext extends StandardEvaluationContext {

	private final Map<String, Integer> positions;

	private final @Nullable Object[] arguments;

	/**
	 * Create the context of one call.
	 * @param shared what all calls have in common
	 * @param positions the positions of the parameters that variables stand for
	 */
	LockEvaluationContext(StandardEvaluationContext shared, AnnotatedMethod method, Map<String, Integer> positions,
			LockedCall call) {
		super(new LockExpressionRoot(method, call.target(), call.arguments()));
		this.positions = positions;
		this.arguments = call.arguments();
		shared.applyDelegatesTo(this);
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.positions.get(name);
		return (position != null) ? this.arguments[position] : null;
	}

	@Override
	public void setVariable(@Nullable String name, @Nullable Object value) {
		throw new UnsupportedOperationException("Lock expressions cannot assign variables");
	}

	@Override
	public boolean isAssignmentEnabled() {
		return false;
	}

}
