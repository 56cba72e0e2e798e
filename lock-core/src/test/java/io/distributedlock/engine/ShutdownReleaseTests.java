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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests for the releases of a {@link Shutdown}.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class ShutdownReleaseTests extends EngineFixture {

	private static final int MANY = 1_000;

	ShutdownReleaseTests() {
		super(EngineSettings.of("here").withCleanupWait(Duration.ofSeconds(20)));
	}

	@Test
	void manyLocksAreReleasedAFewHundredAtATime(CapturedOutput output) {
		acquireMany(this);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> closing = closeElsewhere();
		soon(() -> this.store.count("release") == 256);
		this.store.answerFirst();
		soon(() -> this.store.count("release") == 257);
		assertThat(this.store.heldBack()).isEqualTo(256);
		this.store.answer();
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.store.count("release")).isEqualTo(MANY);
		assertThat(this.there.tryAcquire("many999", LEASE_30S)).isPresent();
		// Events are told one by one, in a thread of their own
		soon(() -> events(LockEvent.Lost.class).size() == MANY);
		assertThat(output.toString().lines().filter((line) -> line.contains(" lost"))).singleElement()
			.asString()
			.contains("1000 locks were lost. The application shut down and did not finish the work in time.")
			.contains("'many");
		assertThat(output).doesNotContain("could not be released");
	}

	@Test
	void manyWaitsLeaveTheStoreAFewHundredAtATime() {
		for (int i = 0; i < MANY; i++) {
			keep(this.there.acquire("many" + i, LEASE_30S));
			this.here.acquireAsync("many" + i, WAITING);
		}
		soon(() -> this.store.queued() == MANY);
		this.here.awaitIo();
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> closing = closeElsewhere();
		soon(() -> this.store.count("release") == 256);
		this.here.awaitIo();
		assertThat(this.store.count("release")).isEqualTo(256);
		this.store.answer();
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.store.queued()).isZero();
	}

	@Test
	void aReleaseWithoutAnAnswerIsRepeatedForTheGracePeriod(CapturedOutput output) {
		keep(this.here.acquire("a", LEASE_30S));
		LockHandle closed = this.here.acquire("b", LEASE_30S);
		this.store.mode(ControlledStore.Mode.FAIL);
		closed.close();
		CompletableFuture<Void> closing = closeElsewhere();
		soon(() -> this.here.held().isEmpty() && this.store.count("release") == 2);
		assertThat(this.there.isLocked("a")).isTrue();
		this.store.mode(ControlledStore.Mode.ANSWER);
		advance(Duration.ofSeconds(1));
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.there.isLocked("a")).isFalse();
		assertThat(this.there.isLocked("b")).isFalse();
		assertThat(output).doesNotContain("stays taken until its lease ends");
	}

	@Test
	void workMayReleaseItsLockInOvertime() {
		LockHandle handle = keep(this.here.acquire("a", LEASE_30S));
		AtomicBoolean heldInOvertime = new AtomicBoolean();
		this.here.close(Duration.ZERO, () -> {
			heldInOvertime.set(handle.isHeld() && this.there.isLocked("a"));
			handle.close();
		});
		assertThat(heldInOvertime).isTrue();
		assertThat(this.there.isLocked("a")).isFalse();
		assertThat(events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void workThatOutlastsTheOvertimeLosesItsLock() {
		LockHandle handle = keep(this.here.acquire("a", LEASE_30S));
		this.here.close(Duration.ZERO, () -> {
		});
		assertThat(handle.isHeld()).isFalse();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void thereIsNoOvertimeWithoutHolders() {
		this.here.acquire("a", LEASE_30S).close();
		this.here.close(Duration.ZERO, () -> fail("No lock is held"));
	}

	@Test
	void unreleasedLocksAreLogged(CapturedOutput output) {
		try (EngineFixture impatient = new EngineFixture()) {
			impatient.keep(impatient.here.acquire("a", LEASE_30S));
			LockHandle closed = impatient.here.acquire("b", LEASE_30S);
			impatient.store.mode(ControlledStore.Mode.FAIL);
			closed.close();
			impatient.here.close();
		}
		assertThat(output)
			.contains("Lock 'a' could not be released and stays taken until its lease ends, in 30s at most. "
					+ "The last failure was: The test cut the line.")
			.contains("Lock 'b' could not be released and stays taken until its lease ends, in 30s at most.");
	}

	@Test
	void unreleasedHoldsOfOneLockAreLoggedOnce(CapturedOutput output) {
		try (EngineFixture impatient = new EngineFixture()) {
			for (int i = 0; i < 2; i++) {
				impatient.keep(impatient.here.acquireAsync("a", LEASE_30S.withPermits(2)).join());
			}
			impatient.store.mode(ControlledStore.Mode.FAIL);
			impatient.here.close();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("could not be released"))).hasSize(1);
	}

	@Test
	void refusedReleaseIsLoggedAndNotRepeated(CapturedOutput output) {
		keep(this.here.acquire("a", LEASE_30S));
		this.store.mode(ControlledStore.Mode.REFUSE);
		CompletableFuture<Void> closing = closeElsewhere();
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(output)
			.contains("Lock 'a' could not be released and stays taken until its lease ends, in 30s at most");
	}

	@Test
	void manyUnreleasedLocksAreOneLine(CapturedOutput output) {
		try (EngineFixture impatient = new EngineFixture()) {
			acquireMany(impatient);
			impatient.store.mode(ControlledStore.Mode.FAIL);
			impatient.here.close();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("could not be released"))).singleElement()
			.asString()
			.contains("1000 locks could not be released and stay taken until their leases end, in 30s at most: 'many")
			.hasSizeLessThan(600);
	}

	private static void acquireMany(EngineFixture fixture) {
		for (int i = 0; i < MANY; i++) {
			fixture.keep(fixture.here.acquire("many" + i, LEASE_30S));
		}
	}

	/**
	 * Close in another thread, patiently.
	 */
	private CompletableFuture<Void> closeElsewhere() {
		return CompletableFuture.runAsync(this.here::close);
	}

}
