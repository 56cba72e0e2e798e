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

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that a {@link GuardedProcess} does not outlive its JVM.
 */
class GuardedProcessTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@ParameterizedTest
	@ValueSource(strings = { "running", "paused" })
	void killedJvmLeavesNoRedisBehind(String state) throws Exception {
		Process jvm = startJvm(state);
		try (BufferedReader output = jvm.inputReader(StandardCharsets.US_ASCII)) {
			ProcessHandle redis = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
			Path directory = Path.of(output.readLine());
			assertThat(redis.isAlive()).isTrue();
			assertThat(directory).exists();
			jvm.destroyForcibly().waitFor();
			await().atMost(PATIENCE).until(() -> !redis.isAlive());
			await().atMost(PATIENCE).until(() -> Files.notExists(directory));
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	@Test
	void jvmThatEndsWithoutClosingLeavesNoRedisBehind() throws Exception {
		Process jvm = startJvm("exit");
		try (BufferedReader output = jvm.inputReader(StandardCharsets.US_ASCII)) {
			ProcessHandle redis = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
			assertThat(jvm.waitFor()).isZero();
			await().atMost(PATIENCE).until(() -> !redis.isAlive());
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	private Process startJvm(String state) throws Exception {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		return new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), ForkedJvm.class.getName(), state)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
	}

	/**
	 * Starts Redis, prints its process id, and waits to be killed.
	 */
	static final class ForkedJvm {

		private ForkedJvm() {
		}

		public static void main(String[] args) throws Exception {
			RedisServer redis = RedisServer.builder().embedded().start();
			String info = String.valueOf(redis.cli("INFO", "server"));
			List<?> directory = (List<?>) redis.cli("CONFIG", "GET", "dir");
			if (args[0].equals("paused")) {
				redis.pause();
			}
			System.out.println(info.replaceAll("(?s).*process_id:(\\d+).*", "$1"));
			System.out.println(directory.get(1));
			if (!args[0].equals("exit")) {
				Thread.currentThread().join();
			}
		}

	}

}
