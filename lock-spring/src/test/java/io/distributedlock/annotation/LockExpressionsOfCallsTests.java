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
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.InvalidLockNameException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for expressions at the call: what fails is said in sentences, and what a report
 * says to write works.
 */
class LockExpressionsOfCallsTests {

	private final LockFixture fixture = new LockFixture();

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	static Stream<Arguments> failingCalls() {
		return Stream.of(call((bean) -> bean.name(null),
				"'id' is read from null. Call the method with a value, or let the expression handle null, as in #order?.id ?: 'none'."),
				call((bean) -> bean.method(null), "length() is called on null. Call the method with a value"),
				call((bean) -> bean.index(), "There is no element [0] among 0. Call the method with more elements"),
				call((bean) -> bean.index((String[]) null),
						"An element is read from null. Call the method with a value"),
				call((bean) -> bean.any("text"),
						"There is no readable property 'id' in an object of type java.lang.String. Use a property that every argument has."),
				call((bean) -> bean.anyMethod("text"),
						"There is no method name() in an object of type java.lang.String. Use a method that every argument has."),
				call((bean) -> bean.permits(null), "'id' is read from null."),
				call(Work::permitsOfRoot, "There is no readable property 'three' in #root, which has method, target"),
				call(Work::permitsOfBean, "There is no bean 'limits', or it cannot be created. Define the bean"),
				call((bean) -> bean.condition(null), "'id' is read from null."));
	}

	private static Arguments call(Consumer<Work> call, String problem) {
		return Arguments.of(call, problem);
	}

	@ParameterizedTest
	@MethodSource("failingCalls")
	void failureIsSaidInSentencesWithoutTheCodesOfSpel(Consumer<Work> call, String problem) {
		Work work = this.fixture.start(Work.class);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> call.accept(work))
			.satisfies((ex) -> assertThat(ex).isInstanceOfAny(InvalidLockNameException.class,
					InvalidLockDefinitionException.class))
			.withMessageContaining("cannot be evaluated. " + problem)
			.withMessageNotContaining("..")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContainPattern("EL\\d+E")
				.doesNotContain("LockExpressionRoot"));
		assertThat(this.fixture.locks.takeLog()).isEmpty();
	}

	@Test
	void nullHandledAsAdvisedByTheReportGivesAName() {
		this.fixture.start(Work.class).handled(null);
		assertThat(this.fixture.locks.takeLog()).contains("acquire order:none");
	}

	@Test
	void comparisonsAdvisedByReportsMatchTheIntendedValues() {
		Fixed fixed = this.fixture.start(Fixed.class);
		Map.<String, Runnable>of("boolean", () -> fixed.yesOrNo(true), "enum", () -> fixed.constant(Kind.NEW), "number",
				() -> fixed.number(1), "text", () -> fixed.text("1"), "character", () -> fixed.letter('x'), "id",
				() -> fixed.id(new UUID(0, 1)), "argument", () -> fixed.argument(1, "1"))
			.forEach((name, call) -> {
				call.run();
				assertThat(this.fixture.locks.takeLog()).as(name).contains("acquire " + name);
			});
		fixed.yesOrNo(false);
		fixed.constant(Kind.OLD);
		fixed.constant(null);
		fixed.id(null);
		fixed.argument(null, "1");
		assertThat(this.fixture.locks.takeLog()).isEmpty();
	}

	enum Kind {

		NEW {

			@Override
			public String toString() {
				return "constant with a body";
			}

		},

		OLD

	}

	record Order(@Nullable String id) {
	}

	static class Work {

		@DistributedLock("'order:' + #order.id")
		public void name(@Nullable Order order) {
		}

		@DistributedLock("'order:' + (#order?.id ?: 'none')")
		public void handled(@Nullable Order order) {
		}

		@DistributedLock("'text:' + #text.length()")
		public void method(@Nullable String text) {
		}

		@DistributedLock("'id:' + #ids[0]")
		public void index(String... ids) {
		}

		@DistributedLock("'any:' + #any.id")
		public void any(Object any) {
		}

		@DistributedLock("'any:' + #any.name()")
		public void anyMethod(Object any) {
		}

		@DistributedLock(name = "permits", permitsString = "#order.id")
		public void permits(@Nullable Order order) {
		}

		@DistributedLock(name = "permits", permitsString = "three")
		public void permitsOfRoot() {
		}

		@DistributedLock(name = "permits", permitsString = "@limits.n")
		public void permitsOfBean() {
		}

		@DistributedLock(name = "condition", condition = "#order.id == '1'")
		public void condition(@Nullable Order order) {
		}

	}

	static class Fixed {

		@DistributedLock(name = "boolean", condition = "#on == true")
		public void yesOrNo(boolean on) {
		}

		@DistributedLock(name = "enum", condition = "#kind?.name() == 'NEW'")
		public void constant(@Nullable Kind kind) {
		}

		@DistributedLock(name = "number", condition = "#n == 1")
		public void number(long n) {
		}

		@DistributedLock(name = "text", condition = "#text == '1'")
		public void text(String text) {
		}

		@DistributedLock(name = "character", condition = "#letter.toString() == 'x'")
		public void letter(char letter) {
		}

		@DistributedLock(name = "id", condition = "#id?.toString() == '00000000-0000-0000-0000-000000000001'")
		public void id(@Nullable UUID id) {
		}

		@DistributedLock(name = "argument", condition = "#n?.toString() == #text")
		public void argument(@Nullable Integer n, String text) {
		}

	}

}
