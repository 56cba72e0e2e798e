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
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the start of an application costs that has nothing to lock: each class
 * takes time to load.
 */
@Timeout(120)
class StartUpTests {

	private static final String LIBRARY = "io.distributedlock.";

	@TempDir
	private Path directory;

	@Test
	void startWithoutAnnotationsLoadsNoAnnotationReaders() throws Exception {
		List<String> loaded = start(Unlocked.class);
		assertThat(loaded).contains(LIBRARY + "annotation.DistributedLockAdvisor", LIBRARY + "redis.RedisLockStore")
			.doesNotContain(LIBRARY + "annotation.internal.expression.LockExpressionParser",
					LIBRARY + "annotation.LockAttributesReader",
					LIBRARY + "annotation.internal.bytecode.SelfInvocationFinder",
					LIBRARY + "autoconfigure.LockSettingsCheck",
					"org.springframework.cache.annotation.AnnotationCacheOperationSource");
		// Composes the messages of exceptions: no advisor was asked for too early
		assertThat(loaded).doesNotContain("org.springframework.core.NestedExceptionUtils");
		assertThat(loaded).filteredOn((name) -> name.startsWith(LIBRARY)).hasSizeLessThan(240);
	}

	@Test
	void annotationsAreRead() throws Exception {
		assertThat(start(Locked.class)).contains(LIBRARY + "annotation.internal.expression.LockExpressionParser",
				LIBRARY + "annotation.internal.bytecode.SelfInvocationFinder");
	}

	/**
	 * Return the classes that another JVM has loaded when the context is refreshed.
	 */
	private List<String> start(Class<?> application) throws IOException, InterruptedException {
		Path log = this.directory.resolve("classes.log");
		Path output = this.directory.resolve("output.log");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xlog:class+load:file=" + log, "-cp",
				System.getProperty("java.class.path"), Application.class.getName(), application.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor()).as(() -> contentOf(output)).isZero();
		}
		finally {
			process.destroyForcibly();
		}
		try (Stream<String> lines = Files.lines(log)) {
			return lines.map((line) -> line.split(" ")[1])
				.filter((name) -> !name.contains("$$"))
				.takeWhile((name) -> !name.equals(Application.Started.class.getName()))
				.toList();
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
	 * An application that ends when it has started.
	 */
	static final class Application {

		private Application() {
		}

		public static void main(String[] args) throws Exception {
			new SpringApplicationBuilder(Class.forName(args[0])).web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.properties("spring.data.redis.port=1")
				.listeners(new StartListener())
				.run();
			Runtime.getRuntime().halt(0);
		}

		/**
		 * Is called before the listeners of the application.
		 */
		static final class StartListener implements ApplicationListener<ContextRefreshedEvent>, Ordered {

			@Override
			public void onApplicationEvent(ContextRefreshedEvent event) {
				Started.now();
			}

			@Override
			public int getOrder() {
				return Ordered.HIGHEST_PRECEDENCE;
			}

		}

		/**
		 * Is loaded when the application has started.
		 */
		static final class Started {

			private Started() {
			}

			static void now() {
			}

		}

	}

	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
			LockAnnotationAutoConfiguration.class, ReactiveLocksAutoConfiguration.class })
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
