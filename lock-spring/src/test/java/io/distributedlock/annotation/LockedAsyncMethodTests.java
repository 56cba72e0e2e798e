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

package io.distributedlock.annotation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@code @Async} methods: the lock is taken in the thread of the executor.
 */
class LockedAsyncMethodTests {

	private final LockFixture fixture = new LockFixture();

	private final RecordingLockService locks = this.fixture.locks;

	private Work work;

	@BeforeEach
	void start() {
		this.fixture.context.register(AsyncConfiguration.class);
		this.work = this.fixture.start(Work.class);
	}

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@Test
	void callerDoesNotWaitForTheLock() {
		Semaphore free = new Semaphore(0);
		this.locks.beforeAcquire = free::acquireUninterruptibly;
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.work.fireAndForget(done);
		assertThat(done).isNotDone();
		free.release();
		assertThat(done).succeedsWithin(Duration.ofSeconds(10));
		await().untilAsserted(() -> assertThat(this.locks.log).containsExactly("acquire async", "release async"));
	}

	@Test
	@DisplayName("The method stays in the thread of its executor and holds the lock until its future is done")
	void methodStaysInItsExecutorAndUnderItsLock() throws Exception {
		CompletableFuture<String> inner = new CompletableFuture<>();
		CompletableFuture<String> result = this.work.later(inner);
		await().until(() -> this.locks.log.size() == 2);
		assertThat(this.locks.log.get(0)).isEqualTo("acquire async");
		assertThat(this.locks.log.get(1)).startsWith("run in worker-");
		inner.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(this.locks.log).endsWith("release async");
	}

	@Test
	void waitingMethodRunsInTheThreadOfTheExecutor() throws Exception {
		LockHandle handle = this.locks.acquire("async", this.locks.defaults);
		this.locks.takeLog();
		CompletableFuture<LockHandle> granted = new CompletableFuture<>();
		this.locks.pending = granted;
		CompletableFuture<String> result = this.work.later(CompletableFuture.completedFuture("done"));
		await().until(() -> granted.getNumberOfDependents() > 0);
		granted.complete(handle);
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(this.locks.log.get(0)).startsWith("run in worker-");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class AsyncConfiguration {

		@Bean
		TaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setCorePoolSize(1);
			executor.setThreadNamePrefix("worker-");
			return executor;
		}

	}

	static class Work {

		private final RecordingLockService locks;

		Work(RecordingLockService locks) {
			this.locks = locks;
		}

		@Async
		@DistributedLock("async")
		public void fireAndForget(CompletableFuture<Void> done) {
			done.complete(null);
		}

		@Async
		@DistributedLock("async")
		public CompletableFuture<String> later(CompletableFuture<String> result) {
			this.locks.log.add("run in " + Thread.currentThread().getName());
			return result;
		}

	}

}
