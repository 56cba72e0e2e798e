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

package io.distributedlock.autoconfigure.fencing;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the properties {@code distributed-lock.fencing.*}.
 */
class FencingSettingsTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockFencingAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			fencing.table=${t}_fence       | no value for ${t} | 't'
			fencing.data-sources=main,${d} | no value for ${d} | 'd'
			fencing.data-sources[0]=${d}   | no value for ${d} | 'd'
			""")
	void settingWithoutAValueIsRefused(String setting, String problem, String action) {
		this.contextRunner.withPropertyValues("distributed-lock." + setting)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockStartupException.class, (failure) -> {
					assertThat(failure).hasMessageContaining(problem);
					assertThat(failure.getAction()).contains(action);
				}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "schema=never", "table=app.fences", "data-sources=main" })
	void applicationWithoutADataSourceStartsWithEachSetting(String setting) {
		this.contextRunner.withPropertyValues("distributed-lock.fencing." + setting)
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
