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

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockService;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locked methods that Spring retries. A minimum hold must not refuse the retry.
 */
@Timeout(30)
class RetriedMethodTests {

	@Test
	void aRetryRunsTheMethodAgainWithinItsMinimumHold() {
		try (var context = new AnnotationConfigApplicationContext(Application.class)) {
			Job job = context.getBean(Job.class);
			job.run();
			assertThat(job.attempts()).isEqualTo(3);
			job.run();
			assertThat(job.attempts()).as("skipped: the minimum hold began with the success").isEqualTo(3);
		}
	}

	@Configuration
	@EnableResilientMethods
	@Import({ DistributedLockConfiguration.class, Job.class })
	static class Application {

		@Bean(destroyMethod = "close")
		LockService lockService() {
			return new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("app"), List.of());
		}

	}

	static class Job {

		private final AtomicInteger attempts = new AtomicInteger();

		@Retryable(maxRetries = 2, delay = 0)
		@DistributedLock(name = "job", timeout = 60, minHold = 60, onContention = OnContention.SKIP)
		public void run() {
			if (this.attempts.incrementAndGet() < 3) {
				throw new IllegalStateException("thrown by the test");
			}
		}

		public int attempts() {
			return this.attempts.get();
		}

	}

}
