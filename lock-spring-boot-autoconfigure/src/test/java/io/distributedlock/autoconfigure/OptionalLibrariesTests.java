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

import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.metrics.LockMetrics;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.transaction.internal.LockedTransactionPostProcessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is there with, and works without, each optional library. Those of Redis
 * and Lettuce are with the Redis store, those of the actuator with the endpoint.
 */
class OptionalLibrariesTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ours()))
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, MetricsAutoConfiguration.class,
				CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
				AopAutoConfiguration.class))
		.withBean(Work.class)
		.withPropertyValues("distributed-lock.provider=in-memory", "management.endpoints.jmx.exposure.include=locks",
				"spring.jmx.enabled=true");

	@Test
	void everythingIsThereWithAllLibraries() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LockService.class)
				.hasSingleBean(LockMetrics.class)
				.hasSingleBean(LocksEndpoint.class)
				.hasSingleBean(LockedTransactionPostProcessor.class)
				.hasSingleBean(ReactiveLocks.class);
			assertThat(context.getBean(Work.class).run(1)).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.data.redis", "io.lettuce", "redis.clients", "io.micrometer",
			"org.springframework.boot.actuate", "org.springframework.boot.health", "reactor",
			"org.springframework.transaction", "org.aspectj", "org.springframework.web", "jakarta.servlet" })
	void methodsAreLockedWithoutTheLibrary(String missing) {
		this.contextRunner.withClassLoader(new FilteredClassLoader(missing)).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LockService.class);
			assertThat(AopUtils.isAopProxy(context.getBean(Work.class))).isTrue();
			assertThat(context.getBean(Work.class).run(1)).isEqualTo(1);
		});
	}

	@Test
	void methodsAreLockedWithoutAnyOptionalLibrary() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ours()))
			.withBean(Work.class)
			.withPropertyValues("distributed-lock.provider=in-memory")
			.withClassLoader(new FilteredClassLoader("org.springframework.data", "io.lettuce", "redis.clients",
					"io.micrometer", "org.springframework.boot.actuate", "org.springframework.boot.health", "reactor",
					"org.springframework.transaction", "org.aspectj", "org.springframework.boot.micrometer",
					"org.springframework.boot.data", "org.springframework.web", "org.springframework.http",
					"jakarta.servlet"))
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.hasSingleBean(LockService.class)
					.doesNotHaveBean(LockMetrics.class)
					.doesNotHaveBean(LocksEndpoint.class)
					.doesNotHaveBean(LockedTransactionPostProcessor.class)
					.doesNotHaveBean("reactiveLocks");
				assertThat(context.getBean(Work.class).run(1)).isEqualTo(1);
			});
	}

	@Test
	void autoProxyCreatorOfAspectJIsUsedIfPresent() {
		this.contextRunner.run((context) -> assertThat(context.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME))
			.isInstanceOf(AnnotationAwareAspectJAutoProxyCreator.class));
	}

	@Test
	void anOwnAutoProxyCreatorIsUsedWithoutAspectJ() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.run((context) -> assertThat(context.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME))
				.isExactlyInstanceOf(InfrastructureAdvisorAutoProxyCreator.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.aspectj", "some.other.library" })
	void classesAreProxiedByDefault(String missing) {
		this.contextRunner.withClassLoader(new FilteredClassLoader(missing))
			.withBean("task", Task.class, LockedTask::new)
			.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean("task"))).isTrue());
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.aspectj", "some.other.library" })
	void interfacesAreProxiedIfConfigured(String missing) {
		this.contextRunner.withClassLoader(new FilteredClassLoader(missing))
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("task", Task.class, LockedTask::new)
			.run((context) -> {
				assertThat(AopUtils.isJdkDynamicProxy(context.getBean("task"))).isTrue();
				assertThat(context.getBean(Task.class).heldDuringTheRun(context.getBean(LockInspector.class))).isOne();
			});
	}

	@Test
	void everyAutoConfigurationIsListed() {
		assertThat(ours()).extracting(Class::getSimpleName)
			.containsExactlyInAnyOrder("DisabledLocksAutoConfiguration", "DistributedLockAutoConfiguration",
					"LockAnnotationAutoConfiguration", "LockMetricsAutoConfiguration",
					"LockObservationAutoConfiguration", "LockTransactionAutoConfiguration",
					"LockWebFluxAutoConfiguration", "LockWebMvcAutoConfiguration", "LocksEndpointAutoConfiguration",
					"ReactiveLocksAutoConfiguration");
	}

	private static Class<?>[] ours() {
		return ImportCandidates.load(AutoConfiguration.class, OptionalLibrariesTests.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.distributedlock."))
			.map((name) -> ClassUtils.resolveClassName(name, OptionalLibrariesTests.class.getClassLoader()))
			.toArray(Class<?>[]::new);
	}

	public interface Task {

		int heldDuringTheRun(LockInspector service);

	}

	public static class LockedTask implements Task {

		@Override
		@DistributedLock
		public int heldDuringTheRun(LockInspector service) {
			return service.held().size();
		}

	}

	public static class Work {

		private final LockInspector service;

		public Work(LockInspector service) {
			this.service = service;
		}

		@DistributedLock(name = "'work:' + #p0")
		public int run(int id) {
			return this.service.held().size();
		}

	}

}
