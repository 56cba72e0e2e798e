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

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.AotDetector;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.aot.TestContextAotGenerator;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.support.AnnotationConfigContextLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for contexts with {@link AutoConfigureDistributedLock}: how they are made, what
 * can be in them, and how they end.
 */
class LockTestContextTests {

	@Test
	void aContextWithAnOpenHandleCloses() throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("distributed-lock.shutdown.grace-period=100ms")
			.registerShutdownHook(false)
			.initializers(LockTestContextTests::customize)
			.run();
		LockHandle handle = context.getBean(LockService.class).acquire("x");
		Thread closing = new Thread(context::close);
		closing.setDaemon(true);
		closing.start();
		closing.join(Duration.ofSeconds(20).toMillis());
		assertThat(closing.isAlive()).isFalse();
		assertThat(handle.isHeld()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(classes = { InMemory.class, Deny.class })
	void testsCanBeProcessedAheadOfTime(Class<?> testClass) {
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		new TestContextAotGenerator(files).processAheadOfTime(Stream.of(testClass));
		assertThat(files.getGeneratedFiles(Kind.SOURCE)).isNotEmpty();
	}

	@Test
	void generatedCodeBringsTheBeansOfATestThatWasProcessedAheadOfTime() {
		SpringProperties.setFlag(AotDetector.AOT_ENABLED);
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			customize(context);
			assertThat(context.getBeanDefinitionNames()).isEmpty();
		}
		finally {
			SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
		}
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			customize(context);
			assertThat(context.getBeanDefinitionNames()).contains("distributedLockTestLocks");
		}
	}

	private static void customize(ConfigurableApplicationContext context) {
		ContextCustomizer customizer = new LockTestContextCustomizerFactory().createContextCustomizer(InMemory.class,
				List.of());
		assertThat(customizer).isNotNull();
		customizer.customizeContext(context, new MergedContextConfiguration(InMemory.class, new String[0],
				new Class<?>[0], new String[0], new AnnotationConfigContextLoader()));
	}

	@SpringBootTest(classes = Application.class)
	@AutoConfigureDistributedLock
	static class InMemory {

		@Test
		void test() {
			// Not run, only processed
		}

	}

	@SpringBootTest(classes = Application.class)
	@AutoConfigureDistributedLock(mode = AutoConfigureDistributedLock.Mode.DENY)
	static class Deny extends InMemory {

	}

	@Nested
	@SpringBootTest(classes = Application.class)
	@AutoConfigureDistributedLock
	class WithAMockOfTheLockService {

		@MockitoBean
		private LockService service;

		@Autowired
		private TestLocks locks;

		@Test
		void timePassesForTheOtherInstances() {
			LockHandle elsewhere = this.locks.hold("a");
			this.locks.advance(Duration.ofMinutes(1));
			assertThat(elsewhere.isHeld()).isTrue();
			assertThat(this.locks).isHeld("a").hasWaiters("a", 0);
			assertThat(this.service.tryAcquire("a")).isEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class)
	@AutoConfigureDistributedLock
	class WithASpyOfTheLockService {

		@MockitoSpyBean
		private LockService service;

		@Autowired
		private TestLocks locks;

		@Test
		void timePassesForTheApplication() {
			LockHandle handle = this.service.acquire("a");
			this.locks.advance(Duration.ofMinutes(1));
			assertThat(handle.isHeld()).isFalse();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
