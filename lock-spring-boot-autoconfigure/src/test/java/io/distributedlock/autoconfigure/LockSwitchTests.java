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
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.autoconfigure.metrics.LockMetricsAutoConfiguration;
import io.distributedlock.autoconfigure.web.LockWebMvcAutoConfiguration;
import io.distributedlock.metrics.LockMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for each switch in each spelling: it is on, or it is off and a warning tells so,
 * or the application does not start.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockSwitchTests {

	private static final String UNLOCKED = "methods with a lock annotation run without a lock, and jobs on every instance";

	private static final List<String> ON = List.of("true", "TRUE", "1", "yes", "on");

	private static final List<String> OFF = List.of("false", "FALSE", "0", "no", "off");

	private static final List<String> NEITHER = List.of("", "flase", "2", "${no.such.property}");

	private static final Map<LockSwitch, Predicate<ApplicationContext>> EFFECTS = Map.of(LockSwitch.LOCKS,
			LockSwitchTests::isLocked, LockSwitch.ANNOTATION, LockSwitchTests::isLocked, LockSwitch.METRICS,
			(context) -> context.getBeanNamesForType(LockMetrics.class).length > 0, LockSwitch.WEB,
			(context) -> context.getBeanNamesForType(LockWebMvcAutoConfiguration.class).length > 0);

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, DisabledLocksAutoConfiguration.class,
				LockMetricsAutoConfiguration.class, LockWebMvcAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withBean(Work.class)
		.withPropertyValues("distributed-lock.provider=in-memory");

	private static boolean isLocked(ApplicationContext context) {
		return context.getBean(Work.class).isLocked();
	}

	static Stream<Arguments> everySpelling() {
		return Stream.of(LockSwitch.values())
			.flatMap((each) -> Stream.of(Source.values())
				.flatMap((source) -> Stream.of(ON, OFF, NEITHER)
					.flatMap(List::stream)
					.map((spelling) -> Arguments.of(each, source, spelling))));
	}

	@ParameterizedTest
	@MethodSource("everySpelling")
	void switchIsOnOrOffOrRefused(LockSwitch tested, Source source, String spelling, CapturedOutput output) {
		this.contextRunner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(source.with(tested.property(), spelling)))
			.run((context) -> {
				// Spring Boot converts texts, and no numbers
				boolean number = source == Source.YAML && spelling.matches("\\d");
				if (NEITHER.contains(spelling) || number) {
					assertThat(context).hasFailed()
						.getFailure()
						.rootCause()
						.isInstanceOf(LockStartupException.class)
						.hasMessageContaining("%s is '%s', which is neither true nor false.", tested.property(),
								spelling)
						.hasFieldOrPropertyWithValue("action", "Write true or false, or remove the property.");
					return;
				}
				boolean on = ON.contains(spelling);
				boolean unlocks = !on && (tested == LockSwitch.LOCKS || tested == LockSwitch.ANNOTATION);
				assertThat(context).hasNotFailed();
				assertThat(EFFECTS.get(tested).test(context)).isEqualTo(on);
				assertThat(output.toString().lines().filter((line) -> line.contains(UNLOCKED)))
					.allMatch((line) -> line.contains("WARN") && line.contains(tested.property() + " is false"))
					.hasSize(unlocks ? 1 : 0);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "DISTRIBUTED_LOCK_ENABLED", "DISTRIBUTEDLOCK_ENABLED" })
	void switchHasTwoVariables(String variable) {
		for (boolean on : new boolean[] { true, false }) {
			this.contextRunner
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(variables(Map.of(variable, on ? "1" : "0"))))
				.run((context) -> assertThat(isLocked(context)).isEqualTo(on));
		}
	}

	@Test
	void unlockedMethodsOfLazyBeansCauseAWarning(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=off")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(output).containsOnlyOnce(UNLOCKED));
	}

	static Stream<String> otherBooleans() {
		return Stream.concat(
				KnownProperties.all()
					.entrySet()
					.stream()
					.filter((property) -> property.getValue() == boolean.class)
					.map(Map.Entry::getKey)
					.filter((name) -> Arrays.stream(LockSwitch.values())
						.noneMatch((each) -> each.property().equals(name))),
				Stream.of("distributed-lock.locks[work].auto-renew"));
	}

	@ParameterizedTest
	@MethodSource("otherBooleans")
	void otherBooleansAreTrueOrFalseOrRefused(String name) {
		Stream.of(ON, OFF)
			.flatMap(List::stream)
			.forEach((spelling) -> this.contextRunner.withPropertyValues(name + "=" + spelling)
				.run((context) -> assertThat(context).hasNotFailed()));
		for (String spelling : List.of("", "flase")) {
			this.contextRunner.withPropertyValues(name + "=" + spelling)
				.run((context) -> assertThat(context).hasFailed()
					.getFailure()
					.rootCause()
					.isInstanceOf(LockStartupException.class)
					.hasMessageContaining("which is neither true nor false"));
		}
	}

	@Test
	void allBooleansAreTested() {
		assertThat(otherBooleans())
			.contains("distributed-lock.defaults.auto-renew", "distributed-lock.redis.dedicated-connection",
					"distributed-lock.release.await")
			.hasSizeGreaterThan(6);
	}

	private static PropertySource<?> variables(Map<String, Object> variables) {
		return new SystemEnvironmentPropertySource("test-systemEnvironment", variables);
	}

	/**
	 * Where the value of a switch stands.
	 */
	enum Source {

		PROPERTIES {

			@Override
			PropertySource<?> with(String property, String value) {
				return new MapPropertySource("properties", Map.of(property, value));
			}

		},

		VARIABLES {

			@Override
			PropertySource<?> with(String property, String value) {
				return variables(Map.of(property.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT), value));
			}

		},

		YAML {

			@Override
			PropertySource<?> with(String property, String value) {
				String text = property + ": " + (value.isEmpty() ? "''" : value);
				try {
					return new YamlPropertySourceLoader()
						.load("yaml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
						.get(0);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}

		};

		abstract PropertySource<?> with(String property, String value);

	}

	static class Work {

		@DistributedLock(name = "work")
		public boolean isLocked() {
			return LockContext.current().isPresent();
		}

	}

}
