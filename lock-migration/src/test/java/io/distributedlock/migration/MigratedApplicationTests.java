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

package io.distributedlock.migration;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application with ShedLock, in the form of its published sample, runs after its
 * migration.
 */
@ExtendWith(RedisExtension.class)
class MigratedApplicationTests {

	private static final String APPLICATION = """
			package com.example;

			import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
			import org.springframework.boot.autoconfigure.SpringBootApplication;
			import org.springframework.scheduling.annotation.EnableScheduling;

			@SpringBootApplication
			@EnableScheduling
			@EnableSchedulerLock(defaultLockAtMostFor = "10m")
			public class Application {
			}
			""";

	private static final String LOCKING = """
			package com.example;

			import net.javacrumbs.shedlock.core.LockProvider;
			import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
			import org.springframework.context.annotation.Bean;
			import org.springframework.context.annotation.Configuration;
			import org.springframework.data.redis.connection.RedisConnectionFactory;

			@Configuration
			public class Locking {

				@Bean
				LockProvider lockProvider(RedisConnectionFactory factory) {
					return new RedisLockProvider(factory);
				}

			}
			""";

	private static final String TASKS = """
			package com.example;

			import java.time.Duration;
			import java.util.concurrent.atomic.AtomicInteger;

			import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
			import org.springframework.scheduling.annotation.Scheduled;
			import org.springframework.stereotype.Component;

			import static java.time.Duration.ZERO;
			import static net.javacrumbs.shedlock.core.LockAssert.assertLocked;
			import static net.javacrumbs.shedlock.core.LockExtender.extendActiveLock;

			@Component
			public class Tasks {

				public static final AtomicInteger RATES = new AtomicInteger();

				public static final AtomicInteger DELAYS = new AtomicInteger();

				@Scheduled(fixedRate = 100)
				@SchedulerLock(name = "rate", lockAtMostFor = "${lock.at.most.for}")
				public void rate() {
					assertLocked();
					extendActiveLock(Duration.ofMillis(5), ZERO);
					RATES.incrementAndGet();
				}

				@Scheduled(fixedDelay = 100)
				@SchedulerLock(name = "delay")
				public void delay() {
					assertLocked();
					DELAYS.incrementAndGet();
				}

			}
			""";

	@Test
	void migratedApplicationRunsItsJobsUnderOurLocks(RedisServer redis, @TempDir Path classes) throws Exception {
		List<String> migrated = MigrationTests.run(MigrationTests.recipe("FromShedLock"),
				MigrationTests.parse(List.of(APPLICATION, LOCKING, TASKS)));
		assertThat(migrated).hasSize(3)
			.noneMatch((source) -> source.contains("SchedulerLock"))
			.anyMatch((source) -> source.contains("@OncePerFireTime(name = \"rate\""));
		assertThat(Compilation.compileTo(classes, migrated)).isEmpty();
		URI url = URI.create(redis.url());
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes.toUri().toURL() },
				getClass().getClassLoader())) {
			Thread thread = Thread.currentThread();
			ClassLoader before = thread.getContextClassLoader();
			thread.setContextClassLoader(loader);
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
					loader.loadClass("com.example.Application"))
				.web(WebApplicationType.NONE)
				.properties(Map.of("spring.data.redis.host", url.getHost(), "spring.data.redis.port", url.getPort(),
						"spring.main.banner-mode", "off", "lock.at.most.for", "10s", "spring.autoconfigure.exclude",
						"com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration"))
				.run()) {
				Class<?> tasks = loader.loadClass("com.example.Tasks");
				AtomicInteger rates = (AtomicInteger) tasks.getField("RATES").get(null);
				AtomicInteger delays = (AtomicInteger) tasks.getField("DELAYS").get(null);
				await().untilAsserted(() -> {
					assertThat(rates).hasValueGreaterThan(3);
					assertThat(delays).hasValueGreaterThan(3);
				});
			}
			finally {
				thread.setContextClassLoader(before);
			}
		}
	}

}
