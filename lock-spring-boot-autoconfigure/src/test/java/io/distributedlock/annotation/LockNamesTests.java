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

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import io.distributedlock.InvalidLockNameException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.expression.EvaluationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the names of annotated methods.
 */
class LockNamesTests {

	private final LockFixture fixture = new LockFixture();

	private Orders orders;

	@BeforeEach
	void start() {
		this.orders = this.fixture.property("region", "eu")
			.property("hostile", "T(java.lang.Runtime)")
			.bean("tenants", Tenants.class, Tenants::new)
			.start(Orders.class);
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

	@Test
	void nullIsRefusedWithExpressionAndMethod() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.orders.any(null))
			.withMessageContaining("\"#value\"")
			.withMessageContaining("LockNamesTests$Orders.any(Object)")
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
	void collectionInATemplateIsRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.orders.templateOfAny(List.of(1, 2)))
			.withMessageContaining("projection");
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

	private String acquired() {
		assertThat(this.fixture.locks.log).hasSize(2);
		assertThat(this.fixture.locks.log.get(1)).startsWith("release ");
		return this.fixture.locks.log.get(0).substring("acquire ".length());
	}

	private void assertNothingRan() {
		assertThat(this.fixture.locks.log).isEmpty();
		assertThat(this.orders.runs()).isZero();
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

		@DistributedLock("list:#{#value}")
		void templateOfAny(Object value) {
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
