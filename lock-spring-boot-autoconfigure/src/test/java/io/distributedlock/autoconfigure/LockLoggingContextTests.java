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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.observation.internal.LockLoggingContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockLoggingContext}.
 */
class LockLoggingContextTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory", "distributed-lock.logging.mdc=true")
		.withBean("inner", Work.class, () -> new Work(null))
		.withBean("outer", Work.class);

	@BeforeEach
	@AfterEach
	void clear() {
		MDC.clear();
	}

	@Test
	void blockingWorkIsLoggedWithItsLock() {
		MDC.put("lock.name", "of the application");
		this.contextRunner.run((context) -> {
			assertThat(context.getBean("inner", Work.class).run("a\nb")).containsExactly("a\\u000Ab own");
			assertThat(now()).isEqualTo("of the application null");
		});
	}

	@Test
	void innermostLockIsLoggedAndAfterwardsTheOuterLock() {
		this.contextRunner.run((context) -> {
			Work work = context.getBean("outer", Work.class);
			assertThat(work.nested("a", "b")).containsExactly("a own", "b own", "a own");
			assertThat(work.nested("a", "a")).containsExactly("a own", "a own", "a own");
			assertThat(now()).isEqualTo("null null");
		});
	}

	@Test
	void workThatAServiceCallsIsLoggedWithItsLock() {
		this.contextRunner.run((context) -> {
			LockService service = context.getBean(LockService.class);
			assertThat(service.execute("a", LockLoggingContextTests::now)).isEqualTo("a own");
			assertThat(
					service.executeAsync("a", service.defaults(), (handle) -> CompletableFuture.completedFuture(now()))
						.join())
				.isEqualTo("a own");
			assertThat(context.getBean("inner", Work.class).future("a").join()).isEqualTo("a own");
			assertThat(now()).isEqualTo("null null");
		});
	}

	@Test
	void codeThatEntersAContextIsLoggedWithItsLock() {
		this.contextRunner.run((context) -> {
			LockService service = context.getBean(LockService.class);
			LockHandle handle = service.acquireAll(List.of("a", "b"), service.defaults());
			LockContext.Scope scope = LockContext.enter(handle);
			// Of several locks the last one
			assertThat(MDC.get("lock.name")).isEqualTo("b");
			scope.close();
			handle.close();
			assertThat(now()).isEqualTo("null null");
		});
	}

	@Test
	void nothingIsLoggedUnlessAskedFor() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					LockAnnotationAutoConfiguration.class))
			.withPropertyValues("distributed-lock.provider=in-memory")
			.withBean("inner", Work.class, () -> new Work(null))
			.run((context) -> assertThat(context.getBean(Work.class).run("a")).containsExactly("null null"));
	}

	@Test
	void loggingContextWorksWithoutMicrometer() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context.getBean("inner", Work.class).run("a")).containsExactly("a own"));
	}

	private static String now() {
		String token = MDC.get("lock.fencing-token");
		boolean own = LockContext.current()
			.filter((handle) -> handle.parts().size() == 1)
			.map((handle) -> Long.toString(handle.fencingToken()).equals(token))
			.orElse(token != null && token.matches("[0-9]+"));
		return MDC.get("lock.name") + " " + (own ? "own" : token);
	}

	public static class Work {

		private final Work inner;

		public Work(Work inner) {
			this.inner = inner;
		}

		@DistributedLock(name = "#p0")
		public List<String> run(String name) {
			return List.of(now());
		}

		@DistributedLock(name = "#p0")
		public List<String> nested(String name, String inner) {
			List<String> seen = new ArrayList<>();
			seen.add(now());
			seen.addAll(this.inner.run(inner));
			seen.add(now());
			return seen;
		}

		@DistributedLock(name = "#p0")
		public CompletableFuture<String> future(String name) {
			return CompletableFuture.completedFuture(now());
		}

	}

}
