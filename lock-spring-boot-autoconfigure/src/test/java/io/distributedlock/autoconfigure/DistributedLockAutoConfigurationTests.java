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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.distributedlock.HeldLock;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInspector;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.OnLost;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.configuration.internal.LockServiceLifecycle;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for the auto-configurations of the lock service without Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistributedLockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, DisabledLocksAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	@ParameterizedTest
	@ValueSource(strings = { "in-memory", "in_memory", "IN_MEMORY", "inMemory" })
	void everySpellingOfTheProviderIsUnderstood(String spelling) {
		this.contextRunner.withPropertyValues("distributed-lock.provider=" + spelling)
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockStore.class)
				.hasSingleBean(DefaultLockService.class));
	}

	@Test
	void locksExcludeEachOther() {
		this.contextRunner.run((context) -> {
			LockService service = context.getBean(LockService.class);
			try (LockHandle handle = service.acquire("order:1")) {
				assertThat(handle.isHeld()).isTrue();
				assertThat(service.isLocked("order:1")).isTrue();
				assertThat(service.acquireAsync("order:1", service.defaults())).failsWithin(Duration.ofSeconds(5));
			}
			assertThat(service.isLocked("order:1")).isFalse();
		});
	}

	@Test
	void nothingIsConfiguredWhenDisabledAndAWarningTellsSo(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=false").withBean(Work.class).run((context) -> {
			assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockService.class)
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(DistributedLockAdvisor.class)
				.doesNotHaveBean(DistributedLockProperties.class);
			assertThat(output).contains("WARN").contains("distributed-lock.enabled is false");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "in-memory", "redis" })
	void storeOfTheUserIsUsedWithAnyProvider(String provider) {
		this.contextRunner.withPropertyValues("distributed-lock.provider=" + provider)
			.withBean("userStore", LockStore.class, InMemoryLockStore::new)
			.run((context) -> {
				assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(DefaultLockService.class);
				try (LockHandle handle = context.getBean(LockService.class).acquire("order:1")) {
					assertThat(context.getBean("userStore", LockStore.class).find("order:1").get()).isPresent();
				}
			});
	}

	@Test
	void theServiceOfTheUserIsUsed() {
		this.contextRunner.withBean("userService", LockService.class, () -> mock(LockService.class))
			.run((context) -> assertThat(context).hasSingleBean(LockService.class)
				.hasBean("userService")
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(LockServiceLifecycle.class)
				.hasSingleBean(DistributedLockAdvisor.class));
	}

	@Test
	void theAdvisorOfTheUserIsUsed() {
		this.contextRunner
			.withBean("userAdvisor", DistributedLockAdvisor.class, () -> mock(DistributedLockAdvisor.class))
			.run((context) -> assertThat(context).hasSingleBean(DistributedLockAdvisor.class).hasBean("userAdvisor"));
	}

	@Test
	void configurationForSpringAloneAddsNothingAndThePropertiesApply() {
		this.contextRunner.withUserConfiguration(DistributedLockConfiguration.class)
			.withPropertyValues("distributed-lock.defaults.timeout=42s", "distributed-lock.annotation.order=42")
			.run((context) -> {
				assertThat(context).hasSingleBean(LockService.class)
					.hasSingleBean(LockStore.class)
					.hasSingleBean(DistributedLockAdvisor.class);
				assertThat(context.getBean(LockService.class).defaults().lease()).hasSeconds(42);
				assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(42);
			});
	}

	@Test
	void defaultsComeFromTheProperties() {
		this.contextRunner
			.withPropertyValues("distributed-lock.defaults.timeout=1m", "distributed-lock.defaults.wait-time=500ms",
					"distributed-lock.defaults.auto-renew=true", "distributed-lock.defaults.min-hold=1s",
					"distributed-lock.defaults.max-hold=1h", "distributed-lock.defaults.on-lost=throw",
					"distributed-lock.renewal.interval=10s")
			.run((context) -> assertThat(context.getBean(LockService.class).defaults())
				.isEqualTo(LockOptions.ofLease(Duration.ofMinutes(1))
					.withWaitTime(Duration.ofMillis(500))
					.withAutoRenew(Duration.ofSeconds(10))
					.withMinHold(Duration.ofSeconds(1))
					.withMaxHold(Duration.ofHours(1))
					.withOnLost(OnLost.THROW)));
	}

	@Test
	void defaultsAreTheBuiltInOnesWhenNothingIsConfigured() {
		this.contextRunner.run((context) -> assertThat(context.getBean(LockService.class).defaults())
			.isEqualTo(LockOptions.defaults()));
	}

	@Test
	void singleLocksAreConfiguredByTheirName() {
		this.contextRunner
			.withPropertyValues("distributed-lock.locks.nightly-report.timeout=10m",
					"distributed-lock.locks.nightly-report.wait-time=1s",
					"distributed-lock.locks.nightly-report.auto-renew=true",
					"distributed-lock.locks.nightly-report.renew-interval=1m",
					"distributed-lock.locks.nightly-report.min-hold=2s",
					"distributed-lock.locks.nightly-report.max-hold=1h",
					"distributed-lock.locks.nightly-report.on-lost=interrupt")
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				assertThat(service.optionsFor("nightly-report")).isEqualTo(LockOptions.ofLease(Duration.ofMinutes(10))
					.withWaitTime(Duration.ofSeconds(1))
					.withAutoRenew(Duration.ofMinutes(1))
					.withMinHold(Duration.ofSeconds(2))
					.withMaxHold(Duration.ofHours(1))
					.withOnLost(OnLost.INTERRUPT));
				assertThat(service.optionsFor("another")).isEqualTo(service.defaults());
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "OrderService.pay", "jobs:cleanup", "com.example.OrderService.pay", "a b", "Ünicode" })
	void namesWithOtherCharactersStandInBrackets(String name) {
		this.contextRunner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("named locks",
						Map.of("distributed-lock.locks[" + name + "].timeout", "7s"))))
			.run((context) -> assertThat(context.getBean(LockService.class).optionsFor(name).lease())
				.isEqualTo(Duration.ofSeconds(7)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "properties", "yaml" })
	void theDocumentedExampleOfSingleLocksWorks(String language) {
		this.contextRunner.withInitializer((context) -> addDocumentedExample(language, context.getEnvironment()))
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				assertThat(service.optionsFor("nightly-report").maxHold()).isEqualTo(Duration.ofHours(2));
				assertThat(service.optionsFor("OrderService.pay").waitTime()).isEqualTo(Duration.ofSeconds(2));
				assertThat(service.optionsFor("jobs:cleanup").autoRenew()).isTrue();
			});
	}

	private static void addDocumentedExample(String language, ConfigurableEnvironment environment) {
		PropertySourceLoader loader = language.equals("yaml") ? new YamlPropertySourceLoader()
				: new PropertiesPropertySourceLoader();
		try {
			String documentation = Files.readString(Path.of("..", "docs", "configuration.md"));
			String example = documentation.split("```" + language + "\n")[1].split("```")[0];
			loader.load("example", new ByteArrayResource(example.getBytes(StandardCharsets.UTF_8)))
				.forEach(environment.getPropertySources()::addFirst);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void customizersOfTheUserComeBeforeTheProperties() {
		this.contextRunner.withPropertyValues("distributed-lock.locks.order.timeout=7s")
			.withBean("userCustomizer", LockOptionsCustomizer.class,
					() -> (name, options) -> options.withLease(Duration.ofSeconds(99))
						.withWaitTime(Duration.ofSeconds(1)))
			.run((context) -> {
				LockOptions options = context.getBean(LockService.class).optionsFor("order");
				assertThat(options.lease()).isEqualTo(Duration.ofSeconds(7));
				assertThat(options.waitTime()).isEqualTo(Duration.ofSeconds(1));
			});
	}

	@Test
	void permitsAndModeAreConfiguredForSingleLocks() {
		this.contextRunner
			.withPropertyValues("distributed-lock.locks.export.permits=3", "distributed-lock.locks.index.mode=shared",
					"distributed-lock.locks.one.mode=exclusive")
			.withBean(LockOptionsCustomizer.class, () -> (name, options) -> options.withPermits(7))
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				assertThat(service.optionsFor("export").permits()).isEqualTo(3);
				assertThat(service.optionsFor("index").mode()).isEqualTo(LockMode.SHARED);
				assertThat(service.optionsFor("one").permits()).isEqualTo(1);
				assertThat(service.optionsFor("another").permits()).isEqualTo(7);
			});
	}

	@Test
	void propertiesOverruleTheAnnotation() {
		this.contextRunner.withBean(Work.class)
			.withPropertyValues("distributed-lock.locks[Work.run].timeout=7s")
			.run((context) -> {
				context.getBean(Work.class).run(1);
				assertThat(context.getBean(Work.class).held()).singleElement()
					.satisfies((lock) -> assertThat(lock.remaining()).isPositive().isLessThan(Duration.ofSeconds(7)));
			});
	}

	@Test
	void annotatedMethodsAreLocked(CapturedOutput output) {
		this.contextRunner.withBean(Work.class).run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(Work.class))).isTrue();
			assertThat(output).doesNotContain("is false");
			context.getBean(Work.class).run(1);
			assertThat(context.getBean(Work.class).held()).singleElement().satisfies((lock) -> {
				assertThat(lock.name()).isEqualTo("work:1");
				assertThat(lock.declaredName()).isEqualTo("Work.run");
				assertThat(lock.remaining()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));
			});
		});
	}

	@Test
	void annotatedMethodsAreNotLockedWhenTheAnnotationIsDisabledAndAWarningTellsSo(CapturedOutput output) {
		this.contextRunner.withBean(Work.class)
			.withPropertyValues("distributed-lock.annotation.enabled=false")
			.run((context) -> {
				assertThat(AopUtils.isAopProxy(context.getBean(Work.class))).isFalse();
				assertThat(context).doesNotHaveBean(DistributedLockAdvisor.class).hasSingleBean(LockService.class);
				assertThat(output).contains("WARN").contains("distributed-lock.annotation.enabled is false");
			});
	}

	@Test
	void advisorHasTheDefaultOrderUnlessConfigured() {
		this.contextRunner.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER));
		this.contextRunner.withPropertyValues("distributed-lock.annotation.order=42")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(42));
	}

	@Test
	void oneLineAtStartShowsTheStoreAndTheDefaults(CapturedOutput output) {
		this.contextRunner.withBean(Work.class)
			.withPropertyValues("distributed-lock.defaults.wait-time=2s")
			.run((context) -> {
				// The thread of a context that was closed before may still write a line
				// of
				// that one
				Predicate<String> ours = (line) -> line.contains("waiting up to 2s");
				await().until(() -> output.toString().lines().anyMatch(ours));
				assertThat(output.toString().lines().filter(ours)).singleElement()
					.asString()
					.contains("INFO")
					.contains("Distributed locks are kept in")
					.contains("timeout 30s, waiting up to 2s, not renewed");
			});
	}

	static class Work {

		private final ObjectProvider<LockInspector> service;

		private List<HeldLock> held = List.of();

		Work(ObjectProvider<LockInspector> service) {
			this.service = service;
		}

		@DistributedLock(name = "'work:' + #p0", timeout = 60)
		public void run(int id) {
			this.held = this.service.stream().flatMap((locks) -> locks.held().stream()).toList();
		}

		List<HeldLock> held() {
			return this.held;
		}

	}

}
