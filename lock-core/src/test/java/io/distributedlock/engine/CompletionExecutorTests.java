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
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

@ExtendWith(OutputCaptureExtension.class)
@Timeout(20)
class CompletionExecutorTests {

	private final CompletionExecutor completions = new CompletionExecutor();

	private final CompletableFuture<Thread> first = new CompletableFuture<>();

	private final CompletableFuture<Thread> second = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.completions.close();
	}

	@Test
	void taskRunsInAThreadOfTheExecutor() {
		this.completions.execute(() -> tell(this.first));
		assertThat(this.first.join()).isNotEqualTo(Thread.currentThread())
			.extracting(Thread::getName)
			.asString()
			.startsWith("distributed-lock-async-");
	}

	@Test
	void failureOfATaskIsLoggedWithWhatItMeansAndWhatToDo(CapturedOutput output) {
		this.completions.execute(() -> {
			this.completions.execute(() -> tell(this.first));
			throw new AssertionError("thrown by the test");
		});
		this.first.join();
		// Another thread may have run the other task meanwhile
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains(
					"A completion of a lock failed: the future of a caller, or a callback for a loss, may never come. "
							+ "Unless memory ran out, report this with its stack trace.")
				.contains("java.lang.AssertionError: thrown by the test"));
	}

	@Test
	void nestedTaskRunsInTheSameThreadAfterTheOuterTaskReturns() {
		CompletableFuture<Boolean> returned = new CompletableFuture<>();
		this.completions.execute(() -> {
			this.completions.execute(() -> {
				returned.complete(this.first.isDone());
				tell(this.second);
			});
			tell(this.first);
		});
		assertThat(this.second.join()).isEqualTo(this.first.join());
		assertThat(returned.join()).isTrue();
	}

	@Test
	void aLongChainComesInOneThreadAndNeedsNoStack() {
		chain(100_000);
		assertThat(this.second.join()).isNotNull();
	}

	private void chain(int left) {
		this.completions.execute((left > 0) ? () -> chain(left - 1) : () -> tell(this.second));
	}

	@Test
	void taskWaitingForANestedTaskDoesNotWaitForever() {
		this.completions.execute(() -> {
			this.completions.execute(() -> tell(this.second));
			this.second.join();
			tell(this.first);
		});
		assertThat(this.second.join()).isNotEqualTo(this.first.join());
	}

	@Test
	void taskWaitingForASecondNestedTaskDoesNotWaitForever() {
		CompletableFuture<Thread> third = new CompletableFuture<>();
		this.completions.execute(() -> {
			this.completions.execute(() -> tell(this.second));
			this.completions.execute(() -> tell(third));
			third.join();
			tell(this.first);
		});
		assertThat(third.join()).isNotEqualTo(this.first.join());
		assertThat(this.second.join()).isNotNull();
	}

	@Test
	void waitingTasksAreRescuedRepeatedly() {
		for (int i = 0; i < 50; i++) {
			CompletableFuture<Thread> caused = new CompletableFuture<>();
			CompletableFuture<Thread> causing = new CompletableFuture<>();
			this.completions.execute(() -> {
				this.completions.execute(() -> tell(caused));
				caused.join();
				tell(causing);
			});
			assertThat(caused.join()).isNotEqualTo(causing.join());
		}
	}

	@Test
	void throwingTaskDoesNotStopTheNextTask() {
		this.completions.execute(() -> {
			this.completions.execute(() -> tell(this.second));
			throw new AssertionError("thrown by the test");
		});
		assertThat(this.second.join()).isNotNull();
	}

	@Test
	void interruptOfATaskDoesNotReachTheNextTask() {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		this.completions.execute(() -> {
			this.completions.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
			Thread.currentThread().interrupt();
		});
		assertThat(interrupted.join()).isFalse();
	}

	@Test
	void tasksAfterTheCloseAreRun() {
		CountDownLatch closed = new CountDownLatch(1);
		this.completions.execute(() -> {
			await(closed);
			this.completions.execute(() -> tell(this.second));
			this.second.join();
		});
		this.completions.close();
		this.completions.execute(() -> tell(this.first));
		assertThat(this.first.join()).isNotNull();
		closed.countDown();
		assertThat(this.second.join()).isNotNull();
	}

	@Test
	void taskThatNoThreadCouldBeStartedForAfterTheCloseRunsWithTheNextOne() {
		AtomicBoolean refusing = new AtomicBoolean(true);
		CompletionExecutor closed = new CompletionExecutor((work) -> {
			if (refusing.get()) {
				throw new OutOfMemoryError("The test allows no thread.");
			}
			return work;
		});
		closed.close();
		assertThatNoException().isThrownBy(() -> closed.execute(() -> tell(this.first)));
		refusing.set(false);
		closed.execute(() -> tell(this.second));
		assertThat(this.first).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.second).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void aTaskThatWaitsForTwoNestedTasksAfterTheCloseDoesNotWaitForever() {
		CompletableFuture<Thread> third = new CompletableFuture<>();
		this.completions.execute(() -> {
			this.completions.execute(() -> tell(this.first));
			this.completions.close();
			this.first.join();
			this.completions.execute(() -> tell(this.second));
			this.second.join();
			tell(third);
		});
		assertThat(third).succeedsWithin(Duration.ofSeconds(10)).isNotEqualTo(this.second.join());
	}

	@Test
	void tasksBehindBlockedTasksRunInThreadsOfTheLocksEvenAfterTheClose() {
		CountDownLatch end = new CountDownLatch(1);
		for (int i = 0; i < 600; i++) {
			this.completions.execute(() -> await(end));
		}
		this.completions.close();
		this.completions.execute(() -> tell(this.first));
		assertThat(this.first.join().getName()).startsWith("distributed-lock-async-");
		end.countDown();
	}

	@Test
	void aBurstOfShortTasksHasNoMoreThreadsThanUsual() {
		CountDownLatch done = new CountDownLatch(50_000);
		for (int i = 0; i < 50_000; i++) {
			this.completions.execute(done::countDown);
		}
		await(done);
		this.completions.execute(() -> tell(this.first));
		assertThat(this.first.join().getName()).matches("distributed-lock-async-(\\d|\\d\\d|[12]\\d\\d)");
	}

	@Test
	void callerOfABurstStartsOnlyTheFirstThread() {
		AtomicInteger threads = new AtomicInteger();
		CountDownLatch hostIsBusy = new CountDownLatch(1);
		CyclicBarrier all = new CyclicBarrier(200);
		CountDownLatch done = new CountDownLatch(200);
		try (CompletionExecutor slow = new CompletionExecutor((work) -> {
			threads.incrementAndGet();
			return () -> {
				await(hostIsBusy);
				work.run();
			};
		})) {
			for (int i = 0; i < 200; i++) {
				slow.execute(() -> {
					meet(all);
					done.countDown();
				});
			}
			assertThat(threads).hasValue(1);
			hostIsBusy.countDown();
			await(done);
			assertThat(threads).hasValue(200);
		}
	}

	@Test
	void tasksOfAnotherEngineRunInThreadsOfThatEngine() {
		try (CompletionExecutor others = new CompletionExecutor()) {
			this.completions.execute(() -> {
				others.execute(() -> tell(this.second));
				this.second.join();
				tell(this.first);
			});
			assertThat(this.second.join()).isNotEqualTo(this.first.join());
		}
	}

	private static void tell(CompletableFuture<Thread> future) {
		future.complete(Thread.currentThread());
	}

	private static void meet(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
