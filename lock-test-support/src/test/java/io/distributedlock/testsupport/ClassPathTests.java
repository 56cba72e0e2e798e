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

package io.distributedlock.testsupport;

import java.io.File;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClassPath}.
 */
class ClassPathTests {

	@Test
	void anotherBuildReplacesAllModulesThatShipAndNothingElse() {
		String run = join("/here/verification/target/classes", "/here/lock-core/target/classes",
				"/here/lock-redis/target/lock-redis-1.jar", "/here/lock-test-support/target/classes",
				"/m2/lettuce.jar");
		assertThat(
				ClassPath.withBuild(join("/there/lock-core/target/classes", "/there/lock-spring/target/classes"), run))
			.isEqualTo(join("/there/lock-core/target/classes", "/there/lock-spring/target/classes",
					"/here/verification/target/classes", "/here/lock-test-support/target/classes", "/m2/lettuce.jar"));
	}

	private static String join(String... elements) {
		return String.join(File.pathSeparator, elements);
	}

}
