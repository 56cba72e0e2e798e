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

import java.util.List;
import java.util.Map;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * The evaluation of the expressions of one call. Variables are looked up among the
 * arguments, without copying them; everything else is shared by all calls. Expressions
 * cannot assign.
 */
final class LockEvaluationContext implements EvaluationContext {

	private final EvaluationContext shared;

	private final AnnotatedMethod method;

	/** Of the parameters that variables stand for. */
	private final Map<String, Integer> positions;

	private final LockedCall call;

	private @Nullable TypedValue root;

	LockEvaluationContext(EvaluationContext shared, AnnotatedMethod method, Map<String, Integer> positions,
			LockedCall call) {
		this.shared = shared;
		this.method = method;
		this.positions = positions;
		this.call = call;
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.positions.get(name);
		return (position != null) ? this.call.arguments()[position] : null;
	}

	@Override
	public TypedValue getRootObject() {
		TypedValue result = this.root;
		if (result == null) {
			result = new TypedValue(new LockExpressionRoot(this.method, this.call.target(), this.call.arguments()));
			this.root = result;
		}
		return result;
	}

	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("Lock expressions cannot assign variables");
	}

	@Override
	public boolean isAssignmentEnabled() {
		return false;
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return this.shared.getPropertyAccessors();
	}

	@Override
	public List<IndexAccessor> getIndexAccessors() {
		return this.shared.getIndexAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return this.shared.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return this.shared.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return this.shared.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return this.shared.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return this.shared.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return this.shared.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return this.shared.getOperatorOverloader();
	}

}
