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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Compiles and runs the first lock of the README, as it stands there, in each language.
 */
class ReadmeTests {

	private static final Pattern FIRST_LOCK = Pattern.compile("<!-- first-lock -->\\s+```java\\n(.*?)```",
			Pattern.DOTALL);

	private static final Pattern CODE = Pattern.compile("(?m)^```(\\w+\\n.*?)^```", Pattern.DOTALL);

	private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)[^)]*\\)");

	private static final Pattern FIGURE = Pattern.compile("\\d[\\d,.]*");

	private static final Path ROOT = Path.of("..");

	private static final String README = "README.md";

	private static final String CHINESE_README = "README.zh-CN.md";

	@TempDir
	Path directory;

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theFirstLockHasAtMostTenLines(String readme) throws Exception {
		assertThat(firstLock(readme).lines()).hasSizeLessThanOrEqualTo(10);
	}

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theReadmeHasAtMostOneHundredAndFiftyLines(String readme) throws Exception {
		assertThat(text(readme).lines()).hasSizeLessThanOrEqualTo(150);
	}

	@Test
	void theReadmesHaveTheSameCode() throws Exception {
		assertThat(code(CHINESE_README)).hasSizeGreaterThan(3).containsExactlyElementsOf(code(README));
	}

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theLinksOfTheReadmeLeadSomewhere(String readme) throws Exception {
		assertThat(LINK.matcher(text(readme))
			.results()
			.map((link) -> link.group(1))
			.filter((target) -> !target.startsWith("http"))).hasSizeGreaterThan(20)
			.allSatisfy((target) -> assertThat(ROOT.resolve(target)).exists());
	}

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theFiguresOfTheReadmeAreThoseOfTheBenchmarks(String readme) throws Exception {
		String benchmarks = text("docs/benchmarks.md").replace(",", "");
		assertThat(figures(readme)).hasSize(13)
			.allSatisfy((figure) -> assertThat(benchmarks).contains("| " + figure + " |"));
	}

	@ParameterizedTest
	@ValueSource(strings = { README, CHINESE_README })
	void theFirstLockCompilesAndLocks(String readme) throws Throwable {
		Class<?> type = compile(firstLock(readme));
		try (RedisServer redis = RedisServer.from(new MockEnvironment());
				ConfigurableApplicationContext context = run(type, redis)) {
			Object service = context.getBean(type);
			Method pay = type.getMethod("pay", String.class);
			LockService locks = context.getBean(LockService.class);
			// On a busy machine the connection takes longer than a command may
			await().atMost(Duration.ofMinutes(1))
				.ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.until(() -> !locks.isLocked("pay:4711"));
			LockHandle held = CompletableFuture.supplyAsync(() -> locks.acquire("pay:4711", LockOptions.defaults()))
				.join();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> invoke(pay, service, "4711"));
			assertThat(invoke(pay, service, "4712")).isEqualTo("paid 4712");
			held.close();
			assertThat(invoke(pay, service, "4711")).isEqualTo("paid 4711");
			assertThat(locks.isLocked("pay:4711")).isFalse();
		}
	}

	private static String firstLock(String readme) throws Exception {
		Matcher matcher = FIRST_LOCK.matcher(text(readme));
		assertThat(matcher.find()).as("block of Java after <!-- first-lock --> in " + readme).isTrue();
		return matcher.group(1);
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

	private static Object invoke(Method method, Object target, Object argument) throws Throwable {
		try {
			return method.invoke(target, argument);
		}
		catch (java.lang.reflect.InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
