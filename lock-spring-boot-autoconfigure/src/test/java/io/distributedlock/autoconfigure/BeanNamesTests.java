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

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.metrics.LockMetrics;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the names of the library's beans, which must leave general ones to the
 * application.
 */
@ExtendWith(RedisExtension.class)
class BeanNamesTests {

	private static final String OURS = "distributedLock.*|([a-z.-]+-)?io[.]distributedlock[.].*";

	@ParameterizedTest
	@ValueSource(strings = { "distributed-lock.provider=redis", "distributed-lock.provider=in-memory",
			"distributed-lock.enabled=false" })
	void beansOfTheAutoConfigurationAreNamedAfterTheLibrary(String property, RedisServer server) {
		// Without a server, a context that closes would wait for what its candidate owes
		String[] redis = server.springProperties();
		configured(new WebApplicationContextRunner(), property).withPropertyValues(redis)
			.run((context) -> assertNamedAfterTheLibrary(context.getSourceApplicationContext().getBeanFactory()));
		configured(new ReactiveWebApplicationContextRunner(), property).withPropertyValues(redis)
			.run((context) -> assertNamedAfterTheLibrary(context.getSourceApplicationContext().getBeanFactory()));
	}

	@Test
	void beansOfTheConfigurationForSpringAloneAreNamedAfterTheLibrary() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(InMemoryLockStore.class);
			context.registerBean(MeterRegistry.class, () -> new SimpleMeterRegistry());
			context.register(DistributedLockConfiguration.class);
			context.refresh();
			assertNamedAfterTheLibrary(context.getBeanFactory());
		}
	}

	@Test
	void applicationMayUseGeneralNames() {
		configured(new WebApplicationContextRunner(), "distributed-lock.provider=in-memory")
			.withAllowBeanDefinitionOverriding(false)
			.withUserConfiguration(GeneralNames.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockService.class)
				.hasSingleBean(LockMetrics.class)
				.getBean("lockService")
				.isEqualTo("the application's"));
	}

	private static <T extends AbstractApplicationContextRunner<T, ?, ?>> T configured(T runner, String property) {
		return runner.withConfiguration(AutoConfigurations.of(ours()))
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
					ObservationAutoConfiguration.class))
			.withPropertyValues(property, "management.endpoints.web.exposure.include=locks");
	}

	private static void assertNamedAfterTheLibrary(ConfigurableListableBeanFactory beans) {
		List<String> names = new ArrayList<>();
		for (String name : beans.getBeanDefinitionNames()) {
			if (isOurs(beans.getBeanDefinition(name))) {
				names.add(name);
			}
		}
		assertThat(names).isNotEmpty().filteredOn((name) -> !name.matches(OURS)).isEmpty();
	}

	private static boolean isOurs(BeanDefinition definition) {
		return Stream
			.of(String.valueOf(definition.getBeanClassName()), String.valueOf(definition.getFactoryBeanName()),
					(definition instanceof AnnotatedBeanDefinition annotated
							&& annotated.getFactoryMethodMetadata() != null)
									? annotated.getFactoryMethodMetadata().getDeclaringClassName() : "")
			.anyMatch((name) -> name.startsWith("io.distributedlock.") && !name.contains("Tests"))
				&& !String.valueOf(definition.getBeanClassName()).equals(InMemoryLockStore.class.getName());
	}

	private static Class<?>[] ours() {
		return ImportCandidates.load(AutoConfiguration.class, BeanNamesTests.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.distributedlock."))
			.map((name) -> ClassUtils.resolveClassName(name, BeanNamesTests.class.getClassLoader()))
			.toArray(Class<?>[]::new);
	}

	@Configuration(proxyBeanMethods = false)
	static class GeneralNames {

		@Bean({ "lockService", "lockStore", "lockMetrics", "reactiveLocks", "lockedMethodRegistry", "locksEndpoint",
				"lockExceptionResolver", "lockEventPublisher" })
		String ours() {
			return "the application's";
		}

	}

}
