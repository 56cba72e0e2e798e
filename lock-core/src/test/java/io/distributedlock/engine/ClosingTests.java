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

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LossCause;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for handles whose close does not wait for the store, beside those that do.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class ClosingTests extends EngineFixture {

	ClosingTests() {
		super(EngineSettings.of("here").withClosing(EngineSettings.Closing.RETURNS_WHEN_SENT));
	}

	@Test
	void closeReturnsBeforeTheAnswerAndTheEventFollowsTheAnswer() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		handle.close();
		assertThat(this.store.heldBack()).isEqualTo(1);
		assertThat(this.here.held()).isEmpty();
		assertThat(this.events).noneMatch(LockEvent.Released.class::isInstance);
		this.store.answer();
		soon(() -> this.events.stream().anyMatch(LockEvent.Released.class::isInstance));
	}

	@Test
	void severalLocksAreClosedBeforeTheAnswersToo() {
		LockHandle handle = this.here.acquireAll(List.of("a", "b"), LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		handle.close();
		assertThat(this.store.heldBack()).isEqualTo(2);
		this.store.answer();
	}

	@Test
	void futureOfAReleaseIsCompleteBeforeTheAnswer() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		assertThat(handle.releaseAsync()).isCompleted();
		this.store.answer();
	}

	@Test
	void releaseWaitsForTheAnswer() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> released = CompletableFuture.runAsync(handle::release);
		soon(() -> this.store.heldBack() == 1);
		assertThat(released).isNotDone();
		this.store.answer();
		assertThat(released).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void unlockWaitsForTheAnswer() {
		LockHandle taken = this.here.acquire("a", LEASE_30S);
		this.store.after("release", () -> this.store.mode(ControlledStore.Mode.ANSWER));
		taken.close();
		var lock = this.here.asLock("b", LEASE_30S);
		CompletableFuture<Void> unlocked = CompletableFuture.runAsync(() -> {
			lock.lock();
			this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			lock.unlock();
		});
		soon(() -> this.store.heldBack() == 1);
		assertThat(unlocked).isNotDone();
		this.store.answer();
		assertThat(unlocked).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void nextAcquisitionOfTheInstanceIsSentBehindTheRelease() {
		this.here.acquire("a", LEASE_30S).close();
		this.here.acquire("a", LEASE_30S).close();
		assertThat(this.store.commands).containsExactly("acquire", "release", "acquire", "release");
	}

	@Test
	void failedReleaseIsReportedAndRepeated() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.FAIL);
		passWithIo(Duration.ofSeconds(2));
		handle.close();
		soon(() -> this.events.stream().anyMatch(LockEvent.ReleaseFailed.class::isInstance));
		assertThat(events(LockEvent.ReleaseFailed.class)).singleElement().satisfies((failed) -> {
			assertThat(failed.held()).isEqualTo(Duration.ofSeconds(2));
			assertThat(failed.lease()).isEqualTo(LEASE_30S.lease());
			assertThat(failed.fencingToken()).isEqualTo(handle.fencingToken());
		});
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(2));
		assertThat(this.there.tryAcquire("a", LEASE_30S)).isPresent();
	}

	@Test
	void refusedReleaseIsReportedAndLoggedOnce(CapturedOutput output) {
		LockHandle handle = this.here.acquire("refused", LEASE_30S);
		this.store.mode(ControlledStore.Mode.REFUSE);
		handle.close();
		soon(() -> this.events.stream().anyMatch(LockEvent.ReleaseFailed.class::isInstance));
		this.here.awaitIo();
		assertThat(output.toString().lines().filter((line) -> line.contains("Lock 'refused'"))).singleElement()
			.asString()
			.contains("could not be released and stays taken until its lease ends, in 30s at most. The test took");
	}

	@Test
	void failedReleaseIsLoggedAfterTheShutdown(CapturedOutput output) {
		LockHandle handle = this.here.acquire("late", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		handle.close();
		this.here.close();
		assertThat(output).doesNotContain("Lock 'late' was released, but the release did not reach the lock store");
		this.store.failFirst();
		assertThat(output).contains("Lock 'late' was released, but the release did not reach the lock store");
	}

	@Test
	void lossRevealedByTheAnswerIsLoggedAfterTheShutdown(CapturedOutput output) {
		LockHandle handle = this.here.acquire("gone", LEASE_30S);
		this.table.forceRelease("gone", this.table.find("gone").join().orElseThrow().holder()).join();
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		handle.close();
		this.here.close();
		assertThat(output).doesNotContain("Lock 'gone' was lost");
		this.store.answer();
		assertThat(output).contains("Lock 'gone' was lost");
	}

	@Test
	void lossRevealedByTheAnswerIsReportedAfterwards() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		CompletableFuture<LockEvent.Lost> told = new CompletableFuture<>();
		handle.onLost(told::complete);
		this.table.forceRelease("a", this.table.find("a").join().orElseThrow().holder()).join();
		handle.close();
		assertThat(told).succeedsWithin(Duration.ofSeconds(10))
			.extracting(LockEvent.Lost::cause)
			.isEqualTo(LossCause.KEY_VANISHED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld);
	}

}
