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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for holders whose host gets another time of day, while the store is healthy.
 */
@Timeout(60)
class SteppedClockTests {

	private static final LockOptions RENEWED = LockOptions.ofLease(Duration.ofSeconds(30)).withAutoRenew();

	private final AtomicLong step = new AtomicLong();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockService locks = new DefaultLockService(this.store, EngineSettings.of("here"), List.of(),
			new SystemTicker(System::nanoTime, () -> System.currentTimeMillis() + this.step.get()));

	@AfterEach
	void close() {
		this.locks.close();
		this.store.close();
	}

	static Stream<LockOptions> kinds() {
		return Stream.of(RENEWED, RENEWED.withPermits(3), RENEWED.withShared());
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void stepAheadBeyondTheLeaseEndsTheLockAndTheLossNamesTheClock(LockOptions options) {
		LockHandle handle = this.locks.acquire("a", options);
		CompletableFuture<LockEvent.Lost> loss = new CompletableFuture<>();
		handle.onLost(loss::complete);
		this.step.set(Duration.ofSeconds(40).toMillis());
		assertThat(handle.isHeld()).isFalse();
		assertThat(loss).succeedsWithin(Duration.ofSeconds(20)).satisfies((lost) -> {
			assertThat(lost.cause()).isEqualTo(LossCause.PROCESS_PAUSED);
			assertThat(lost.explanation()).contains("or its time of day was set ahead")
				.contains("a clock that is set in steps. Let chrony or ntpd adjust the clock slowly.");
		});
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void stepBackDoesNoHarm(LockOptions options) {
		LockHandle handle = this.locks.acquire("a", options);
		Duration before = handle.remaining();
		this.step.set(-Duration.ofSeconds(40).toMillis());
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.remaining()).isLessThanOrEqualTo(before);
		handle.close();
	}

}
