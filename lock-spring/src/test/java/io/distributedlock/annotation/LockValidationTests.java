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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.bytecode.SelfInvocationFinder;
import io.distributedlock.annotation.internal.validation.LockValidator;
import io.distributedlock.annotation.internal.validation.LockWarnings;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockValidator} and {@link SelfInvocationFinder}.
 */
class LockValidationTests {

	@Test
	void reportsAllMistakesOfAllBeansTogether() {
		assertThatExceptionOfType(LockValidationException.class)
			.isThrownBy(() -> start(LockValidation.FAIL, Typo.class, PrivateMethod.class, StaticMethod.class,
					FinalMethod.class, FinalClass.class, PrimitiveSkip.class, MissingFallback.class, SelfCall.class))
			.satisfies((ex) -> assertThat(ex.getFindings()).extracting(LockFinding::location)
				.extracting((location) -> location.substring(location.indexOf('$') + 1))
				.containsExactlyInAnyOrder("Typo.pay(String)", "PrivateMethod.pay()", "StaticMethod.pay()",
						"FinalMethod.pay()", "FinalClass.pay()", "PrimitiveSkip.pay()", "MissingFallback.pay()",
						"SelfCall.checkout()", "SelfCall.later", "SelfCall.reference()"));
	}

	@Test
	void theReportSurvivesSerialization() throws Exception {
		LockValidationException report = new LockValidationException(
				List.of(new LockFinding(LockFinding.Severity.ERROR, "Orders.pay()", "It is private.", "Change that.")));
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(report);
		}
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
			assertThat(((LockValidationException) in.readObject()).getFindings()).isEqualTo(report.getFindings());
		}
	}

	@Test
	void whatCanWorkIsNotReported() {
		try (GenericApplicationContext context = start(LockValidation.FAIL, Good.class)) {
			assertThat(context.getBean(Good.class)).isNotNull();
		}
	}

	@Test
	void aSmellAloneDoesNotFail() {
		try (GenericApplicationContext context = start(LockValidation.FAIL, SelfCall.class)) {
			assertThat(context.getBean(SelfCall.class)).isNotNull();
		}
	}

	@Test
	void whatMayNotBeMeantIsAWarning() {
		assertThat(smells(Smelling.class)).hasSize(6)
			.anyMatch((smell) -> smell.contains("anything()") && smell.contains("declared to return Object"))
			.anyMatch((smell) -> smell.contains("generic()") && smell.contains("declared to return Object"))
			.anyMatch((smell) -> smell.contains("stream()") && smell.contains("of type Stream"))
			.anyMatch((smell) -> smell.contains("supplier()") && smell.contains("of type Supplier"))
			.anyMatch((smell) -> smell.contains("iterator()") && smell.contains("of type Iterator"))
			.anyMatch((smell) -> smell.contains("notRenewed()") && smell.contains("autoRenew = true"));
		assertThat(smells(Resolved.class)).isEmpty();
	}

	@Test
	void typeVariablesAreResolvedByTheClassOfTheBean() {
		LockFixture fixture = new LockFixture();
		try (fixture) {
			Mono<String> mono = fixture.start(Resolved.class).generic();
			assertThat(fixture.locks.takeLog()).isEmpty();
			assertThat(mono.block()).isEqualTo("done");
		}
	}

	private static List<String> smells(Class<?> type) {
		try (GenericApplicationContext context = start(LockValidation.FAIL, type)) {
			LockedMethodSource source = new LockedMethodSource(
					() -> new LockedMethodFactory(context.getDefaultListableBeanFactory(), RecordingLockService::new,
							context.getBeanProvider(LockOptionsCustomizer.class)));
			return java.util.Arrays.stream(org.springframework.util.ReflectionUtils.getUniqueDeclaredMethods(type))
				.map((method) -> source.find(method, type))
				.filter(java.util.Objects::nonNull)
				.flatMap((method) -> LockWarnings.of(method).stream())
				.map(LockFinding::toString)
				.toList();
		}
	}

	@Test
	void fencedMethodIsRefusedWhereBeansCannotBeListed() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		ConfigurableBeanFactory unlisted = (ConfigurableBeanFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { ConfigurableBeanFactory.class },
				(proxy, method, arguments) -> method.invoke(beans, arguments));
		LockedMethodSource source = new LockedMethodSource(() -> new LockedMethodFactory(unlisted,
				RecordingLockService::new, beans.getBeanProvider(LockOptionsCustomizer.class)));
		assertThatExceptionOfType(InvalidLockDefinitionException.class)
			.isThrownBy(() -> source.find(Fenced.class.getMethod("run"), Fenced.class))
			.withMessageContaining("The bean factory does not list its beans");
	}

	static class Fenced {

		@DistributedLock(fenced = true)
		public void run() {
		}

	}

	@Test
	@DisplayName("With warnings only, a method that cannot be understood throws and never runs without its lock")
	void methodThatCannotBeUnderstoodNeverRunsWithoutItsLock() {
		try (GenericApplicationContext context = start(LockValidation.WARN, Typo.class)) {
			assertThatExceptionOfType(InvalidLockDefinitionException.class)
				.isThrownBy(() -> context.getBean(Typo.class).pay("4711"));
		}
	}

	@Test
	void findsCallsOnThisOnly() {
		assertThat(callers(SelfCall.class)).containsExactlyInAnyOrder("checkout()", "later", "reference()");
		assertThat(callers(Good.class)).isEmpty();
		assertThat(callers(Inheriting.class)).containsExactlyInAnyOrder("checkout()", "later", "reference()",
				"inherited()");
		assertThat(callers(Shapes.class)).containsExactlyInAnyOrder("ternaryArgument(boolean)", "afterLoop(long[])",
				"inTry(LockValidationTests.Shapes)", "longArgument(long, int, double)", "inSwitch(int)");
	}

	@Test
	void whatTheCompilerAddsAndCallsOfSuperAreNoSelfInvocations() {
		assertThat(callers(Overriding.class)).containsExactlyInAnyOrder("checkout()", "later", "reference()",
				"again(String)");
		assertThat(callers(Bridged.class)).isEmpty();
	}

	private static List<String> callers(Class<?> type) {
		List<java.lang.reflect.Method> locked = java.util.Arrays
			.stream(org.springframework.util.ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> method.isAnnotationPresent(DistributedLock.class))
			.toList();
		return SelfInvocationFinder.find(type, locked)
			.stream()
			.map((call) -> call.caller().substring(type.getName().length() + 1))
			.toList();
	}

	private static GenericApplicationContext start(LockValidation validation, Class<?>... beans) {
		GenericApplicationContext context = new GenericApplicationContext();
		context.registerBean(LockService.class, RecordingLockService::new);
		LockFixture.applyLocks(context, validation);
		for (Class<?> bean : beans) {
			context.registerBean(bean);
		}
		try {
			context.refresh();
			return context;
		}
		catch (RuntimeException ex) {
			context.close();
			throw ex;
		}
	}

	static class Typo {

		@DistributedLock(name = "'pay:' + #oderId")
		public void pay(String orderId) {
		}

	}

	static class PrivateMethod {

		@DistributedLock(name = "pay")
		private void pay() {
		}

	}

	static class StaticMethod {

		@DistributedLock(name = "pay")
		public static void pay() {
		}

	}

	static class FinalMethod {

		@DistributedLock(name = "pay")
		public final void pay() {
		}

	}

	static final class FinalClass {

		@DistributedLock(name = "pay")
		public void pay() {
		}

	}

	static class PrimitiveSkip {

		@DistributedLock(name = "pay", onContention = OnContention.SKIP)
		public int pay() {
			return 1;
		}

	}

	static class MissingFallback {

		@DistributedLock(name = "pay", fallbackMethod = "busy")
		public void pay() {
		}

	}

	static class SelfCall {

		public void checkout() {
			pay("x");
		}

		public Runnable later() {
			return () -> pay("x");
		}

		public Supplier<Runnable> reference() {
			java.util.function.Consumer<String> pay = this::pay;
			return () -> () -> pay.accept("x");
		}

		@DistributedLock(name = "pay")
		public void pay(String order) {
		}

	}

	static class Inheriting extends SelfCall {

		void inherited() {
			pay("y");
		}

	}

	static class Overriding extends SelfCall {

		@Override
		@DistributedLock(name = "pay")
		public void pay(String order) {
			super.pay(order);
		}

		void again(String order) {
			super.pay(order);
		}

	}

	static class Bridged implements java.util.function.Consumer<String> {

		@Override
		@DistributedLock(name = "accept")
		public void accept(String order) {
		}

	}

	static class Generic<T> {

		@DistributedLock(name = "generic")
		@SuppressWarnings("unchecked")
		public T generic() {
			return (T) Mono.just("done");
		}

	}

	static class Smelling extends Generic<Object> {

		@DistributedLock(name = "anything")
		public Object anything() {
			return "x";
		}

		@DistributedLock(name = "stream")
		public java.util.stream.Stream<String> stream() {
			return java.util.stream.Stream.of("x");
		}

		@DistributedLock(name = "supplier")
		public java.util.function.Supplier<String> supplier() {
			return () -> "x";
		}

		@DistributedLock(name = "iterator")
		public java.util.Iterator<String> iterator() {
			return java.util.List.of("x").iterator();
		}

		@DistributedLock(name = "notRenewed", maxHold = 60)
		public void notRenewed() {
		}

	}

	static class Resolved extends Generic<Mono<String>> {

		@DistributedLock(name = "renewed", maxHold = 60, autoRenew = true)
		public void renewed() {
		}

	}

	static class Good {

		private Good self;

		public void checkout(Good other) {
			this.self.pay(1, "x");
			other.pay(2L, (this.self != null) ? "a" : "b");
			unlocked(this.self.hashCode(), this);
			Good local = this.self;
			for (int i = 0; i < 3; i++) {
				local.pay(i, "z");
			}
		}

		private void unlocked(int number, Good good) {
			good.pay(number, "y");
		}

		@DistributedLock(name = "pay")
		public void pay(long number, String order) {
		}

	}

	static class Shapes {

		private double value;

		void ternaryArgument(boolean flag) {
			pay(flag ? 1L : 2L, "x");
		}

		void afterLoop(long[] values) {
			for (long each : values) {
				this.value += each * 2.0 % 3;
			}
			pay((long) this.value, String.valueOf(this.value));
		}

		void inTry(Shapes other) {
			try {
				other.pay(1, "a");
			}
			finally {
				pay(1, "b");
			}
		}

		void longArgument(long a, int b, double c) {
			pay((a + b) << 2, "c" + c);
		}

		void inSwitch(int i) {
			switch (i) {
				case 1 -> this.value++;
				case 2 -> pay(i, new String[] { "a", "b" }[i]);
				default -> this.value = -i;
			}
		}

		@DistributedLock(name = "pay")
		void pay(long number, String order) {
		}

	}

}
