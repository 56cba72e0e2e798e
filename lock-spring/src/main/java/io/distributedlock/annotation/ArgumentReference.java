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

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * An argument, as in {@code #id}, or a property of it, as in {@code #order.customer.id},
 * which is read without the interpreter. Whatever is no plain property of the value, or
 * cannot be read, is left to the interpreter, which knows the rules and the messages.
 */
final class ArgumentReference extends SpelNodeImpl implements LockExpression {

	private final int position;

	private final Property[] properties;

	private final String text;

	private final LockExpression interpreted;

	/**
	 * Create a new instance.
	 * @param position the position of the argument
	 * @param properties the properties along the path, none for the argument itself
	 * @param text the expression as it is written
	 * @param interpreted the same for the interpreter
	 */
	ArgumentReference(int position, List<Property> properties, String text, LockExpression interpreted) {
		super(0, 0);
		this.position = position;
		this.properties = properties.toArray(Property[]::new);
		this.text = text;
		this.interpreted = interpreted;
	}

	@Override
	public @Nullable Object value(LockedCall call) throws EvaluationException {
		Object value = call.arguments()[this.position];
		for (Property property : this.properties) {
			if (value == null) {
				return this.interpreted.value(call);
			}
			Member getter = property.get(value.getClass()).orElse(null);
			try {
				if (getter instanceof Method method) {
					value = method.invoke(value);
				}
				else if (getter instanceof Field field) {
					value = field.get(value);
				}
				else {
					return this.interpreted.value(call);
				}
			}
			catch (ReflectiveOperationException | RuntimeException ex) {
				return this.interpreted.value(call);
			}
		}
		return value;
	}

	@Override
	public TypedValue getValueInternal(ExpressionState state) throws EvaluationException {
		return new TypedValue(value(LockEvaluationContext.callOf(state)));
	}

	@Override
	public String toStringAST() {
		return this.text;
	}

	/**
	 * The getters of one property, by the class that has it: they live as long as the
	 * class, which they do not keep alive. Nor do they keep this class alive, as an
	 * object of it would, for example among the values of a class of the JDK.
	 */
	static final class Property extends ClassValue<Optional<Member>> {

		private final String name;

		Property(String name) {
			this.name = name;
		}

		@Override
		protected Optional<Member> computeValue(Class<?> type) {
			// These have properties of another kind
			if (type == Class.class || type.isArray()) {
				return Optional.empty();
			}
			try {
				return Optional.ofNullable(new GetterFinder().find(type, this.name));
			}
			catch (RuntimeException | LinkageError ex) {
				return Optional.empty();
			}
		}

	}

	/**
	 * Finds the methods and fields that the interpreter would read, by its own rules. For
	 * single use, because it remembers classes.
	 */
	private static final class GetterFinder extends ReflectivePropertyAccessor {

		@Nullable Member find(Class<?> type, String name) {
			Method method = findGetterForProperty(name, type, false);
			if (method != null) {
				Method accessible = ClassUtils.getPubliclyAccessibleMethodIfPossible(method, type);
				ReflectionUtils.makeAccessible(accessible);
				return accessible;
			}
			Field field = findField(name, type, false);
			if (field != null) {
				ReflectionUtils.makeAccessible(field);
				return field;
			}
			return null;
		}

	}

}
