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

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.distributedlock.annotation.internal.expression.LockNameExpressions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.EvaluationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the names of annotated methods.
 */
class LockNameExpressionsTests {

	private final LockFixture fixture = new LockFixture();

	private static final List<String> A_NAME = List.of("order:A");

	private Orders orders;

	private Forms forms;

	@BeforeEach
	void start() {
		this.orders = this.fixture.property("region", "eu")
			.property("hostile", "T(java.lang.Runtime)")
			.bean("tenants", Tenants.class, Tenants::new)
			.bean("my.tenants", Tenants.class, Tenants::new)
			.bean("forms", Forms.class, Forms::new)
			.start(Orders.class);
		this.forms = this.fixture.context.getBean(Forms.class);
	}

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void theNameIs(String what, Consumer<LockNameExpressionsTests> call, String name) {
		call.accept(this);
		assertThat(acquired()).isEqualTo(name);
	}

	static Stream<Arguments> theNameIs() {
		return Stream.of(named("a literal", (test) -> test.orders.literal(), "nightly report: user@host #1 LIST(a)"),
				named("that of the method where none is given", (test) -> test.orders.unnamed(),
						Orders.class.getName() + ".unnamed"),
				named("parameters by name", (test) -> test.orders.parameters(7, "A-1"), "pay:7:A-1"),
				named("parameters by position", (test) -> test.orders.positions(7, "A-1"), "7/A-1"),
				named("nested properties",
						(test) -> test.orders.nested(new Order("A-1", new Customer(List.of("first", "second")))),
						"second"),
				named("beans", (test) -> test.orders.bean("A-1"), "acme/A-1"),
				named("beans with a quoted name", (test) -> test.forms.quotedBean(), "acme"),
				named("types", (test) -> test.orders.type(-5), "5"),
				named("the root", (test) -> test.orders.root("x"), "root:x"),
				named("properties of the root", (test) -> test.forms.rootProperty("x"), "Forms:x"),
				named("a template", (test) -> test.orders.template("A-1", 7), "order:A-1:7"),
				named("placeholders, before anything else", (test) -> test.orders.placeholder("A-1"), "eu:A-1:none"),
				named("several names", (test) -> test.orders.several("A-1"), "stock, order:A-1"),
				named("elements of a collection", (test) -> test.orders.collection(List.of("a", "b")), "a, b"),
				named("elements of an array", (test) -> test.orders.array(1L,
						2L), "1, 2"),
				named("elements of a projection", (test) -> test.orders.projection(List.of(1, 2)), "stock:1, stock:2"),
				named("elements of a projection of an optional collection",
						(test) -> test.orders.projectionOfOptional(Optional.of(List.of(1, 2))), "stock:1, stock:2"),
				named("parts of optional values",
						(test) -> test.orders.pathIntoOptional(Optional.of(new Order("A-1", new Customer(List.of()))),
								Optional.of(Map.of("id", "B"))),
						"order:A-1:B"),
				named("an optional value", (test) -> test.orders.any(Optional.of(new UUID(1, 2))),
						new UUID(1, 2).toString()),
				named("numbers, which are added until there is a text", (test) -> test.forms.numbers(1, 2),
						"3:page:12:3"),
				named("written text, which may be blank", (test) -> test.forms.written("a", false), "a   "),
				named("written text as an alternative", (test) -> test.forms.written("a", true), "a  dry "));
	}

	private static Arguments named(String what, Consumer<LockNameExpressionsTests> call, String name) {
		return Arguments.of(what, call, name);
	}

	@Test
	void hintForACollectionThatIsOnlyAPartFitsAnOptional() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.part(List.of(1)))
			.withMessageContaining("as in #ids.!['order:' + #this].");
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.orders.part(Optional.of(List.of(1))))
			.withMessageContaining("as in #ids?.!['order:' + #this].");
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.orders.projectionOfOptional(Optional.empty()))
			.withMessageContaining("gave null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(java.lang.Runtime).getRuntime().exit(1)",
			"#{T(java.lang.Runtime).getRuntime().exit(1)}", "${hostile}", "#p0", "@tenants.current()", "' + #p0 + '",
			"*", "{a}", "line\nbreak", "\uD83D\uDE00" })
	void argumentsAreDataAndNeverEvaluated(String hostile) {
		this.orders.any(hostile);
		assertThat(acquired()).isEqualTo(hostile);
		this.fixture.locks.takeLog();
		this.orders.template(hostile, 1);
		assertThat(acquired()).isEqualTo("order:" + hostile + ":1");
		this.fixture.locks.takeLog();
		this.orders.parameters(1, hostile);
		assertThat(acquired()).isEqualTo("pay:1:" + hostile);
	}

	@Test
	void nameStaysRightWhenTheExpressionIsCompiled() {
		for (int i = 0; i < 500; i++) {
			this.orders.any("order-" + i);
			this.orders.any(i);
			this.orders.nested(new Order("A", new Customer(List.of("x", "name-" + i))));
		}
		assertThat(this.fixture.locks.log).contains("acquire order-499", "acquire 499", "acquire name-499");
	}

	/**
	 * The compiler of SpEL would make a class for every hundred calls in this case.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "'order:' + #value.id", "'order:' + #value.id()" })
	void argumentsOfChangingClassesAreNotCompiledAgainAndAgain(String name) throws Exception {
		Method method = Forms.class.getDeclaredMethod("property", Object.class);
		LockExpressionParser.Scope scope = new LockExpressionParser(new DefaultListableBeanFactory())
			.scopeOf(new AnnotatedMethod(method, Forms.class), method);
		LockNameExpressions names = LockNameExpressions.of(List.of(name), scope, (mistake) -> {
			throw mistake;
		});
		Object[] values = { new Order("A", new Customer(List.of())), new Key("A", 1) };
		ClassLoadingMXBean loading = ManagementFactory.getClassLoadingMXBean();
		long before = loading.getTotalLoadedClassCount();
		for (int i = 0; i < 10_000; i++) {
			Object[] arguments = { values[(i < 200) ? 0 : i % 2] };
			assertThat(names.evaluate(new LockedCallStub(arguments))).isEqualTo(A_NAME);
		}
		assertThat(loading.getTotalLoadedClassCount() - before).isLessThan(60);
	}

	@Test
	void aParameterIsNeverTheRootObject() throws Exception {
		Method method = LockNameExpressionsTests.class.getDeclaredMethod("rooted", Object.class);
		LockExpressionParser.Scope scope = new LockExpressionParser(new DefaultListableBeanFactory())
			.scopeOf(new AnnotatedMethod(method, LockNameExpressionsTests.class), method);
		LockNameExpressions names = LockNameExpressions.of(List.of("'order:' + #root.method.name"), scope,
				(mistake) -> {
					throw mistake;
				});
		assertThat(names.evaluate(new LockedCallStub("an argument"))).containsExactly("order:rooted");
	}

	@SuppressWarnings("unused")
	private static void rooted(Object root) {
	}

	@ParameterizedTest
	@MethodSource("formsAndValuesThatAreNoPartOfAName")
	void everyPartOfANameIsChecked(String form, @Nullable Object value, String reason) {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> call(form, value))
			.withMessageContaining("LockNameExpressionsTests$Forms." + form + "(Object)")
			.withMessageContaining("#")
			.withMessageContaining(reason);
		assertThat(this.fixture.locks.log).isEmpty();
	}

	static Stream<Arguments> formsAndValuesThatAreNoPartOfAName() {
		Map<Object, String> values = new LinkedHashMap<>();
		values.put(Optional.empty(), "gave null");
		values.put(OptionalLong.empty(), "gave null");
		values.put(List.of(), "collection");
		values.put(List.of("a"), "collection");
		values.put(new int[] { 1, 2 }, "collection");
		values.put(Map.of("id", 1), "map");
		values.put("", "blank");
		values.put(new Object(), "toString()");
		values.put(new Key(new byte[] { 1 }, 1), "toString()");
		values.put(new Key(new String[][] { { "a" } }, 1), "toString()");
		values.put(new Key(new Forms(), 1), "toString()");
		values.put(new CompletableFuture<>(), "toString()");
		return Stream.of("chain", "chainOnTheRight", "template", "alternative", "method", "chainInATemplate", "list")
			.flatMap((form) -> Stream.concat(Stream.of(Arguments.of(form, null, "gave null")),
					values.entrySet().stream().map((entry) -> Arguments.of(form, entry.getKey(), entry.getValue()))));
	}

	@ParameterizedTest
	@MethodSource("valuesWithTheirText")
	void aValueHasOneTextHoweverTheNameIsWritten(Object value, String text) {
		TimeZone zone = TimeZone.getDefault();
		Locale locale = Locale.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
			Locale.setDefault(Locale.forLanguageTag("ar"));
			for (String form : List.of("chain", "chainOnTheRight", "template", "alternative", "list")) {
				call(form, value);
				assertThat(acquired()).as(form).isEqualTo("x:" + text);
				this.fixture.locks.takeLog();
			}
			this.orders.any(value);
			assertThat(acquired()).isEqualTo(text);
		}
		finally {
			TimeZone.setDefault(zone);
			Locale.setDefault(locale);
		}
	}

	static Stream<Arguments> valuesWithTheirText() {
		Calendar calendar = Calendar.getInstance(TimeZone.getTimeZone("Europe/Rome"));
		calendar.setTimeInMillis(7);
		return Stream.of(Arguments.of("4711", "4711"), Arguments.of(4711L, "4711"), Arguments.of(Colour.RED, "RED"),
				Arguments.of(Colour.GREEN, "GREEN"), Arguments.of(Optional.of(Colour.RED), "RED"),
				Arguments.of(OptionalLong.of(5), "5"), Arguments.of(new Date(7), "1970-01-01T00:00:00.007Z"),
				Arguments.of(new Timestamp(7), "1970-01-01T00:00:00.007Z"),
				Arguments.of(calendar, "1970-01-01T00:00:00.007Z"),
				Arguments.of(java.sql.Date.valueOf("2026-11-20"), "2026-11-20"),
				Arguments.of(new Key("ann@beef.de", 1), "Key[id=ann@beef.de, part=1]"),
				Arguments.of("[B@1f2e3d java.lang.Object@1f2e3d", "[B@1f2e3d java.lang.Object@1f2e3d"));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void invalidNameIsRefused(String what, Consumer<Orders> call, List<String> message) {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> call.accept(this.orders))
			.satisfies((ex) -> assertThat(ex).hasMessageContainingAll(message.toArray(String[]::new)));
		assertThat(this.fixture.locks.log).isEmpty();
		assertThat(this.orders.runs()).isZero();
	}

	static Stream<Arguments> invalidNameIsRefused() {
		return Stream.of(
				refused("null", (orders) -> orders.any(null), "\"#value\"",
						"LockNameExpressionsTests$Orders.any(Object)", "null"),
				refused("a blank", (orders) -> orders.any(" \t"), "blank"),
				refused("an empty collection", (orders) -> orders.any(Set.of()), "empty collection"),
				refused("an empty array", (orders) -> orders.any(new int[0]), "empty collection"),
				refused("null in a collection", (orders) -> orders.any(Arrays.asList("a", null)), "null"),
				refused("null in a projection", (orders) -> orders.projection(Arrays.asList(1, null)),
						"gave null for #this"),
				refused("null in a template", (orders) -> orders.template(null, 1), "order:#{#id}:#{#number}"),
				refused("an object without a text", (orders) -> orders.any(new Object()), "toString()"));
	}

	private static Arguments refused(String what, Consumer<Orders> call, String... message) {
		return Arguments.of(what, call, List.of(message));
	}

	@Test
	void failingExpressionIsReportedWithItsCause() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.nested(null))
			.withMessageContaining("#order.customer().tags[1]")
			.withMessageContaining("Orders.nested")
			.withCauseInstanceOf(EvaluationException.class);
		assertThat(this.orders.runs()).isZero();
	}

	private void call(String form, @Nullable Object value) {
		switch (form) {
			case "chain" -> this.forms.chain(value);
			case "chainOnTheRight" -> this.forms.chainOnTheRight(value);
			case "template" -> this.forms.template(value);
			case "chainInATemplate" -> this.forms.chainInATemplate(value);
			case "alternative" -> this.forms.alternative(value);
			case "list" -> this.forms.list(value);
			case "method" -> this.forms.method(value);
			default -> throw new IllegalArgumentException(form);
		}
	}

	private String acquired() {
		assertThat(this.fixture.locks.log).hasSize(2);
		assertThat(this.fixture.locks.log.get(1)).startsWith("release ");
		return this.fixture.locks.log.get(0).substring("acquire ".length());
	}

	/**
	 * A call that only has arguments.
	 */
	private record LockedCallStub(@Nullable Object... arguments) implements LockedCall {

		@Override
		public @Nullable Object target() {
			return null;
		}

		@Override
		public @Nullable Object proceed(@Nullable Object[] arguments) {
			throw new UnsupportedOperationException();
		}

	}

	public record Key(Object id, int part) {
	}

	public enum Colour {

		RED, GREEN {

			@Override
			int number() {
				return 2;
			}

		};

		int number() {
			return 1;
		}

		@Override
		public String toString() {
			return "rosso";
		}

	}

	/**
	 * The same name, written in different ways.
	 */
	static class Forms {

		@DistributedLock("'x:' + #value")
		void chain(@Nullable Object value) {
		}

		@DistributedLock("'x' + (':' + #value)")
		void chainOnTheRight(@Nullable Object value) {
		}

		@DistributedLock("x:#{#value}")
		void template(@Nullable Object value) {
		}

		@DistributedLock("x#{':' + #value}")
		void chainInATemplate(@Nullable Object value) {
		}

		@DistributedLock("#root.args.length > 0 ? 'x:' + #value : 'none'")
		void alternative(@Nullable Object value) {
		}

		@DistributedLock("{'x:' + #value}")
		void list(@Nullable Object value) {
		}

		@DistributedLock("('x:' + #value).toLowerCase()")
		void method(@Nullable Object value) {
		}

		@DistributedLock("'order:' + #value.id")
		void property(Object value) {
		}

		@DistributedLock("#a + #b + ':page:' + #a + #b + ':' + (#a + #b)")
		void numbers(int a, int b) {
		}

		@DistributedLock("#id + ' ' + ' ' + (#dry ? 'dry' : '') + ' '")
		void written(String id, boolean dry) {
		}

		@DistributedLock("@'my.tenants'.current()")
		void quotedBean() {
		}

		@DistributedLock("targetClass.simpleName + ':' + args[0]")
		void rootProperty(String id) {
		}

	}

	public record Order(String id, Customer customer) {
	}

	public record Customer(List<String> tags) {
	}

	public static class Tenants {

		public String current() {
			return "acme";
		}

	}

	static class Orders {

		private int runs;

		public String prefix = "root";

		int runs() {
			return this.runs;
		}

		@DistributedLock("nightly report: user@host #1 LIST(a)")
		void literal() {
		}

		@DistributedLock
		void unnamed() {
		}

		@DistributedLock(name = "'pay:' + #userId + ':' + #orderId")
		void parameters(long userId, String orderId) {
		}

		@DistributedLock("#p0 + '/' + #a1")
		void positions(long userId, String orderId) {
		}

		@DistributedLock("#order.customer().tags[1]")
		void nested(@Nullable Order order) {
		}

		@DistributedLock("@tenants.current() + '/' + #id")
		void bean(String id) {
		}

		@DistributedLock("T(java.lang.Math).abs(#number)")
		void type(int number) {
		}

		@DistributedLock("#root.target.prefix + ':' + #root.args[0]")
		void root(String id) {
		}

		@DistributedLock("order:#{#id}:#{#number}")
		void template(@Nullable String id, int number) {
		}

		@DistributedLock("${region}:#{#id}:${missing:none}")
		void placeholder(String id) {
		}

		@DistributedLock({ "stock", "'order:' + #id" })
		void several(String id) {
		}

		@DistributedLock("#ids")
		void collection(List<String> ids) {
		}

		@DistributedLock("#ids")
		void array(long... ids) {
		}

		@DistributedLock("#ids.!['stock:' + #this]")
		void projection(List<Integer> ids) {
		}

		@DistributedLock("#ids?.!['stock:' + #this]")
		void projectionOfOptional(Optional<List<Integer>> ids) {
		}

		@DistributedLock("order:#{#order?.id}:#{#names?.get('id')}")
		void pathIntoOptional(Optional<Order> order, Optional<Map<String, String>> names) {
		}

		@DistributedLock("stock:#{#value}")
		void part(Object value) {
		}

		@DistributedLock("#value")
		void any(@Nullable Object value) {
			this.runs++;
		}

	}

}
