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

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Follows the expressions of a locked method along the declared types of what they read.
 * Types that are known only at run time are not found: elements of collections, and
 * members that a subclass adds to a declared type.
 */
public record LockExpressionTypes(LockExpressionParser.Scope scope, ConfigurableBeanFactory beanFactory) {

	private static final ResolvableType ROOT = ResolvableType.forClass(LockExpressionRoot.class);

	/**
	 * @param expression the result of the parser
	 */
	public void follow(Expression expression, Consumer<Step> visitor) {
		if (expression instanceof CompositeStringExpression template) {
			Arrays.stream(template.getExpressions()).forEach((part) -> follow(part, visitor));
		}
		else if (expression instanceof SpelExpression spel) {
			follow(spel.getAST(), true, visitor);
		}
	}

	/**
	 * Visit all nodes, whatever they are read from.
	 */
	public void visit(Expression expression, Consumer<SpelNode> visitor) {
		if (expression instanceof CompositeStringExpression template) {
			Arrays.stream(template.getExpressions()).forEach((part) -> visit(part, visitor));
		}
		else if (expression instanceof SpelExpression spel) {
			visit(spel.getAST(), visitor);
		}
	}

	private static void visit(SpelNode node, Consumer<SpelNode> visitor) {
		visitor.accept(node);
		for (int i = 0; i < node.getChildCount(); i++) {
			visit(node.getChild(i), visitor);
		}
	}

	/**
	 * Return whether there is a class for what is written, as in {@code T(String[])}.
	 */
	public boolean isKnown(TypeReference node) {
		String text = node.toStringAST();
		return type(text.substring("T(".length(), text.length() - 1).replace("[]", "")) != null;
	}

	public @Nullable Class<?> typeOf(SpelNode node) {
		return path(node, true, (step) -> {
		}).resolve();
	}

	/**
	 * Return the type of a value, or of what it contains if it is an {@link Optional}.
	 */
	public @Nullable Class<?> contentTypeOf(SpelNode node) {
		return content(path(node, true, (step) -> {
		})).resolve();
	}

	private static ResolvableType content(ResolvableType type) {
		return (type.resolve() == Optional.class) ? type.getGeneric(0) : type;
	}

	/**
	 * Follow one path, without the expressions in its arguments.
	 */
	public void followPath(SpelNode node, Consumer<Step> visitor) {
		path(node, true, visitor);
	}

	/**
	 * @param outer whether the node is evaluated against the root object, and not against
	 * an element of a projection or the like
	 */
	private void follow(SpelNode node, boolean outer, Consumer<Step> visitor) {
		path(node, outer, visitor);
		boolean path = node instanceof CompoundExpression;
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (path) {
				boolean inner = child instanceof Projection || child instanceof Selection;
				for (int j = 0; j < child.getChildCount(); j++) {
					follow(child.getChild(j), outer && !inner, visitor);
				}
			}
			else {
				follow(child, outer, visitor);
			}
		}
	}

	private ResolvableType path(SpelNode node, boolean outer, Consumer<Step> visitor) {
		boolean path = node instanceof CompoundExpression;
		SpelNode start = path ? node.getChild(0) : node;
		ResolvableType type = start(start, outer, visitor);
		for (int i = 1; path && i < node.getChildCount() && type.resolve() != null; i++) {
			SpelNode member = node.getChild(i);
			ResolvableType owner = owner(type, member);
			String from = IntStream.range(0, i)
				.mapToObj((before) -> separator(before, node.getChild(before)) + node.getChild(before).toStringAST())
				.collect(Collectors.joining());
			visitor.accept(new Step(start, from, owner.toClass(), member, exists(owner, start, i, node)));
			type = next(owner, member);
		}
		return type;
	}

	private static String separator(int index, SpelNode node) {
		return (index == 0) ? "" : isNullSafe(node) ? "?." : ".";
	}

	private static boolean isNullSafe(SpelNode node) {
		return node instanceof SpelNodeImpl step && step.isNullSafe();
	}

	/**
	 * A null-safe step leads into an {@link Optional}, unless only the Optional has the
	 * member.
	 */
	private static ResolvableType owner(ResolvableType type, SpelNode member) {
		ResolvableType content = content(type);
		return (isNullSafe(member)
				&& (memberOf(content.toClass(), member) != null || memberOf(type.toClass(), member) == null)) ? content
						: type;
	}

	private static boolean exists(ResolvableType type, SpelNode start, int index, SpelNode path) {
		SpelNode member = path.getChild(index);
		return memberOf(type.toClass(), member) != null || (type.isArray() && member.toStringAST().equals("length"))
				|| (index == 1 && start instanceof TypeReference && memberOf(Class.class, member) != null);
	}

	private ResolvableType start(SpelNode node, boolean outer, Consumer<Step> visitor) {
		String text = node.toStringAST();
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (value != null) ? ResolvableType.forClass(value.getClass()) : ResolvableType.NONE;
		}
		if (node instanceof VariableReference) {
			return variable(text.substring(1), outer);
		}
		if (node instanceof BeanReference) {
			String name = beanName(node);
			boolean exists = this.beanFactory.containsBean(name);
			Class<?> type = exists ? this.beanFactory.getType(name, false) : null;
			visitor.accept(new Step(node, text, Object.class, node, exists));
			return ResolvableType.forClass(type);
		}
		if (node instanceof TypeReference) {
			return ResolvableType.forClass(type(text.substring("T(".length(), text.length() - 1)));
		}
		if (outer && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
			ResolvableType type = next(ROOT, node);
			visitor.accept(new Step(node, "#root", LockExpressionRoot.class, node,
					memberOf(LockExpressionRoot.class, node) != null));
			return type;
		}
		return ResolvableType.NONE;
	}

	private ResolvableType variable(String name, boolean outer) {
		Integer position = this.scope.positionOf(name);
		if (position != null) {
			return ResolvableType.forMethodParameter(this.scope.method().method(), position,
					this.scope.method().targetClass());
		}
		return (name.equals("root") || (outer && name.equals("this"))) ? ROOT : ResolvableType.NONE;
	}

	public static String beanName(SpelNode reference) {
		return reference.toStringAST().replaceFirst("^[@&]", "").replaceAll("^'|'$", "");
	}

	private @Nullable Class<?> type(String name) {
		ClassLoader classLoader = this.beanFactory.getBeanClassLoader();
		for (String candidate : new String[] { name, "java.lang." + name }) {
			if (ClassUtils.isPresent(candidate, classLoader)) {
				return ClassUtils.resolveClassName(candidate, classLoader);
			}
		}
		return null;
	}

	private ResolvableType next(ResolvableType type, SpelNode node) {
		Class<?> owner = type.toClass();
		Member member = memberOf(owner, node);
		if (member instanceof Method getter) {
			return (owner == LockExpressionRoot.class && getter.getName().equals("getTarget"))
					? ResolvableType.forClass(this.scope.method().targetClass())
					: ResolvableType.forType(getter.getGenericReturnType(), type.as(getter.getDeclaringClass()));
		}
		return (member instanceof Field field)
				? ResolvableType.forType(field.getGenericType(), type.as(field.getDeclaringClass()))
				: ResolvableType.NONE;
	}

	/**
	 * A primitive value has the methods of its wrapper.
	 */
	private static @Nullable Member memberOf(Class<?> type, SpelNode node) {
		if (node instanceof MethodReference reference) {
			return Arrays.stream(ClassUtils.resolvePrimitiveIfNecessary(type).getMethods())
				.filter((method) -> method.getName().equals(reference.getName())
						&& (method.getParameterCount() == reference.getChildCount() || method.isVarArgs()))
				.findFirst()
				.orElse(null);
		}
		return (node instanceof PropertyOrFieldReference reference) ? property(type, reference.getName()) : null;
	}

	private static @Nullable Member property(Class<?> type, String name) {
		return Stream
			.of("get" + StringUtils.capitalize(name), "is" + StringUtils.capitalize(name), "get" + name, "is" + name,
					name)
			.map((getter) -> (Member) ClassUtils.getMethodIfAvailable(type, getter))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseGet(() -> Arrays.stream(type.getFields())
				.filter((field) -> field.getName().equals(name))
				.findFirst()
				.orElse(null));
	}

	/**
	 * Return the members that can be read from a type, named as in an expression.
	 */
	public static Set<String> readable(Class<?> type) {
		Set<String> names = new LinkedHashSet<>();
		for (Method method : type.getMethods()) {
			if (method.getDeclaringClass() != Object.class && method.getParameterCount() == 0
					&& method.getReturnType() != void.class) {
				String property = method.getName().replaceFirst("^(?:get|is)(?=\\p{Lu})", "");
				names.add(property.equals(method.getName()) ? property : StringUtils.uncapitalizeAsProperty(property));
			}
		}
		Arrays.stream(type.getFields()).map(Field::getName).forEach(names::add);
		return names;
	}

	/**
	 * A step along an expression.
	 *
	 * @param from what it is read from, as it is written
	 * @param type the declared type from which it is read
	 * @param member the member that is read: a property, a method or an index; the start
	 * itself, if it is a bean or a member of the root object
	 * @param exists whether a property or method is known to exist
	 */
	public record Step(SpelNode start, String from, Class<?> type, SpelNode member, boolean exists) {

		public boolean isOfRoot() {
			return this.type == LockExpressionRoot.class;
		}

	}

}
