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

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locked methods that implement those of interfaces with type parameters, whose
 * signature is another one. The beans are proxied by their interfaces.
 */
class GenericInterfaceTests {

	private static final Paid PAID = new Paid("1");

	@ParameterizedTest
	@MethodSource
	<T> void methodOfAGenericInterfaceIsLocked(Class<? extends T> bean, Consumer<T> call, String name) {
		RecordingLockService locks = new RecordingLockService();
		try (AnnotationConfigApplicationContext context = start(locks, bean)) {
			@SuppressWarnings("unchecked")
			T proxy = (T) context.getBean("bean");
			assertThat(AopUtils.isJdkDynamicProxy(proxy)).isTrue();
			call.accept(proxy);
			assertThat(locks.log).containsExactly("acquire " + name, "release " + name);
		}
	}

	static Stream<Arguments> methodOfAGenericInterfaceIsLocked() {
		return Stream.of(handled(OnMethod.class, "method:1"), handled(OfInterfaceMethod.class, "handler:1"),
				handled(InheritedFromGenericClass.class, "generic:1"),
				handled(InheritedFromPlainClass.class, "plain:1"), handled(OfNarrowedInterface.class, "narrowed:1"),
				called(OnType.class, (Typed<Paid> bean) -> bean.handle(PAID), "type"),
				called(OfNumber.class, (Bounded<Long> bean) -> bean.handle(7L), "bounded:7"),
				called(OfArray.class, (Many<Paid> bean) -> bean.handle(new Paid[] { PAID }), "array:1"),
				called(OfList.class, (Listed<Paid> bean) -> bean.handle(List.of(PAID)), "list:1"),
				called(OfAnything.class, (Anything bean) -> bean.handle("x"), "anything:x"),
				called(OfNarrowerResult.class, (Function<Paid, Object> bean) -> bean.apply(PAID), "result:1"),
				called(Listener.class, (ApplicationListener<PayloadApplicationEvent<Paid>> bean) -> bean
					.onApplicationEvent(new PayloadApplicationEvent<>("source", PAID)), "heard:1"));
	}

	private static Arguments handled(Class<? extends Handler<Paid>> bean, String name) {
		return called(bean, (Handler<Paid> handler) -> handler.handle(PAID), name);
	}

	private static <T> Arguments called(Class<? extends T> bean, Consumer<T> call, String name) {
		return Arguments.of(bean, call, name);
	}

	@Test
	void methodThatNoInterfaceHasIsRefused() {
		assertThatExceptionOfType(LockValidationException.class)
			.isThrownBy(() -> start(new RecordingLockService(), Overloaded.class).close())
			.satisfies((report) -> assertThat(report.getFindings()).singleElement()
				.asString()
				.contains(
						"Overloaded.handle(String): The bean is proxied by its interfaces, and none of them has this method",
						"@EnableAspectJAutoProxy(proxyTargetClass = true), or with Spring Boot 'spring.aop.proxy-target-class=true'"));
	}

	@Test
	void fallbackMethodMayTakeTheParameterOfAGenericClass() {
		RecordingLockService locks = new RecordingLockService();
		locks.busy.add("busy");
		try (AnnotationConfigApplicationContext context = start(locks, WithFallback.class)) {
			@SuppressWarnings("unchecked")
			Handler<Paid> bean = (Handler<Paid>) context.getBean("bean");
			assertThat(bean.handle(PAID)).isEqualTo("instead of 1");
		}
	}

	private static <T> AnnotationConfigApplicationContext start(RecordingLockService locks, Class<T> bean) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(RecordingLockService.class, () -> locks);
		context.register(DistributedLockConfiguration.class);
		context.registerBean("bean", bean);
		context.refresh();
		return context;
	}

	record Paid(String id) {
	}

	interface Handler<E> {

		String handle(E event);

	}

	static class OnMethod implements Handler<Paid> {

		@Override
		@DistributedLock("'method:' + #paid.id")
		public String handle(Paid paid) {
			return "done";
		}

	}

	interface LockedHandler<E> extends Handler<E> {

		@Override
		@DistributedLock("'handler:' + #event.id")
		String handle(E event);

	}

	static class OfInterfaceMethod implements LockedHandler<Paid> {

		@Override
		public String handle(Paid event) {
			return "done";
		}

	}

	abstract static class GenericHandler<E extends Record> implements Handler<E> {

		@Override
		@DistributedLock("'generic:' + #event.id")
		public String handle(E event) {
			return "done";
		}

	}

	static class InheritedFromGenericClass extends GenericHandler<Paid> {

	}

	static class PlainHandler {

		@DistributedLock("'plain:' + #event.id")
		public String handle(Paid event) {
			return "done";
		}

	}

	static class InheritedFromPlainClass extends PlainHandler implements Handler<Paid> {

	}

	interface PaidHandler extends Handler<Paid> {

		@Override
		String handle(Paid paid);

	}

	static class OfNarrowedInterface implements PaidHandler {

		@Override
		@DistributedLock("'narrowed:' + #paid.id")
		public String handle(Paid paid) {
			return "done";
		}

	}

	@DistributedLock("type")
	interface Typed<E> {

		void handle(E event);

	}

	static class OnType implements Typed<Paid> {

		@Override
		public void handle(Paid event) {
		}

	}

	interface Bounded<E extends Number> {

		void handle(E number);

	}

	static class OfNumber implements Bounded<Long> {

		@Override
		@DistributedLock("'bounded:' + #number")
		public void handle(Long number) {
		}

	}

	interface Many<E> {

		void handle(E[] events);

	}

	static class OfArray implements Many<Paid> {

		@Override
		@DistributedLock("'array:' + #events[0].id")
		public void handle(Paid[] events) {
		}

	}

	interface Listed<E> {

		void handle(List<E> events);

	}

	static class OfList implements Listed<Paid> {

		@Override
		@DistributedLock("'list:' + #events[0].id")
		public void handle(List<Paid> events) {
		}

	}

	interface Anything {

		<T> void handle(T value);

	}

	static class OfAnything implements Anything {

		@Override
		@DistributedLock("'anything:' + #value")
		public <T> void handle(T value) {
		}

	}

	static class OfNarrowerResult implements Function<Paid, Object> {

		@Override
		@DistributedLock("'result:' + #paid.id")
		public String apply(Paid paid) {
			return "done";
		}

	}

	static class Listener implements ApplicationListener<PayloadApplicationEvent<Paid>> {

		@Override
		@DistributedLock("'heard:' + #event.payload.id")
		public void onApplicationEvent(PayloadApplicationEvent<Paid> event) {
		}

	}

	static class Overloaded implements Handler<Paid> {

		@Override
		public String handle(Paid paid) {
			return "done";
		}

		@DistributedLock("'overloaded:' + #text")
		public String handle(String text) {
			return "done";
		}

	}

	abstract static class GenericWithFallback<E> implements Handler<E> {

		@Override
		@DistributedLock(name = "busy", fallbackMethod = "instead")
		public String handle(E event) {
			return "done";
		}

	}

	static class WithFallback extends GenericWithFallback<Paid> {

		String instead(Paid paid) {
			return "instead of " + paid.id();
		}

	}

}
