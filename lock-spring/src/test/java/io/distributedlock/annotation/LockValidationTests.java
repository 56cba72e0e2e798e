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
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.bytecode.SelfInvocationFinder;
import io.distributedlock.annotation.internal.validation.LockValidator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockValidator} and {@link SelfInvocationFinder}.
 */
class LockValidationTests {

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
	@DisplayName("With warnings only, a method that cannot be understood throws and never runs without its lock")
	void methodThatCannotBeUnderstoodNeverRunsWithoutItsLock() {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(LockService.class, RecordingLockService::new);
			LockFixture.applyLocks(context, LockValidation.WARN);
			context.registerBean(Typo.class);
			context.refresh();
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
	void syntheticMethodsAndSuperCallsAreNoSelfInvocations() {
		assertThat(callers(Overriding.class)).containsExactlyInAnyOrder("checkout()", "later", "reference()",
				"again(String)");
		assertThat(callers(Bridged.class)).isEmpty();
	}

	private static List<String> callers(Class<?> type) {
		List<Method> locked = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> method.isAnnotationPresent(DistributedLock.class))
			.toList();
		return SelfInvocationFinder.find(type, locked)
			.stream()
			.map((call) -> call.caller().substring(type.getName().length() + 1))
			.toList();
	}

	static class Typo {

		@DistributedLock(name = "'pay:' + #oderId")
		public void pay(String orderId) {
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
			Consumer<String> pay = this::pay;
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

	static class Bridged implements Consumer<String> {

		@Override
		@DistributedLock(name = "accept")
		public void accept(String order) {
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
