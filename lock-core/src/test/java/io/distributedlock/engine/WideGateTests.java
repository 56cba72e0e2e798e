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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who asks the store for many callers of one instance, and who of them gets which grant:
 * {@link SharedGate} and {@link PermitGate}.
 */
@Timeout(60)
class WideGateTests extends EngineFixture {

	private static final LockOptions READER = WAITING.withShared();

	private static final LockOptions PERMITS = WAITING.withPermits(100);

	private static final Duration SHORT = Duration.ofMillis(200);

	private final ControlledStore elsewhereStore = new ControlledStore(this.table.connect());

	private final DefaultLockService elsewhere = new DefaultLockService(this.elsewhereStore,
			EngineSettings.of("elsewhere"), List.of(), this.ticker::nanos);

	/**
	 * Grants can arrive, so that a waiter enters the queue with its first request, in the
	 * thread of the test.
	 */
	@BeforeEach
	void listen() {
		this.store.listen(this.here.engine().instance(), this.here.engine());
	}

	@AfterEach
	void closeElsewhere() {
		this.elsewhere.close();
	}

	@Test
	void readersOfAnInstanceHaveOnePlaceInTheQueueAndOneSignOfLife() throws Exception {
		LockHandle writer = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> readers = waiting(READER, 300);
		assertThat(this.store.queued()).isEqualTo(1);
		this.store.commands.clear();
		passWithIo(Duration.ofSeconds(10));
		assertThat(this.store.count("acquire")).isBetween(9, 12);
		writer.close();
		assertThat(allGranted(readers)).allMatch(LockHandle::isHeld);
	}

	@Test
	void waitingReadersFollowTheFirstReaderAndLaterReadersQueueBehindAWriter() throws Exception {
		LockHandle writer = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> readers = waiting(READER, 1000);
		CompletableFuture<LockHandle> nextWriter = nextWriter();
		writer.close();
		List<LockHandle> holders = allGranted(readers);
		assertThat(holders).allMatch(LockHandle::isHeld);
		CompletableFuture<LockHandle> late = this.here.acquireAsync("a", READER);
		holders.forEach(LockHandle::close);
		assertThat(late).isNotDone();
		granted(nextWriter).close();
		granted(late).close();
	}

	@Test
	void immediateReleaseOfTheFirstReaderDoesNotShutOutWaitingReaders() throws Exception {
		LockHandle writer = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> first = this.here.acquireAsync("a", READER);
		CompletableFuture<Void> closed = first.thenAccept(LockHandle::close);
		List<CompletableFuture<LockHandle>> readers = waiting(READER, 50);
		CompletableFuture<LockHandle> nextWriter = nextWriter();
		writer.close();
		closed.get(30, TimeUnit.SECONDS);
		List<LockHandle> holders = allGranted(readers);
		assertThat(nextWriter).isNotDone();
		holders.forEach(LockHandle::close);
		granted(nextWriter).close();
	}

	@Test
	void requestsOfManyReadersAreUnderWayAFewHundredAtATime() throws Exception {
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		List<CompletableFuture<LockHandle>> readers = arriving(READER, 2000);
		assertThat(this.store.heldBack()).isEqualTo(SharedGate.MOST_COMPANIONS + 1);
		int most = 0;
		while (this.store.heldBack() > 0) {
			most = Math.max(most, this.store.heldBack());
			this.store.answerFirst();
			this.here.awaitIo();
		}
		assertThat(most).isEqualTo(SharedGate.MOST_COMPANIONS + 1);
		assertThat(allGranted(readers)).allMatch(LockHandle::isHeld);
	}

	@Test
	void refusedFollowerWaitsInLineAgainAndLeavesNothingInTheStore() throws Exception {
		LockHandle writer = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> readers = waiting(READER, 5);
		CompletableFuture<LockHandle> nextWriter = nextWriter();
		// The first reader is done before the requests of the others arrive
		CountDownLatch released = new CountDownLatch(1);
		this.here.engine().threads().io(() -> awaitLatch(released));
		writer.close();
		soon(() -> this.here.held().size() == 1);
		Hold first = this.here.engine().gates().stripe("a").find("a", Integer.MAX_VALUE).holds().get(0);
		CompletableFuture<?> ended = CompletableFuture.runAsync(first.get()::close);
		granted(nextWriter);
		released.countDown();
		ended.get(30, TimeUnit.SECONDS);
		soon(() -> this.store.queued() == 1);
		assertThat(readers.subList(1, 5)).noneMatch(CompletableFuture::isDone);
		granted(nextWriter).close();
		allGranted(readers.subList(1, 5)).forEach(LockHandle::close);
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void nextReaderTakesOverThePlaceOfTheFirstReader() throws Exception {
		LockHandle writer = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> first = this.here.acquireAsync("a", READER);
		List<CompletableFuture<LockHandle>> others = waiting(READER, 3);
		CompletableFuture<LockHandle> nextWriter = nextWriter();
		first.cancel(true);
		this.here.awaitIo();
		assertThat(this.store.queued()).isEqualTo(1);
		writer.close();
		List<LockHandle> readers = allGranted(others);
		assertThat(nextWriter).isNotDone();
		readers.forEach(LockHandle::close);
		granted(nextWriter).close();
	}

	@Test
	void oneReaderAtATimeTriesWhileTheStoreIsAway() throws Exception {
		this.store.mode(ControlledStore.Mode.FAIL);
		List<CompletableFuture<LockHandle>> readers = arriving(READER, 500);
		this.here.awaitIo();
		this.store.commands.clear();
		passWithIo(Duration.ofSeconds(10));
		assertThat(this.store.count("acquire")).isBetween(1, 40);
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(allGranted(readers)).allMatch(LockHandle::isHeld);
	}

	@Test
	void cancelledReadersLeaveNoPlaceInTheQueue() throws Exception {
		LockHandle writer = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> readers = waiting(READER.withWaitTime(Duration.ofSeconds(2)), 20);
		passWithIo(Duration.ofSeconds(3));
		for (CompletableFuture<LockHandle> reader : readers) {
			assertFails(reader, LockNotAcquiredException.class);
		}
		soon(() -> this.store.queued() == 0);
		writer.close();
		assertThat(this.here.waiting()).isEmpty();
		assertThat(granted(this.there.acquireAsync("a", LEASE_30S)).isHeld()).isTrue();
	}

	@Test
	void callersWithPermitsTakeAFewPlacesInTheQueueHoweverManyWait() throws Exception {
		LockHandle alone = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> waiters = waiting(PERMITS, 60);
		assertThat(this.store.queued()).isEqualTo(PermitGate.MOST_CONTENDERS);
		alone.close();
		List<LockHandle> holders = allGranted(waiters);
		assertThat(holders).allMatch(LockHandle::isHeld);
		assertThat(this.there.tryAcquire("a", LEASE_30S.withPermits(60))).isEmpty();
		assertThat(this.there.tryAcquire("a", LEASE_30S.withPermits(100))).isPresent();
	}

	@Test
	void permitsGoToTheCallersOfAnInstanceInTheirOrder() throws Exception {
		LockOptions three = WAITING.withPermits(3);
		keep(granted(this.there.acquireAsync("a", three)));
		LockHandle first = granted(this.there.acquireAsync("a", three));
		LockHandle second = granted(this.there.acquireAsync("a", three));
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<CompletableFuture<Void>> done = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			int number = i;
			done.add(this.here.acquireAsync("a", three).thenAccept((handle) -> {
				order.add(number);
				handle.close();
			}));
		}
		soon(() -> this.store.queued() == 3);
		// One permit for all of them
		first.close();
		for (CompletableFuture<Void> each : done) {
			each.get(30, TimeUnit.SECONDS);
		}
		for (int i = 0; i < order.size(); i++) {
			// A place in the queue may have changed hands
			assertThat(order.get(i)).isBetween(i - 3, i + 3);
		}
		assertThat(second.isHeld()).isTrue();
	}

	@Test
	void threadWhosePermitWasHandedOnDoesNotEnterItAgain() throws Exception {
		LockOptions two = WAITING.withPermits(2);
		keep(granted(this.there.acquireAsync("a", two)));
		LockHandle elsewhere = granted(this.there.acquireAsync("a", two));
		ExecutorService worker = Executors.newSingleThreadExecutor();
		try {
			Future<LockHandle> acquired = worker.submit(() -> this.here.acquire("a", two));
			soon(() -> this.store.queued() == 1);
			List<CompletableFuture<LockHandle>> others = waiting(two, 20);
			// Until more fencing tokens are asked for
			passWithIo(Duration.ofSeconds(2));
			elsewhere.close();
			LockHandle own = acquired.get(30, TimeUnit.SECONDS);
			this.store.commands.clear();
			assertThat(worker.submit(() -> {
				own.close();
				return this.here.tryAcquire("a", two.withWaitTime(Duration.ZERO));
			}).get(30, TimeUnit.SECONDS)).isEmpty();
			soon(() -> others.stream().filter(CompletableFuture::isDone).count() == 1);
			assertThat(this.store.count("release")).as("handed on").isZero();
			WideGate gate = (WideGate) this.here.engine().gates().stripe("a").find("a", 2);
			assertThat(worker.submit(() -> gate.holdOf(Thread.currentThread())).get(30, TimeUnit.SECONDS)).isNull();
		}
		finally {
			worker.shutdownNow();
		}
	}

	@ParameterizedTest
	@MethodSource("kindsWithCompany")
	void callersOfOneInstanceGetTheirOwnLeases(LockOptions kind) throws Exception {
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<LockHandle> brief = this.here.acquireAsync("a", kind.withLease(SHORT));
		CompletableFuture<LockHandle> longer = this.here.acquireAsync("a", kind);
		// The last request is answered first
		this.store.answerLast();
		this.store.answer();
		assertThat(granted(brief).remaining()).isLessThan(SHORT);
		assertThat(granted(longer).remaining()).isGreaterThan(Duration.ofSeconds(28));
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void grantForAnotherWaiterIsRequestedAgainWithTheLeaseOfTheNextWaiter(LockOptions kind) throws Exception {
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		int most = (kind.mode() == LockMode.SHARED) ? SharedGate.MOST_COMPANIONS + 1 : kind.permits();
		List<CompletableFuture<LockHandle>> first = arriving(kind.withLease(SHORT), most);
		CompletableFuture<LockHandle> next = this.here.acquireAsync("a", kind);
		// The answers are on their way
		first.forEach((waiter) -> waiter.cancel(true));
		this.store.answer();
		LockHandle handle = granted(next);
		assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(28));
		this.here.awaitIo();
		handle.release();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void pushedGrantCutToTheLeaseOfAnotherWaiterIsRequestedAgain(LockOptions kind) throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> first = waiting(kind.withLease(SHORT), kind.permits());
		CompletableFuture<LockHandle> next = waiting(kind, 1).get(0);
		// The places stay, with the leases that were asked for
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		first.forEach((waiter) -> waiter.cancel(true));
		elsewhere.close();
		this.store.answer();
		assertThat(granted(next).remaining()).isGreaterThan(Duration.ofSeconds(2));
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void aGrantForTheLongerLeaseOfAnotherWaiterIsShortened(LockOptions kind) throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		List<CompletableFuture<LockHandle>> first = waiting(kind, kind.permits());
		CompletableFuture<LockHandle> next = waiting(kind.withLease(SHORT), 1).get(0);
		first.forEach((waiter) -> waiter.cancel(true));
		elsewhere.close();
		LockHandle handle = keep(granted(next));
		for (int i = 0; i < 5; i++) {
			passWithIo(Duration.ofMillis(10));
		}
		assertThat(handle.remaining()).isPositive().isLessThan(SHORT);
		passWithIo(SHORT);
		assertThat(handle.isHeld()).isFalse();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void singleAttemptsTakeNoPlaceInTheQueue(LockOptions kind) throws Exception {
		keep(this.there.acquire("a", LEASE_30S));
		LockOptions once = kind.withWaitTime(Duration.ZERO);
		for (int round = 0; round < 5; round++) {
			this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
			List<CompletableFuture<LockHandle>> attempts = arriving(once, 3);
			this.store.answerFirst();
			attempts.addAll(arriving(once, 3));
			this.store.answer();
			this.here.awaitIo();
			for (CompletableFuture<LockHandle> attempt : attempts) {
				assertFails(attempt, LockNotAcquiredException.class);
			}
		}
		assertThat(this.store.forAPlace()).isZero();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void waitEndedBeforeTheFirstAnswerIsRefusedByThatAnswer(LockOptions kind) {
		keep(this.there.acquire("a", LEASE_30S));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		int most = (kind.mode() == LockMode.SHARED) ? SharedGate.MOST_COMPANIONS + 1 : kind.permits();
		List<CompletableFuture<LockHandle>> impatient = arriving(kind.withWaitTime(Duration.ofMillis(5)), most + 3);
		advance(Duration.ofMillis(10));
		this.here.awaitIo();
		assertThat(impatient).noneMatch(CompletableFuture::isDone);
		this.store.answer();
		for (CompletableFuture<LockHandle> waiter : impatient) {
			assertFails(waiter, LockNotAcquiredException.class);
		}
		soon(() -> this.store.queued() == 0 && this.here.waiting().isEmpty());
	}

	@Test
	void holdersOfAllKindsAreRenewedTogether() throws Exception {
		for (int i = 0; i < 10; i++) {
			for (LockOptions kind : List.of(LEASE_30S, LEASE_30S.withPermits(5), LEASE_30S.withShared())) {
				keep(granted(this.here.acquireAsync("lock" + i + kind.permits() + kind.mode(), kind.withAutoRenew())));
			}
		}
		this.store.commands.clear();
		passWithIo(Duration.ofSeconds(12));
		assertThat(this.store.commands).containsOnlyOnce("extend 30").doesNotContain("extend 1");
	}

	@ParameterizedTest
	@MethodSource("kindsWithCompany")
	void threadReentersTheLockUntilTheHandOff(LockOptions kind) throws Exception {
		LockHandle other = keep(granted(this.here.acquireAsync("a", kind)));
		LockHandle outer = this.here.acquire("a", kind);
		LockHandle inner = this.here.acquire("a", kind);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken()).isNotEqualTo(other.fencingToken());
		assertThat(this.here.current("a")).containsSame(outer);
		outer.detach();
		assertThat(this.here.current("a")).isEmpty();
		LockHandle next = this.here.acquire("a", kind);
		assertThat(next.fencingToken()).isNotEqualTo(outer.fencingToken());
		assertThat(this.here.current("a")).containsSame(next);
		List.of(inner, outer, next, other).forEach(LockHandle::close);
		assertThat(this.here.current("a")).isEmpty();
	}

	static Stream<LockOptions> kinds() {
		return Stream.concat(Stream.of(WAITING), kindsWithCompany());
	}

	static Stream<LockOptions> kindsWithCompany() {
		return Stream.of(WAITING.withPermits(5), READER);
	}

	@Test
	void refusalNamesTheHolderWithTheEarliestEndOfLease() throws Exception {
		LockOptions three = LEASE_30S.withPermits(3);
		LockHandle first = keep(granted(this.here.acquireAsync("a", three)));
		keep(granted(this.here.acquireAsync("a", three.withLease(Duration.ofSeconds(10)))));
		keep(granted(this.here.acquireAsync("a", three.withLease(Duration.ofSeconds(20)))));
		assertThat(remaining(three)).isEqualTo(Duration.ofSeconds(10));
		this.ticker.advance(Duration.ofSeconds(4));
		first.extend(Duration.ofMinutes(5));
		assertThat(remaining(three)).isEqualTo(Duration.ofSeconds(6));
		first.close();
		keep(granted(this.here.acquireAsync("a", three.withLease(Duration.ofSeconds(5)))));
		assertThat(remaining(three)).isEqualTo(Duration.ofSeconds(5));
	}

	private Duration remaining(LockOptions options) {
		return ((LockNotAcquiredException) this.here.acquireAsync("a", options)
			.handle((handle, failure) -> failure)
			.join()).getHolder().remaining();
	}

	/**
	 * Have callers of this instance wait behind a holder elsewhere, until all that they
	 * ask is answered.
	 */
	private List<CompletableFuture<LockHandle>> waiting(LockOptions options, int count) {
		List<CompletableFuture<LockHandle>> waiters = arriving(options, count);
		soon(() -> this.store.queued() > 0);
		this.here.awaitIo();
		return waiters;
	}

	private CompletableFuture<LockHandle> nextWriter() {
		CompletableFuture<LockHandle> writer = this.elsewhere.acquireAsync("a", WAITING);
		soon(() -> this.elsewhereStore.queued() == 1);
		return writer;
	}

	private List<CompletableFuture<LockHandle>> arriving(LockOptions options, int count) {
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			waiters.add(this.here.acquireAsync("a", options));
		}
		return waiters;
	}

	private List<LockHandle> allGranted(List<CompletableFuture<LockHandle>> waiters) throws Exception {
		List<LockHandle> handles = new ArrayList<>();
		for (CompletableFuture<LockHandle> waiter : waiters) {
			handles.add(keep(granted(waiter)));
		}
		return handles;
	}

}
