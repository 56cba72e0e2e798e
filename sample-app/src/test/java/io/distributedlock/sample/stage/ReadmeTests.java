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

package io.distributedlock.sample.stage;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Compiles and runs the annotated methods of the README, as they stand there, in each
 * language.
 */
class ReadmeTests {

	private static final Pattern ANNOTATED = Pattern
		.compile("```java\\n([^`]*@(?:DistributedLock|OncePerFireTime).*?)```", Pattern.DOTALL);

	private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;$");

	/** What surrounds the methods of the README, after the imports of the first one. */
	private static final String SOURCE = """
			import io.distributedlock.annotation.DistributedLock;
			import org.springframework.transaction.annotation.Transactional;
			%s
			public class Readme {
				public static volatile Runnable work;
				%s
			}
			""";

	private static final Pattern TRY_IT = Pattern.compile("\n## (?:Try it|试一试)\n(.*?)\n## ", Pattern.DOTALL);

	private static final Pattern CODE = Pattern.compile("(?m)^```(\\w+\\n.*?)^```", Pattern.DOTALL);

	private static final Pattern FIGURE = Pattern.compile("\\d[\\d,.]*");

	/** A page that says "about" need not change with each commit. */
	private static final long LINES_MORE_OR_LESS = 200;

	private static final Path ROOT = Path.of("..");

	private static final String SAMPLE = "./mvnw -q -pl sample-app -am spring-boot:run";

	private static final String BUILD = "./mvnw verify";

	private static final String README = "README.md";

	private static final String CHINESE_README = "README.zh-CN.md";

	@TempDir
	Path directory;

	@Test
	void theReadmesHaveTheSameCode() throws Exception {
		assertThat(code(CHINESE_README)).hasSizeGreaterThan(3).containsExactlyElementsOf(code(README));
	}

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void figuresOfTheReadmeMatchTheBenchmarks(String readme) throws Exception {
		String benchmarks = text("docs/benchmarks.md").replace(",", "");
		assertThat(figures(readme)).hasSize(16)
			.allSatisfy((figure) -> assertThat(benchmarks).contains("| " + figure + " |"));
	}

	/**
	 * The page adds up to what it says, to the README in thousands, and about to what is
	 * there.
	 */
	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theSizeIsThatOfTheStarter(String readme) throws Exception {
		long all = 0;
		for (String module : List.of("lock-core", "lock-redis", "lock-spring", "lock-spring-boot-autoconfigure")) {
			long lines = linesOnThePage("`" + module + "`");
			assertThat(lines).as(module)
				.isCloseTo(linesOfCode(ROOT.resolve(module).resolve("src/main")), within(LINES_MORE_OR_LESS));
			all += lines;
		}
		assertThat(linesOnThePage("together")).isEqualTo(all);
		assertThat(text(readme)).contains("%d,000".formatted(Math.round(all / 1000.0)));
	}

	private static long linesOnThePage(String row) throws Exception {
		Matcher lines = Pattern.compile("\\| " + Pattern.quote(row) + " \\| ([\\d,]+00) \\|")
			.matcher(text("docs/adoption.md"));
		assertThat(lines.find()).as(row).isTrue();
		return Long.parseLong(lines.group(1).replace(",", ""));
	}

	/** Without comments, imports and blank lines. */
	private static long linesOfCode(Path directory) throws Exception {
		Pattern other = Pattern.compile("\\s*(?:/?\\*.*|//.*|--.*|import .*|package .*)?");
		try (Stream<Path> files = Files.walk(directory)) {
			List<Path> sources = files.filter((file) -> file.toString().matches(".*\\.(?:java|kt|lua)")).toList();
			long count = 0;
			for (Path source : sources) {
				count += Files.readAllLines(source).stream().filter((line) -> !other.matcher(line).matches()).count();
			}
			return count;
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theAnnotatedMethodsCompileAndLock(String readme) throws Throwable {
		Class<?> type = compile(annotatedMethods(readme));
		try (RedisServer redis = RedisServer.from(new MockEnvironment());
				ConfigurableApplicationContext context = run(type, redis)) {
			Calls calls = new Calls(type, context.getBean(type));
			LockService locks = context.getBean(LockService.class);
			// On a busy machine the connection takes longer than a command may
			await().atMost(Duration.ofMinutes(1))
				.ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.until(() -> !locks.isLocked("nightly-report"));
			LockHandle elsewhere = hold(locks, "nightly-report");
			assertThat(calls.start("writeReport").get()).as("skipped").isZero();
			elsewhere.close();
			assertThat(calls.start("writeReport").get()).isEqualTo(1);
			assertThat(calls.start("writeReport").get()).as("the fire time has been run").isZero();

			elsewhere = hold(locks, "order:7");
			CompletableFuture<Integer> waiting = calls.start("ship", 7L);
			assertThat(calls.start("ship", 8L).get()).isEqualTo(1);
			assertThat(waiting).isNotDone();
			elsewhere.close();
			assertThat(waiting.get()).isEqualTo(1);

			List<CompletableFuture<Integer>> exports = calls.startBlocked("export", 3, 7L);
			LockOptions one = LockOptions.defaults().withPermits(3);
			assertThat(locks.tryAcquire("export", one)).as("a fourth one").isEmpty();
			calls.go();
			for (CompletableFuture<Integer> export : exports) {
				assertThat(export.get()).isEqualTo(1);
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "README.md, minutes", "README.zh-CN.md, 分钟" })
	void readmeTellsNeedsDurationAndResultOfBothCommands(String readme, String minutes) throws Exception {
		List<String> paragraphs = tryIt(readme);
		assertThat(paragraphs.get(0)).contains("JDK", "17", "Maven Central");
		Map.of(SAMPLE, "http://localhost:8080/", BUILD, "BUILD SUCCESS").forEach((command, seen) -> {
			int position = paragraphs.indexOf("```shell\n" + command + "\n```");
			assertThat(position).as(command).isPositive();
			assertThat(paragraphs.get(position - 1)).as("how long %s takes", command).contains(minutes);
			assertThat(paragraphs.get(position + 1)).as("what %s shows", command).contains(seen);
		});
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "The script needs a shell")
	void theBuildOnABareMachineRunsTheCommandsOfTheReadme() throws Exception {
		Process process = new ProcessBuilder("bash", ".ci/bare", "--list").directory(ROOT.toFile()).start();
		assertThat(process.inputReader().lines()).containsExactly(SAMPLE, BUILD);
	}

	private static LockHandle hold(LockService locks, String name) {
		return CompletableFuture.supplyAsync(() -> locks.acquire(name, LockOptions.defaults())).join();
	}

	private static String annotatedMethods(String readme) throws Exception {
		List<String> blocks = ANNOTATED.matcher(text(readme))
			.results()
			.map((block) -> block.group(1).replace("{ … }", "{ work.run(); }"))
			.toList();
		assertThat(blocks).hasSize(3);
		String code = String.join("\n", blocks);
		String imports = IMPORT.matcher(code).results().map(MatchResult::group).collect(Collectors.joining("\n"));
		return SOURCE.formatted(imports, IMPORT.matcher(code).replaceAll(""));
	}

	/**
	 * The paragraphs that say how to try it.
	 */
	private static List<String> tryIt(String readme) throws Exception {
		Matcher section = TRY_IT.matcher(text(readme));
		assertThat(section.find()).isTrue();
		return List.of(section.group(1).strip().split("\n\n"));
	}

	/**
	 * The blocks of code without their comments, which are translated.
	 */
	private static List<String> code(String readme) throws Exception {
		return CODE.matcher(text(readme))
			.results()
			.map((block) -> block.group(1).replaceAll("(?m)\\s*// .*$", ""))
			.toList();
	}

	/**
	 * The numbers of the table that compares, without separators.
	 */
	private static List<String> figures(String readme) throws Exception {
		return text(readme).lines()
			.dropWhile((line) -> !line.endsWith("| Redisson | ShedLock |"))
			.skip(2)
			.takeWhile((line) -> line.startsWith("|"))
			.flatMap((row) -> FIGURE.matcher(row.substring(row.indexOf('|', 1))).results())
			.map((figure) -> figure.group().replace(",", ""))
			.toList();
	}

	private static String text(String readme) throws Exception {
		return Files.readString(ROOT.resolve(readme));
	}

	private Class<?> compile(String source) throws Exception {
		Matcher name = Pattern.compile("public class (\\w+)").matcher(source);
		assertThat(name.find()).isTrue();
		Path file = Files.writeString(this.directory.resolve(name.group(1) + ".java"), source);
		int result = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-parameters", "-proc:none", "-cp", System.getProperty("java.class.path"),
					file.toString());
		assertThat(result).isZero();
		ClassLoader loader = new URLClassLoader(new URL[] { this.directory.toUri().toURL() },
				ClassUtils.getDefaultClassLoader());
		return loader.loadClass(name.group(1));
	}

	private static ConfigurableApplicationContext run(Class<?> type, RedisServer redis) {
		List<String> properties = redis.properties()
			.entrySet()
			.stream()
			.map((property) -> property.getKey() + "=" + property.getValue())
			.toList();
		return new SpringApplicationBuilder(Application.class, type).web(WebApplicationType.NONE)
			.resourceLoader(new DefaultResourceLoader(type.getClassLoader()))
			.properties(properties.toArray(String[]::new))
			.run();
	}

	/**
	 * Calls of the methods, in threads of their own.
	 */
	private static final class Calls {

		private final ThreadLocal<Integer> ran = ThreadLocal.withInitial(() -> 0);

		private final CountDownLatch go = new CountDownLatch(1);

		private final Semaphore blocked = new Semaphore(0);

		private final Class<?> type;

		private final Object bean;

		private volatile Runnable also = () -> {
		};

		Calls(Class<?> type, Object bean) throws ReflectiveOperationException {
			this.type = type;
			this.bean = bean;
			type.getField("work").set(null, (Runnable) () -> {
				this.ran.set(this.ran.get() + 1);
				this.also.run();
			});
		}

		/**
		 * Call a method.
		 * @return how often its body ran
		 */
		CompletableFuture<Integer> start(String name, Object... arguments) {
			Method method = Arrays.stream(this.type.getMethods())
				.filter((candidate) -> candidate.getName().equals(name))
				.findFirst()
				.orElseThrow();
			CompletableFuture<Integer> ran = new CompletableFuture<>();
			new Thread(() -> {
				try {
					method.invoke(this.bean, arguments);
					ran.complete(this.ran.get());
				}
				catch (ReflectiveOperationException ex) {
					ran.completeExceptionally(ex);
				}
			}).start();
			return ran;
		}

		List<CompletableFuture<Integer>> startBlocked(String name, int times, Object... arguments) {
			this.also = () -> {
				this.blocked.release();
				try {
					this.go.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			};
			List<CompletableFuture<Integer>> started = IntStream.range(0, times)
				.mapToObj((i) -> start(name, arguments))
				.toList();
			this.blocked.acquireUninterruptibly(times);
			return started;
		}

		void go() {
			this.go.countDown();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
