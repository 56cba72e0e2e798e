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
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that a holder learns of a loss as soon as the store answers again, see
 * {@link LeaseConfirmation}.
 */
@Timeout(60)
class LeaseConfirmationTests extends EngineFixture {

	static Stream<Arguments> kindsAndOptions() {
		LockOptions once = LockOptions.ofLease(Duration.ofSeconds(30));
		return Stream
			.of(once, once.withAutoRenew(), once.withMinHold(Duration.ofSeconds(10)),
					once.withAutoRenew().withMaxHold(Duration.ofMinutes(1)))
			.flatMap((options) -> Stream.of(LockKind.values()).map((kind) -> Arguments.of(kind, kind.of(options))));
	}

	@ParameterizedTest
	@MethodSource("kindsAndOptions")
	void interruptionTellsTheHolderOfALockThatIsGone(LockKind kind, LockOptions options) {
		LockHandle gone = acquireAndListen("gone", options);
		this.table.clear();
		LockHandle kept = this.here.acquire("kept", options);
		interruptAndSettle();
		assertThat(gone.state()).isEqualTo(LockState.LOST);
		assertThat(kept.state()).isEqualTo(LockState.HELD);
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.KEY_VANISHED);
		assertThat(events(LockEvent.Lost.class).get(0).explanation()).contains("restarted without it");
		gone.close();
		kept.release();
	}

	@ParameterizedTest
	@EnumSource
	void interruptionTellsTheHolderOfALockThatSomebodyElseHas(LockKind kind) {
		LockHandle taken = acquireAndListen("a", kind.of(LEASE_30S));
		this.table.clear();
		LockHandle other = this.there.acquire("a", LEASE_30S);
		interruptAndSettle();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.TAKEN_BY_OTHER);
		taken.close();
		other.release();
	}

	@Test
	void lossIsTimedFromTheLastQuestionThatTheStoreAnswered() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		interruptAndSettle();
		passWithIo(Duration.ofSeconds(4));
		this.table.clear();
		interruptAndSettle();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).sinceConfirmed()).isBetween(Duration.ofSeconds(2),
				Duration.ofSeconds(4));
		handle.close();
	}

	@ParameterizedTest
	@EnumSource
	void questionLengthensNothing(LockKind kind) {
		LockHandle handle = acquireAndListen("a", kind.of(LEASE_30S));
		passWithIo(Duration.ofSeconds(10));
		Duration left = this.table.find("a").join().orElseThrow().remaining();
		Duration remaining = handle.remaining();
		interruptAndSettle();
		assertThat(this.store.count("ask 1")).isEqualTo(1);
		assertThat(this.table.find("a").join().orElseThrow().remaining()).isEqualTo(left);
		assertThat(handle.remaining()).isEqualTo(remaining);
		handle.release();
	}

	@Test
	void leaseThatAnotherHolderGotFromTheLastOneIsAskedForToo() throws Exception {
		LockHandle first = acquireContended("a", WAITING);
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a", WAITING);
		first.close();
		LockHandle handle = granted(second);
		listen();
		this.table.clear();
		interruptAndSettle();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	@Test
	void aHolderWhoseLeaseHasEndedIsNotToldThatTheStoreLostIt() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		interruptAndSettle();
		soon(() -> this.store.heldBack() == 1);
		this.table.clear();
		// Before the watchdog looks
		this.ticker.advance(handle.remaining());
		this.store.answer();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.LEASE_EXPIRED);
		handle.close();
	}

	@Test
	void unansweredQuestionIsRepeatedUntilTheStoreAnswers() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.FAIL);
		this.store.interrupt(this.here.instanceId());
		passWithIo(Duration.ofSeconds(5));
		assertThat(handle.state()).isEqualTo(LockState.HELD);
		assertThat(this.store.count("ask 1")).isBetween(5, 7);
		this.table.clear();
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	@Test
	void failureOfAnotherCommandIsAnInterruption() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		this.table.clear();
		this.store.mode(ControlledStore.Mode.FAIL);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.here.tryAcquire("b", LEASE_30S));
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	@Test
	void failureOfAReleaseIsAnInterruption() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		LockHandle other = this.here.acquire("b", LEASE_30S);
		this.table.clear();
		this.store.mode(ControlledStore.Mode.FAIL);
		other.close();
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	@Test
	void secondSubscriptionIsAnInterruptionAndTheFirstIsNot() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		assertThat(this.store.commands).noneMatch((command) -> command.startsWith("ask"));
		this.table.clear();
		this.here.engine().subscribed();
		settle();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	@Test
	void questionDoesNotWaitForARequestUnderWay() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		handle.extendAsync(Duration.ofMinutes(1));
		assertThat(this.store.heldBack()).isEqualTo(1);
		this.store.mode(ControlledStore.Mode.ANSWER);
		this.table.clear();
		interruptAndSettle();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	@Test
	void leaseThatWasConfirmedSinceIsNotAskedFor() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		interruptAndSettle();
		advance(Duration.ofMillis(100));
		// The next round is due later
		this.store.interrupt(this.here.instanceId());
		advance(Duration.ofMillis(100));
		handle.extend(Duration.ofSeconds(1));
		passWithIo(Duration.ofSeconds(1));
		assertThat(asked()).containsExactly("ask 1");
		handle.close();
	}

	@Test
	void manyLeasesAreAskedForInBatches() {
		List<LockHandle> handles = acquireMany(250);
		this.table.clear();
		interruptAndSettle();
		assertThat(asked()).containsExactly("ask 100");
		advance(Duration.ofMillis(5));
		this.here.awaitIo();
		advance(Duration.ofMillis(5));
		this.here.awaitIo();
		assertThat(asked()).containsExactly("ask 100", "ask 100", "ask 50");
		assertThat(handles).noneMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::close);
	}

	@Test
	void mostUrgentLeasesAreAskedForFirst() {
		List<LockHandle> patient = acquireMany(150);
		LockHandle urgent = this.here.acquire("urgent", LockOptions.ofLease(Duration.ofSeconds(20)));
		this.table.clear();
		interruptAndSettle();
		assertThat(urgent.isHeld()).isFalse();
		assertThat(patient.stream().filter(LockHandle::isHeld)).hasSize(51);
		advance(Duration.ofMillis(5));
		this.here.awaitIo();
		assertThat(patient).noneMatch(LockHandle::isHeld);
		patient.forEach(LockHandle::close);
		urgent.close();
	}

	@Test
	void tenThousandLeasesAreAskedForWithinHalfASecond() {
		List<LockHandle> handles = acquireMany(10_000);
		this.table.clear();
		this.store.interrupt(this.here.instanceId());
		for (int i = 0; i < 100; i++) {
			settle();
			advance(Duration.ofMillis(5));
		}
		settle();
		assertThat(handles).noneMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::close);
	}

	@Test
	void silentStoreDoesNotCollectQuestions() {
		List<LockHandle> handles = acquireMany(3000);
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		this.store.interrupt(this.here.instanceId());
		passWithIo(Duration.ofSeconds(5));
		assertThat(this.store.heldBack()).isEqualTo(1000);
		this.table.clear();
		this.store.answer();
		passWithIo(Duration.ofSeconds(5));
		assertThat(handles).noneMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::close);
	}

	@Test
	void interruptionsInARowCostABoundedNumberOfQuestions() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		for (int i = 0; i < 100; i++) {
			this.store.interrupt(this.here.instanceId());
			advance(Duration.ofMillis(50));
			this.here.awaitIo();
		}
		assertThat(this.store.count("ask 1")).isBetween(18, 22);
		passWithIo(Duration.ofSeconds(1));
		int asked = this.store.count("ask 1");
		passWithIo(Duration.ofSeconds(5));
		assertThat(this.store.count("ask 1")).as("after the last interruption").isEqualTo(asked);
		assertThat(handle.isHeld()).isTrue();
		handle.close();
	}

	@Test
	void interruptionDuringARoundLeadsToAnother() {
		List<LockHandle> handles = acquireMany(150);
		interruptAndSettle();
		assertThat(asked()).containsExactly("ask 100");
		this.table.clear();
		this.store.interrupt(this.here.instanceId());
		passWithIo(Duration.ofSeconds(1));
		assertThat(handles).noneMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::close);
	}

	@Test
	void nobodyIsAskedForAfterTheReleaseNorAfterTheLoss() {
		LockHandle released = acquireAndListen("a", LEASE_30S);
		LockHandle lost = this.here.acquire("b", LEASE_30S);
		this.table.clear();
		released.close();
		interruptAndSettle();
		assertThat(lost.state()).isEqualTo(LockState.LOST);
		this.store.commands.clear();
		this.store.interrupt(this.here.instanceId());
		passWithIo(Duration.ofSeconds(2));
		assertThat(asked()).isEmpty();
		lost.close();
	}

	@Test
	void lockThatThisInstanceTookAgainIsNotMistakenForTheLostOne() {
		LockHandle lost = acquireAndListen("a", LEASE_30S.withAutoRenew());
		lost.detach();
		this.table.clear();
		interruptAndSettle();
		LockHandle again = this.here.acquire("a", LEASE_30S);
		this.store.interrupt(this.here.instanceId());
		passWithIo(Duration.ofSeconds(1));
		assertThat(lost.state()).isEqualTo(LockState.LOST);
		assertThat(again.isHeld()).isTrue();
		lost.close();
		assertThat(this.there.isLocked("a")).isTrue();
		again.release();
	}

	@Test
	void leaseThatWasUnderWayDuringTheRoundIsAskedForInALastOne() {
		listen();
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<LockHandle> underWay = this.here.acquireAsync("a", LEASE_30S);
		soon(() -> this.store.heldBack() == 1);
		this.table.clear();
		advance(Duration.ofMillis(10));
		interruptAndSettle();
		this.store.answer();
		LockHandle handle = underWay.join();
		assertThat(handle.isHeld()).isTrue();
		passWithIo(Duration.ofSeconds(3));
		assertThat(handle.isHeld()).isFalse();
		handle.close();
	}

	@Test
	void failuresInARowCostFewerQuestionsThanInterruptions() {
		LockHandle handle = acquireAndListen("a", LEASE_30S);
		for (int i = 0; i < 100; i++) {
			this.here.engine().confirmation().failed(this.here.engine().now());
			advance(Duration.ofMillis(50));
			this.here.awaitIo();
		}
		assertThat(this.store.count("ask 1")).isBetween(4, 7);
		handle.close();
	}

	private List<String> asked() {
		return this.store.commands.stream().filter((command) -> command.startsWith("ask ")).toList();
	}

	private List<LockHandle> acquireMany(int count) {
		List<LockHandle> handles = new ArrayList<>();
		IntStream.range(0, count).forEach((i) -> handles.add(this.here.acquire("many" + i, LEASE_30S)));
		listen();
		return handles;
	}

	private LockHandle acquireAndListen(String name, LockOptions options) {
		LockHandle handle = this.here.acquire(name, options);
		listen();
		return handle;
	}

	private void listen() {
		LockHandle held = this.here.acquire("until it listens", LEASE_30S);
		advance(Duration.ofMillis(600));
		this.here.awaitIo();
		held.close();
		this.store.commands.clear();
	}

	private void interruptAndSettle() {
		this.store.interrupt(this.here.instanceId());
		settle();
	}

	/** The timer calls the thread for I/O, which asks. */
	private void settle() {
		advance(Duration.ZERO);
		this.here.awaitIo();
	}

}
