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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.LossCause;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that the deadline of a lease is never later than what the store surely keeps,
 * however slow its answers are.
 */
@Timeout(30)
class LeaseSafetyTests extends EngineFixture {

	@Test
	@DisplayName("A renewed lease counts from the sending of the renewal and not from its answer")
	void aRenewedLeaseCountsFromTheSendingOfTheRenewal() {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withAutoRenew(Duration.ofSeconds(5)));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		advance(Duration.ofSeconds(5));
		// Until the batch of renewals is sent
		advance(Duration.ofMillis(250));
		soonHeldBack(1);
		this.ticker.advance(Duration.ofSeconds(10));
		this.store.answer();
		// Of 30 s, less the 10 s for which the answer was on its way
		assertThat(handle.remaining()).isPositive().isLessThan(Duration.ofSeconds(20));
		handle.close();
	}

	@Test
	void renewalAnsweredAfterTheDeadlineDoesNotReviveTheHold() {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withAutoRenew(Duration.ofSeconds(5)));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		advance(Duration.ofSeconds(5));
		advance(Duration.ofMillis(250));
		soonHeldBack(1);
		// The timer is late as well
		this.ticker.advance(Duration.ofMillis(23_500));
		assertThat(handle.isHeld()).isFalse();
		this.store.answer();
		assertThat(handle.isHeld()).isFalse();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
		soon(() -> !this.there.isLocked("a"));
	}

	@Test
	void extensionAnsweredAfterTheDeadlineFails() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> extension = handle.extendAsync(Duration.ofSeconds(30));
		this.ticker.advance(Duration.ofMillis(28_800));
		this.store.answer();
		assertFails(extension, LockLostException.class);
		assertThat(handle.isHeld()).isFalse();
		handle.close();
	}

	@Test
	void extensionCountsFromTheRequestAndNotFromTheAnswer() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> extension = handle.extendAsync(Duration.ofSeconds(30));
		this.ticker.advance(Duration.ofSeconds(10));
		this.store.answer();
		extension.join();
		assertThat(handle.remaining()).isBetween(Duration.ofSeconds(45), Duration.ofSeconds(50));
		handle.close();
	}

	@Test
	@DisplayName("A lease that was confirmed after the push counts from the sending of that request")
	void aConfirmedLeaseCountsFromTheSendingOfTheRequest() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		advance(Duration.ofSeconds(1));
		soonHeldBack(1);
		elsewhere.close();
		LockHandle handle = granted(waiter);
		this.ticker.advance(Duration.ofSeconds(1));
		this.store.answer();
		// The store started the lease of 30 s anew when it got the request, at the
		// earliest
		// when it was sent
		assertThat(handle.remaining()).isBetween(Duration.ofSeconds(25), Duration.ofMillis(27_700));
		assertThat(handle.isHeld()).isTrue();
		handle.close();
	}

	@Test
	void grantAnsweredAfterTheEndOfTheLeaseIsRejected() {
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<LockHandle> attempt = this.here.acquireAsync("a", LEASE_30S);
		soonHeldBack(1);
		this.ticker.advance(Duration.ofMillis(28_800));
		this.store.answer();
		assertFails(attempt, LockUnavailableException.class)
			.withMessageContaining("the answer took 28s800ms and its lease of 30s can");
		soon(() -> this.store.count("release") == 1);
		assertThat(this.there.isLocked("a")).isFalse();
		assertThat(events(LockEvent.Acquired.class)).isEmpty();
	}

	@Test
	void grantWithALeaseEndedDuringASuspensionIsRejected() {
		AtomicLong wall = new AtomicLong(Duration.ofDays(20_000).toMillis());
		ControlledStore store = new ControlledStore(new InMemoryLockStore());
		DefaultLockService service = new DefaultLockService(store, EngineSettings.of("suspended"), List.of(),
				new SystemTicker(() -> 0, wall::get));
		store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<LockHandle> attempt = service.acquireAsync("a", LEASE_30S);
		// The monotonic clock stands still meanwhile
		wall.addAndGet(Duration.ofMinutes(1).toMillis());
		store.answer();
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> granted(attempt))
			.havingCause()
			.isInstanceOf(LockUnavailableException.class)
			.withMessageContaining("the answer took 1m and its lease of 30s can");
		service.close();
	}

	@Test
	void nearlyEndedLeaseIsNotPassedOn() throws Exception {
		LockHandle first = this.here.acquire("a", LockOptions.ofLease(Duration.ofMillis(100)));
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a", WAITING.withLease(Duration.ofSeconds(4)));
		this.ticker.advance(Duration.ofMillis(1));
		first.close();
		LockHandle handle = granted(second);
		// Handed on, it would have had 100 ms, and a command under way to get more
		assertThat(this.store.count("release")).isEqualTo(1);
		assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(3));
		handle.close();
	}

	@Test
	void aLeaseIsNotPassedOnAfterTheTimeWithinWhichOtherInstancesWait() throws Exception {
		LockHandle first = acquireContended("a", LEASE_30S);
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a", WAITING);
		CompletableFuture<LockHandle> third = this.here.acquireAsync("a", WAITING);
		CompletableFuture<LockHandle> elsewhere = this.there.acquireAsync("a", WAITING);
		soon(() -> !elsewhere.isDone() && this.thereQueued() == 1);
		this.store.commands.clear();
		this.ticker.advance(Duration.ofMillis(19));
		first.close();
		granted(second);
		assertThat(this.store.count("release")).isZero();
		this.ticker.advance(Duration.ofMillis(1));
		granted(second).close();
		assertThat(this.store.count("release")).isEqualTo(1);
		granted(elsewhere).close();
		granted(third).close();
	}

	@Test
	void acquiringALockAgainTogetherWithOthersDoesNotShortenTheLease() {
		LockHandle outer = this.here.acquire("a", LockOptions.ofLease(Duration.ofMinutes(2)));
		LockHandle inner = this.here.acquireAll(List.of("a", "b"), LEASE_30S);
		assertThat(outer.remaining()).isGreaterThan(Duration.ofSeconds(110));
		inner.close();
		assertThat(this.table.find("a").join().orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(110));
		outer.close();
	}

	@Test
	void aHolderIsWarnedOnceBeforeTheLoss() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		pass(Duration.ofSeconds(19));
		this.here.awaitIo();
		assertThat(events(LockEvent.AtRisk.class)).isEmpty();
		pass(Duration.ofSeconds(7));
		soon(() -> events(LockEvent.AtRisk.class).size() == 1);
		assertThat(events(LockEvent.AtRisk.class).get(0).remaining()).isPositive().isLessThan(Duration.ofSeconds(9));
		assertThat(handle.isHeld()).isTrue();
		pass(Duration.ofSeconds(4));
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.AtRisk.class)).hasSize(1);
		handle.close();
	}

	@Test
	void releaseAfterAnUnnoticedDeadlineIsALoss() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		// The store still keeps it
		this.ticker.advance(Duration.ofMillis(28_800));
		assertThat(this.there.isLocked("a")).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release);
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void endedLeaseIsNotReenteredBeforeItsLossIsNoticed() {
		LockHandle lost = this.here.acquire("a", LEASE_30S);
		this.ticker.advance(Duration.ofSeconds(31));
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		assertThat(handle.fencingToken()).isGreaterThan(lost.fencingToken());
		assertThat(lost.state()).isEqualTo(LockState.LOST);
		assertThat(handle.isHeld()).isTrue();
		handle.close();
	}

	@Test
	void closingAnInnerHandleTwiceDoesNotCloseTheOuterHandle() {
		LockHandle outer = this.here.acquire("a", LEASE_30S);
		LockHandle inner = this.here.acquire("a", LEASE_30S);
		inner.close();
		inner.close();
		inner.release();
		assertThat(outer.isHeld()).isTrue();
		assertThat(this.there.isLocked("a")).isTrue();
		outer.close();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void theMinimumHoldHoldsForLocalWaitersToo() throws Exception {
		LockHandle first = this.here.acquire("a", LEASE_30S.withMinHold(Duration.ofSeconds(10)));
		CompletableFuture<LockHandle> next = this.here.acquireAsync("a", WAITING);
		first.close();
		passWithIo(Duration.ofSeconds(9));
		assertThat(next).isNotDone();
		passWithIo(Duration.ofSeconds(2));
		granted(next).close();
	}

	@Test
	@Timeout(30)
	@DisplayName("The interrupt of a loss does not wait for listeners and never comes after the release")
	void theInterruptOfALossNeverComesAfterTheRelease() {
		CountDownLatch busy = new CountDownLatch(1);
		this.here.engine().threads().callback(() -> awaitLatch(busy));
		LockHandle handle = this.here.acquire("a", LEASE_30S.withOnLost(OnLost.INTERRUPT));
		advance(Duration.ofSeconds(29));
		// Whatever else is to be told has to wait. The watchdog may have been first
		while (!Thread.currentThread().isInterrupted()) {
			Thread.onSpinWait();
		}
		handle.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		busy.countDown();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void aLossMakesWayForTheNextLocalWaiter() throws Exception {
		LockHandle lost = this.here.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> next = this.here.acquireAsync("a", WAITING);
		advance(Duration.ofSeconds(31));
		LockHandle handle = granted(next);
		assertThat(lost.state()).isEqualTo(LockState.LOST);
		assertThat(handle.fencingToken()).isGreaterThan(lost.fencingToken());
		handle.close();
	}

	private int thereQueued() {
		this.there.awaitIo();
		return this.thereStore.queued();
	}

	private void soonHeldBack(int answers) {
		soon(() -> this.store.heldBack() == answers);
	}

	@Test
	void aRenewedHoldDoesNotKeepTheLongLeaseOfAnotherHolder() throws Exception {
		LockHandle first = acquireContended("a", LockOptions.ofLease(Duration.ofHours(1)));
		CompletableFuture<LockHandle> next = this.here.acquireAsync("a",
				WAITING.withLease(Duration.ofSeconds(6)).withAutoRenew());
		first.close();
		LockHandle handle = granted(next);
		passWithIo(Duration.ofSeconds(30));
		assertThat(this.there.find("a").orElseThrow().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(6));
		assertThat(handle.isHeld()).isTrue();
		handle.extend(Duration.ofMinutes(5));
		passWithIo(Duration.ofSeconds(30));
		assertThat(this.there.find("a").orElseThrow().remaining()).as("what it asked for itself")
			.isGreaterThan(Duration.ofMinutes(4));
		handle.close();
	}

	@Test
	@DisplayName("A store that cannot be reached after a pushed grant is the cause of the loss")
	void anOutageAfterAPushedGrantIsTheCauseOfTheLoss() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		elsewhere.close();
		LockHandle handle = granted(waiter);
		this.store.mode(ControlledStore.Mode.FAIL);
		passWithIo(Duration.ofSeconds(5));
		soon(() -> !events(LockEvent.Lost.class).isEmpty());
		assertThat(events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
			.containsExactly(LossCause.STORE_UNREACHABLE);
		handle.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void unansweredReleaseIsRepeatedEvenWithAMinimumHold(int minHoldSeconds) {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withMinHold(Duration.ofSeconds(minHoldSeconds)));
		this.store.mode(ControlledStore.Mode.FAIL);
		handle.close();
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(2));
		assertThat(this.there.isLocked("a")).isEqualTo(minHoldSeconds > 0);
		passWithIo(Duration.ofSeconds(2));
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	@DisplayName("A release is repeated until the longest lease that the store may have has ended")
	void aReleaseIsRepeatedUntilTheLongestLeaseHasEnded() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.LOSE_ANSWERS);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> handle.extend(Duration.ofHours(1)));
		this.store.mode(ControlledStore.Mode.FAIL);
		handle.close();
		passWithIo(Duration.ofMinutes(1));
		assertThat(this.there.isLocked("a")).isTrue();
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void fencingTokensAreReservedOnlyForLocalWaiters() throws Exception {
		LockHandle alone = this.here.acquire("a", LEASE_30S);
		assertThat(this.store.lastRequest().fenceBlock()).isEqualTo(1);
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a", WAITING);
		alone.close();
		assertThat(this.store.lastRequest().fenceBlock()).isEqualTo(33);
		granted(waiter).close();
	}

}
