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

package io.distributedlock.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.kinds.AskedKinds;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The common pool, of which a small machine has one thread, belongs to everybody, and so
 * does the thread of the JDK for delays. Locks need neither: not for their connection,
 * which wants a password as every real one does, and not for their time limits.
 */
@Timeout(120)
class CommonPoolTests {

	@RegisterExtension
	static final RedisExtension redis = RedisExtension.with(RedisServer.builder().password("s3cret"));

	/**
	 * With a single thread, the asynchronous stages of older JDKs have one each; with
	 * two, they share these.
	 */
	@Test
	@Shows("Common pool, or the JDK's delay thread, blocked by user code")
	void commonPoolIsNotNeeded() {
		List<Call<List<String>>> runs = Stream.of(1, 2)
			.map((parallelism) -> Call.start(() -> run(parallelism)))
			.toList();
		runs.forEach((run) -> assertLocksWork(run.get()));
	}

	private static void assertLocksWork(List<String> works) {
		assertThat(works).filteredOn((line) -> !line.startsWith("> asked "))
			.containsExactly("> acquired in the common pool", "> acquired for a future",
					"> acquired in a parallel stream", "> connected while the pool is blocked",
					"> timed out while the pool is blocked");
		for (LockKind kind : LockKind.values()) {
			works.stream()
				.filter(("> asked " + kind)::equals)
				.forEach((line) -> AskedKinds.count(kind.named("x"), kind));
		}
	}

	private static List<String> run(int parallelism) throws IOException, InterruptedException {
		RedisServer server = redis.server();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Djava.util.concurrent.ForkJoinPool.common.parallelism=" + parallelism, "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m", "-cp", System.getProperty("java.class.path"),
				CommonPoolMain.class.getName(), server.host(), Integer.toString(server.port()), server.password())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		try (var output = process.inputReader(StandardCharsets.UTF_8)) {
			List<String> lines = output.lines().filter((line) -> line.startsWith("> ")).toList();
			assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
			return lines;
		}
		finally {
			process.destroyForcibly();
		}
	}

}
