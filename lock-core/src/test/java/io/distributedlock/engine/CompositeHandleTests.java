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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.internal.WorkUnderLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link CompositeHandle} and for the acquisition of several locks.
 */
@Timeout(30)
class CompositeHandleTests extends EngineFixture {

	@Test
	void compositeHasTheWorstStateOfAllParts() {
		LockHandle all = this.here.acquireAll(List.of("b", "a"), LEASE_30S);
		assertThat(all.name()).isEqualTo("a, b");
		assertThat(all.state()).isEqualTo(LockState.HELD);
		LockHandle first = all.parts().get(0);
		all.parts().get(1).extend(Duration.ofMinutes(1));
		assertThat(all.remaining()).isEqualTo(first.remaining());
		passWithIo(Duration.ofSeconds(22));
		assertThat(all.state()).isEqualTo(LockState.AT_RISK);
		passWithIo(Duration.ofSeconds(7));
		assertThat(all.state()).isEqualTo(LockState.LOST);
		assertThat(all.isHeld()).isFalse();
		assertThat(all.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::assertHeld);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> all.extend(Duration.ofSeconds(1)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::release);
		assertThat(this.there.isLocked("b")).isFalse();
		assertThatCode(all::close).doesNotThrowAnyException();
	}

	@Test
	void tellsTheFirstLossOnly() {
		LockHandle all = this.here.acquireAll(List.of("a", "b", "c"), LEASE_30S);
		List<LockEvent.Lost> told = new CopyOnWriteArrayList<>();
		all.onLost(told::add);
		passWithIo(Duration.ofSeconds(29));
		// The callbacks have a thread of their own
		soon(() -> events(LockEvent.Lost.class).size() == 3 && !told.isEmpty());
		assertThat(told).hasSize(1);
		all.close();
	}

	@Test
	void extendsAllOfThem() throws Exception {
		LockHandle all = this.here.acquireAll(List.of("a", "b"), LEASE_30S);
		all.extend(Duration.ofMinutes(1));
		assertThat(all.remaining()).isGreaterThan(Duration.ofSeconds(88));
		all.extendAsync(Duration.ofMinutes(1)).get();
		assertThat(all.remaining()).isGreaterThan(Duration.ofSeconds(147));
		all.close();
	}

	@Test
	void failingReleaseStillReleasesOtherPartsAndReportsAllProblems() {
		LockHandle all = this.here.acquireAll(List.of("a", "b", "c"), LEASE_30S);
		this.store.mode(ControlledStore.Mode.FAIL);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(all::release)
			.satisfies((problem) -> assertThat(problem.getSuppressed()).hasSize(2));
		assertThat(all.state()).isEqualTo(LockState.RELEASED);
		assertThatCode(all::close).doesNotThrowAnyException();
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void theMinimumHoldHoldsForAllAndIsWaivedForAll() {
		LockOptions options = LEASE_30S.withMinHold(Duration.ofSeconds(10));
		this.here.acquireAll(List.of("a", "b"), options).close();
		LockHandle waived = this.here.acquireAll(List.of("c", "d"), options);
		WorkUnderLock.discard(waived);
		assertThat(this.there.isLocked("a")).isTrue();
		assertThat(this.there.isLocked("b")).isTrue();
		assertThat(this.there.isLocked("c")).isFalse();
		assertThat(this.there.isLocked("d")).isFalse();
	}

	@Test
	@DisplayName("An acquisition of all that fails leaves the minimum hold of an outer handle alone")
	void aFailedAcquisitionOfAllKeepsAnOuterMinimumHold() {
		LockHandle elsewhere = this.there.acquire("b", LEASE_30S);
		LockHandle outer = this.here.acquire("a", LEASE_30S.withMinHold(Duration.ofSeconds(10)));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquireAll(List.of("a", "b"), LEASE_30S));
		assertThat(outer.isHeld()).isTrue();
		outer.close();
		assertThat(this.there.isLocked("a")).isTrue();
		elsewhere.close();
	}

	@Test
	void interruptReleasesTheLocksAcquiredSoFar() throws Exception {
		LockHandle elsewhere = this.there.acquire("b", LEASE_30S);
		AtomicReference<Throwable> failure = new AtomicReference<>();
		Thread thread = new Thread(
				() -> failure.set(catchThrowable(() -> this.here.acquireAll(List.of("a", "b", "c"), WAITING))));
		thread.start();
		soon(() -> this.here.waiting().size() == 1);
		assertThat(this.there.isLocked("a")).isTrue();
		thread.interrupt();
		thread.join();
		assertThat(failure.get()).isInstanceOf(LockInterruptedException.class);
		assertThat(this.there.isLocked("a")).isFalse();
		elsewhere.close();
		// What the wait left is cleaned up by whoever sent its last request
		soon(() -> !this.there.isLocked("b"));
	}

	@Test
	void cancellationReleasesTheLocksAcquiredSoFar() {
		LockHandle elsewhere = this.there.acquire("b", LEASE_30S);
		CompletableFuture<LockHandle> all = this.here.acquireAllAsync(List.of("a", "b", "c"), WAITING);
		soon(() -> this.here.waiting().size() == 1);
		all.cancel(true);
		soon(() -> !this.there.isLocked("a"));
		elsewhere.close();
		assertThat(this.there.isLocked("b")).isFalse();
		assertThat(this.here.waiting()).isEmpty();
	}

	@Test
	void allLocksShareOneWait() {
		LockHandle b = this.there.acquire("b", LEASE_30S);
		LockHandle c = this.there.acquire("c", LEASE_30S);
		CompletableFuture<LockHandle> all = this.here.acquireAllAsync(List.of("a", "b", "c"),
				LEASE_30S.withWaitTime(Duration.ofSeconds(4)));
		soon(() -> this.here.waiting().size() == 1);
		passWithIo(Duration.ofSeconds(3));
		b.close();
		soon(() -> this.here.waiting().stream().anyMatch((waiting) -> waiting.name().equals("c")));
		assertThat(all).isNotDone();
		passWithIo(Duration.ofMillis(1100));
		assertFails(all, LockNotAcquiredException.class);
		soon(() -> this.here.held().isEmpty() && !this.there.isLocked("b"));
		c.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void acquiredLocksAreRenewedUntilAllAreAcquired(boolean blocking) throws Exception {
		LockHandle elsewhere = this.there.acquire("b", LEASE_30S);
		LockOptions options = LockOptions.ofLease(Duration.ofSeconds(6))
			.withWaitTime(Duration.ofMinutes(1))
			.withOnLost(OnLost.INTERRUPT);
		CompletableFuture<LockHandle> all = acquireBoth(options, blocking);
		soon(() -> this.here.waiting().size() == 1);
		passWithIo(Duration.ofSeconds(20));
		assertThat(all).isNotDone();
		elsewhere.close();
		LockHandle handle = granted(all);
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(2));
		assertThat(this.here.held()).noneMatch(HeldLock::autoRenew);
		passWithIo(Duration.ofSeconds(7));
		assertThat(handle.isHeld()).as("not renewed any more").isFalse();
		handle.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockLostBeforeAllAreAcquiredIsAcquiredAgainWithinTheWait(boolean blocking) throws Exception {
		LockHandle elsewhere = this.there.acquire("b", LEASE_30S);
		LockOptions options = WAITING.withOnLost(OnLost.INTERRUPT);
		CompletableFuture<LockHandle> all = acquireBoth(options, blocking);
		soon(() -> this.store.queued() == 1);
		this.here.awaitIo();
		this.table.clear();
		elsewhere.close();
		LockHandle again = this.there.acquire("b", LEASE_30S);
		passWithIo(Duration.ofSeconds(11));
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		again.close();
		LockHandle handle = granted(all);
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.there.isLocked("a") && this.there.isLocked("b")).isTrue();
		handle.close();
	}

	@Test
	void allAreReleasedAtOnce() {
		LockHandle all = this.here.acquireAll(List.of("a", "b", "c"), LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> closing = CompletableFuture.runAsync(all::close);
		soon(() -> this.store.heldBack() == 3);
		this.store.answer();
		assertThat(closing).succeedsWithin(Duration.ofSeconds(5));
	}

	@Test
	void allAreExtendedAtOnceAndALossIsToldByTheFuture() {
		LockHandle all = this.here.acquireAll(List.of("a", "b", "c"), LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> extending = CompletableFuture.runAsync(() -> all.extend(Duration.ofSeconds(5)));
		soon(() -> this.store.heldBack() == 3);
		this.store.answer();
		assertThat(extending).succeedsWithin(Duration.ofSeconds(5));
		passWithIo(Duration.ofSeconds(40));
		assertFails(all.extendAsync(Duration.ofSeconds(5)), LockLostException.class);
		all.close();
	}

	@Test
	void refusesToLockNothing() {
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.here.acquireAll(List.of(), WAITING))
			.withMessageContaining("Give at least one");
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.here.acquireAllAsync(List.of("a", " "), WAITING));
		assertThat(this.store.commands).isEmpty();
	}

	private CompletableFuture<LockHandle> acquireBoth(LockOptions options, boolean blocking) {
		List<String> names = List.of("a", "b");
		return blocking ? CompletableFuture.supplyAsync(() -> this.here.acquireAll(names, options))
				: this.here.acquireAllAsync(names, options);
	}

}
