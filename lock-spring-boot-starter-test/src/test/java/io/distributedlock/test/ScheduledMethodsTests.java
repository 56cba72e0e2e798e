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

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.leadership.LeadershipAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.test.jobs.Jobs;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ScheduledMethods}.
 */
class ScheduledMethodsTests {

	private static final String JOBS = "io.distributedlock.test.jobs.Jobs";

	@Test
	void everyMethodWithoutALockIsNamed() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(ScheduledMethods.in("io.distributedlock.test.jobs")).declareALock())
			.withMessage(
					"""
							Expected the @Scheduled methods of package 'io.distributedlock.test.jobs' to declare a lock, \
							but these do not, so every instance runs them at the same time:
							- %1$s$LockedClass.notLocked()
							- %1$s.composedWithoutALock()
							- %1$s.twiceWithoutALock()
							Annotate each with @OncePerFireTime, @DistributedLock(onContention = OnContention.SKIP) or @LeaderOnly, \
							or with @RunsOnEveryInstance if that is intended."""
						.formatted(JOBS));
	}

	@Test
	void lockedAndMarkedMethodsPass() {
		assertThat(ScheduledMethods.of(Jobs.Everywhere.class)).declareALock();
		assertThat(ScheduledMethods.of(Jobs.Everywhere.class, Jobs.class).except(Jobs.class)).declareALock();
	}

	@Test
	void theBeansOfAContextAreCheckedBehindTheirProxies() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					LeadershipAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
			.withPropertyValues("distributed-lock.provider=in-memory", "distributed-lock.validation=off",
					"distributed-lock.leadership.scheduler.timeout=10s")
			.withUserConfiguration(Scheduling.class)
			.withBean(Jobs.class)
			.withBean(Jobs.Everywhere.class)
			.run((context) -> {
				ScheduledMethods methods = ScheduledMethods
					.of(context.getSourceApplicationContext(ConfigurableApplicationContext.class));
				assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(methods).declareALock())
					.withMessageStartingWith("Expected the @Scheduled methods of the application context to declare")
					.withMessageContaining("- " + JOBS + ".twiceWithoutALock()")
					.withMessageNotContaining("locked()")
					.withMessageNotContaining("onTheLeader()")
					.withMessageNotContaining("refresh");
				assertThat(methods.except(Jobs.class)).declareALock();
			});
	}

	@Test
	void aPackageWithoutScheduledMethodsIsProbablyAMistake() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(ScheduledMethods.in("io.distributedlock.tset")).declareALock())
			.withMessageContaining("package 'io.distributedlock.tset'")
			.withMessageContaining("nothing was checked");
	}

	@EnableScheduling
	static class Scheduling {

	}

}
