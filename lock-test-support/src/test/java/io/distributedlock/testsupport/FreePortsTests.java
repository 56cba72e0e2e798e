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

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that ports are not picked twice, although nothing listens on them yet.
 */
class FreePortsTests {

	private static final int MANY = 500;

	@Test
	void twoJvmsPickDifferentPorts() throws Exception {
		Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), OtherJvm.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try (var output = other.inputReader()) {
			List<String> theirs = List.of(output.readLine().split(","));
			List<String> ours = pick();
			assertThat(theirs).hasSize(MANY).doesNotContainAnyElementsOf(ours);
			assertThat(ours).doesNotHaveDuplicates();
		}
		finally {
			other.destroyForcibly();
		}
	}

	private static List<String> pick() {
		return IntStream.range(0, MANY).mapToObj((each) -> Integer.toString(FreePorts.next())).toList();
	}

	/**
	 * Prints ports, and waits to be killed.
	 */
	static final class OtherJvm {

		private OtherJvm() {
		}

		public static void main(String[] args) throws Exception {
			System.out.println(String.join(",", pick()));
			Thread.currentThread().join();
		}

	}

}
