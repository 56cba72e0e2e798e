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
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Follows the expressions of locked methods along the declared types of what they read,
 * and registers each for reflection. What only the run time knows is not found: elements
 * of collections, and members that a subclass adds to a declared type.
 */
final class LockExpressionHints {

	private static final Log logger = LogFactory.getLog(LockExpressionHints.class);

	private final ReflectionHints hints;

	private final ConfigurableBeanFactory beanFactory;

	private final LockExpressionParser parser;

	LockExpressionHints(ReflectionHints hints, ConfigurableBeanFactory beanFactory) {
		this.hints = hints;
		this.beanFactory = beanFactory;
		this.parser = new LockExpressionParser(beanFactory);
	}

	void registerName(String text, LockedMethodReference method) {
		register(text, method, (scope, resolved) -> scope.name(resolved));
	}

	void registerCondition(String text, LockedMethodReference method) {
		if (StringUtils.hasText(text)) {
			register(text, method, LockExpressionParser.Scope::condition);
		}
	}

	private void register(String text, LockedMethodReference method, Parsing parsing) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			Expression expression = parsing.parse(this.parser.scopeOf(method), (resolved != null) ? resolved : text);
			if (expression != null) {
				new Path(method).follow(expression);
			}
		}
		catch (IllegalArgumentException | InvalidLockDefinitionException ex) {
			logger.debug("No hints for '" + text + "' of " + method.description(), ex);
		}
	}

	/**
	 * How to parse an attribute.
	 */
	private interface Parsing {

		@Nullable Expression parse(LockExpressionParser.Scope scope, String text);

	}

	/**
	 * The types that the expressions of one method meet.
	 */
	private final class Path {

		private final LockedMethodReference method;

		private final LockVariables variables;

		Path(LockedMethodReference method) {
			this.method = method;
			this.variables = new LockVariables(method.method(), new DefaultParameterNameDiscoverer());
		}

		void follow(Expression expression) {
			if (expression instanceof CompositeStringExpression template) {
				Arrays.stream(template.getExpressions()).forEach(this::follow);
			}
			else if (expression instanceof SpelExpression spel) {
				follow(spel.getAST());
			}
		}

		private void follow(SpelNode node) {
			if (node instanceof CompoundExpression) {
				Class<?> type = start(node.getChild(0));
				for (int i = 1; i < node.getChildCount() && type != null; i++) {
					LockExpressionHints.this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS,
							MemberCategory.ACCESS_PUBLIC_FIELDS);
					type = next(type, node.getChild(i));
				}
			}
			for (int i = 0; i < node.getChildCount(); i++) {
				follow(node.getChild(i));
			}
		}

		private @Nullable Class<?> start(SpelNode node) {
			String text = node.toStringAST();
			if (node instanceof VariableReference) {
				String name = text.substring(1);
				Integer position = this.variables.positionOf(name);
				return (position != null) ? this.method.method().getParameterTypes()[position]
						: Set.of("root", "this").contains(name) ? LockExpressionRoot.class : null;
			}
			if (node instanceof BeanReference) {
				String name = text.substring(1).replace("'", "");
				return LockExpressionHints.this.beanFactory.containsBean(name)
						? LockExpressionHints.this.beanFactory.getType(name, false) : null;
			}
			if (node instanceof TypeReference) {
				return type(text.substring("T(".length(), text.length() - 1));
			}
			return next(LockExpressionRoot.class, node);
		}

		private @Nullable Class<?> type(String name) {
			ClassLoader classLoader = LockExpressionHints.this.beanFactory.getBeanClassLoader();
			for (String candidate : new String[] { name, "java.lang." + name }) {
				if (ClassUtils.isPresent(candidate, classLoader)) {
					return ClassUtils.resolveClassName(candidate, classLoader);
				}
			}
			return null;
		}

		private @Nullable Class<?> next(Class<?> type, SpelNode node) {
			if (node instanceof MethodReference reference) {
				return Arrays.stream(type.getMethods())
					.filter((method) -> method.getName().equals(reference.getName())
							&& method.getParameterCount() == reference.getChildCount())
					.findFirst()
					.map(Method::getReturnType)
					.orElse(null);
			}
			return (node instanceof PropertyOrFieldReference reference) ? property(type, reference.getName()) : null;
		}

		private @Nullable Class<?> property(Class<?> type, String name) {
			if (type == LockExpressionRoot.class && name.equals("target")) {
				return this.method.targetClass();
			}
			for (String prefix : new String[] { "get", "is", "" }) {
				Method getter = ClassUtils.getMethodIfAvailable(type,
						prefix.isEmpty() ? name : prefix + StringUtils.capitalize(name));
				if (getter != null) {
					return getter.getReturnType();
				}
			}
			Field field = ReflectionUtils.findField(type, name);
			return (field != null) ? field.getType() : null;
		}

	}

}
