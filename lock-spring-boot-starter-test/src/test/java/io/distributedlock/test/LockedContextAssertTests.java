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

package io.distributedlock.test;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.SuppressLockWarnings;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static io.distributedlock.test.LockedContextAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockedContextAssert}.
 */
@SpringBootTest(classes = LockedContextAssertTests.Application.class)
@AutoConfigureDistributedLock
class LockedContextAssertTests {

	@Autowired
	private ApplicationContext context;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	@Test
	void warningsAreListedWithTheirFixes() {
		this.contextRunner.withBean(Warned.class)
			.run((context) -> assertFails(context)
				.withMessageContaining("Expected no warnings about locks, but there are 2:%n".formatted())
				.withMessageContaining("- WARNING: " + Warned.class.getName()
						+ ".literal(long): @DistributedLock(name = \"pay:{id}\") is a literal: all calls have this one lock. Did you mean \"pay:#{#id}\"?")
				.withMessageContaining(
						"Warned.permits(): It sets permits = 1, which a lock has anyway. Remove permits."));
	}

	@ParameterizedTest
	@ValueSource(classes = { Correct.class, Suppressed.class })
	void contextWithoutWarningsPasses(Class<?> bean) {
		this.contextRunner.withBean(bean).run((context) -> assertThat(context).hasNoLockWarnings());
	}

	@Test
	void contextOfATestWithTheWholeApplicationIsAsserted() {
		assertFails(this.context).withMessageContaining("there is one:")
			.withMessageContaining("Single.permits(): It sets permits = 1");
	}

	@Test
	void contextThatIsRefusedIsAssertedByItsReport() {
		this.contextRunner.withBean(Refused.class)
			.run((context) -> assertFails(context).withMessageContaining("there is one:")
				.withMessageContaining("- ERROR: ")
				.withMessageContaining("There is no parameter 'od'. Did you mean #id?"));
	}

	@Test
	void contextThatDoesNotStartForAnotherReasonFails() {
		this.contextRunner.withInitializer((context) -> {
			throw new IllegalArgumentException("thrown by the test");
		})
			.run((context) -> assertFails(context).withMessageContaining("the context did not start")
				.withMessageContaining("thrown by the test"));
	}

	@Test
	void nothingThatIsCheckedIsAFailure() {
		try (AnnotationConfigApplicationContext empty = new AnnotationConfigApplicationContext(Correct.class)) {
			assertFails(empty).withMessageContaining("nothing applies annotations in this context");
		}
		this.contextRunner.withPropertyValues("distributed-lock.validation=off")
			.run((context) -> assertFails(context)
				.withMessageContaining("nothing was checked. Annotations are not validated"));
	}

	private static ThrowableAssertAlternative<AssertionError> assertFails(ApplicationContext context) {
		return assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(context).hasNoLockWarnings());
	}

	static class Correct {

		@DistributedLock(name = "pay:#{#id}")
		public void pay(long id) {
		}

	}

	static class Warned {

		@DistributedLock(name = "pay:{id}")
		public void literal(long id) {
		}

		@DistributedLock(name = "a", permits = 1)
		public void permits() {
		}

	}

	static class Single {

		@DistributedLock(name = "a", permits = 1)
		public void permits() {
		}

	}

	@SuppressLockWarnings
	static class Suppressed extends Warned {

	}

	static class Refused {

		@DistributedLock(name = "pay:#{#od}")
		public void pay(long id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Single.class)
	static class Application {

	}

}
