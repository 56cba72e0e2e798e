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

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for calls of annotated methods that return when their work is done.
 */
class LockedMethodTests {

	private final LockFixture fixture = new LockFixture();

	private final RecordingLockService locks = this.fixture.locks;

	private Work work;

	@BeforeEach
	void start() {
		this.work = this.fixture.start(Work.class);
	}

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@Test
	@DisplayName("An exception reaches the caller unchanged and the lock is free without minimum hold")
	void exceptionReachesTheCallerAndTheLockIsFreeAtOnce() {
		IOException failure = new IOException("test");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.work.run(failure)).isSameAs(failure);
		assertThat(this.locks.log).containsExactly("acquire work", "run", "waive work", "release work");
	}

	@Test
	void failureOfTheReleaseIsAddedToTheExceptionOfTheMethod() {
		this.locks.closeFailure = new IllegalStateException("release");
		IOException failure = new IOException("test");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.work.run(failure)).isSameAs(failure);
		assertThat(failure.getSuppressed()).containsExactly(this.locks.closeFailure);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void skippedCallReturnsAnEmptyResultAndLogsTheHolder(CapturedOutput output) {
		this.locks.busy.add("skip");
		this.work.skipVoid();
		assertThat(this.work.skipOptional()).isEmpty();
		assertThat(this.work.skipInt()).isEmpty();
		assertThat(this.work.skipLong()).isEmpty();
		assertThat(this.work.skipDouble()).isEmpty();
		assertThat(this.work.skipText()).isNull();
		assertThat(this.work.skipList()).isNull();
		assertThat(this.work.skipWrapper()).isNull();
		assertThat(this.locks.log).hasSize(8).containsOnly("busy skip");
		assertThat(output).containsOnlyOnce("Work.skipVoid is skipped: lock 'skip' is held by instance 'worker-2'.")
			.contains("INFO");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aCallThatTheFallbackAnswersIsLogged(CapturedOutput output) {
		this.locks.busy.add("fallback");
		this.work.withFallback("x", 1);
		assertThat(output)
			.containsPattern("INFO .*Work.withFallback is answered by \\w+\\(\\): lock 'fallback' is held by");
	}

	@Test
	void outageIsNeverSkipped() {
		this.locks.failure = new LockUnavailableException("skip", "down", null);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.work::skipVoid)
			.isSameAs(this.locks.failure);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.work.withFallback("x", 1))
			.isSameAs(this.locks.failure);
		assertThat(this.work.skipFuture()).isCompletedExceptionally();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.work.skipMono().block());
	}

	@Test
	void refusalOfAnotherLockInsideTheMethodIsAnException() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.work::skipUnlessInnerIsBusy);
		assertThat(this.locks.log).containsExactly("acquire skip", "waive skip", "release skip");
	}

	@Test
	void fallbackAnswersWithArgumentsAndException() {
		this.locks.busy.add("fallback");
		assertThat(this.work.withFallback("x", 1)).isEqualTo("x 1 held by worker-2");
	}

	@Test
	void fallbackMayDoWithoutTheExceptionAndTheHandle() {
		this.locks.busy.add("fallback");
		assertThat(this.work.withPlainFallback(7, null)).isEqualTo(70);
	}

	@Test
	void fallbackMayBeInheritedAndTakeASupertype() {
		this.locks.busy.add("fallback");
		assertThat(this.work.withInheritedFallback("x")).isEqualTo("inherited x LockNotAcquiredException");
	}

	@Test
	void fallbackWinsOverSkip() {
		this.locks.busy.add("fallback");
		assertThat(this.work.skipWithFallback()).isEqualTo(-1);
	}

	@Test
	void exceptionOfTheFallbackReachesTheCallerUnchanged() {
		this.locks.busy.add("fallback");
		assertThatExceptionOfType(IOException.class).isThrownBy(this.work::withFailingFallback)
			.withMessage("please do not submit again");
	}

	@Test
	void fallbackIsNotUsedWhenTheLockIsFree() {
		assertThat(this.work.withFallback("x", 1)).isEqualTo("done");
	}

	@Test
	void falseConditionRunsTheMethodWithoutTheLock() {
		assertThat(this.work.large(100, null)).isEqualTo("no handle");
		assertThat(this.locks.log).isEmpty();
	}

	@Test
	void trueConditionTakesTheLock() {
		assertThat(this.work.large(101, null)).isEqualTo("handle 42");
		assertThat(this.locks.log).containsExactly("acquire large", "release large");
	}

	@Test
	void methodDoesNotRunIfTheConditionIsNotABoolean() {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> this.work.flagged(null))
			.withMessageContaining("null");
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> this.work.flagged("perhaps"))
			.withMessageContaining("condition = \"#flag\"");
		assertThat(this.locks.log).isEmpty();
	}

	@Test
	void lostLockDoesNotReplaceTheExceptionOfTheMethod() {
		IOException failure = new IOException("test");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.work.lose(null, failure)).isSameAs(failure);
	}

	static class Base {

		protected final String inherited(String value, Exception exception) {
			return "inherited " + value + " " + exception.getClass().getSimpleName();
		}

	}

	static class Work extends Base {

		private final RecordingLockService locks;

		Work(RecordingLockService locks) {
			this.locks = locks;
		}

		@DistributedLock("work")
		String run(@Nullable IOException failure) throws IOException {
			this.locks.log.add("run");
			if (failure != null) {
				throw failure;
			}
			return "done";
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		void skipVoid() {
			this.locks.log.add("run");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		Optional<String> skipOptional() {
			return Optional.of("done");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		CompletableFuture<String> skipFuture() {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		Mono<String> skipMono() {
			return Mono.just("done");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		OptionalInt skipInt() {
			return OptionalInt.of(1);
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		OptionalLong skipLong() {
			return OptionalLong.of(1);
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		OptionalDouble skipDouble() {
			return OptionalDouble.of(1);
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		@Nullable String skipText() {
			return "done";
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		@Nullable List<String> skipList() {
			return List.of();
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		@Nullable Integer skipWrapper() {
			return 1;
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		void skipUnlessInnerIsBusy() {
			throw new LockNotAcquiredException("other", Duration.ZERO, null);
		}

		@DistributedLock(name = "fallback", fallbackMethod = "explain")
		String withFallback(String text, int number) {
			return "done";
		}

		private String explain(String text, int number, LockException exception) {
			String holder = ((LockNotAcquiredException) exception).getHolder().holder();
			return text + " " + number + " held by " + holder;
		}

		@DistributedLock(name = "fallback", fallbackMethod = "tenfold")
		long withPlainFallback(int number, @Nullable LockHandle handle) {
			return number;
		}

		static long tenfold(int number) {
			return number * 10L;
		}

		@DistributedLock(name = "fallback", fallbackMethod = "inherited")
		String withInheritedFallback(String text) {
			return "done";
		}

		@DistributedLock(name = "fallback", fallbackMethod = "none")
		int skipWithFallback() {
			return 1;
		}

		int none() {
			return -1;
		}

		@DistributedLock(name = "fallback", fallbackMethod = "fail")
		void withFailingFallback() throws IOException {
		}

		void fail() throws IOException {
			throw new IOException("please do not submit again");
		}

		@DistributedLock(name = "large", condition = "#amount > 100")
		String large(int amount, @Nullable LockHandle handle) {
			return (handle != null) ? "handle " + handle.fencingToken() : "no handle";
		}

		@DistributedLock(name = "flagged", condition = "#flag")
		void flagged(@Nullable Object flag) {
		}

		@DistributedLock(name = "lose", onLost = LossReaction.THROW)
		void lose(@Nullable LockHandle handle, @Nullable IOException failure) throws IOException {
			((RecordingLockService.RecordingHandle) handle).lose();
			if (failure != null) {
				throw failure;
			}
		}

	}

}
