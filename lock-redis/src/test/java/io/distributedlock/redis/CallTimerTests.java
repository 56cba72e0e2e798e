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

package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.test.StoreClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CallTimer}.
 */
class CallTimerTests {

	private static final Duration SHORT = Duration.ofMillis(100);

	private static final Duration LONG = Duration.ofHours(1);

	private final CallTimer timer = new CallTimer(SHORT);

	@AfterEach
	void close() {
		this.timer.close();
	}

	@Test
	void callsEndWhenTheirTimeIsOverAndNotBefore() {
		List<ScriptCall<?>> overdue = new ArrayList<>();
		ScriptCall<?> open = RedisFixture.find("a");
		limit(open, LONG);
		long start = System.nanoTime();
		for (int i = 0; i < 100; i++) {
			ScriptCall<?> call = RedisFixture.find("a");
			limit(call, SHORT);
			overdue.add(call);
		}
		for (ScriptCall<?> call : overdue) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(call));
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
		assertThat(open).isNotDone();
	}

	@Test
	void callAfterAPauseTimesOutWithoutANewThread() {
		AtomicInteger threads = new AtomicInteger();
		this.timer.executor.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
		this.timer.executor.setThreadFactory((task) -> {
			threads.incrementAndGet();
			return new Thread(task);
		});
		for (int i = 0; i < 2; i++) {
			ScriptCall<?> call = RedisFixture.find("a");
			limit(call, SHORT);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(call));
			await().pollDelay(SHORT.multipliedBy(3)).until(() -> true);
		}
		assertThat(threads).hasValue(1);
	}

	static Stream<ScriptCall.Cancellation> failures() {
		return Stream.of((patience) -> {
			throw new IllegalStateException("on purpose");
		}, (patience) -> {
			throw new OutOfMemoryError("on purpose");
		});
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failureToCancelACallDoesNotStopItsTimeoutOrLaterOnes(ScriptCall.Cancellation failure) {
		ScriptCall<?> failing = RedisFixture.find("a");
		failing.onTimeout(failure);
		ScriptCall<?> next = RedisFixture.find("a");
		for (ScriptCall<?> call : List.of(failing, next)) {
			limit(call, SHORT);
		}
		for (ScriptCall<?> call : List.of(failing, next)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(call));
		}
	}

	@Test
	void openAndLaterCallsFailAfterTheClose() {
		ScriptCall<?> before = RedisFixture.find("a");
		limit(before, LONG);
		this.timer.close();
		ScriptCall<?> after = RedisFixture.find("a");
		limit(after, LONG);
		for (ScriptCall<?> call : List.of(before, after)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(call))
				.withNoCause()
				.withMessageContaining("closed");
		}
	}

	private void limit(ScriptCall<?> call, Duration patience) {
		call.limit(patience);
		this.timer.add(call);
	}

}
