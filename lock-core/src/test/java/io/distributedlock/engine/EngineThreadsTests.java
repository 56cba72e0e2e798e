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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link EngineThreads}, some of them on a system that refuses new threads.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(20)
class EngineThreadsTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final AtomicBoolean refusing = new AtomicBoolean();

	private final AtomicInteger refusals = new AtomicInteger();

	private final EngineThreads threads = new EngineThreads((work) -> {
		if (this.refusing.get()) {
			this.refusals.incrementAndGet();
			throw new OutOfMemoryError("The test allows no thread.");
		}
		return work;
	});

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void taskThatThrowsDoesNotEndItsThread() {
		for (Executor executor : single()) {
			CompletableFuture<Thread> first = new CompletableFuture<>();
			CompletableFuture<Thread> next = new CompletableFuture<>();
			executor.execute(() -> {
				first.complete(Thread.currentThread());
				throw new AssertionError("thrown by the test");
			});
			executor.execute(() -> next.complete(Thread.currentThread()));
			assertThat(next.join()).isSameAs(first.join());
		}
	}

	@Test
	void failureOfATaskIsLoggedWithWhatItMeansAndWhatToDo(CapturedOutput output) {
		CompletableFuture<Thread> next = new CompletableFuture<>();
		this.threads.io(() -> {
			throw new AssertionError("thrown by the test");
		});
		this.threads.io(() -> next.complete(Thread.currentThread()));
		next.join();
		assertThat(output).contains(
				"A task that follows a lock event failed: a lock may stay taken, or not be renewed, until its lease ends; a caller may wait for its whole time; an event may be missing. "
						+ "Unless memory ran out, report this with its stack trace.")
			.contains("java.lang.AssertionError: thrown by the test");
	}

	@Test
	void afterTheStartTheStoreIsCalledAndEventsAreToldWithoutANewThread() {
		this.threads.start();
		this.refusing.set(true);
		for (Executor executor : single()) {
			CompletableFuture<Boolean> done = new CompletableFuture<>();
			assertThatNoException().isThrownBy(() -> executor.execute(() -> done.complete(true)));
			assertThat(done).succeedsWithin(SOON);
		}
	}

	@Test
	void futuresAreCompletedAsSoonAsThereCanBeAThread() {
		this.threads.start();
		this.refusing.set(true);
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		this.threads.completions().execute(() -> done.complete(true));
		this.refusing.set(false);
		assertThat(done).succeedsWithin(SOON);
	}

	@Test
	void lackOfMemoryIsNotTakenForManyBlockedContinuations(CapturedOutput output) {
		this.threads.start();
		this.refusing.set(true);
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		this.threads.completions().execute(() -> done.complete(true));
		await().untilAsserted(() -> assertThat(this.refusals).hasValueGreaterThan(20));
		this.refusing.set(false);
		assertThat(done).succeedsWithin(SOON);
		assertThat(output).doesNotContain("callbacks and continuations");
	}

	private List<Executor> single() {
		return List.of(this.threads::io, this.threads::callback);
	}

}
