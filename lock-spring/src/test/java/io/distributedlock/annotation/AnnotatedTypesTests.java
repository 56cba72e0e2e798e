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

import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AnnotatedTypes}.
 */
class AnnotatedTypesTests {

	private final AnnotatedTypes types = new AnnotatedTypes(Set.of(DistributedLock.class, DistributedLocks.class));

	static Stream<Class<?>> annotated() {
		Callable<String> lambda = (Callable<String> & OnInterfaceMethod) () -> "";
		Object proxy = Proxy.newProxyInstance(AnnotatedTypesTests.class.getClassLoader(),
				new Class<?>[] { OnInterfaceMethod.class }, (self, method, arguments) -> null);
		return Stream.of(OnMethod.class, LockAnnotationsTests.Repeated.class, OnPrivateMethod.class,
				OnStaticMethod.class, OnClass.class, LockAnnotationsTests.Meta.class, ComposedTwice.class,
				InCircle.class, OnInterfaceMethod.class, LockAnnotationsTests.Contract.class, Inherited.class,
				Implemented.class, ImplementedBySuperclass.class, lambda.getClass(), proxy.getClass());
	}

	@ParameterizedTest
	@MethodSource("annotated")
	void aTypeWithTheAnnotationAnywhereIsLookedAtMoreClosely(Class<?> type) {
		assertThat(this.types.contains(type)).isTrue();
		assertThat(this.types.contains(type)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, OtherAnnotations.class, Circle.class, Object.class, Serializable.class,
			String.class, AnnotatedTypesTests.class })
	void othersAreNot(Class<?> type) {
		assertThat(this.types.contains(type)).isFalse();
		assertThat(this.types.contains(type)).isFalse();
	}

	static class Plain {

		void run() {
		}

	}

	static class OtherAnnotations extends Plain {

		@Bean
		@Deprecated
		String bean() {
			return "";
		}

	}

	static class OnMethod {

		@DistributedLock(name = "a")
		void run() {
		}

	}

	static class OnPrivateMethod {

		@DistributedLock(name = "a")
		private void run() {
		}

	}

	static class OnStaticMethod {

		@DistributedLock(name = "a")
		static void run() {
		}

	}

	@DistributedLock(name = "a")
	static class OnClass {

	}

	interface OnInterfaceMethod {

		@DistributedLock(name = "a")
		default void locked() {
		}

	}

	static class Inherited extends OnMethod {

	}

	static class Implemented implements OnInterfaceMethod {

	}

	static class ImplementedBySuperclass extends Implemented implements Serializable {

		private static final long serialVersionUID = 1L;

	}

	@Retention(RetentionPolicy.RUNTIME)
	@LockAnnotationsTests.Exclusive
	@interface VeryExclusive {

	}

	static class ComposedTwice {

		@VeryExclusive
		void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Second
	@interface First {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@First
	@interface Second {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@LockedFourth
	@interface LockedThird {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@LockedThird
	@LockAnnotationsTests.Exclusive
	@interface LockedFourth {

	}

	static class Circle {

		@First
		void run() {
		}

		@Second
		void runAgain() {
		}

	}

	static class InCircle {

		@LockedThird
		void run() {
		}

	}

}
