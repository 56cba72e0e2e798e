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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for where annotations are found.
 */
class LockAnnotationsTests {

	private final LockFixture fixture = new LockFixture();

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	<T> void annotationIsFoundInThisOrder(String where, Class<T> bean, Consumer<T> call, @Nullable String name) {
		call.accept(this.fixture.start(bean));
		assertThat(this.fixture.locks.log)
			.isEqualTo((name != null) ? List.of("acquire " + name, "release " + name) : List.of());
	}

	static Stream<Arguments> annotationIsFoundInThisOrder() {
		return Stream.of(found("of the method", Plain.class, Plain::locked, "plain"),
				found("of no method", Plain.class, Plain::unlocked, null),
				found("of the method, before the class", OnClassAndMethod.class, OnClassAndMethod::method, "method"),
				found("of the class", OnClassAndMethod.class, OnClassAndMethod::other, "class"),
				found("of the class, but not for the methods of Object", OnClassAndMethod.class,
						(bean) -> assertThat(bean).hasToString("locked bean"), null),
				found("of the superclass", Inheriting.class, Inheriting::inherited, "class"),
				found("of the overridden method", Inheriting.class, Inheriting::method, "method"),
				found("of the method of the interface", Implementation.class, (bean) -> bean.annotated("A-1"),
						"contract:A-1"),
				found("of the interface", Implementation.class, Implementation::plain, "interface"),
				found("of the interface, only for its methods", Implementation.class, Implementation::notOfTheContract,
						null),
				found("of the implementation, before the interface", Implementation.class, Implementation::overridden,
						"implementation"),
				found("of a generic method, through the bridge", OfText.class,
						(bean) -> ((Generic<String>) bean).handle("x"), "text:x"),
				found("of an annotation", Meta.class, Meta::run, "meta"));
	}

	private static <T> Arguments found(String where, Class<T> bean, Consumer<T> call, @Nullable String name) {
		return Arguments.of(where, bean, call, name);
	}

	@Test
	void beanWithoutAnnotationIsNotProxied() {
		assertThat(AopUtils.isAopProxy(this.fixture.start(Unannotated.class))).isFalse();
	}

	@Test
	void annotationIsFoundThroughAProxyOfTheInterface() {
		this.fixture.interfaceProxies().bean("contract", Contract.class, Implementation::new);
		this.fixture.context.refresh();
		Contract bean = this.fixture.context.getBean(Contract.class);
		assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
		bean.annotated("A-1");
		bean.overridden();
		assertThat(this.fixture.locks.log).containsExactly("acquire contract:A-1", "release contract:A-1",
				"acquire implementation", "release implementation");
	}

	@Test
	void generatedClassesOfLambdasAndProxiesAreNeverPartOfTheName() {
		this.fixture.interfaceProxies().bean("lambda", Step.class, () -> () -> {
		});
		this.fixture.bean("proxy", Step.class,
				() -> (Step) Proxy.newProxyInstance(Step.class.getClassLoader(), new Class<?>[] { Step.class },
						(proxy, method, arguments) -> (method.getReturnType() == int.class) ? 0 : null));
		this.fixture.context.refresh();
		this.fixture.context.getBeansOfType(Step.class).values().forEach(Step::run);
		assertThat(this.fixture.locks.log).hasSize(4)
			.containsOnly("acquire " + Step.class.getName() + ".run", "release " + Step.class.getName() + ".run");
		assertThat(this.fixture.locks.options().declaredName()).isEqualTo("Step.run");
	}

	@ParameterizedTest
	@ValueSource(strings = { "blocking", "future", "mono", "flux", "contained" })
	void repeatedAnnotationsNestInTheOrderOfTheirNames(String method) {
		Repeated bean = this.fixture.start(Repeated.class);
		for (List<String> arguments : List.of(List.of("a", "b"), List.of("b", "a"))) {
			bean.call(method, arguments.get(0), arguments.get(1));
			assertThat(this.fixture.locks.takeLog()).containsExactly("acquire a", "acquire b", "release b",
					"release a");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "blocking", "future", "mono", "flux", "contained" })
	void outerLockIsReleasedWhenTheInnerOneIsBusy(String method) {
		Repeated bean = this.fixture.start(Repeated.class);
		this.fixture.locks.busy.add("b");
		assertThatThrownBy(() -> bean.call(method, "b", "a")).satisfiesAnyOf(
				(failure) -> assertThat(failure).isInstanceOf(LockNotAcquiredException.class),
				(failure) -> assertThat(failure).hasCauseInstanceOf(LockNotAcquiredException.class));
		assertThat(this.fixture.locks.log).containsExactly("acquire a", "busy b", "waive a", "release a");
	}

	@Test
	void eachOfRepeatedAnnotationsHasItsOwnOptionsAndIsEvaluatedOnce() {
		AtomicInteger evaluations = new AtomicInteger();
		this.fixture.bean("evaluations", AtomicInteger.class, () -> evaluations);
		Repeated bean = this.fixture.start(Repeated.class);
		bean.counted();
		assertThat(evaluations).hasValue(2);
		assertThat(this.fixture.locks.optionsByName.get("z:1").lease()).hasSeconds(1);
		assertThat(this.fixture.locks.optionsByName.get("a:2").lease()).hasSeconds(2);
		assertThat(this.fixture.locks.log).startsWith("acquire a:2", "acquire z:1");
	}

	@Test
	void failedEvaluationOfALaterNameReleasesTheEarlierLocks() {
		Repeated bean = this.fixture.start(Repeated.class);
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> bean.blocking("a", null));
		assertThat(bean.future("a", null)).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(InvalidLockNameException.class);
		assertThat(this.fixture.locks.takeLog()).doesNotContain("acquire b").endsWith("release a");
	}

	static class Plain {

		void unlocked() {
		}

		@DistributedLock("plain")
		void locked() {
		}

	}

	static class Unannotated {

		void run() {
		}

	}

	@DistributedLock("class")
	static class OnClassAndMethod {

		@DistributedLock("method")
		void method() {
		}

		void other() {
		}

		void inherited() {
		}

		@Override
		public String toString() {
			return "locked bean";
		}

	}

	static class Inheriting extends OnClassAndMethod {

		@Override
		void method() {
			super.method();
		}

	}

	@DistributedLock("interface")
	interface Contract {

		@DistributedLock("'contract:' + #p0")
		void annotated(String id);

		void plain();

		void overridden();

	}

	interface Step {

		@DistributedLock
		void run();

	}

	static class Implementation implements Contract {

		@Override
		public void annotated(String id) {
		}

		@Override
		public void plain() {
		}

		@Override
		@DistributedLock("implementation")
		public void overridden() {
		}

		public void notOfTheContract() {
		}

	}

	interface Generic<T> {

		void handle(T value);

	}

	static class OfText implements Generic<String> {

		@Override
		@DistributedLock("'text:' + #text")
		public void handle(String text) {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("meta")
	@interface Exclusive {

	}

	static class Meta {

		@Exclusive
		void run() {
		}

	}

	static class Repeated {

		@DistributedLock("#from")
		@DistributedLock("#to")
		void blocking(String from, @Nullable String to) {
		}

		@DistributedLock("#from")
		@DistributedLock("#to")
		CompletableFuture<String> future(String from, @Nullable String to) {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("#from")
		@DistributedLock("#to")
		Mono<String> mono(String from, String to) {
			return Mono.just("done");
		}

		@DistributedLock("#from")
		@DistributedLock("#to")
		Flux<String> flux(String from, String to) {
			return Flux.just("done", "and done");
		}

		@DistributedLocks({ @DistributedLock("#from"), @DistributedLock("#to") })
		void contained(String from, String to) {
		}

		@DistributedLock(name = "'z:' + @evaluations.incrementAndGet()", timeout = 1)
		@DistributedLock(name = "'a:' + @evaluations.incrementAndGet()", timeout = 2)
		void counted() {
		}

		/** Not locked: calls the others through the proxy. */
		private void call(String method, String from, String to) {
			switch (method) {
				case "blocking" -> blocking(from, to);
				case "future" -> future(from, to).join();
				case "mono" -> mono(from, to).block();
				case "flux" -> flux(from, to).blockLast();
				default -> contained(from, to);
			}
		}

	}

}
