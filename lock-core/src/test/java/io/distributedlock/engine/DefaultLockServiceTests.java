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

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.concurrent.locks.Lock;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.OnLost;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.store.AcquireOutcome;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DefaultLockService} with a clock that stands still unless moved.
 */
@Timeout(30)
class DefaultLockServiceTests extends EngineFixture {

	@Nested
	class Acquiring {

		@Test
		void acquiresWithOneCommandAndReleasesWithAnother() {
			try (LockHandle handle = here.acquire("a", LEASE_30S)) {
				assertThat(handle.isHeld()).isTrue();
				assertThat(handle.name()).isEqualTo("a");
				assertThat(handle.fencingToken()).isPositive();
				assertThat(there.isLocked("a")).isTrue();
			}
			assertThat(there.isLocked("a")).isFalse();
			assertThat(store.commands).containsExactly("acquire", "release");
		}

		@Test
		void lockHeldElsewhereIsRefusedWithTheNameOfTheHolder() {
			try (LockHandle handle = there.acquire("a", LEASE_30S)) {
				assertThat(here.tryAcquire("a", LEASE_30S)).isEmpty();
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> here.acquire("a", LEASE_30S))
					.withMessageContaining("'a' is held by instance 'there'")
					.satisfies((ex) -> assertThat(ex.getHolder()).isNotNull());
			}
			assertThat(here.tryAcquire("a", LEASE_30S)).isPresent();
		}

		@Test
		void nothingIsAskedForIfThereIsNoMemoryForTheThreadsOfAHolder() {
			AtomicBoolean memory = new AtomicBoolean();
			LeaseTimer timer = new LeaseTimer(ticker::nanos, (loop) -> {
				if (!memory.get()) {
					throw new OutOfMemoryError("The test allows no thread.");
				}
				return null;
			});
			DefaultLockService locks = new DefaultLockService(store, EngineSettings.of("other"), List.of(), null, null,
					new LockEngine.Surroundings(ticker::nanos, timer, new EngineThreads(), "other", new Random(1),
							() -> 0.5));
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> locks.acquire("a", LEASE_30S));
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> locks.acquireAsync("a", LEASE_30S));
			assertThat(store.commands).isEmpty();
			memory.set(true);
			locks.acquire("a", LEASE_30S).release();
			locks.acquireAsync("a", LEASE_30S).join().release();
			locks.close();
		}

		@Test
		void holderLearnsOfItsLossAlthoughThereIsNoMemoryForMoreThreads() throws Exception {
			AtomicBoolean memory = new AtomicBoolean(true);
			EngineThreads threads = new EngineThreads((work) -> {
				if (!memory.get()) {
					throw new OutOfMemoryError("The test allows no thread.");
				}
				return work;
			});
			LeaseTimer timer = new LeaseTimer(ticker::nanos, (loop) -> null);
			CompletableFuture<LockEvent> told = new CompletableFuture<>();
			CompletableFuture<LockEvent> calledBack = new CompletableFuture<>();
			DefaultLockService locks = new DefaultLockService(store, EngineSettings.of("other"), List.of((event) -> {
				if (event instanceof LockEvent.Lost) {
					told.complete(event);
				}
			}), null, null,
					new LockEngine.Surroundings(ticker::nanos, timer, threads, "other", new Random(1), () -> 0.5));
			LockHandle handle = locks.acquire("a", LEASE_30S);
			handle.onLost(calledBack::complete);
			memory.set(false);
			for (int i = 0; i < 30; i++) {
				ticker.advance(Duration.ofSeconds(1));
				timer.runDue();
			}
			assertThat(told).succeedsWithin(Duration.ofSeconds(10));
			memory.set(true);
			assertThat(calledBack).succeedsWithin(Duration.ofSeconds(10));
			assertThat(handle.isHeld()).isFalse();
			locks.close();
		}

		@Test
		void aSingleAttemptWhileTheLockIsHeldHereCostsNoCommand() throws Exception {
			try (LockHandle handle = here.acquire("a", LEASE_30S)) {
				store.commands.clear();
				Throwable failure = inThread(() -> here.acquire("a", LEASE_30S));
				assertThat(failure).isInstanceOf(LockNotAcquiredException.class).hasMessageContaining("this instance");
				assertThat(store.commands).isEmpty();
			}
		}

		@Test
		void singleAttemptsAtTheSameMomentShareOneCommand() throws Exception {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			List<CompletableFuture<LockHandle>> attempts = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				attempts.add(here.acquireAsync("a", LEASE_30S));
			}
			store.answer();
			attempts.forEach((attempt) -> assertFails(attempt, LockNotAcquiredException.class));
			assertThat(store.commands).containsExactly("acquire");
			elsewhere.close();
		}

		@Test
		void currentReturnsOnlyAHeldHandleOfThisThread() throws Exception {
			assertThat(here.current("a")).isEmpty();
			LockHandle handle = here.acquire("a", LEASE_30S);
			assertThat(here.current("a")).containsSame(handle);
			assertThat(inThread(() -> assertThat(here.current("a")).isEmpty())).isNull();
			ticker.advance(Duration.ofSeconds(29));
			assertThat(here.current("a")).isEmpty();
			handle.close();
		}

	}

	@Nested
	class Names {

		@ParameterizedTest
		@ValueSource(strings = { "", " ", "\t", "\r\n", "\u2028", "\ud83d", "\ude00x", "a\ud83d" })
		void invalidNamesAreRefused(String name) {
			assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> here.acquire(name, LEASE_30S));
			assertThat(store.commands).isEmpty();
		}

		@Test
		void refusesNullWithASentence() {
			assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> here.acquire(null))
				.withMessage(
						"The name of a lock is null. Give a name that says what is locked, for example 'order:42'.");
		}

		@Test
		void tooLongNamesAreRefused() {
			assertThatExceptionOfType(InvalidLockNameException.class)
				.isThrownBy(() -> here.acquire("x".repeat(4097), LEASE_30S));
			assertThatExceptionOfType(InvalidLockNameException.class)
				.isThrownBy(() -> here.acquire("ä".repeat(2049), LEASE_30S));
			here.acquire("x".repeat(4096), LEASE_30S).close();
		}

		@ParameterizedTest
		@ValueSource(strings = { "a b", "{a}", "*", "😀", "T(java.lang.Runtime)", "a:b/c\\d'e\"f", "a\nb", "\u0000",
				"a\u007f", "\u202eb", "\u200b", " \u2028a" })
		void acceptsOtherNames(String name) {
			here.acquire(name, LEASE_30S).close();
		}

	}

	@Nested
	class ForeignHolders {

		@ParameterizedTest
		@CsvSource(nullValues = "-", textBlock = """
				there~AAAAAAAAAAAAAAAAAAAAAA:1  | instance 'there'
				there~AAAA:1                    | a foreign client (digest f5ed82dd)
				redis-py                        | a foreign client (digest 0e88736e)
				~x:1                            | a foreign client (digest 6b7fd6a7)
				tilde~after                     | a foreign client (digest 8c6900b7)
				colon:before~tilde              | a foreign client (digest 78b64183)
				""", delimiter = '|')
		void saysInReadableTextWhoHolds(String token, String description) {
			store.pretend(new AcquireOutcome.Busy(token, null));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> here.acquire("a", LEASE_30S))
				.withMessageContaining("is held by " + description + ";")
				.withMessageNotContaining(token);
		}

		@Test
		void controlCharactersOfForeignHoldersStayOutOfMessages() {
			for (String token : List.of("a\nb", "a\nb~x:1")) {
				store.pretend(new AcquireOutcome.Busy(token, Duration.ofSeconds(1)));
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> here.acquire("a", LEASE_30S))
					.withMessageNotContaining("\n");
			}
		}

		@Test
		void aForeignLockWithAHugeTimeToLiveIsBusyLikeAnyOther() throws Exception {
			store.pretend(new AcquireOutcome.Busy("foreign", Duration.ofMillis(Long.MAX_VALUE)));
			assertFails(here.acquireAsync("a", LEASE_30S), LockNotAcquiredException.class)
				.withMessageContaining("a foreign client (digest ");
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			store.pretend(null);
			passWithIo(Duration.ofSeconds(1));
			granted(waiter).close();
		}

	}

	@Nested
	class Reentry {

		@Test
		void reentryCostsNoCommandAndIsReleasedWithTheLastHandle() {
			LockHandle outer = here.acquire("a", LEASE_30S);
			store.commands.clear();
			LockHandle inner = here.acquire("a", LEASE_30S);
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			outer.close();
			assertThat(inner.isHeld()).isTrue();
			assertThat(outer.isHeld()).isFalse();
			assertThat(store.commands).isEmpty();
			inner.close();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void reentryWithAShorterLeaseNeverShortensTheLease() {
			LockHandle outer = here.acquire("a", LEASE_30S);
			LockHandle inner = here.acquire("a", LockOptions.ofLease(Duration.ofSeconds(2)));
			pass(Duration.ofSeconds(10));
			assertThat(inner.isHeld()).isTrue();
			inner.close();
			assertThat(outer.isHeld()).isTrue();
			assertThat(there.isLocked("a")).isTrue();
			outer.close();
		}

		@Test
		void reentryWithALongerLeaseLengthensTheLease() {
			LockHandle outer = here.acquire("a", LockOptions.ofLease(Duration.ofSeconds(2)));
			LockHandle inner = here.acquire("a", LEASE_30S);
			await().until(() -> outer.remaining().toSeconds() > 20);
			pass(Duration.ofSeconds(10));
			assertThat(outer.isHeld()).isTrue();
			inner.close();
			outer.close();
		}

	}

	@Nested
	class Waiting {

		@Test
		void localWaitersGetTheLockInOrderWithoutTheStore() throws Exception {
			LockHandle first = acquireContended("a", LEASE_30S);
			List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				waiters.add(here.acquireAsync("a", WAITING));
			}
			store.commands.clear();
			long token = first.fencingToken();
			first.close();
			for (CompletableFuture<LockHandle> waiter : waiters) {
				LockHandle handle = waiter.get(5, TimeUnit.SECONDS);
				assertThat(handle.fencingToken()).isGreaterThan(token);
				token = handle.fencingToken();
				handle.close();
			}
			assertThat(store.commands).containsExactly("release");
		}

		@Test
		void afterTheBoundOfLocalHandoffsOtherInstancesHaveTheirTurn() throws Exception {
			LockHandle first = acquireContended("a", LEASE_30S);
			CompletableFuture<LockHandle> other = there.acquireAsync("a", WAITING);
			await().until(() -> thereStore.queued() == 1);
			List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
			for (int i = 0; i < 40; i++) {
				waiters.add(here.acquireAsync("a", WAITING));
			}
			first.close();
			for (int i = 0; i < 32; i++) {
				waiters.get(i).get(5, TimeUnit.SECONDS).close();
			}
			LockHandle turn = other.get(5, TimeUnit.SECONDS);
			assertThat(waiters.get(32)).isNotDone();
			turn.close();
			for (int i = 32; i < 40; i++) {
				waiters.get(i).get(5, TimeUnit.SECONDS).close();
			}
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void aLostGrantIsFoundWithinASecond() throws Exception {
			store.grants(ControlledStore.Grants.LOSE);
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			await().until(() -> store.queued() == 1);
			elsewhere.close();
			assertThat(waiter).isNotDone();
			advance(Duration.ofSeconds(1));
			assertThat(waiter.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
		}

		@Test
		void endedWaitLeavesNoPlaceInTheQueue() {
			LockHandle elsewhere = there.acquire("a", LEASE_30S);
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a",
					LEASE_30S.withWaitTime(Duration.ofSeconds(2)));
			await().until(() -> store.queued() == 1);
			pass(Duration.ofMillis(2100));
			assertFails(waiter, LockNotAcquiredException.class);
			await().until(() -> store.queued() == 0);
			elsewhere.close();
			assertThat(here.isLocked("a")).isFalse();
		}

	}

	@Nested
	class Interrupts {

		@Test
		void anInterruptBeforeTheCallIsNoticedAndKept() {
			Thread.currentThread().interrupt();
			Throwable failure = catchThrowable(() -> here.acquire("a", LEASE_30S));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(failure).isInstanceOf(LockInterruptedException.class);
			assertThat(store.commands).isEmpty();
		}

		@Test
		void anInterruptWhileTheRequestIsUnderWayLeavesNoLock() throws Exception {
			store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			AtomicReference<Boolean> flag = new AtomicReference<>();
			AtomicReference<Throwable> failure = new AtomicReference<>();
			Thread thread = new Thread(() -> {
				failure.set(catchThrowable(() -> here.acquire("a", LEASE_30S)));
				flag.set(Thread.currentThread().isInterrupted());
			});
			thread.start();
			await().until(() -> store.heldBack() == 1);
			thread.interrupt();
			await().until(() -> store.commands.contains("release"));
			store.answer();
			thread.join();
			assertThat(failure.get()).isInstanceOf(LockInterruptedException.class);
			assertThat(flag.get()).isTrue();
			assertThat(there.isLocked("a")).isFalse();
			assertThat(here.held()).isEmpty();
		}

		@Test
		void lossInterruptsTheOwnerIfAskedForButNeverLater() throws Exception {
			Owner owner = new Owner((handle) -> {
				while (!Thread.currentThread().isInterrupted()) {
					Thread.onSpinWait();
				}
			});
			owner.held.join();
			advance(Duration.ofSeconds(29));
			assertThat(owner.interruptedAfterClose.join()).isFalse();
		}

		@Test
		void foreignInterruptIsKeptAfterTheInterruptOfTheLossWasNoticed() throws Exception {
			CountDownLatch end = new CountDownLatch(1);
			Owner owner = new Owner((handle) -> {
				assertThat(catchThrowable(() -> new CountDownLatch(1).await()))
					.isInstanceOf(InterruptedException.class);
				assertThat(catchThrowable(end::await)).isInstanceOf(InterruptedException.class);
				Thread.currentThread().interrupt();
			});
			Hold hold = ((Handle) owner.held.join()).hold();
			advance(Duration.ofSeconds(29));
			await().until(() -> hold.interrupt().state.get() == HolderInterrupt.State.OVER);
			owner.interrupt();
			assertThat(owner.interruptedAfterClose.join()).isTrue();
		}

		@Test
		void blockedInterruptStopsNeitherTheWatchdogNorOtherLocks() throws Exception {
			CountDownLatch held = new CountDownLatch(1);
			CountDownLatch end = new CountDownLatch(1);
			Thread owner = new Thread(() -> {
				LockHandle handle = here.acquire("a", LEASE_30S.withOnLost(OnLost.INTERRUPT));
				held.countDown();
				catchThrowable(end::await);
				Reference.reachabilityFence(handle);
			}) {

				/** As with a channel that cannot be closed at once. */
				@Override
				public void interrupt() {
					try {
						end.await();
					}
					catch (InterruptedException ex) {
						throw new IllegalStateException(ex);
					}
				}

			};
			owner.start();
			held.await();
			CompletableFuture<Void> watchdog = CompletableFuture.runAsync(() -> advance(Duration.ofSeconds(29)));
			assertThat(watchdog).succeedsWithin(Duration.ofSeconds(10));
			ticker.advance(Duration.ofSeconds(2));
			CompletableFuture<Void> next = CompletableFuture.runAsync(() -> here.acquire("a", LEASE_30S).close());
			assertThat(next).succeedsWithin(Duration.ofSeconds(10));
			Thread interrupted = new Thread(() -> {
				Thread.currentThread().interrupt();
				DeferredInterrupts.defer();
				DeferredInterrupts.restore();
			});
			interrupted.start();
			interrupted.join(10_000);
			assertThat(interrupted.isAlive()).isFalse();
			end.countDown();
			owner.join();
		}

		@Test
		void foreignInterruptBeforeTheLossIsKept() {
			LockHandle handle = here.acquire("a", LEASE_30S.withOnLost(OnLost.INTERRUPT));
			Thread.currentThread().interrupt();
			advance(Duration.ofSeconds(29));
			handle.close();
			assertThat(Thread.interrupted()).isTrue();
		}

		@Test
		void postponedForeignInterruptIsKeptDuringTheLoss() throws Exception {
			LockHandle other = there.acquire("other", LockOptions.ofLease(Duration.ofHours(1)));
			Owner owner = new Owner((handle) -> here.asLock("other", LEASE_30S).lock());
			owner.held.join();
			interruptOnceParked(owner);
			advance(Duration.ofSeconds(29));
			other.close();
			await().until(() -> {
				advance(Duration.ofSeconds(1));
				return !owner.isAlive();
			});
			await().until(() -> events(LockEvent.Lost.class).size() == 1);
			assertThat(owner.interruptedAfterClose.join()).isTrue();
		}

		@Test
		void foreignInterruptDuringAnExtensionAndTheLossIsKept() throws Exception {
			Owner owner = new Owner((handle) -> {
				store.mode(ControlledStore.Mode.HOLD_ANSWERS);
				assertThatExceptionOfType(LockException.class).isThrownBy(() -> handle.extend(Duration.ofSeconds(1)));
			});
			await().until(() -> store.heldBack() == 1);
			interruptOnceParked(owner);
			advance(Duration.ofSeconds(29));
			store.answer();
			owner.join();
			await().until(() -> events(LockEvent.Lost.class).size() == 1);
			assertThat(owner.interruptedAfterClose.join()).isTrue();
		}

		/**
		 * A thread that holds the lock during its work, and is interrupted for a loss.
		 */
		private final class Owner extends Thread {

			private final CompletableFuture<LockHandle> held = new CompletableFuture<>();

			private final CompletableFuture<Boolean> interruptedAfterClose = new CompletableFuture<>();

			private final Consumer<LockHandle> work;

			Owner(Consumer<LockHandle> work) {
				this.work = work;
				start();
			}

			@Override
			public void run() {
				LockHandle handle = here.acquire("a", LEASE_30S.withOnLost(OnLost.INTERRUPT));
				this.held.complete(handle);
				this.work.accept(handle);
				handle.close();
				this.interruptedAfterClose.complete(isInterrupted());
			}

		}

		/** Which puts the interrupt off, and parks again. */
		private void interruptOnceParked(Thread thread) {
			await().until(
					() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
			thread.interrupt();
			await().until(() -> !thread.isInterrupted());
		}

		@Test
		void anInterruptAtTheReleaseIsKeptAndTheLockIsReleased() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			LockHandle other = here.acquire("b", LEASE_30S);
			Thread.currentThread().interrupt();
			handle.close();
			other.release();
			assertThat(Thread.interrupted()).isTrue();
			assertThat(there.isLocked("a")).isFalse();
			assertThat(there.isLocked("b")).isFalse();
		}

	}

	@Nested
	class Outages {

		@Test
		void aLostAnswerToASingleAttemptLeavesNoLock() {
			store.mode(ControlledStore.Mode.LOSE_ANSWERS);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.acquire("a", LEASE_30S));
			await().until(() -> !there.isLocked("a"));
		}

		@Test
		void unansweredRequestIsRepeatedWithTheSameTokenWithinTheWait() throws Exception {
			store.mode(ControlledStore.Mode.LOSE_ANSWERS);
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			assertThat(there.isLocked("a")).isTrue();
			store.mode(ControlledStore.Mode.ANSWER);
			advance(Duration.ofSeconds(1));
			LockHandle handle = waiter.get(5, TimeUnit.SECONDS);
			assertThat(handle.isHeld()).isTrue();
			handle.close();
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void lostAnswerToAReleaseIsNotReportedAsALoss() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			store.mode(ControlledStore.Mode.LOSE_ANSWERS);
			handle.close();
			store.mode(ControlledStore.Mode.ANSWER);
			advance(Duration.ofSeconds(1));
			await().until(() -> store.commands.stream().filter("release"::equals).count() >= 2);
			assertThat(events(LockEvent.Lost.class)).isEmpty();
			assertThat(events(LockEvent.ReleaseFailed.class)).hasSize(1);
			assertThat(there.isLocked("a")).isFalse();
		}

		@Test
		void anOutageIsNotContention() {
			store.mode(ControlledStore.Mode.FAIL);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.tryAcquire("a", LEASE_30S));
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a",
					LEASE_30S.withWaitTime(Duration.ofSeconds(1)));
			pass(Duration.ofMillis(1100));
			assertFails(waiter, LockUnavailableException.class);
		}

	}

	@Nested
	class Refusals {

		@ParameterizedTest
		@ValueSource(strings = { "PT0S", "PT1M" })
		void refusedRequestFailsImmediatelyWithoutCleanup(Duration waitTime) {
			store.mode(ControlledStore.Mode.REFUSE);
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> here.acquire("a", LEASE_30S.withWaitTime(waitTime)));
			here.awaitIo();
			assertThat(store.commands).containsExactly("acquire");
			assertThat(here.waiting()).isEmpty();
		}

		@Test
		void aRefusalAfterALostAnswerIsCleanedUpAfter() {
			store.mode(ControlledStore.Mode.LOSE_ANSWERS);
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", WAITING);
			store.mode(ControlledStore.Mode.REFUSE);
			store.before("release", () -> store.mode(ControlledStore.Mode.ANSWER));
			passWithIo(Duration.ofSeconds(1));
			assertFails(waiter, LockConfigurationException.class);
			assertThat(there.isLocked("a")).isFalse();
		}

	}

	@Nested
	class Renewal {

		@Test
		void renewalKeepsTheLockAndEndsWithTheRelease() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			passWithRenewal(Duration.ofMinutes(5));
			assertThat(handle.state()).isEqualTo(LockState.HELD);
			assertThat(there.isLocked("a")).isTrue();
			handle.close();
			store.commands.clear();
			passWithRenewal(Duration.ofMinutes(1));
			assertThat(store.commands).isEmpty();
		}

		@Test
		void aRenewalAfterAnOutageSavesTheLock() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			store.mode(ControlledStore.Mode.FAIL);
			passWithRenewal(Duration.ofSeconds(22));
			assertThat(handle.state()).isEqualTo(LockState.AT_RISK);
			store.mode(ControlledStore.Mode.ANSWER);
			passWithRenewal(Duration.ofSeconds(2));
			assertThat(handle.state()).isEqualTo(LockState.HELD);
			handle.close();
		}

		@Test
		void theMaximumHoldEndsRenewal() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew().withMaxHold(Duration.ofMinutes(1)));
			passWithRenewal(Duration.ofSeconds(50));
			assertThat(handle.isHeld()).isTrue();
			passWithRenewal(Duration.ofSeconds(50));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld)
				.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.MAX_HOLD_REACHED))
				.withMessageContaining(
						"Its maximum hold of 1m was reached: raise maxHold, or find out why the work takes so long.");
		}

	}

	@Nested
	class Extension {

		@Test
		void extendAddsToTheRemainingLease() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			Duration before = handle.remaining();
			handle.extend(Duration.ofSeconds(60));
			assertThat(handle.remaining()).isBetween(before.plusSeconds(58), before.plusSeconds(60));
			pass(Duration.ofSeconds(60));
			assertThat(handle.isHeld()).isTrue();
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ZERO));
			handle.close();
			assertThatIllegalStateException().isThrownBy(() -> handle.extend(Duration.ofSeconds(1)));
		}

		@Test
		void extendDoesNotRecreateALostLock() {
			LockHandle handle = here.acquire("a", LEASE_30S);
			table.clear();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(Duration.ofSeconds(9)));
			assertThat(there.isLocked("a")).isFalse();
		}

		@ParameterizedTest
		@ValueSource(longs = { 1000, Long.MAX_VALUE / 1_000_000_000, Long.MAX_VALUE })
		void theLongestTimesDoNotOverflow(long seconds) throws Exception {
			Duration huge = Duration.ofSeconds(seconds);
			LockOptions options = LEASE_30S.withAutoRenew().withMaxHold(huge).withWaitTime(huge);
			LockHandle handle = granted(here.acquireAsync("a", options));
			CompletableFuture<LockHandle> waiter = here.acquireAsync("a", options);
			handle.extend(huge);
			assertThat(handle.remaining()).isGreaterThanOrEqualTo(Duration.ofSeconds(Math.min(seconds, 3600)));
			passWithIo(Duration.ofSeconds(15));
			assertThat(handle.isHeld()).isTrue();
			handle.close();
			passWithIo(Duration.ofSeconds(1));
			LockHandle next = granted(waiter);
			next.close();
			here.close(huge);
		}

	}

	@Nested
	class Loss {

		@Test
		void theHolderIsToldBeforeTheStoreFreesTheLock() {
			AtomicReference<LockEvent.Lost> told = new AtomicReference<>();
			LockHandle handle = here.acquire("a", LEASE_30S);
			handle.onLost(told::set);
			pass(Duration.ofMillis(28_600));
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.state()).isEqualTo(LockState.AT_RISK);
			advance(Duration.ofMillis(150));
			assertThat(handle.isHeld()).isFalse();
			assertThat(there.isLocked("a")).isTrue();
			await().untilAsserted(() -> assertThat(told.get()).isNotNull());
			assertThat(told.get().cause()).isEqualTo(LossCause.LEASE_EXPIRED);
			assertThat(handle.state()).isEqualTo(LockState.LOST);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld)
				.withMessageContaining("use a longer timeout, or autoRenew");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release);
		}

		@Test
		void holderIsNotifiedIfRenewalsGetNoAnswer() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			store.mode(ControlledStore.Mode.FAIL);
			passWithRenewal(Duration.ofSeconds(29));
			assertThat(handle.state()).isEqualTo(LockState.LOST);
			await().untilAsserted(() -> assertThat(events(LockEvent.Lost.class)).singleElement()
				.satisfies((loss) -> assertThat(loss.cause()).isEqualTo(LossCause.STORE_UNREACHABLE)));
		}

		@Test
		void holderOfALockWhoseRenewalsAreRefusedReadsWhyInPlaceOfAGuess() {
			keep(here.acquire("a", LEASE_30S.withAutoRenew()));
			store.mode(ControlledStore.Mode.REFUSE);
			passWithRenewal(Duration.ofSeconds(29));
			await().until(() -> !events(LockEvent.Lost.class).isEmpty());
			assertThat(events(LockEvent.Lost.class)).singleElement()
				.satisfies((loss) -> assertThat(loss.cause()).isEqualTo(LossCause.STORE_UNREACHABLE))
				.satisfies((loss) -> assertThat(loss.explanation()).isEqualTo("The lock store " + store.description()
						+ " did not confirm the lease in time. The last failure was: The test took the permission away."));
		}

		@Test
		void holderOfALockWhoseRenewalIsNotAnsweredReadsWhatToCheck() {
			keep(here.acquire("a", LEASE_30S.withAutoRenew()));
			store.mode(ControlledStore.Mode.HOLD_COMMANDS);
			passWithRenewal(Duration.ofSeconds(29));
			await().until(() -> !events(LockEvent.Lost.class).isEmpty());
			assertThat(events(LockEvent.Lost.class)).singleElement()
				.satisfies((loss) -> assertThat(loss.cause()).isEqualTo(LossCause.STORE_UNREACHABLE))
				.satisfies((loss) -> assertThat(loss.explanation()).isEqualTo("The lock store " + store.description()
						+ " did not confirm the lease in time: check whether it is down, slow or unreachable."));
		}

		@Test
		void aVanishedLockIsToldAtTheNextRenewalAndNotCreatedAgain() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			table.clear();
			passWithRenewal(Duration.ofSeconds(12));
			assertThat(handle.state()).isEqualTo(LockState.LOST);
			assertThat(there.isLocked("a")).isFalse();
			await().untilAsserted(() -> assertThat(events(LockEvent.Lost.class)).singleElement()
				.satisfies((loss) -> assertThat(loss.cause()).isEqualTo(LossCause.KEY_VANISHED)));
		}

		@Test
		void aPausedProcessIsToldAsSuch() {
			LockHandle handle = here.acquire("a", LEASE_30S.withAutoRenew());
			ticker.advance(Duration.ofMinutes(1));
			assertThat(handle.isHeld()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld)
				.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.PROCESS_PAUSED));
		}

		@Test
		void theLockOfADeadThreadIsNotRenewed() throws Exception {
			Lock lock = here.asLock("a", LEASE_30S.withAutoRenew());
			assertThat(inThread(lock::lock)).isNull();
			assertThat(there.isLocked("a")).isTrue();
			passWithRenewal(Duration.ofSeconds(11));
			await().until(() -> !there.isLocked("a"));
			await().untilAsserted(() -> assertThat(events(LockEvent.Lost.class)).singleElement()
				.satisfies((loss) -> assertThat(loss.cause()).isEqualTo(LossCause.OWNER_DIED)));
		}

	}

	@Nested
	class Release {

		@Test
		void aHandleMayBeClosedByAnotherThreadAndTwice() throws Exception {
			LockHandle handle = here.acquire("a", LEASE_30S);
			assertThat(inThread(handle::close)).isNull();
			handle.close();
			handle.release();
			assertThat(handle.state()).isEqualTo(LockState.RELEASED);
			assertThat(there.tryAcquire("a", LEASE_30S)).isPresent();
			assertThat(there.isLocked("a")).isTrue();
		}

		@Test
		void lateReleaseDoesNotTouchTheNextHolder() {
			LockHandle late = here.acquire("a", LEASE_30S);
			advance(Duration.ofSeconds(31));
			LockHandle next = there.acquire("a", LEASE_30S);
			late.close();
			assertThat(next.isHeld()).isTrue();
			assertThat(here.isLocked("a")).isTrue();
			assertThat(next.fencingToken()).isGreaterThan(late.fencingToken());
		}

		@Test
		void theMinimumHoldKeepsTheLockAfterTheRelease() {
			here.acquire("a", LEASE_30S.withMinHold(Duration.ofSeconds(10))).close();
			assertThat(here.tryAcquire("a", LEASE_30S)).isEmpty();
			assertThat(here.held()).isEmpty();
			advance(Duration.ofSeconds(9));
			assertThat(there.tryAcquire("a", LEASE_30S)).isEmpty();
			advance(Duration.ofMillis(1001));
			assertThat(there.tryAcquire("a", LEASE_30S)).isPresent();
		}

		@Test
		void theMinimumHoldCanBeWaived() {
			LockHandle handle = here.acquire("a", LEASE_30S.withMinHold(Duration.ofSeconds(10)));
			WorkUnderLock.waiveMinHold(handle);
			handle.close();
			assertThat(there.tryAcquire("a", LEASE_30S)).isPresent();
		}

		@Test
		void aForgottenHandleIsReleased() {
			here.acquire("a", LEASE_30S.withAutoRenew());
			await().until(() -> {
				System.gc();
				passWithRenewal(Duration.ofSeconds(11));
				return !there.isLocked("a");
			});
		}

	}

	@Nested
	class Execution {

		@Test
		void executeReturnsTheResultAndPassesExceptionsOn() {
			assertThat(here.<Integer, RuntimeException>execute("a", LEASE_30S, (handle) -> 42)).isEqualTo(42);
			IllegalStateException problem = new IllegalStateException("work failed");
			assertThatIllegalStateException().isThrownBy(() -> here.executeWithoutResult("a", LEASE_30S, (handle) -> {
				store.mode(ControlledStore.Mode.FAIL);
				throw problem;
			})).isSameAs(problem);
		}

		@Test
		void workWithoutAHandleRunsWithTheConfiguredOptions() {
			EngineSettings settings = EngineSettings.of("here")
				.withCustomizer((name, options) -> options.withLease(Duration.ofSeconds(name.length())));
			try (DefaultLockService service = new DefaultLockService(store, settings, List.of(), ticker::nanos)) {
				List<Duration> leases = new ArrayList<>();
				assertThat(service.<Integer>execute("four", () -> {
					leases.add(service.current("four").orElseThrow().remaining());
					return 42;
				})).isEqualTo(42);
				service.executeWithoutResult("seventh",
						() -> leases.add(service.current("seventh").orElseThrow().remaining()));
				service.executeWithoutResult("ab", (handle) -> leases.add(handle.remaining()));
				assertThat(leases).extracting((lease) -> (lease.toMillis() + 999) / 1000).containsExactly(4L, 7L, 2L);
				assertThat(service.held()).isEmpty();
			}
		}

		@Test
		void executeTellsALossInPlaceOfTheResultIfAskedFor() {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> here.executeWithoutResult("a",
					LEASE_30S.withOnLost(OnLost.THROW), (handle) -> advance(Duration.ofSeconds(29))));
		}

	}

	@Nested
	class SeveralLocks {

		@Test
		void severalLocksAreHeldWhileWorkIsExecuted() {
			List<String> names = List.of("b", "a");
			assertThat(here.<List<LockHandle>, RuntimeException>executeAll(names, LEASE_30S, (handle) -> {
				assertThat(there.isLocked("a")).isTrue();
				assertThat(there.isLocked("b")).isTrue();
				return handle.parts();
			})).extracting(LockHandle::name).containsExactly("a", "b");
			assertThatIllegalStateException().isThrownBy(() -> here.executeAllWithoutResult(names,
					LEASE_30S.withMinHold(Duration.ofSeconds(5)), (handle) -> {
						throw new IllegalStateException("The test made the work fail.");
					}));
			assertThat(there.isLocked("a")).isFalse();
			assertThat(there.isLocked("b")).isFalse();
		}

		@Test
		void severalLocksAreAcquiredAllOrNone() {
			LockHandle elsewhere = there.acquire("b", LEASE_30S);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> here.acquireAll(List.of("c", "a", "b"), LEASE_30S));
			assertThat(there.isLocked("a")).isFalse();
			assertThat(here.held()).isEmpty();
			elsewhere.close();
			try (LockHandle all = here.acquireAll(List.of("c", "a", "b", "a"), LEASE_30S)) {
				assertThat(all.parts()).extracting(LockHandle::name).containsExactly("a", "b", "c");
				assertThat(all.isHeld()).isTrue();
				assertThatIllegalStateException().isThrownBy(all::fencingToken);
			}
			assertThat(there.isLocked("a")).isFalse();
		}

	}

	@Nested
	class JavaLocks {

		@Test
		void theViewIsALockOfTheThread() throws Exception {
			Lock lock = here.asLock("a", LEASE_30S);
			lock.lock();
			assertThat(here.asLock("a", LEASE_30S).tryLock()).isTrue();
			assertThat(inThread(() -> assertThat(lock.tryLock()).isFalse())).isNull();
			assertThat(inThread(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
			lock.unlock();
			assertThat(there.isLocked("a")).isTrue();
			here.asLock("a", LEASE_30S).unlock();
			assertThat(there.isLocked("a")).isFalse();
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
		}

		@Test
		@DisplayName("An interrupt ends a timed try of the view, while the untimed one keeps the flag")
		void aTimedTryOfTheViewEndsWhenInterrupted() throws Exception {
			Lock lock = here.asLock("a", LEASE_30S);
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			Thread.currentThread().interrupt();
			assertThat(lock.tryLock()).isTrue();
			assertThat(Thread.interrupted()).isTrue();
			lock.unlock();
			assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
			lock.unlock();
		}

	}

	@Nested
	class Closing {

		@Test
		void closeEndsWaitsAndReleasesHeldLocks() {
			LockHandle held = here.acquire("a", LEASE_30S);
			LockHandle elsewhere = there.acquire("b", LEASE_30S);
			CompletableFuture<LockHandle> waiter = here.acquireAsync("b", WAITING);
			await().until(() -> store.queued() == 1);
			here.close();
			assertFails(waiter, LockUnavailableException.class);
			assertThat(held.state()).isEqualTo(LockState.LOST);
			assertThat(there.isLocked("a")).isFalse();
			assertThat(store.queued()).isZero();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.acquire("c", LEASE_30S));
			elsewhere.close();
		}

	}

	private void passWithRenewal(Duration time) {
		for (long i = 0; i < time.toMillis(); i += 250) {
			advance(Duration.ofMillis(250));
			this.here.awaitIo();
		}
	}

	private static Throwable inThread(ThrowingRunnable action) throws InterruptedException {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		Thread thread = new Thread(() -> failure.set(catchThrowable(action::run)));
		thread.start();
		thread.join();
		return failure.get();
	}

	interface ThrowingRunnable {

		void run() throws Throwable;

	}

}
