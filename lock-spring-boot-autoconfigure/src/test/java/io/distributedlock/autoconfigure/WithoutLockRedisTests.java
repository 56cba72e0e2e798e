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

import java.net.URLClassLoader;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.testsupport.ClassPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an application without {@code lock-redis}.
 */
@ExtendWith(OutputCaptureExtension.class)
class WithoutLockRedisTests {

	@Test
	void reportNamesTheMissingModule(CapturedOutput output) throws Exception {
		start();
		assertThat(output).contains("lock-redis is not on the class path.")
			.contains("Depend on lock-spring-boot-starter, or on io.distributedlock:lock-redis")
			.doesNotContain("Paid");
	}

	@Test
	void applicationWithLocksInMemoryStarts(CapturedOutput output) throws Exception {
		start("--distributed-lock.provider=in-memory");
		assertThat(output).contains("Paid");
	}

	private static void start(String... arguments) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader own = thread.getContextClassLoader();
		try (URLClassLoader loader = ClassPath.without("lock-redis")) {
			thread.setContextClassLoader(loader);
			Runnable shop = (Runnable) loader.loadClass(Shop.class.getName())
				.getConstructor(String[].class)
				.newInstance((Object) arguments);
			shop.run();
		}
		finally {
			thread.setContextClassLoader(own);
		}
	}

	/**
	 * Runs in the class loader without the module.
	 */
	public static class Shop implements Runnable {

		private final String[] arguments;

		public Shop(String[] arguments) {
			this.arguments = arguments;
		}

		@Override
		public void run() {
			SpringApplication application = new SpringApplication(Application.class);
			application.setWebApplicationType(WebApplicationType.NONE);
			try {
				application.run(this.arguments).getBean(Orders.class).pay();
			}
			catch (RuntimeException ex) {
				// The report says why
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	static class Application {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		@DistributedLock("order")
		public void pay() {
			System.out.println("Paid");
		}

	}

}
