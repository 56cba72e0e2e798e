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

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.InvalidLockNameException;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that arguments and their properties are read as Spring's interpreter reads them.
 */
class ArgumentReferenceTests {

	private static final int EXPRESSIONS = 2000;

	private static final int CALLS = 5;

	private static final List<String> PROPERTIES = List.of("id", "id", "id", "name", "active", "customer", "customer",
			"Id", "URL", "iD", "length", "empty", "class", "bytes", "key", "nothing", "failing", "broken", "constant",
			"shared", "hidden", "missing", "present", "simpleName");

	private static final List<@Nullable Object> LEAVES = Arrays.asList(null, "", " ", "A-1", "null", "4711", 7, -1L,
			2.5, 1.5f, (short) 3, (byte) 4, 'c', ' ', true, Boolean.FALSE, Colour.RED, Colour.GREEN, Optional.empty(),
			Optional.of("o"), new UUID(1, 2), List.of(), List.of(1), new int[] { 1, 2 }, new Object[0],
			Map.of("id", "in a map"), new TreeMap<>(Map.of("id", 1)), String.class, int[].class, Order.class,
			Special.class, PublicFields.class, PublicFields.class, Special.class, new Object());

	private final Method method = method();

	/**
	 * The other way to write an argument is {@code #root.args[0]}, which is interpreted.
	 */
	@Test
	void namesAreThoseThatTheInterpreterGives() {
		int names = 0;
		int refusals = 0;
		for (int seed = 0; seed < EXPRESSIONS; seed++) {
			Random random = new Random(seed);
			List<String> operands = operands(random);
			String text = String.join(" + ", operands);
			LockNameExpressions read = expressions(text);
			for (int call = 0; call < CALLS; call++) {
				@Nullable Object[] arguments = { value(random, 2), value(random, 2) };
				Object name = outcome(() -> evaluate(read, arguments));
				Object expected = outcome(() -> evaluate(expressions(interpreted(text)), arguments));
				assertThat(name).as("%s of %s, seed %s", text, Arrays.toString(arguments), seed).isEqualTo(expected);
				if (name instanceof List<?>) {
					names++;
					assertSpringGivesTheSame(operands, text, arguments, name);
				}
				else {
					refusals++;
				}
			}
		}
		assertThat(names).isGreaterThan(EXPRESSIONS / 10);
		assertThat(refusals).isGreaterThan(EXPRESSIONS / 10);
	}

	@Test
	void valuesAreThoseThatSpringGives() {
		int values = 0;
		for (int seed = 0; seed < EXPRESSIONS; seed++) {
			Random random = new Random(seed);
			String text = path(random);
			LockExpressionParser.Scope scope = scope();
			Expression expression = scope.evaluatedName(text, new LockNameFormatter(text, annotated()));
			for (int call = 0; call < CALLS; call++) {
				@Nullable Object[] arguments = { value(random, 2), value(random, 2) };
				Object value = outcome(() -> expression.getValue(scope.contextOf(new LockedCallStub(arguments))));
				Object expected = outcome(() -> spring(text, arguments));
				if (value instanceof byte[] bytes) {
					assertThat(bytes).isEqualTo(expected);
				}
				else {
					assertThat(value).as("%s of %s, seed %s", text, Arrays.toString(arguments), seed)
						.isEqualTo(expected);
				}
				values += (value instanceof Failure) ? 0 : 1;
			}
		}
		assertThat(values).isGreaterThan(EXPRESSIONS / 10);
	}

	/**
	 * Most of what Spring would join is refused here, but what is not is the same text.
	 */
	private void assertSpringGivesTheSame(List<String> operands, String text, @Nullable Object[] arguments,
			Object name) {
		boolean plain = operands.get(0).startsWith("'") && operands.stream()
			.map((operand) -> spring(operand, arguments))
			.allMatch((value) -> value instanceof String || value instanceof Number || value instanceof Boolean
					|| value instanceof Character || value instanceof Enum);
		if (plain) {
			assertThat(name).as(text).isEqualTo(List.of(String.valueOf(spring(text, arguments))));
		}
	}

	@Test
	void aParameterIsNeverTheRootObject() throws Exception {
		Method method = ArgumentReferenceTests.class.getDeclaredMethod("rooted", Object.class);
		AnnotatedMethod annotated = new AnnotatedMethod(method, ArgumentReferenceTests.class);
		LockExpressionParser.Scope scope = new LockExpressionParser(new DefaultListableBeanFactory()).scopeOf(annotated,
				method);
		Object argument = new WithMethod(new NamedOtherwise("of the argument"));
		for (String text : List.of("'order:' + #root.method.name", "{1}.!['order:' + #root.method.name]")) {
			assertThat(evaluate(LockNameExpressions.of(List.of(text), scope), argument))
				.containsExactly("order:rooted");
		}
	}

	@SuppressWarnings("unused")
	private static void rooted(Object root) {
	}

	private static List<String> operands(Random random) {
		List<String> operands = new ArrayList<>();
		if (random.nextInt(4) > 0) {
			operands.add("'order:'");
		}
		int count = 1 + random.nextInt(4);
		for (int i = 0; i < count; i++) {
			operands.add(switch (random.nextInt(5)) {
				case 0 -> "':'";
				case 1 -> "1";
				default -> path(random);
			});
		}
		if (operands.stream().noneMatch((operand) -> operand.startsWith("#"))) {
			operands.add(path(random));
		}
		return operands;
	}

	private static String path(Random random) {
		String path = pick(random, List.of("#a", "#b", "#p0", "#a1"));
		for (int depth = random.nextInt(3); depth > 0; depth--) {
			path += "." + pick(random, PROPERTIES);
		}
		return path;
	}

	private static @Nullable Object value(Random random, int depth) {
		if (depth == 0 || random.nextInt(3) == 0) {
			return pick(random, LEAVES);
		}
		Object first = value(random, depth - 1);
		Object second = value(random, depth - 1);
		return switch (random.nextInt(11)) {
			case 0, 1 -> new Order(first, second);
			case 2 -> new HiddenOrder(first, second);
			case 3 -> new Bean(first, second);
			case 4 -> new Special(first, second);
			case 5 -> new PublicFields(first, second);
			case 6 -> new Identified() {

				@Override
				public @Nullable Object getId() {
					return first;
				}

			};
			case 7 -> (Identified) () -> first;
			case 8 -> new ProxyFactory(Identified.class,
					(MethodInterceptor) (call) -> call.getMethod().getName().equals("getId") ? first : "a proxy")
				.getProxy();
			case 9 -> Map.entry((first != null) ? first : "", (second != null) ? second : "");
			default -> new Narrowed((first instanceof String text) ? text : "narrowed");
		};
	}

	private static <T extends @Nullable Object> T pick(Random random, List<T> choices) {
		return choices.get(random.nextInt(choices.size()));
	}

	private static String interpreted(String text) {
		return text.replaceAll("#(?:a|p0)\\b", "#root.args[0]").replaceAll("#(?:b|a1)\\b", "#root.args[1]");
	}

	private static @Nullable Object outcome(Supplier<@Nullable Object> evaluation) {
		try {
			return evaluation.get();
		}
		catch (InvalidLockNameException | EvaluationException ex) {
			return new Failure(ex.getClass(), interpreted(String.valueOf(ex.getMessage())));
		}
	}

	private static @Nullable Object spring(String text, @Nullable Object[] arguments) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setVariable("a", arguments[0]);
		context.setVariable("p0", arguments[0]);
		context.setVariable("b", arguments[1]);
		context.setVariable("a1", arguments[1]);
		return new SpelExpressionParser().parseExpression(text).getValue(context);
	}

	private List<String> evaluate(LockNameExpressions names, @Nullable Object... arguments) {
		return names.evaluate(new LockedCallStub(arguments));
	}

	private LockNameExpressions expressions(String text) {
		return LockNameExpressions.of(List.of(text), scope());
	}

	private LockExpressionParser.Scope scope() {
		return new LockExpressionParser(new DefaultListableBeanFactory()).scopeOf(annotated(), this.method);
	}

	private AnnotatedMethod annotated() {
		return new AnnotatedMethod(this.method, ArgumentReferenceTests.class);
	}

	private static Method method() {
		return Stream.of(ArgumentReferenceTests.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals("locked"))
			.findFirst()
			.orElseThrow();
	}

	@SuppressWarnings("unused")
	private static void locked(Object a, Object b) {
	}

	public record WithMethod(NamedOtherwise method) {
	}

	public record NamedOtherwise(String name) {
	}

	record Failure(Class<?> type, String message) {
	}

	public interface Identified {

		@Nullable Object getId();

	}

	public enum Colour {

		RED, GREEN;

		public String getId() {
			return "the " + name();
		}

		@Override
		public String toString() {
			return "another";
		}

	}

	public record Order(@Nullable Object id, @Nullable Object customer) {
	}

	private record HiddenOrder(@Nullable Object id, @Nullable Object customer) {
	}

	private static final class Bean implements Identified {

		private final @Nullable Object id;

		private final @Nullable Object customer;

		private Bean(@Nullable Object id, @Nullable Object customer) {
			this.id = id;
			this.customer = customer;
		}

		@Override
		public @Nullable Object getId() {
			return this.id;
		}

		public @Nullable Object getCustomer() {
			return this.customer;
		}

		public boolean isActive() {
			return true;
		}

		public long getName() {
			return 12;
		}

		@SuppressWarnings("unused")
		private String getHidden() {
			return "hidden";
		}

	}

	/**
	 * Getters that are no plain ones.
	 */
	public static class Special {

		private final @Nullable Object id;

		private final @Nullable Object name;

		Special(@Nullable Object id, @Nullable Object name) {
			this.id = id;
			this.name = name;
		}

		public @Nullable Object getId() {
			return this.id;
		}

		public @Nullable Object isName() {
			return this.name;
		}

		public @Nullable Object getName() {
			return this.name;
		}

		public Boolean isActive() {
			return false;
		}

		public String getURL() {
			return "url";
		}

		public String getiD() {
			return "iD";
		}

		public void getNothing() {
		}

		public String getFailing() {
			throw new IllegalStateException("It failed");
		}

		public String getBroken() throws Exception {
			throw new Exception("It is broken");
		}

		public static String getShared() {
			return "shared";
		}

		/**
		 * What the class itself has is hidden by this.
		 */
		public static String getSimpleName() {
			return "special";
		}

		public String getKey(String ignored) {
			return ignored;
		}

	}

	/**
	 * Properties that are fields.
	 */
	static class PublicFields {

		public static final String constant = "constant";

		public final @Nullable Object id;

		public final @Nullable Object customer;

		public final char name = 'n';

		protected final String hidden = "hidden";

		PublicFields(@Nullable Object id, @Nullable Object customer) {
			this.id = id;
			this.customer = customer;
		}

	}

	/**
	 * Has a bridge method.
	 */
	static class Narrowed implements Identified {

		private final String id;

		Narrowed(String id) {
			this.id = id;
		}

		@Override
		public String getId() {
			return this.id;
		}

	}

	/**
	 * Loaded once more by another class loader.
	 */
	public static class Loaded {

		public String getId() {
			return "loaded";
		}

	}

}
