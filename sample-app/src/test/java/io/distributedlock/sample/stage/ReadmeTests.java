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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

/**
 * Compiles and runs the first lock of the README, as it stands there.
 */
class ReadmeTests {

	private static final Pattern FIRST_LOCK = Pattern.compile("<!-- first-lock -->\\s+```java\\n(.*?)```",
			Pattern.DOTALL);

	@TempDir
	Path directory;

	@Test
	void theFirstLockHasAtMostTenLines() throws Exception {
		assertThat(firstLock().lines()).hasSizeLessThanOrEqualTo(10);
	}

	@Test
	void theFirstLockCompilesAndLocks() throws Throwable {
		Class<?> type = compile(firstLock());
		try (RedisServer redis = RedisServer.from(new MockEnvironment());
				ConfigurableApplicationContext context = run(type, redis)) {
			Object service = context.getBean(type);
			Method pay = type.getMethod("pay", String.class);
			LockService locks = context.getBean(LockService.class);
			LockHandle held = CompletableFuture.supplyAsync(() -> locks.acquire("pay:4711", LockOptions.builtIn()))
				.join();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> invoke(pay, service, "4711"));
			assertThat(invoke(pay, service, "4712")).isEqualTo("paid 4712");
			held.close();
			assertThat(invoke(pay, service, "4711")).isEqualTo("paid 4711");
			assertThat(locks.isLocked("pay:4711")).isFalse();
		}
	}

	private static String firstLock() throws Exception {
		String readme = Files.readString(Path.of("..", "README.md"));
		Matcher matcher = FIRST_LOCK.matcher(readme);
		assertThat(matcher.find()).as("block of Java after <!-- first-lock --> in the README").isTrue();
		return matcher.group(1);
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
