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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for orders of requests, answers, grants and cancellations that are possible but
 * rarely happen by themselves.
 */
@Timeout(30)
class InterleavingTests extends EngineFixture {

	@Nested
	class Grants {

		@Test
		void grantOlderThanTheLastBusyIsNotTrusted() throws Exception {
			LockHandle first = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.grants(ControlledStore.Grants.HOLD);
			first.close();
			assertThat(store.heldGrants()).isEqualTo(1);
			// This instance stands still for longer than the lease of the grant
			ticker.advance(Duration.ofMillis(3100));
			LockHandle second = there.acquire("a", LEASE_30S);
			passWithIo(Duration.ofMillis(250));
			store.deliver();
			here.awaitIo();
			assertThat(second.isHeld()).isTrue();
			assertThat(here.held()).isEmpty();
			assertThat(waiter).isNotDone();
			second.close();
			store.deliver();
			assertThat(granted(waiter).fencingToken()).isGreaterThan(second.fencingToken());
		}

		@Test
		void grantThatWasTakenAwayBeforeTheLastBusyIsNotTrusted() throws Exception {
			for (LockOptions kind : List.of(WAITING, WAITING.withPermits(2), WAITING.withShared())) {
				String name = kind.mode() + " " + kind.permits();
				LockHandle first = there.acquire(name, LEASE_30S);
				CompletableFuture<LockHandle> waiter = here.acquireAsync(name, kind);
				soon(() -> table.describe(name).join().orElseThrow().queue().size() == 1);
				here.awaitIo();
				store.grants(ControlledStore.Grants.HOLD);
				first.close();
				soon(() -> store.heldGrants() == 1);
				table.forceRelease(name, table.find(name).join().orElseThrow().holder()).join();
				LockHandle second = there.acquire(name, LEASE_30S);
				passWithIo(Duration.ofMillis(1000));
				store.deliver();
				here.awaitIo();
				assertThat(here.held()).isEmpty();
				assertThat(waiter).isNotDone();
				store.grants(ControlledStore.Grants.DELIVER);
				second.close();
				LockHandle third = granted(waiter);
				assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
				third.close();
			}
		}

		@Test
		@DisplayName("A grant that is older than the last busy and still good is confirmed by the store")
		void validGrantOlderThanTheLastBusyIsConfirmed() throws Exception {
			LockHandle first = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			ticker.advance(Duration.ofMillis(2900));
			passWithIo(Duration.ofMillis(250));
			int asked = store.count("acquire");
			first.close();
			assertThat(granted(waiter).remaining()).isGreaterThan(Duration.ofSeconds(28));
			assertThat(store.count("acquire")).isEqualTo(asked + 1);
		}

		@Test
		void aGrantBeforeTheBusyOfTheSameRequestIsTaken() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			advance(Duration.ofSeconds(1));
			soon(() -> store.heldBack() == 1);
			elsewhere.close();
			LockHandle handle = granted(waiter);
			assertThat(handle.remaining()).isPositive().isLessThan(Duration.ofSeconds(2));
			store.answer();
			assertThat(handle.isHeld()).isTrue();
			passWithIo(Duration.ofSeconds(1));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(27));
			handle.close();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		@DisplayName("A grant that is too old to take before the busy of the same request is asked for at once")
		void aStaleGrantBeforeTheBusyIsAskedForAtOnce() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			advance(Duration.ofSeconds(1));
			soon(() -> store.heldBack() == 1);
			ticker.advance(Duration.ofMillis(1500));
			elsewhere.close();
			assertThat(waiter).isNotDone();
			store.answer();
			assertThat(granted(waiter).isHeld()).isTrue();
		}

		@Test
		void duplicateGrantIsTakenOnce() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.grants(ControlledStore.Grants.DELIVER_TWICE);
			elsewhere.close();
			LockHandle handle = granted(waiter);
			CompletableFuture<LockHandle> next = here.acquireAsync("a", WAITING);
			store.deliver();
			here.awaitIo();
			assertThat(handle.isHeld()).isTrue();
			assertThat(next).isNotDone();
			assertThat(there.isLocked("a")).isTrue();
			handle.close();
			LockHandle second = granted(next);
			assertThat(second.fencingToken()).isGreaterThan(handle.fencingToken());
			second.close();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void grantAfterTheReleaseOfTheSameTokenHasNoEffect() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.grants(ControlledStore.Grants.DELIVER_TWICE);
			elsewhere.close();
			granted(waiter).close();
			LockHandle next = here.acquire("a", LEASE_30S);
			store.deliver();
			here.awaitIo();
			assertThat(next.isHeld()).isTrue();
			assertThat(there.isLocked("a")).isTrue();
			next.close();
			assertThat(events(LockEvent.Lost.class)).isEmpty();
		}

	}

	@Nested
	class Cancellation {

		@Test
		@DisplayName("A wait that ends between the preparation and the sending of its request leaves the queue")
		void waitEndedBeforeTheRequestIsSentLeavesTheQueue() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CountDownLatch busy = occupyIo();
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			assertThat(store.queued()).isEqualTo(2);
			advance(Duration.ofSeconds(1));
			waiter.cancel(true);
			busy.countDown();
			soon(() -> store.queued() == 1);
			elsewhere.close();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void aGrantAfterTheCancellationIsGivenBackWithoutAMessage() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.grants(ControlledStore.Grants.HOLD);
			elsewhere.close();
			store.mode(ControlledStore.Mode.FAIL);
			waiter.cancel(true);
			store.mode(ControlledStore.Mode.ANSWER);
			assertThat(there.isLocked("a")).isTrue();
			passWithIo(Duration.ofMillis(500));
			assertThat(there.isLocked("a")).isFalse();
			store.deliver();
			assertThat(there.tryAcquire("a", LEASE_30S)).isPresent();
		}

		@Test
		void requestExecutedAfterTheCancellationLeavesNoLock() {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			advance(Duration.ofSeconds(1));
			soon(() -> store.heldBack() == 1);
			store.mode(ControlledStore.Mode.ANSWER);
			waiter.cancel(true);
			elsewhere.close();
			store.answer();
			here.awaitIo();
			assertThat(there.isLocked("a")).isFalse();
		}

	}

	@Nested
	class Extension {

		@Test
		void extensionsAreSentOneAfterTheOther() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			CompletableFuture<Void> first = handle.extendAsync(Duration.ofSeconds(60));
			List<CompletableFuture<Void>> others = List.of(handle.extendAsync(Duration.ofSeconds(10)),
					handle.extendAsync(Duration.ofSeconds(10)));
			assertThat(store.heldBack()).isEqualTo(1);
			store.answerFirst();
			assertThat(first).succeedsWithin(Duration.ofSeconds(5));
			soon(() -> store.heldBack() == 1);
			store.answerFirst();
			soon(() -> others.stream().anyMatch(CompletableFuture::isDone));
			soon(() -> store.heldBack() == 1);
			assertSurelyHeld(handle);
			store.answer();
			soon(() -> others.stream().allMatch(CompletableFuture::isDone));
			assertThat(others).noneMatch(CompletableFuture::isCompletedExceptionally);
			assertThat(handle.remaining()).isBetween(Duration.ofSeconds(107), Duration.ofSeconds(110));
			assertSurelyHeld(handle);
			handle.close();
		}

		@Test
		@DisplayName("An extension that waits for an unanswered one fails with it and does not wait once more")
		void extensionFailsWithTheUnansweredPreviousExtension() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			CompletableFuture<Void> first = handle.extendAsync(Duration.ofSeconds(60));
			CompletableFuture<Void> second = handle.extendAsync(Duration.ofSeconds(10));
			store.failFirst();
			for (CompletableFuture<Void> extension : List.of(first, second)) {
				assertFails(extension, LockUnavailableException.class);
			}
			assertThat(store.count("extend 1")).isEqualTo(1);
			store.answer();
			assertSurelyHeld(handle);
			handle.close();
		}

		@Test
		@DisplayName("An extension waits for the renewal under way, and the next renewal keeps it")
		void anExtensionWaitsForTheRenewalUnderWay() throws Exception {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			passWithIo(Duration.ofSeconds(11));
			assertThat(store.heldBack()).isEqualTo(1);
			CompletableFuture<Void> extension = handle.extendAsync(Duration.ofMinutes(10));
			assertThat(store.heldBack()).isEqualTo(1);
			store.answerFirst();
			here.awaitIo();
			assertThat(store.heldBack()).isEqualTo(1);
			store.answer();
			assertThat(extension).succeedsWithin(Duration.ofSeconds(5));
			passWithIo(Duration.ofSeconds(30));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(9));
			assertSurelyHeld(handle);
			handle.close();
		}

		@Test
		void queuedExtensionReportsALossInBetween() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			CompletableFuture<Void> first = handle.extendAsync(Duration.ofSeconds(10));
			CompletableFuture<Void> second = handle.extendAsync(Duration.ofSeconds(10));
			table.clear();
			store.answer();
			assertFails(first, LockLostException.class);
			assertFails(second, LockLostException.class);
			assertThat(store.count("extension")).isEqualTo(1);
		}

		@Test
		void queuedExtensionDoesNothingAfterTheRelease() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			handle.extendAsync(Duration.ofSeconds(10));
			CompletableFuture<Void> second = handle.extendAsync(Duration.ofSeconds(10));
			store.mode(ControlledStore.Mode.ANSWER);
			handle.close();
			store.answer();
			assertThat(second).succeedsWithin(Duration.ofSeconds(5));
			assertThat(store.count("extension")).isEqualTo(1);
			assertThat(there.isLocked("a")).isFalse();
			assertThat(events(LockEvent.Lost.class)).isEmpty();
		}

		@Test
		void extensionWaitsForTheRequestOvertakenByThePush() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			advance(Duration.ofSeconds(1));
			soon(() -> store.heldBack() == 1);
			elsewhere.close();
			LockHandle handle = granted(waiter);
			CompletableFuture<Void> extension = handle.extendAsync(Duration.ofMinutes(10));
			assertThat(store.count("extension")).isZero();
			store.answer();
			assertThat(extension).succeedsWithin(Duration.ofSeconds(5));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(10));
			assertSurelyHeld(handle);
			handle.close();
			assertThat(there.isLocked("a")).isFalse();
		}

	}

	@Nested
	class Adjustment {

		@Test
		@DisplayName("An extension of a pushed grant is not undone by the adjustment to the wanted lease")
		void theAdjustmentDoesNotUndoAnExtension() throws Exception {
			LockHandle handle = pushedGrant();
			handle.extend(Duration.ofMinutes(10));
			passWithIo(Duration.ofSeconds(5));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(10));
			assertSurelyHeld(handle);
			assertThat(store.count("extension")).isEqualTo(1);
			handle.close();
		}

		@Test
		@DisplayName("An extension that is answered while the adjustment waits in its batch is not undone by it")
		void batchedAdjustmentDoesNotUndoAnExtension() throws Exception {
			LockHandle handle = pushedGrant();
			// The adjustment is due now, and its batch leaves a moment later
			advance(Duration.ofMillis(200));
			handle.extend(Duration.ofMinutes(10));
			passWithIo(Duration.ofSeconds(5));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofMinutes(10));
			assertSurelyHeld(handle);
			assertThat(store.count("extension")).isEqualTo(1);
			handle.close();
		}

		@Test
		@DisplayName("A failed extension of a pushed grant is followed by the adjustment to the wanted lease")
		void theAdjustmentFollowsAFailedExtension() throws Exception {
			LockHandle handle = pushedGrant();
			store.mode(ControlledStore.Mode.FAIL);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> handle.extend(Duration.ofSeconds(1)));
			store.mode(ControlledStore.Mode.ANSWER);
			passWithIo(Duration.ofSeconds(2));
			assertThat(handle.remaining()).isBetween(Duration.ofSeconds(26), Duration.ofSeconds(29));
			assertSurelyHeld(handle);
			handle.close();
		}

		@Test
		@DisplayName("A push that overtakes a prepared request leaves the lease free to be extended")
		void aPushBeforeAPreparedRequestAllowsExtensions() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CountDownLatch busy = occupyIo();
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			advance(Duration.ofSeconds(1));
			elsewhere.close();
			LockHandle handle = granted(waiter);
			busy.countDown();
			passWithIo(Duration.ofSeconds(1));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(27));
			assertSurelyHeld(handle);
			handle.close();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void theDeadlineFollowsARequestForAShorterLeaseBeforeItIsAnswered() throws Exception {
			LockHandle first = acquireContended("a", LEASE_30S);
			CompletableFuture<LockHandle> next = here.acquireAsync("a", WAITING.withLease(Duration.ofSeconds(2)));
			first.close();
			LockHandle handle = granted(next);
			assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(28));
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			passWithIo(Duration.ofMillis(500));
			assertThat(store.heldBack()).isEqualTo(1);
			assertThat(handle.remaining()).isLessThan(Duration.ofSeconds(2));
			assertSurelyHeld(handle);
			advance(Duration.ofMillis(1800));
			soon(() -> !events(LockEvent.Lost.class).isEmpty());
			assertThat(handle.isHeld()).isFalse();
		}

		@Test
		@DisplayName("A re-entry under a pushed grant brings the lease to the wanted length and not beyond")
		void aReentryBringsAPushedGrantToTheWantedLength() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CountDownLatch reentered = new CountDownLatch(1);
			CountDownLatch done = new CountDownLatch(1);
			Thread holder = new Thread(() -> {
				LockHandle outer = here.acquire("a", WAITING.withLease(Duration.ofSeconds(60)));
				here.acquire("a", LEASE_30S).close();
				reentered.countDown();
				awaitLatch(done);
				outer.close();
			});
			holder.start();
			soon(() -> store.queued() == 1);
			elsewhere.close();
			reentered.await();
			here.awaitIo();
			assertThat(there.find("a").orElseThrow().remaining()).isEqualTo(Duration.ofSeconds(60));
			passWithIo(Duration.ofSeconds(1));
			assertThat(store.count("extension")).isEqualTo(1);
			done.countDown();
			holder.join();
			assertThat(there.isLocked("a")).isFalse();
		}

		private LockHandle pushedGrant() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING);
			elsewhere.close();
			return granted(waiter);
		}

	}

	@Nested
	class Release {

		static List<LockOptions> kinds() {
			return List.of(WAITING, WAITING.withPermits(2), WAITING.withShared());
		}

		@ParameterizedTest
		@MethodSource("kinds")
		void cleanUpThatOvertakesTheReleaseIsNoLoss(LockOptions kind) throws Exception {
			assertNoLoss(kind, () -> assertThat(there.isLocked("a")).as("cleaned up").isFalse());
		}

		@ParameterizedTest
		@MethodSource("kinds")
		void nextHolderAfterACleanUpThatOvertakesTheReleaseIsNoLoss(LockOptions kind) throws Exception {
			assertNoLoss(kind, () -> keep(there.acquire("a", LEASE_30S)));
		}

		private void assertNoLoss(LockOptions kind, Runnable betweenCleanUpAndRelease) throws Exception {
			LockHandle handle = grantedWhileARequestIsUnderWay(kind);
			store.before("release", () -> {
				store.answer();
				here.awaitIo();
				betweenCleanUpAndRelease.run();
			});
			handle.release();
			soon(() -> events(LockEvent.Released.class).size() == 1);
			assertThat(events(LockEvent.Lost.class)).isEmpty();
		}

		@ParameterizedTest
		@MethodSource("kinds")
		void lossBeforeACleanUpThatOvertakesTheReleaseIsTold(LockOptions kind) throws Exception {
			LockHandle handle = grantedWhileARequestIsUnderWay(kind);
			store.before("release", () -> {
				store.before("release",
						() -> table.forceRelease("a", table.find("a").join().orElseThrow().holder()).join());
				store.answer();
				here.awaitIo();
			});
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release);
			soon(() -> events(LockEvent.Lost.class).size() == 1);
		}

		/** The answer to the request comes after the holder is done. */
		private LockHandle grantedWhileARequestIsUnderWay(LockOptions kind) throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", kind);
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			advance(Duration.ofSeconds(1));
			soon(() -> store.heldBack() == 1);
			elsewhere.close();
			LockHandle handle = granted(waiter);
			store.mode(ControlledStore.Mode.ANSWER);
			return handle;
		}

		@Test
		void aRenewalUnderWayAtTheReleaseDoesNotOutliveTheMinimumHold() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew().withMinHold(Duration.ofSeconds(15)));
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			passWithIo(Duration.ofSeconds(11));
			assertThat(store.heldBack()).isEqualTo(1);
			store.mode(ControlledStore.Mode.ANSWER);
			CompletableFuture<Void> released = handle.releaseAsync();
			store.answer();
			assertThat(released).succeedsWithin(Duration.ofSeconds(5));
			advance(Duration.ofSeconds(3));
			assertThat(there.isLocked("a")).isTrue();
			advance(Duration.ofSeconds(2));
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		@DisplayName("The answer to a request that was overtaken by the push does not end the minimum hold")
		void anOvertakenAnswerDoesNotEndTheMinimumHold() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = queue("a", WAITING.withMinHold(Duration.ofSeconds(10)));
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			advance(Duration.ofSeconds(1));
			soon(() -> store.heldBack() == 1);
			elsewhere.close();
			CompletableFuture<Void> released = granted(waiter).releaseAsync();
			store.answer();
			assertThat(released).succeedsWithin(Duration.ofSeconds(5));
			here.awaitIo();
			advance(Duration.ofSeconds(9));
			assertThat(there.isLocked("a")).isTrue();
			advance(Duration.ofSeconds(1));
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		@DisplayName("A minimum hold that ends while the release waits for an answer ends with the release")
		void elapsedMinimumHoldEndsWithTheRelease() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew().withMinHold(Duration.ofSeconds(15)));
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			passWithIo(Duration.ofSeconds(11));
			assertThat(store.heldBack()).isEqualTo(1);
			store.mode(ControlledStore.Mode.ANSWER);
			CompletableFuture<Void> released = handle.releaseAsync();
			ticker.advance(Duration.ofSeconds(5));
			store.answer();
			assertThat(released).succeedsWithin(Duration.ofSeconds(5));
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		@DisplayName("A failure under an inner handle does not waive the minimum hold of the outer one")
		void anInnerFailureDoesNotWaiveTheOuterMinimumHold() {
			LockHandle outer = here.acquire("a", LEASE_30S.withMinHold(Duration.ofSeconds(10)));
			assertThatIllegalStateException().isThrownBy(() -> here.executeWithoutResult("a", LEASE_30S, (inner) -> {
				throw new IllegalStateException("The work failed.");
			}));
			outer.close();
			assertThat(there.isLocked("a")).isTrue();
		}

		@Test
		@DisplayName("A renewal that is carried out unnoticed leaves no lock after the holder closed its handle")
		void anUnnoticedRenewalLeavesNoLockAfterTheClose() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			passWithIo(Duration.ofMillis(9900));
			store.mode(ControlledStore.Mode.LOSE_ANSWERS);
			passWithIo(Duration.ofSeconds(20));
			assertThat(handle.state()).isEqualTo(LockState.LOST);
			assertThat(there.isLocked("a")).isTrue();
			store.mode(ControlledStore.Mode.ANSWER);
			handle.close();
			assertThat(there.isLocked("a")).isFalse();
		}

	}

	@Nested
	class Continuations {

		@Test
		void continuationsMayWaitForOtherAsynchronousAcquisitions() {
			List<CompletableFuture<Boolean>> both = new ArrayList<>();
			CountDownLatch inside = new CountDownLatch(16);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			for (int i = 0; i < 16; i++) {
				String name = "a" + i;
				both.add(here.acquireAsync(name, LEASE_30S).thenApply((outer) -> {
					inside.countDown();
					awaitLatch(inside);
					return here.acquireAsync(name + "-inner", LEASE_30S).join().isHeld();
				}));
			}
			store.answer();
			both.forEach((result) -> assertThat(result).succeedsWithin(Duration.ofSeconds(5)));
		}

		@Test
		void continuationsMayWaitForLocksOfOtherContinuations() {
			LockHandle first = here.acquire("b", LEASE_30S);
			CompletableFuture<Void> released = here.acquireAsync("b", WAITING).thenAccept(LockHandle::close);
			List<CompletableFuture<Void>> waiters = new ArrayList<>();
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			for (int i = 0; i < 16; i++) {
				waiters.add(here.acquireAsync("a" + i, LEASE_30S)
					.thenAccept((outer) -> here.acquire("b", WAITING).close()));
			}
			store.answer();
			soon(() -> here.waiting().size() == 17);
			first.close();
			assertThat(released).succeedsWithin(Duration.ofSeconds(5));
			waiters.forEach((waiter) -> assertThat(waiter).succeedsWithin(Duration.ofSeconds(5)));
		}

		@Test
		void continuationsNeverRunInTheAnsweringThread() throws Exception {
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			CompletableFuture<LockHandle> acquisition = here.acquireAsync("a", LEASE_30S);
			CompletableFuture<LockHandle> several = here.acquireAllAsync(List.of("b", "c"), LEASE_30S);
			CompletableFuture<String> execution = here.executeAsync("d", LEASE_30S,
					(handle) -> CompletableFuture.completedFuture("done"));
			List<CompletableFuture<String>> threads = new ArrayList<>();
			threads.add(threadOf(acquisition));
			threads.add(threadOf(several));
			threads.add(threadOf(execution));
			answerUntil(acquisition, several, execution);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			CompletableFuture<Void> extension = granted(acquisition).extendAsync(Duration.ofSeconds(1));
			threads.add(threadOf(extension));
			answerUntil(extension);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			CompletableFuture<Void> release = granted(acquisition).releaseAsync();
			threads.add(threadOf(release));
			answerUntil(release);
			threads.forEach((thread) -> assertThat(thread.join()).startsWith("distributed-lock-async-"));
		}

		@Test
		@DisplayName("Continuations of several locks never run in the thread that answers to the refresh of the first")
		void continuationsOfSeveralLocksNeverRunInTheAnsweringThread() {
			LockHandle elsewhere = there.acquire("b", LEASE_30S);
			CompletableFuture<LockHandle> several = here.acquireAllAsync(List.of("a", "b"), WAITING);
			CompletableFuture<String> thread = threadOf(several);
			soon(() -> store.queued() == 1);
			passWithIo(Duration.ofSeconds(10));
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			elsewhere.close();
			answerUntil(several);
			assertThat(store.count("extension")).isPositive();
			assertThat(thread.join()).startsWith("distributed-lock-async-");
		}

		private static CompletableFuture<String> threadOf(CompletableFuture<?> future) {
			return future.thenApply((result) -> Thread.currentThread().getName());
		}

		private void answerUntil(CompletableFuture<?>... futures) {
			CompletableFuture<Void> all = CompletableFuture.allOf(futures);
			soon(() -> {
				while (store.heldBack() > 0) {
					store.answerFirst();
				}
				return all.isDone();
			});
		}

	}

	@Nested
	class Listeners {

		@Test
		void listenerTryingTheLockAtTheReleaseGetsAnAnswer() throws Exception {
			LockHandle first = here.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			ticker.advance(Duration.ofSeconds(1));
			AtomicReference<Optional<LockHandle>> attempt = new AtomicReference<>();
			listener((event) -> {
				if (event instanceof LockEvent.Released && attempt.get() == null) {
					attempt.set(Optional.empty());
					attempt.set(here.tryAcquire("a", LEASE_30S));
				}
			});
			first.close();
			assertThat(attempt.get()).isEmpty();
			granted(waiter).close();
		}

		@Test
		void aListenerMayUseTheServiceInEveryEvent() {
			List<LockEvent> seen = new CopyOnWriteArrayList<>();
			AtomicBoolean inside = new AtomicBoolean();
			listener((event) -> {
				if (inside.compareAndSet(false, true)) {
					here.acquire("audit", LEASE_30S).close();
					here.acquire("a", LEASE_30S).close();
					seen.add(event);
					inside.set(false);
				}
			});
			here.acquire("a", LEASE_30S).close();
			assertThat(seen).hasExactlyElementsOfTypes(LockEvent.Acquired.class, LockEvent.Released.class);
			assertThat(here.held()).isEmpty();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void throwingListenerCostsNoLock() throws Exception {
			listener((event) -> {
				throw new AssertionError("The test made the listener fail.");
			});
			LockHandle handle = here.acquire("a", LEASE_30S);
			assertThat(here.tryAcquire("a", LEASE_30S)).isPresent().get().satisfies(LockHandle::close);
			LockHandle other = granted(here.acquireAsync("b", LEASE_30S));
			handle.onLost((loss) -> {
				throw new AssertionError("The test made the callback fail.");
			});
			AtomicReference<LockEvent.Lost> told = new AtomicReference<>();
			handle.onLost(told::set);
			other.close();
			assertThat(there.isLocked("b")).isFalse();
			advance(Duration.ofSeconds(29));
			soon(() -> told.get() != null);
		}

	}

	@Nested
	class BrokenStore {

		@Test
		void throwingStoreIsUnavailableAndCostsNoLock() throws Exception {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			LockHandle other = here.acquire("b", LEASE_30S);
			store.mode(ControlledStore.Mode.THROW);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.acquire("c", LEASE_30S))
				.withMessageContaining("The test broke the store.");
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.find("c"));
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> handle.extend(Duration.ofSeconds(1)));
			CompletableFuture<LockHandle> waiter = here.acquireAsync("c", WAITING);
			other.close();
			passWithIo(Duration.ofSeconds(12));
			assertThat(handle.isHeld()).isTrue();
			store.mode(ControlledStore.Mode.ANSWER);
			passWithIo(Duration.ofSeconds(1));
			assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(20));
			granted(waiter).close();
			assertThat(there.isLocked("b")).isFalse();
			assertThat(here.waiting()).isEmpty();
		}

	}

	@Nested
	class Closing {

		@Test
		@DisplayName("A close between the preparation and the sending of a request waits until it is cleaned up")
		void aCloseWaitsUntilAPreparedRequestIsCleanedUp() throws Exception {
			CountDownLatch prepared = new CountDownLatch(1);
			CountDownLatch closing = new CountDownLatch(1);
			store.before("acquire", () -> {
				prepared.countDown();
				awaitLatch(closing);
				LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
			});
			EngineSettings patient = EngineSettings.of("here").withCleanupWait(Duration.ofSeconds(30));
			DefaultLockService here = new DefaultLockService(store, patient, List.of(), ticker::nanos);
			Thread caller = new Thread(() -> catchThrowable(() -> here.acquire("a", LEASE_30S)));
			caller.start();
			prepared.await();
			closing.countDown();
			here.close();
			assertThat(there.isLocked("a")).isFalse();
			assertThat(store.commands).containsSubsequence("acquire", "release");
			caller.join();
		}

		@Test
		void aSecondCloseDoesNothing() {
			EngineSettings patient = EngineSettings.of("patient").withCleanupWait(Duration.ofMinutes(1));
			DefaultLockService service = new DefaultLockService(table.connect(), patient, List.of());
			service.close();
			service.close();
		}

		@Test
		@DisplayName("A close waits for holders in real time, since the clock of the engine may stand still")
		void aCloseWaitsForHoldersInRealTime() throws Exception {
			LockHandle handle = here.acquire("a", LEASE_30S);
			Thread closing = new Thread(() -> here.close(Duration.ofMillis(200)));
			closing.setDaemon(true);
			closing.start();
			closing.join(Duration.ofSeconds(10).toMillis());
			assertThat(closing.isAlive()).isFalse();
			assertThat(handle.isHeld()).isFalse();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void asynchronousCallersAreAnsweredAfterTheClose() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			here.close();
			assertFails(here.acquireAsync("b", WAITING), LockUnavailableException.class);
			assertThat(here.executeAsync("b", WAITING, (held) -> new CompletableFuture<>()))
				.failsWithin(Duration.ofSeconds(5));
			assertThat(handle.releaseAsync()).succeedsWithin(Duration.ofSeconds(5));
		}

	}

	/**
	 * The store keeps the lock for longer than the holder believes.
	 */
	private void assertSurelyHeld(LockHandle handle) {
		Duration stored = this.there.find(handle.name()).orElseThrow().remaining();
		assertThat(handle.remaining()).isPositive().isLessThan(stored);
	}

	/**
	 * Keep the thread for I/O busy until the latch is counted down.
	 */
	private CountDownLatch occupyIo() throws Exception {
		LockHandle elsewhere = this.there.acquire("occupied", LEASE_30S);
		queue("occupied", WAITING);
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch latch = new CountDownLatch(1);
		this.store.before("acquire", () -> {
			entered.countDown();
			awaitLatch(latch);
		});
		advance(Duration.ofSeconds(1));
		entered.await();
		assertThat(elsewhere.isHeld()).isTrue();
		return latch;
	}

}
