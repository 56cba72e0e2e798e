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
import java.util.stream.Stream;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
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

	@Test
	void literalIsTheName() {
		this.orders.literal();
		assertThat(acquired()).isEqualTo("nightly report: user@host #1 LIST(a)");
	}

	@Test
	void methodIsTheNameWhereNoneIsGiven() {
		this.orders.unnamed();
		assertThat(acquired()).isEqualTo(Orders.class.getName() + ".unnamed");
	}

	@Test
	void expressionSeesParametersByName() {
		this.orders.parameters(7, "A-1");
		assertThat(acquired()).isEqualTo("pay:7:A-1");
	}

	@Test
	void expressionSeesParametersByPosition() {
		this.orders.positions(7, "A-1");
		assertThat(acquired()).isEqualTo("7/A-1");
	}

	@Test
	void expressionSeesNestedProperties() {
		this.orders.nested(new Order("A-1", new Customer(List.of("first", "second"))));
		assertThat(acquired()).isEqualTo("second");
	}

	@Test
	void expressionCallsBeans() {
		this.orders.bean("A-1");
		assertThat(acquired()).isEqualTo("acme/A-1");
	}

	@Test
	void expressionSeesTypes() {
		this.orders.type(-5);
		assertThat(acquired()).isEqualTo("5");
	}

	@Test
	void expressionSeesTheRoot() {
		this.orders.root("x");
		assertThat(acquired()).isEqualTo("root:x");
	}

	@Test
	void templateIsFilled() {
		this.orders.template("A-1", 7);
		assertThat(acquired()).isEqualTo("order:A-1:7");
	}

	@Test
	void placeholdersAreResolvedBeforeAnythingElse() {
		this.orders.placeholder("A-1");
		assertThat(acquired()).isEqualTo("eu:A-1:none");
	}

	@Test
	void severalNamesAreTakenTogether() {
		this.orders.several("A-1");
		assertThat(acquired()).isEqualTo("stock, order:A-1");
	}

	@Test
	void elementsOfACollectionAreTakenTogether() {
		this.orders.collection(List.of("a", "b"));
		assertThat(acquired()).isEqualTo("a, b");
	}

	@Test
	void elementsOfArraysAreTakenTogether() {
		this.orders.array(1L, 2L);
		assertThat(acquired()).isEqualTo("1, 2");
	}

	@Test
	void elementsOfAProjectionAreTakenTogether() {
		this.orders.projection(List.of(1, 2));
		assertThat(acquired()).isEqualTo("stock:1, stock:2");
	}

	@Test
	void optionalIsUnwrapped() {
		UUID id = UUID.randomUUID();
		this.orders.any(Optional.of(id));
		assertThat(acquired()).isEqualTo(id.toString());
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
		LockNameExpressions names = LockNameExpressions.of(List.of(name), scope);
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
		LockNameExpressions names = LockNameExpressions.of(List.of("'order:' + #root.method.name"), scope);
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

	@Test
	void everyElementOfAProjectionIsChecked() {
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.orders.projection(Arrays.asList(1, null)))
			.withMessageContaining("gave null for #this");
		assertNothingRan();
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

	@Test
	void numbersAreAddedUntilThereIsAText() {
		this.forms.numbers(1, 2);
		assertThat(acquired()).isEqualTo("3:page:12:3");
	}

	@Test
	void whatIsWrittenMayBeBlank() {
		this.forms.written("a", false);
		assertThat(acquired()).isEqualTo("a   ");
		this.fixture.locks.takeLog();
		this.forms.written("a", true);
		assertThat(acquired()).isEqualTo("a  dry ");
	}

	@Test
	void quotedBeansAndPropertiesOfTheRootAreExpressions() {
		this.forms.quotedBean();
		assertThat(acquired()).isEqualTo("acme");
		this.fixture.locks.takeLog();
		this.forms.rootProperty("x");
		assertThat(acquired()).isEqualTo("Forms:x");
	}

	@Test
	void nullIsRefusedWithExpressionAndMethod() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.any(null))
			.withMessageContaining("\"#value\"")
			.withMessageContaining("LockNameExpressionsTests$Orders.any(Object)")
			.withMessageContaining("null");
		assertNothingRan();
	}

	@Test
	void blankIsRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.any(" \t"))
			.withMessageContaining("blank");
		assertNothingRan();
	}

	@Test
	void emptyCollectionIsRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.any(Set.of()))
			.withMessageContaining("empty collection");
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.any(new int[0]))
			.withMessageContaining("empty collection");
		assertNothingRan();
	}

	@Test
	void nullElementIsRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.orders.any(Arrays.asList("a", null)))
			.withMessageContaining("null");
		assertNothingRan();
	}

	@Test
	void nullInATemplateIsRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.template(null, 1))
			.withMessageContaining("order:#{#id}:#{#number}");
		assertNothingRan();
	}

	@Test
	void objectWithoutTextOfItsOwnIsRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.any(new Object()))
			.withMessageContaining("toString()");
		assertNothingRan();
	}

	@Test
	void failingExpressionIsReportedWithItsCause() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.nested(null))
			.withMessageContaining("#order.customer().tags[1]")
			.withMessageContaining("Orders.nested")
			.withCauseInstanceOf(EvaluationException.class);
		assertNothingRan();
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

	private void assertNothingRan() {
		assertThat(this.fixture.locks.log).isEmpty();
		assertThat(this.orders.runs()).isZero();
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

		@DistributedLock("#value")
		void any(@Nullable Object value) {
			this.runs++;
		}

	}

}
