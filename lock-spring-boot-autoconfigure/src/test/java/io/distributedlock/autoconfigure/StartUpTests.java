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

package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what the start of an application costs that has nothing to lock: each class
 * takes time to load.
 */
@Timeout(120)
class StartUpTests {

	private static final String LIBRARY = "io.distributedlock.";

	@TempDir
	private Path directory;

	/**
	 * All threads of the library are daemons of one class. The shutdown counts as well.
	 */
	@Test
	void applicationWithoutLocksLoadsFewClassesAndNeitherConnectsNorStartsAThread() throws Exception {
		try (ServerSocket redis = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			List<String> loaded = run(Unlocked.class, redis, () -> {
			});
			assertThat(loaded).contains(LIBRARY + "annotation.DistributedLockAdvisor")
				.doesNotContain(LIBRARY + "internal.DaemonThread", LIBRARY + "engine.LeaseTimer",
						LIBRARY + "annotation.internal.expression.LockExpressionParser",
						LIBRARY + "annotation.LockAttributesReader",
						LIBRARY + "annotation.internal.bytecode.SelfInvocationFinder",
						LIBRARY + "autoconfigure.LockSettingsCheck",
						"org.springframework.cache.annotation.AnnotationCacheOperationSource");
			// Composes the messages of exceptions: no advisor was asked for too early
			assertThat(loaded).doesNotContain("org.springframework.core.NestedExceptionUtils");
			assertThat(loaded).filteredOn((name) -> name.startsWith(LIBRARY) && !name.contains("StartUpTests"))
				.hasSizeLessThanOrEqualTo(200);
			redis.setSoTimeout(1);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(redis::accept);
		}
	}

	@Test
	void applicationWithALockedMethodReadsItAndConnects() throws Exception {
		try (ServerSocket redis = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			redis.setSoTimeout(60_000);
			assertThat(run(Locked.class, redis, () -> redis.accept().close())).contains(
					LIBRARY + "annotation.internal.expression.LockExpressionParser",
					LIBRARY + "annotation.internal.bytecode.SelfInvocationFinder");
		}
	}

	/**
	 * Return the classes that another JVM has loaded when its application has stopped.
	 * @param redis where the application would connect
	 * @param running what to do before it may stop
	 */
	private List<String> run(Class<?> application, ServerSocket redis, Executable running) throws Exception {
		Path log = this.directory.resolve("classes.log");
		Path output = this.directory.resolve("output.log");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xlog:class+load:file=" + log, "-cp",
				System.getProperty("java.class.path"), Application.class.getName(), application.getName(),
				String.valueOf(redis.getLocalPort()))
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			running.run();
			process.getOutputStream().close();
			assertThat(process.waitFor()).as(() -> contentOf(output)).isZero();
		}
		finally {
			process.destroyForcibly();
		}
		try (Stream<String> lines = Files.lines(log)) {
			return lines.map((line) -> line.split(" ")[1]).toList();
		}
	}

	private static String contentOf(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	/**
	 * An application that runs until its input ends.
	 */
	static final class Application {

		private Application() {
		}

		public static void main(String[] args) throws Exception {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Class.forName(args[0]))
				.web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.properties("spring.data.redis.port=" + args[1], "spring.data.redis.host=127.0.0.1")
				.run()) {
				System.in.read();
			}
		}

	}

	@FunctionalInterface
	private interface Executable {

		void run() throws Exception;

	}

	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DisabledLocksAutoConfiguration.class,
			DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class,
			LockTransactionAutoConfiguration.class, ReactiveLocksAutoConfiguration.class })
	static class Unlocked {

	}

	static class Locked extends Unlocked {

		@Bean
		LockedService lockedService() {
			return new LockedService();
		}

	}

	static class LockedService {

		@DistributedLock(name = "'order-' + #number")
		public String pay(String number) {
			return number;
		}

	}

}
