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

package io.distributedlock.example;

import java.nio.file.Files;
import java.nio.file.Path;

import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the example of docs/lock-service.md on a class path without Spring.
 */
@ExtendWith(OutputCaptureExtension.class)
class WithoutSpringTests {

	@Test
	void theExampleRuns(CapturedOutput output) {
		Shop.main();
		assertThat(output).contains("Paid under the lock order:42").contains("Held now: 0");
	}

	@Test
	void thePageShowsTheExample() throws Exception {
		String source = Files.readString(Path.of("src/test/java/io/distributedlock/example/Shop.java"));
		assertThat(Files.readString(Path.of("../docs/lock-service.md")))
			.contains(source.substring(source.indexOf("\tpublic static void main"), source.lastIndexOf('}')).strip());
	}

}
