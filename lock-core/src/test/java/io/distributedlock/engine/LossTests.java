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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.OnLost;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockToken;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for losses, see {@link LeaseKeeper}.
 */
@Timeout(30)
class LossTests extends EngineFixture {

	@Test
	void interruptedOwnerFindsTheLockLostImmediately() throws Exception {
		CompletableFuture<LockHandle> acquired = new CompletableFuture<>();
		CompletableFuture<LockState> stateWhenInterrupted = new CompletableFuture<>();
		CountDownLatch end = new CountDownLatch(1);
		Thread owner = new Thread(() -> {
			LockHandle handle = this.here.acquire("a", LEASE_30S.withOnLost(OnLost.INTERRUPT));
			acquired.complete(handle);
			try {
				end.await();
			}
			catch (InterruptedException ex) {
				handle.close();
			}
		}) {

			@Override
			public void interrupt() {
				stateWhenInterrupted.complete(acquired.join().state());
				super.interrupt();
			}

		};
		owner.start();
		assertThat(acquired.get().state()).isEqualTo(LockState.HELD);
		advance(Duration.ofSeconds(29));
		owner.join();
		assertThat(stateWhenInterrupted).isCompletedWithValue(LockState.LOST);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theNameOfALockCannotForgeALineOfTheLog(CapturedOutput output) {
		LockHandle handle = this.here.acquire("a\nERROR b", LEASE_30S);
		advance(Duration.ofSeconds(29));
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		await().until(() -> output.toString().contains("Lock 'a\\u000AERROR b' was lost"));
		assertThat(output).doesNotContain("a\nERROR b");
		assertThat(handle.toString()).contains("a\\u000AERROR b");
	}

	@Test
	void lastLossOfEachLockIsRememberedWithItsHolder() {
		this.here.acquire("a", LEASE_30S);
		this.here.acquire("b", LEASE_30S);
		assertThat(this.here.losses()).isEmpty();
		advance(Duration.ofSeconds(31));
		this.here.acquire("a", LEASE_30S.withDeclaredName("again"));
		advance(Duration.ofSeconds(29));
		assertThat(this.here.losses()).satisfiesExactly((latest) -> {
			assertThat(latest.event().name()).isEqualTo("a");
			assertThat(latest.event().declaredName()).isEqualTo("again");
			assertThat(latest.event().cause()).isEqualTo(LossCause.LEASE_EXPIRED);
			assertThat(latest.holder()).isEqualTo(Thread.currentThread().getName());
			assertThat(latest.age()).isLessThan(Duration.ofSeconds(2));
		}, (earlier) -> {
			assertThat(earlier.event().name()).isEqualTo("b");
			assertThat(earlier.age()).isBetween(Duration.ofSeconds(29), Duration.ofSeconds(32));
		});
	}

	@Test
	void noMoreThanAHundredLossesAreRemembered() {
		IntStream.rangeClosed(1, LastLosses.MOST_NAMES + 1).forEach((number) -> {
			this.here.acquire("a" + number, LEASE_30S);
			advance(Duration.ofSeconds(29));
		});
		assertThat(this.here.losses()).hasSize(LastLosses.MOST_NAMES)
			.extracting((loss) -> loss.event().name())
			.startsWith("a101", "a100")
			.endsWith("a2");
	}

	@Test
	void blockedCallbackDoesNotStopOtherCallbacks() throws Exception {
		CountDownLatch never = new CountDownLatch(1);
		CompletableFuture<LockEvent.Lost> second = new CompletableFuture<>();
		CompletableFuture<LockEvent.Lost> ofAnother = new CompletableFuture<>();
		for (int i = 0; i < 600; i++) {
			this.here.acquire("a" + i, LEASE_30S).detach().onLost((loss) -> awaitLatch(never));
		}
		LockHandle handle = this.here.acquire("b", LEASE_30S);
		handle.onLost((loss) -> awaitLatch(never));
		handle.onLost(second::complete);
		this.here.acquire("c", LEASE_30S).onLost(ofAnother::complete);
		advance(Duration.ofSeconds(29));
		assertThat(second).succeedsWithin(Duration.ofSeconds(10));
		assertThat(ofAnother).succeedsWithin(Duration.ofSeconds(10));
		never.countDown();
	}

	@Test
	void eachCallbackIsCalledOnceEvenIfOthersThrow() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		List<Integer> called = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 100; i++) {
			int number = i;
			handle.onLost((loss) -> {
				called.add(number);
				if (number % 2 == 0) {
					throw new IllegalStateException("thrown by the test");
				}
				throw new AssertionError("thrown by the test");
			});
		}
		advance(Duration.ofSeconds(29));
		soon(() -> called.size() >= 100);
		advance(Duration.ofSeconds(29));
		assertThat(called).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 100).boxed().toList());
	}

	@Test
	void forceReleasedLockIsLostImmediately() {
		LockHandle handle = acquireAndListen();
		String holder = holder();
		this.table.forceRelease("a", holder);
		this.here.awaitIo();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.FORCED));
	}

	@Test
	void forceReleasedLockWithANewHolderIsLostImmediately() {
		LockHandle handle = acquireAndListen();
		String holder = holder();
		this.store.before("find", () -> this.there.acquire("a", LEASE_30S));
		this.table.forceRelease("a", holder);
		this.here.awaitIo();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.FORCED));
	}

	@Test
	void aForgedMessageTakesNoLock() {
		LockHandle handle = acquireAndListen();
		LockToken token = LockToken.parse(holder());
		this.store.publishRevoked(this.here.instanceId(), "a", token);
		this.store.publishRevoked(this.here.instanceId(), "b", token);
		this.store.publishRevoked(this.here.instanceId(), "a", new LockToken(token.instance(), token.sequence() + 1));
		this.here.awaitIo();
		assertThat(handle.state()).isEqualTo(LockState.HELD);
		this.table.clear();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release)
			.satisfies((ex) -> assertThat(ex.getLossCause()).as("the suspicion is over")
				.isEqualTo(LossCause.KEY_VANISHED));
	}

	@Test
	void revocationDuringALookupTriggersAnotherLookup() {
		LockHandle handle = acquireAndListen();
		String holder = holder();
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		this.store.publishRevoked(this.here.instanceId(), "a", LockToken.parse(holder));
		this.here.awaitIo();
		assertThat(this.store.heldBack()).isEqualTo(1);
		this.table.forceRelease("a", holder);
		this.store.answer();
		this.here.awaitIo();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.FORCED));
	}

	@Test
	void closeLeavesAPlaceEnteredByALateRequest() {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withAutoRenew());
		LockToken token = LockToken.parse(holder());
		this.table.clear();
		LockHandle next = this.there.acquire("a", LEASE_30S);
		// It was under way when the lock was granted by a push
		this.table
			.acquire(new AcquireRequest("a", token, Duration.ofSeconds(30), 1,
					new AcquireRequest.Waiting(Duration.ofMinutes(1), 1, 42)))
			.join();
		passWithIo(Duration.ofSeconds(11));
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
		this.here.awaitIo();
		next.close();
		assertThat(this.table.find("a").join()).as("not handed to a token that nobody waits with").isEmpty();
	}

	@Test
	void revocationWithoutAnAnswerOfTheStoreTakesNoLock() {
		LockHandle handle = acquireAndListen();
		LockToken token = LockToken.parse(holder());
		this.store.mode(ControlledStore.Mode.FAIL);
		this.store.publishRevoked(this.here.instanceId(), "a", token);
		this.here.awaitIo();
		assertThat(handle.state()).isEqualTo(LockState.HELD);
		this.store.mode(ControlledStore.Mode.ANSWER);
		handle.release();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lossIsLoggedAsAnErrorExceptAtAShutdown(CapturedOutput output) {
		LockHandle lost = this.here.acquire("a", LEASE_30S);
		advance(Duration.ofSeconds(29));
		LockHandle closed = this.here.acquire("b", LEASE_30S);
		this.here.close();
		await().untilAsserted(() -> assertThat(output).containsPattern(
				"ERROR .*Lock 'a' was lost 29s after .*Its lease of 30s is running out and is not renewed; the work was not done after 29s: ")
			.containsPattern("WARN .*Lock 'b' was lost"));
		assertThat(lost.state()).isEqualTo(closed.state()).isEqualTo(LockState.LOST);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logOfALossSaysThatTheWorkGoesOnUnlessItHasEnded(CapturedOutput output) {
		this.here.acquire("working", LEASE_30S);
		advance(Duration.ofSeconds(29));
		LockHandle ended = this.here.acquire("ended", LEASE_30S);
		this.table.clear();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(ended::release);
		this.here.acquire("stopped", LEASE_30S);
		this.here.close();
		await().untilAsserted(() -> assertThat(output).contains("Lock 'working' was lost", "Lock 'ended' was lost",
				"Lock 'stopped' was lost"));
		assertThat(output.toString().lines().filter((line) -> line.contains("it goes on beside the next holder")))
			.singleElement()
			.asString()
			.contains("Lock 'working' was lost");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logOfALossThatTheLastReleaseNoticesDoesNotSayThatTheWorkGoesOn(CapturedOutput output) {
		LockHandle outer = this.here.acquire("inner", LEASE_30S);
		LockHandle inner = this.here.acquire("inner", LEASE_30S);
		LockHandle last = this.here.acquire("last", LEASE_30S);
		// The timer has not looked yet
		this.ticker.advance(Duration.ofSeconds(29));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(last::release);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::release);
		await()
			.untilAsserted(() -> assertThat(output).contains("Lock 'last' was lost 29s", "Lock 'inner' was lost 29s"));
		assertThat(output.toString().lines().filter((line) -> line.contains("it goes on beside the next holder")))
			.singleElement()
			.asString()
			.contains("Lock 'inner' was lost");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::release);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logOfALossEndsWithTheCommandThatItsFailureAdvises(CapturedOutput output) {
		Announcer.log(
				new LockEvent.Lost("a", "a", Duration.ofSeconds(3), 1, Duration.ofSeconds(30),
						LossCause.STORE_UNREACHABLE, "Do this: ACL SETUSER app +get", Duration.ofSeconds(3)),
				"main", "The work goes on.");
		assertThat(output.toString().stripTrailing()).endsWith(
				"Lock 'a' was lost 3s after it was acquired by 'main'. The work goes on. Do this: ACL SETUSER app +get");
	}

	@Test
	void innerReleaseOfALostLockThrows() {
		LockHandle outer = this.here.acquire("a", LEASE_30S);
		LockHandle inner = this.here.acquire("a", LEASE_30S);
		LockHandle innermost = this.here.acquire("a", LEASE_30S);
		assertThatNoException().isThrownBy(innermost::release);
		advance(Duration.ofSeconds(29));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::release);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::release);
	}

	@Test
	void innerUnlockOfALostLockThrows() {
		Lock lock = this.here.asLock("a", LEASE_30S);
		lock.lock();
		lock.lock();
		lock.lock();
		assertThatNoException().isThrownBy(lock::unlock);
		advance(Duration.ofSeconds(29));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	/**
	 * Who has held a lock for a second listens for messages.
	 */
	private LockHandle acquireAndListen() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		advance(Duration.ofSeconds(1));
		this.here.awaitIo();
		return handle;
	}

	private String holder() {
		return this.table.find("a").join().orElseThrow().holder();
	}

}
