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
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.store.LockToken;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a holder learns of a loss that the store reports.
 */
@Timeout(60)
class WatchedLeaseTests extends EngineFixture {

	private static final LockOptions RENEWED = LEASE_30S.withAutoRenew();

	static Stream<Arguments> kindsAndOptions() {
		return Stream.of(LEASE_30S, RENEWED, LEASE_30S.withMinHold(Duration.ofSeconds(10)))
			.flatMap((options) -> Stream.of(LockKind.values()).map((kind) -> Arguments.of(kind, kind.of(options))));
	}

	@BeforeEach
	void watch() {
		this.store.watching(true);
	}

	@ParameterizedTest
	@MethodSource("kindsAndOptions")
	void reportTellsTheHolderOfALockThatIsGone(LockKind kind, LockOptions options) {
		LockHandle gone = acquireAndWatch("gone", options);
		LockHandle kept = acquireAndWatch("kept", options);
		this.table.clear();
		report("gone");
		assertThat(gone.state()).isEqualTo(LockState.LOST);
		assertThat(kept.state()).isEqualTo(LockState.HELD);
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.KEY_VANISHED);
		assertThat(events(LockEvent.Lost.class).get(0).explanation()).contains("deleted, flushed, evicted");
		gone.close();
		kept.close();
	}

	@ParameterizedTest
	@EnumSource
	void reportTellsTheHolderOfALockThatSomebodyElseHas(LockKind kind) {
		LockHandle taken = acquireAndWatch("a", kind.of(LEASE_30S));
		this.table.clear();
		LockHandle other = this.there.acquire("a", LEASE_30S);
		report("a");
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.TAKEN_BY_OTHER);
		taken.close();
		other.release();
	}

	@ParameterizedTest
	@EnumSource
	void reportAloneIsNoLoss(LockKind kind) {
		LockHandle handle = acquireAndWatch("a", kind.of(LEASE_30S));
		report("a");
		assertThat(asked()).hasSize(1);
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.remaining()).isLessThan(Duration.ofSeconds(29));
		handle.close();
	}

	@Test
	void storeIsAskedOnceToWatchALockThatIsHeldForHalfASecond() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		passWithIo(Duration.ofMillis(490));
		assertThat(asked()).isEmpty();
		passWithIo(Duration.ofSeconds(9));
		assertThat(asked()).containsExactly("ask 1 and watch");
		handle.close();
	}

	@Test
	void storeThatCannotWatchIsNotAsked() {
		this.store.watching(false);
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		passWithIo(Duration.ofSeconds(9));
		assertThat(asked()).isEmpty();
		handle.close();
	}

	@Test
	void renewalOfAWatchedLockIsWatchedToo() {
		LockHandle handle = acquireAndWatch("a", RENEWED);
		passWithIo(Duration.ofSeconds(11));
		assertThat(this.store.commands).contains("extend 1 and watch").doesNotContain("extend 1");
		handle.close();
	}

	@Test
	void extensionByTheHolderIsWatchedOnlyIfTheLockIs() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		handle.extend(Duration.ofSeconds(1));
		assertThat(this.store.commands).contains("extend 1");
		passWithIo(Duration.ofSeconds(1));
		handle.extend(Duration.ofSeconds(1));
		assertThat(this.store.commands).contains("extend 1 and watch");
		handle.close();
	}

	@Test
	void manyLocksAreWatchedWithFewCommands() {
		List<LockHandle> handles = new ArrayList<>();
		IntStream.range(0, 1000).forEach((i) -> handles.add(this.here.acquire("many" + i, LEASE_30S)));
		passWithIo(Duration.ofSeconds(2));
		assertThat(asked()).hasSize(10).contains("ask 100 and watch");
		handles.forEach(LockHandle::close);
	}

	@Test
	void reportsInARowCostABoundedNumberOfQuestions() {
		LockHandle handle = acquireAndWatch("a", LEASE_30S);
		for (int i = 0; i < 1000; i++) {
			this.store.publishChanged(this.here.instanceId(), "a");
			pass(1);
		}
		assertThat(asked()).hasSizeBetween(20, 40);
		handle.close();
	}

	@Test
	void reportsOfOtherHoldersWhoComeAndGoCostOneQuestionASecond() {
		LockHandle handle = acquireAndWatch("a", LockKind.PERMITS.of(LEASE_30S));
		for (int i = 0; i < 4000; i++) {
			this.store.publishChanged(this.here.instanceId(), "a");
			pass(1);
		}
		assertThat(asked()).hasSizeBetween(4, 5);
		assertThat(handle.isHeld()).isTrue();
		this.table.clear();
		this.store.publishChanged(this.here.instanceId(), "a");
		passWithIo(Duration.ofSeconds(1));
		passWithIo(Duration.ofMillis(20));
		assertThat(handle.isHeld()).isFalse();
		handle.close();
	}

	@Test
	void reportDuringAQuestionLeadsToAnother() {
		LockHandle handle = acquireAndWatch("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		report("a");
		this.table.clear();
		report("a");
		this.store.answer();
		assertThat(handle.isHeld()).isFalse();
		handle.close();
	}

	@Test
	void reportIsForAllHoldersOfALockHere() {
		LockOptions permits = LockKind.PERMITS.of(LEASE_30S);
		LockHandle first = this.here.acquire("a", permits);
		LockHandle second = this.here.acquireAsync("a", permits).join();
		passWithIo(Duration.ofSeconds(2));
		this.table.clear();
		report("a");
		assertThat(List.of(first, second)).noneMatch(LockHandle::isHeld);
		first.close();
		second.close();
	}

	@Test
	void reportsOfUnknownLocksAreIgnored() {
		LockHandle handle = acquireAndWatch("a", LEASE_30S);
		for (int i = 0; i < 1_000_000; i++) {
			this.store.publishChanged(this.here.instanceId(), "unknown-" + i);
		}
		report("b");
		assertThat(asked()).isEmpty();
		report("a");
		assertThat(asked()).hasSize(1);
		handle.close();
	}

	@Test
	void operatorIsNamedAlsoIfTheReportComesFirst() {
		LockHandle handle = acquireAndWatch("a", LEASE_30S);
		LockToken token = LockToken.parse(this.table.find("a").join().orElseThrow().holder());
		this.table.clear();
		this.store.publishChanged(this.here.instanceId(), "a");
		this.store.publishRevoked(this.here.instanceId(), "a", token);
		pass(20);
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.FORCED);
		handle.close();
	}

	@Test
	void nextLocalHolderOfAWatchedLeaseIsToldToo() throws Exception {
		LockHandle first = acquireContended("a", WAITING);
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a", WAITING);
		passWithIo(Duration.ofSeconds(1));
		first.close();
		LockHandle handle = granted(second);
		passWithIo(Duration.ofSeconds(1));
		this.table.clear();
		report("a");
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
	}

	static Stream<Arguments> holdersAndCallers() {
		LockOptions permits = LEASE_30S.withPermits(3);
		LockOptions shared = LEASE_30S.withShared();
		return Stream.of(Arguments.of(permits, permits), Arguments.of(shared, shared), Arguments.of(permits, shared),
				Arguments.of(shared, permits));
	}

	@ParameterizedTest
	@MethodSource("holdersAndCallers")
	void changesOfThisInstanceCostOneQuestionASecondForAllHolders(LockOptions holders, LockOptions caller) {
		List<LockHandle> held = acquireTwoAndWatch(holders);
		for (int i = 0; i < 4000; i++) {
			comeAndGo(caller);
			pass(1);
		}
		assertThat(asked()).hasSizeBetween(4, 5).containsOnly("ask 1 and watch");
		assertThat(held).allMatch(LockHandle::isHeld);
		held.forEach(LockHandle::close);
	}

	@ParameterizedTest
	@MethodSource("holdersAndCallers")
	void allHoldersAreToldOfALossThatNobodyReportsAfterAChangeOfThisInstance(LockOptions holders, LockOptions caller) {
		List<LockHandle> held = acquireTwoAndWatch(holders);
		comeAndGo(caller);
		pass(50);
		assertThat(asked()).containsExactly("ask 1 and watch");
		comeAndGo(caller);
		this.table.clear();
		pass(1100);
		assertThat(held).noneMatch(LockHandle::isHeld);
		held.forEach(LockHandle::close);
	}

	@ParameterizedTest
	@MethodSource("holdersAndCallers")
	void releaseIsAChange(LockOptions holders, LockOptions leaving) {
		LockHandle third = this.here.acquireAsync("a", leaving).join();
		List<LockHandle> held = acquireTwoAndWatch(holders);
		third.release();
		pass(50);
		assertThat(asked()).containsExactly("ask 1 and watch");
		assertThat(held).allMatch(LockHandle::isHeld);
		held.forEach(LockHandle::close);
	}

	/** Its release may let those in that waited behind it. */
	@Test
	void departureOfAWaiterWhoWantedToBeAloneIsAChange() {
		List<LockHandle> held = acquireTwoAndWatch(LEASE_30S.withShared());
		CompletableFuture<LockHandle> alone = this.here.acquireAsync("a",
				LEASE_30S.withWaitTime(Duration.ofMillis(300)));
		pass(250);
		this.store.commands.clear();
		pass(100);
		assertFails(alone, LockNotAcquiredException.class);
		this.store.commands.clear();
		pass(1000);
		assertThat(asked()).containsExactly("ask 1 and watch");
		held.forEach(LockHandle::close);
	}

	@Test
	void thousandsWhoLoseTheirLockAtTheSameTimeAreAskedForOnce() {
		List<LockHandle> held = IntStream.range(0, 2000)
			.mapToObj((i) -> this.here.acquireAsync("a", LEASE_30S.withShared()).join())
			.toList();
		passWithIo(Duration.ofSeconds(2));
		comeAndGo(LEASE_30S.withShared());
		pass(50);
		comeAndGo(LEASE_30S.withShared());
		this.store.commands.clear();
		this.table.clear();
		passWithIo(Duration.ofSeconds(2));
		assertThat(held).noneMatch(LockHandle::isHeld);
		assertThat(asked()).hasSizeBetween(2000 / 100, 2 * 2000 / 100);
		held.forEach(LockHandle::close);
	}

	@Test
	void extensionByAHolderWhoIsNotWatchedIsAChange() {
		List<LockHandle> held = acquireTwoAndWatch(LEASE_30S.withShared());
		LockHandle extending = this.here.acquireAsync("a", LEASE_30S.withShared()).join();
		pass(100);
		this.store.commands.clear();
		extending.extend(Duration.ofSeconds(1));
		assertThat(this.store.commands).contains("extend 1").doesNotContain("extend 1 and watch");
		this.table.clear();
		pass(1100);
		assertThat(held).noneMatch(LockHandle::isHeld);
		extending.close();
		held.forEach(LockHandle::close);
	}

	private void comeAndGo(LockOptions options) {
		this.here.acquireAsync("a", options).join().release();
	}

	/** The store watches both, and each has asked for the last time. */
	private List<LockHandle> acquireTwoAndWatch(LockOptions options) {
		List<LockHandle> held = List.of(this.here.acquireAsync("a", options).join(),
				this.here.acquireAsync("a", options).join());
		passWithIo(Duration.ofSeconds(2));
		this.store.commands.clear();
		return held;
	}

	private LockHandle acquireAndWatch(String name, LockOptions options) {
		LockHandle handle = this.here.acquire(name, options);
		passWithIo(Duration.ofSeconds(2));
		assertThat(asked()).containsExactly("ask 1 and watch");
		this.store.commands.clear();
		return handle;
	}

	private void report(String name) {
		this.store.publishChanged(this.here.instanceId(), name);
		pass(50);
	}

	/** Millisecond by millisecond. */
	private void pass(int millis) {
		for (int i = 0; i < millis; i++) {
			advance(Duration.ofMillis(1));
			this.here.awaitIo();
		}
	}

	private List<String> asked() {
		return this.store.commands.stream().filter((command) -> command.startsWith("ask ")).toList();
	}

}
