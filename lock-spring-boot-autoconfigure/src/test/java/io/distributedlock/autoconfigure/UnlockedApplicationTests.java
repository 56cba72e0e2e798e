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

package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an application of Spring Boot tells of methods that run without their locks,
 * also if the auto-configuration has no part in it. Real applications are started, so
 * that the registration of the check is tested as well.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnlockedApplicationTests {

	private static final String UNLOCKED = "1 method with a lock annotation runs without a lock in context ";

	@Test
	void applicationWithoutTheAutoConfigurationIsWarned(CapturedOutput output) {
		try (ConfigurableApplicationContext context = application(Work.class).run()) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(output).containsOnlyOnce(UNLOCKED)
			.contains(
					"The auto-configuration of locks has no part in the context. Do not exclude LockAnnotationAutoConfiguration");
	}

	@Test
	void applicationWithTheAutoConfigurationIsNot(CapturedOutput output) {
		try (ConfigurableApplicationContext context = application(Work.class, Locks.class).run()) {
			assertThat(context.getBean(Work.class).isLocked()).isTrue();
		}
		assertThat(output).doesNotContain(UNLOCKED);
	}

	@Test
	void excludedAutoConfigurationIsWarnedOf(CapturedOutput output) {
		try (ConfigurableApplicationContext context = application(Work.class, WithoutAnnotations.class).run()) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(output).containsOnlyOnce(UNLOCKED);
	}

	@Test
	void disabledLockingIsLoggedOnce(CapturedOutput output) {
		try (ConfigurableApplicationContext context = application(Work.class, Locks.class)
			.run("--distributed-lock.enabled=off")) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(output).doesNotContain(UNLOCKED).containsOnlyOnce("run without a lock");
	}

	@Test
	void beansOfAChildContextAreWarnedOf(CapturedOutput output) {
		try (ConfigurableApplicationContext context = application(Locks.class).child(Work.class)
			.web(WebApplicationType.NONE)
			.run()) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(output).containsOnlyOnce(UNLOCKED).contains("Only the parent context configures locks");
	}

	@Test
	void beansOfAManuallyCreatedChildContextCauseAWarning(CapturedOutput output) {
		try (ConfigurableApplicationContext parent = application(Locks.class).run();
				AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(parent);
			child.register(Work.class);
			child.refresh();
			assertThat(child.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(output).containsOnlyOnce(UNLOCKED);
	}

	@ParameterizedTest
	@ValueSource(classes = { Locks.class, Imported.class, AspectJ.class })
	void beansOfAChildContextWithLocksAreLocked(Class<?> configuration, CapturedOutput output) {
		try (ConfigurableApplicationContext context = application(Locks.class).child(Work.class, configuration)
			.web(WebApplicationType.NONE)
			.run()) {
			assertThat(context.getBean(Work.class).isLocked()).isTrue();
			assertThat(context.getBean(DeclaredLocks.class).declared()).extracting(DeclaredLock::declaredName)
				.isEqualTo(List.of("work"));
		}
		assertThat(output).doesNotContain(UNLOCKED);
	}

	private static SpringApplicationBuilder application(Class<?>... sources) {
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE)
			.properties("distributed-lock.provider=in-memory");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class,
			DisabledLocksAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, DisabledLocksAutoConfiguration.class })
	static class WithoutAnnotations {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(DistributedLockConfiguration.class)
	static class Imported {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class AspectJ {

	}

	static class Work {

		@DistributedLock(name = "work")
		public boolean isLocked() {
			return LockContext.current().isPresent();
		}

	}

}
