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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what is asked of the store on behalf of those who wait, and what they are
 * told, see {@link Contention}.
 */
@Timeout(30)
class ContenderTests extends EngineFixture {

	@Test
	void waiterWithoutAnyAnswerFailsWithTheOutage() {
		this.store.mode(ControlledStore.Mode.FAIL);
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a",
				LEASE_30S.withWaitTime(Duration.ofMillis(1500)));
		passWithIo(Duration.ofSeconds(2));
		assertFailed(waiter, LockUnavailableException.class, "The test cut the line");
	}

	@Test
	@DisplayName("A wait that was refused once ends with a busy lock, whatever happened since")
	void waitEndsBusyAfterOneRefusal() {
		keep(this.there.acquire("a", LEASE_30S));
		CompletableFuture<LockHandle> waiter = queue("a", LEASE_30S.withWaitTime(Duration.ofMillis(1500)));
		this.store.mode(ControlledStore.Mode.FAIL);
		passWithIo(Duration.ofSeconds(2));
		assertFailed(waiter, LockNotAcquiredException.class, "there");
	}

	@Test
	void aWaiterConfirmsItsPlaceOnceASecondAndNotMoreOften() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		this.store.commands.clear();
		for (int step = 0; step < 1_000; step++) {
			passWithIo(Duration.ofMillis(20));
		}
		assertThat(this.store.commands).containsOnly("acquire").hasSizeBetween(18, 20);
		elsewhere.close();
		granted(waiter).close();
	}

	@Test
	@DisplayName("A wait behind a local holder ends with a busy lock if the store hangs afterwards")
	void aWaitBehindALocalHolderEndsBusyIfTheStoreHangs() {
		LockHandle holder = this.here.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> first = this.here.acquireAsync("a", WAITING);
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a",
				LEASE_30S.withWaitTime(Duration.ofSeconds(1)));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture.runAsync(holder::close);
		soon(() -> this.store.heldBack() == 2);
		advance(Duration.ofSeconds(1));
		assertFailed(second, LockNotAcquiredException.class, "a");
		assertThat(first).isNotDone();
		this.store.answer();
	}

	@Test
	void aWaitThatEndsBeforeTheFirstAnswerHasTheTimeOfASingleAttempt() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		LockOptions impatient = LEASE_30S.withWaitTime(Duration.ofMillis(5));
		List<CompletableFuture<LockHandle>> waiters = List.of(this.here.acquireAsync("a", impatient),
				this.here.acquireAsync("b", impatient), this.here.acquireAsync("c", impatient));
		advance(Duration.ofMillis(500));
		this.here.awaitIo();
		assertThat(waiters).noneMatch(CompletableFuture::isDone);
		this.store.answerFirst();
		assertFailed(waiters.get(0), LockNotAcquiredException.class, "there");
		this.store.answerFirst();
		assertThat(granted(waiters.get(1)).isHeld()).isTrue();
		this.store.failFirst();
		assertFailed(waiters.get(2), LockUnavailableException.class, "The test cut the line");
		elsewhere.close();
	}

	@Test
	@DisplayName("A wait in vain ends with a busy lock if the store said so after an outage")
	void waitEndsBusyAfterARefusalThatFollowsAnOutage() {
		keep(this.there.acquire("a", LEASE_30S));
		CompletableFuture<LockHandle> waiter = queue("a", LEASE_30S.withWaitTime(Duration.ofSeconds(4)));
		this.store.mode(ControlledStore.Mode.FAIL);
		passWithIo(Duration.ofSeconds(2));
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(2));
		assertFailed(waiter, LockNotAcquiredException.class, "there");
	}

	@Test
	void answerToAnEndedWaitDoesNotSettleTheNextWait() throws Exception {
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<LockHandle> cancelled = this.here.acquireAsync("a", WAITING);
		cancelled.cancel(true);
		assertThat(this.store.commands).containsExactly("acquire", "release");
		CompletableFuture<LockHandle> next = this.here.acquireAsync("a", WAITING);
		this.store.answerFirst();
		this.here.awaitIo();
		assertThat(this.here.held()).isEmpty();
		assertThat(next).isNotDone();
		this.store.answer();
		LockHandle handle = granted(next);
		handle.release();
		assertThat(this.there.isLocked("a")).isFalse();
		assertThat(events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void noSecondRequestIsSentWhileOneIsUnderWay() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		this.store.grants(ControlledStore.Grants.HOLD);
		elsewhere.close();
		// Too late to be taken, so the store is asked; meanwhile the life sign is due
		this.ticker.advance(Duration.ofMillis(2500));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		this.store.deliver();
		soon(() -> this.store.heldBack() == 1);
		this.here.runDue();
		this.here.awaitIo();
		assertThat(this.store.heldBack()).isEqualTo(1);
		this.store.answer();
		granted(waiter).close();
	}

	@Test
	void overtakenRequestIsNotSent() throws Exception {
		keep(this.there.acquire("a", LEASE_30S));
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		int asked = this.store.count("acquire");
		CountDownLatch busy = new CountDownLatch(1);
		this.here.engine().threads().io(() -> awaitLatch(busy));
		advance(Duration.ofSeconds(1));
		waiter.cancel(true);
		busy.countDown();
		this.here.awaitIo();
		soon(() -> this.store.queued() == 0);
		assertThat(this.store.count("acquire")).isEqualTo(asked);
	}

	@Test
	void aGrantAfterManyLifeSignsIsTakenWithoutAskingAgain() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		passWithIo(Duration.ofSeconds(10));
		int asked = this.store.count("acquire");
		assertThat(asked).isGreaterThan(10);
		elsewhere.close();
		LockHandle handle = granted(waiter);
		assertThat(this.store.count("acquire")).isEqualTo(asked);
		handle.close();
	}

	@Test
	@DisplayName("The lock of a holder that died is taken when its lease ends, not only at the next life sign")
	void theLockOfADeadHolderIsTakenWhenItsLeaseEnds() throws Exception {
		keep(this.there.acquire("a", LockOptions.ofLease(Duration.ofMillis(300))));
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		this.store.grants(ControlledStore.Grants.LOSE);
		this.ticker.advance(Duration.ofMillis(303));
		this.here.runDue();
		granted(waiter).close();
	}

	@Test
	@DisplayName("The release reaches the store before the request of the next local waiter")
	void theReleaseIsSentBeforeTheNextLocalRequest() throws Exception {
		LockHandle first = this.here.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> next = this.here.acquireAsync("a", WAITING);
		// Beyond the time in which it may be handed on without the store
		this.ticker.advance(Duration.ofMillis(20));
		this.store.commands.clear();
		first.close();
		granted(next).close();
		assertThat(this.store.commands).containsExactly("release", "acquire", "release");
	}

	@Test
	void timerIsEmptyWithoutHoldersAndWaiters() {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		queue("a", WAITING).cancel(true);
		this.here.acquire("b", LEASE_30S.withAutoRenew()).close();
		elsewhere.close();
		assertThat(this.here.engine().timer().runDue()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aSingleAttemptIsRefusedWhenTheAnswerGivesTheLockToAnotherOne() throws Exception {
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<LockHandle> first = this.here.acquireAsync("a", LEASE_30S);
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a", WAITING);
		this.store.answer();
		LockHandle handle = granted(first);
		assertFailed(second, LockNotAcquiredException.class, "this instance");
		assertThat(waiter).isNotDone();
		handle.close();
		granted(waiter).close();
	}

	@Test
	void closeWaitsForTheAnswersToTheReleases() throws Exception {
		keep(this.here.acquire("a", LEASE_30S));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> closing = CompletableFuture.runAsync(this.here::close);
		soon(() -> this.store.heldBack() == 1);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> closing.get(100, TimeUnit.MILLISECONDS));
		this.store.answer();
		closing.get(5, TimeUnit.SECONDS);
	}

	private static void assertFailed(CompletableFuture<LockHandle> waiter, Class<? extends Exception> type,
			String message) {
		assertFails(waiter, type).withMessageContaining(message);
	}

}
