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

package io.distributedlock.autoconfigure.leadership;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.leadership.Leadership;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the properties {@code distributed-lock.leadership.*}.
 */
class LeadershipSettingsTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LeadershipAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	@ParameterizedTest
	@ValueSource(strings = { "true", "on", "yes", "1", "TRUE", "false", "off", "no", "0" })
	void candidateIsSwitchedOnOrOffInEachSpelling(String spelling) {
		this.contextRunner.withPropertyValues("distributed-lock.leadership[boss].enabled=" + spelling)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Leadership.class));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					leadership.boss.enabled=of      | neither true nor false | Write true or false
					leadership.boss.enabled=        | neither true nor false | Write true or false
					leadership.boss.timeout=10      | no unit                | 'distributed-lock.leadership.boss.timeout=10s'
					leadership.boss.timout=10s      | no setting 'timout' of a leadership | Did you mean 'distributed-lock.leadership[boss].timeout'?
					leadership.night job.timeout=9s | without brackets       | 'distributed-lock.leadership[night job].timeout'
					leadership.boss.timeout=${t}    | no value for ${t}      | 't'
					leadership=boss                 | is a group of properties | Write a setting of a leadership, as in 'distributed-lock.leadership[order].timeout'.
					leader.boss.timeout=10s         | no group of properties 'distributed-lock.leader' | 'distributed-lock.leadership[boss].timeout'
					""")
	void settingThatWouldMeanSomethingElseIsRefusedWithTheCorrection(String setting, String problem, String action) {
		this.contextRunner.withPropertyValues("distributed-lock." + setting)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockStartupException.class, (failure) -> {
					assertThat(failure).hasMessageContaining(problem);
					assertThat(failure.getAction()).contains(action);
				}));
	}

	@Test
	void applicationMayUseGeneralNames() {
		this.contextRunner.withAllowBeanDefinitionOverriding(false)
			.withBean("leaderElection", String.class, () -> "of the application")
			.withBean("schedulerLeadership", String.class, () -> "of the application")
			.withBean("leadershipMetrics", String.class, () -> "of the application")
			.withPropertyValues("distributed-lock.leadership.scheduler.timeout=10s")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Leadership.class));
	}

}
