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

package io.distributedlock.store.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.ParameterizedTest;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The contract of a {@link LockStore}. The author of a store extends this class, says how
 * to {@linkplain #open() open} one more store on the same locks and how to
 * {@linkplain #pass let time pass}, and overrides the methods that tell what the store
 * cannot do. The tests of what it cannot do are skipped, and others check that it says
 * so.
 *
 * <p>
 * Each test uses locks with names of its own, so the locks need not be removed between
 * two tests, and all stores may be on one database.
 *
 * @since 0.1.0
 */
public abstract class LockStoreContractTests {

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private static final Duration LEASE = StoreClient.LEASE;

	private static final Duration LIFE = StoreClient.LIFE;

	private static final RecordChange.Outcome REPLACED = new RecordChange.Outcome.Replaced();

	private static final RecordChange.Outcome NOT_HELD = new RecordChange.Outcome.NotHeld();

	private final List<LockStore> opened = new ArrayList<>();

	private StoreClient first;

	private StoreClient second;

	private String name;

	/**
	 * Create the tests of a store.
	 */
	protected LockStoreContractTests() {
	}

	/**
	 * Open one more store on the same locks, as another instance of an application does.
	 * It is closed after the test.
	 * @return the store
	 */
	protected abstract LockStore open();

	/**
	 * Let a time pass for the store. A store that takes its time from elsewhere has to
	 * wait; others can set their clock.
	 * @param time how long, some hundred milliseconds at most
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	protected abstract void pass(Duration time) throws InterruptedException;

	/**
	 * Return whether a release hands the lock over to the first living waiter, with a
	 * lease of three seconds or that of its request if this is shorter, and pushes the
	 * grant to the listener of its instance. Otherwise a place in the queue may have no
	 * effect: waiters ask again, and the first one that asks gets the lock.
	 * @return {@code true} by default
	 */
	protected boolean handsOver() {
		return true;
	}

	/**
	 * Return whether the store knows at a hand-over whether the instance listens.
	 * Otherwise one that does not is found out only by its life or its grant lease.
	 * @return by default, whether the store {@linkplain #handsOver() hands over}
	 */
	protected boolean knowsWhoListens() {
		return handsOver();
	}

	/**
	 * Return whether {@link LockStore#describe} tells the age of a lock, its queue and
	 * all of its holders, and not only what {@link LockStore#find} finds.
	 * @return {@code true} by default
	 */
	protected boolean describesQueue() {
		return true;
	}

	/**
	 * Return whether the store can {@linkplain LockStore#list list} its locks.
	 * @return {@code true} by default
	 */
	protected boolean lists() {
		return true;
	}

	/**
	 * Return whether the store can {@linkplain LockStore#forceRelease take a lock} from
	 * its holder.
	 * @return {@code true} by default
	 */
	protected boolean forceReleases() {
		return true;
	}

	/**
	 * Return whether the store keeps a {@linkplain LockStore#replaceRecord record} beside
	 * each lock.
	 * @return {@code true} by default
	 */
	protected boolean keepsRecords() {
		return true;
	}

	/**
	 * Return an instance of an application, for tests beyond the contract.
	 * @return the first of two clients, each with a store of its own
	 */
	protected final StoreClient first() {
		return this.first;
	}

	/**
	 * Return another instance of the application.
	 * @return the second of two clients, each with a store of its own
	 */
	protected final StoreClient second() {
		return this.second;
	}

	/**
	 * Return the name of a lock that no other test uses.
	 * @return the name
	 */
	protected final String name() {
		return this.name;
	}

	@BeforeEach
	void openTwo() {
		this.name = "contract:" + NUMBER.incrementAndGet();
		this.first = newClient();
		this.second = newClient();
	}

	@AfterEach
	void closeAll() {
		this.opened.forEach(LockStore::close);
	}

	/**
	 * Return one more instance of the application.
	 * @return a client with a store of its own, which is closed after the test
	 */
	protected final StoreClient newClient() {
		LockStore store = open();
		this.opened.add(store);
		return new StoreClient(store, "app@host~%022d".formatted(NUMBER.incrementAndGet()));
	}

	@Test
	void freeLockIsGranted() {
		LockToken token = this.first.newToken();
		assertGranted(this.first.tryAcquire(this.name, token));
		assertThat(found(this.first).holder()).isEqualTo(token.text());
	}

	@Test
	void heldLockIsBusyAndNamesHolderAndRemainingTime() {
		LockToken token = this.first.hold(this.name);
		AcquireOutcome outcome = this.second.tryAcquire(this.name, this.second.newToken());
		assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(token.text());
			assertThat(busy.remaining()).isBetween(LEASE.minusSeconds(10), LEASE);
		});
	}

	@Test
	void otherTokenOfTheSameInstanceIsBusyToo() {
		this.first.hold(this.name);
		assertBusy(this.first.tryAcquire(this.name, this.first.newToken()));
	}

	@Test
	void locksOfDifferentNamesAreIndependent() {
		this.first.hold(this.name);
		assertGranted(this.second.tryAcquire(this.name + "x", this.second.newToken()));
	}

	@Test
	void repeatedAcquireIsGrantedWithTheSameFencingTokenAndStartsTheLeaseAnew() {
		LockToken token = this.first.newToken();
		AcquireRequest request = new AcquireRequest(this.name, token, Duration.ofSeconds(10), 5, StoreClient.PLACE);
		AcquireOutcome granted = StoreClient.get(this.first.store().acquire(request));
		AcquireRequest longer = new AcquireRequest(this.name, token, LEASE, 5, StoreClient.PLACE);
		assertThat(StoreClient.get(this.first.store().acquire(longer))).isEqualTo(granted);
		assertThat(found(this.first).remaining()).isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void lateRequestShortensNoLease() {
		LockToken token = this.first.hold(this.name);
		assertGranted(this.first.tryAcquire(this.name, token, Duration.ofSeconds(1)));
		assertThat(found(this.first).remaining()).isGreaterThan(Duration.ofSeconds(20));
		LeaseExtension late = new LeaseExtension(this.name, token, Duration.ofSeconds(1), LeaseExtension.Mode.AT_LEAST,
				1);
		assertThat(StoreClient.get(this.first.store().extend(List.of(late)).get(0))).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(found(this.first).remaining()).isGreaterThan(Duration.ofSeconds(20));
		LeaseExtension longer = new LeaseExtension(this.name, token, Duration.ofMinutes(5),
				LeaseExtension.Mode.AT_LEAST, 1);
		assertThat(StoreClient.get(this.first.store().extend(List.of(longer)).get(0)))
			.isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(found(this.first).remaining()).isGreaterThan(Duration.ofMinutes(4));
		assertThat(this.first.extend(this.name, token, Duration.ofSeconds(10))).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(found(this.first).remaining()).as("what is to be shortened is")
			.isLessThanOrEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void aGrantCarriesTheNonceOfTheWaiter() throws Exception {
		assumeHandsOver();
		LockToken holder = this.first.hold(this.name);
		this.second.listen();
		LockToken waiter = this.second.enqueue(this.name);
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().nonce()).isEqualTo(StoreClient.NONCE);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 7 })
	void anyLifeSignRestoresALostPlace(int sign) throws Exception {
		assumeHandsOver();
		LockToken holder = this.first.hold(this.name);
		this.second.listen();
		LockToken waiter = this.second.newToken();
		AcquireRequest confirming = new AcquireRequest(this.name, waiter, LEASE, 1,
				new AcquireRequest.Waiting(LIFE, sign, StoreClient.NONCE));
		StoreClient.get(this.second.store().acquire(confirming));
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
	}

	@Test
	void watchingExtendsAsAnExtensionDoes() {
		LockToken holder = this.first.hold(this.name);
		assertThat(this.first.extendAndWatch(this.name, holder, LEASE.multipliedBy(2)))
			.isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(found(this.second).remaining()).isGreaterThan(LEASE);
		assertThat(this.second.extendAndWatch(this.name, this.second.newToken(), LEASE)).isEqualTo(ExtendOutcome.OTHER);
		this.first.release(this.name, holder);
		assertThat(this.first.extendAndWatch(this.name, holder, LEASE)).isEqualTo(ExtendOutcome.ABSENT);
	}

	@Test
	void changeOfAWatchedLockIsReportedUnlessThisStoreMakesIt() throws Exception {
		assumeTrue(this.first.store().canWatch() && forceReleases(), "This store does not report changes.");
		this.first.listen();
		LockToken holder = this.first.hold(this.name);
		for (int i = 0; i < 3; i++) {
			this.first.extendAndWatch(this.name, holder, LEASE);
		}
		this.first.find(this.name);
		assertThat(this.first.isChanged(this.name)).isFalse();
		StoreClient.get(this.second.store().forceRelease(this.name, holder.text()));
		this.first.awaitChanged(this.name);
		assertThat(this.first.isChanged(this.name)).isFalse();
	}

	@Test
	void aLockIsDescribedWithItsQueue() throws Exception {
		assumeTrue(describesQueue(), "This store does not describe queues and several holders.");
		LockToken holder = this.first.hold(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		pass(Duration.ofMillis(20));
		StoredLockDetails lock = StoreClient.get(this.first.store().describe(this.name)).orElseThrow();
		assertThat(lock.name()).isEqualTo(this.name);
		assertThat(lock.lock().holder()).isEqualTo(holder.text());
		assertThat(lock.lock().remaining()).isBetween(LEASE.minusSeconds(10), LEASE);
		assertThat(lock.age()).isBetween(Duration.ofMillis(20), Duration.ofSeconds(10));
		assertThat(lock.waiting()).isEqualTo(1);
		assertThat(lock.queue()).singleElement().satisfies((queued) -> {
			assertThat(queued.token()).isEqualTo(waiter.text());
			assertThat(queued.waited()).isBetween(Duration.ofMillis(20), Duration.ofSeconds(10));
		});
		this.second.release(this.name, waiter);
		assertThat(StoreClient.get(this.first.store().describe(this.name)).orElseThrow().queue()).isEmpty();
		this.first.release(this.name, holder);
		assertThat(StoreClient.get(this.first.store().describe(this.name))).isEmpty();
	}

	@Test
	void deadWaiterIsNotDescribed() throws Exception {
		assumeTrue(describesQueue(), "This store does not describe queues and several holders.");
		this.first.hold(this.name);
		this.second.enqueue(this.name, Duration.ofMillis(1));
		pass(Duration.ofMillis(20));
		StoredLockDetails lock = StoreClient.get(this.first.store().describe(this.name)).orElseThrow();
		assertThat(lock.waiting()).isZero();
		assertThat(lock.queue()).isEmpty();
	}

	@Test
	void theLocksOfAllInstancesAreListedUpToALimit() {
		assumeTrue(lists(), "This store cannot list its locks.");
		LockToken here = this.first.newToken();
		LockToken there = this.second.newToken();
		this.first.mustAcquire(this.name + ":a{b}c", here);
		this.second.mustAcquire(this.name + ":d\u00e9}", there);
		StoredLocks all = StoreClient.get(this.first.store().list(100_000));
		assertThat(all.complete()).isTrue();
		assertThat(all.locks()).filteredOn((lock) -> lock.name().startsWith(this.name))
			.extracting(StoredLockDetails::name, (lock) -> lock.lock().holder())
			.containsExactlyInAnyOrder(tuple(this.name + ":a{b}c", here.text()),
					tuple(this.name + ":d\u00e9}", there.text()));
		StoredLocks some = StoreClient.get(this.first.store().list(1));
		assertThat(some.complete()).isFalse();
		assertThat(some.locks()).hasSize(1);
	}

	@Test
	void forcedReleaseHandsTheLockOffAndNotifiesTheHolder() throws Exception {
		assumeHandsOver();
		assumeTrue(forceReleases(), "This store cannot take a lock from its holder.");
		this.first.listen();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		assertThat(this.second.forceRelease(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(this.first.awaitRevoked(this.name)).isEqualTo(holder);
		assertThat(this.second.forceRelease(this.name, holder)).isEqualTo(ReleaseOutcome.OTHER);
		this.second.release(this.name, waiter);
		assertThat(this.second.forceRelease(this.name, holder)).isEqualTo(ReleaseOutcome.ABSENT);
	}

	@Test
	void fencingTokensStrictlyIncreaseOverReleases() {
		long last = 0;
		for (int round = 0; round < 50; round++) {
			StoreClient client = (round % 2 == 0) ? this.first : this.second;
			LockToken token = client.newToken();
			long fence = client.mustAcquire(this.name, token);
			assertThat(fence).isGreaterThan(last);
			last = fence;
			assertThat(client.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	@Test
	void nextFencingTokenIsBeyondTheReservedBlock() {
		LockToken token = this.first.newToken();
		int block = 1_000_000_000;
		AcquireOutcome outcome = StoreClient
			.get(this.first.store().acquire(new AcquireRequest(this.name, token, LEASE, block, null)));
		long first = ((AcquireOutcome.Granted) outcome).fencingToken();
		this.first.release(this.name, token);
		assertThat(this.second.mustAcquire(this.name, this.second.newToken())).isGreaterThanOrEqualTo(first + block);
	}

	@Test
	void handOffReservesABlockOfTokensForTheWaiterBeyondTheBlockOfTheHolder() throws Exception {
		assumeHandsOver();
		LockToken holder = this.first.newToken();
		int block = 1_000_000_000;
		AcquireOutcome outcome = StoreClient
			.get(this.first.store().acquire(new AcquireRequest(this.name, holder, LEASE, block, null)));
		long first = ((AcquireOutcome.Granted) outcome).fencingToken();
		this.second.listen();
		LockToken waiter = this.second.newToken();
		AcquireRequest request = new AcquireRequest(this.name, waiter, LEASE, block, StoreClient.PLACE);
		assertThat(StoreClient.get(this.second.store().acquire(request))).isInstanceOf(AcquireOutcome.Busy.class);
		this.first.release(this.name, holder);
		Grant grant = this.second.awaitGrant();
		assertThat(grant.fencingToken()).isGreaterThanOrEqualTo(first + block);
		assertThat(StoreClient.get(this.second.store().acquire(request)))
			.isEqualTo(new AcquireOutcome.Granted(grant.fencingToken(), grant.fenceBlock()));
		this.second.release(this.name, waiter);
		assertThat(this.first.mustAcquire(this.name, this.first.newToken()))
			.isGreaterThanOrEqualTo(grant.fencingToken() + block);
	}

	@Test
	void releaseFreesTheLock() {
		LockToken token = this.first.hold(this.name);
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.find(this.name)).isNull();
		assertGranted(this.second.tryAcquire(this.name, this.second.newToken()));
	}

	@Test
	void releaseOfAFreeLockIsAbsent() {
		assertThat(this.first.release(this.name, this.first.newToken())).isEqualTo(ReleaseOutcome.ABSENT);
	}

	@Test
	void repeatedReleaseIsAbsent() {
		LockToken token = this.first.hold(this.name);
		this.first.release(this.name, token);
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.ABSENT);
	}

	@Test
	void releaseWithAnotherTokenIsRefused() {
		LockToken token = this.first.hold(this.name);
		assertThat(this.second.release(this.name, this.second.newToken())).isEqualTo(ReleaseOutcome.OTHER);
		assertThat(found(this.first).holder()).isEqualTo(token.text());
	}

	@Test
	void extendStartsTheLeaseAnew() {
		LockToken token = this.first.newToken();
		this.first.tryAcquire(this.name, token, Duration.ofSeconds(5));
		assertThat(this.first.extend(this.name, token, LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(found(this.first).remaining()).isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void extendMayShortenTheLease() {
		LockToken token = this.first.hold(this.name);
		assertThat(this.first.extend(this.name, token, Duration.ofSeconds(5))).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(found(this.first).remaining()).isLessThanOrEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void extendNeverCreatesALock() {
		assertThat(this.first.extend(this.name, this.first.newToken(), LEASE)).isEqualTo(ExtendOutcome.ABSENT);
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void extendWithAnotherTokenIsRefused() {
		LockToken token = this.first.newToken();
		this.first.tryAcquire(this.name, token, Duration.ofSeconds(10));
		assertThat(this.second.extend(this.name, this.second.newToken(), LEASE)).isEqualTo(ExtendOutcome.OTHER);
		assertThat(found(this.first).remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void manyExtensionsAreAnsweredEachForItself() {
		LockToken held = this.first.newToken();
		LockToken foreign = this.second.newToken();
		List<LeaseExtension> extensions = new ArrayList<>();
		List<ExtendOutcome> expected = new ArrayList<>();
		for (int i = 0; i < 250; i++) {
			String lock = this.name + ":" + i;
			switch (i % 3) {
				case 0 -> {
					this.first.mustAcquire(lock, held);
					expected.add(ExtendOutcome.EXTENDED);
				}
				case 1 -> {
					this.second.mustAcquire(lock, foreign);
					expected.add(ExtendOutcome.OTHER);
				}
				default -> expected.add(ExtendOutcome.ABSENT);
			}
			extensions.add(new LeaseExtension(lock, held, LEASE, LeaseExtension.Mode.EXACTLY, 1));
		}
		List<ExtendOutcome> outcomes = this.first.store().extend(extensions).stream().map(StoreClient::get).toList();
		assertThat(outcomes).isEqualTo(expected);
	}

	@Test
	void noExtensionsAreNothing() {
		assertThat(this.first.store().extend(List.of())).isEmpty();
	}

	@Test
	void expiryFreesTheLock() throws Exception {
		LockToken token = this.first.newToken();
		this.first.tryAcquire(this.name, token, Duration.ofMillis(100));
		pass(Duration.ofMillis(150));
		assertThat(this.first.find(this.name)).isNull();
		assertThat(this.first.extend(this.name, token, LEASE)).isEqualTo(ExtendOutcome.ABSENT);
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.ABSENT);
		assertGranted(this.second.tryAcquire(this.name, this.second.newToken()));
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.OTHER);
	}

	@Test
	void findOfAFreeLockIsEmpty() {
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void releaseHandsOffToTheWaiterAndTellsItsInstance() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken holder = this.first.newToken();
		LockToken waiter = this.second.newToken();
		long fence = this.first.mustAcquire(this.name, holder);
		assertBusy(this.second.queue(this.name, waiter));
		assertThat(this.first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		Grant grant = this.second.awaitGrant();
		assertThat(grant.name()).isEqualTo(this.name);
		assertThat(grant.token()).isEqualTo(waiter);
		assertThat(grant.fencingToken()).isGreaterThan(fence);
		assertThat(grant.lease()).isEqualTo(Duration.ofSeconds(3));
		StoredLock stored = found(this.first);
		assertThat(stored.holder()).isEqualTo(waiter.text());
		assertThat(stored.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(3));
		assertThat(this.second.extend(this.name, waiter, LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, AcquireRequest.NO_LIMIT })
	void waiterIsToldTheLastFencingToken(int limit) throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken waiter = this.second.newToken();
		for (int round = 0; round < 3; round++) {
			LockToken holder = this.first.newToken();
			long fence = this.first.mustAcquire(this.name, holder);
			AcquireOutcome.Busy busy = (AcquireOutcome.Busy) this.second.queue(this.name, waiter, limit);
			assertThat(busy.fencingToken()).isEqualTo(fence);
			this.first.release(this.name, holder);
			Grant grant = this.second.awaitGrant();
			assertThat(grant.fencingToken()).isGreaterThan(fence);
			this.second.release(this.name, waiter);
			long last = this.first.mustAcquire(this.name, holder);
			busy = (AcquireOutcome.Busy) this.second.queue(this.name, waiter, limit);
			assertThat(busy.fencingToken()).isEqualTo(last).isGreaterThan(grant.fencingToken());
			this.second.release(this.name, waiter);
			this.first.release(this.name, holder);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, AcquireRequest.NO_LIMIT })
	void waiterBehindSeveralHoldersIsToldTheLastFencingToken(int limit) throws Exception {
		assumeHandsOver();
		this.second.listen();
		long last = 0;
		for (int i = 0; i < 2; i++) {
			AcquireOutcome outcome = this.first.tryJoin(this.name, this.first.newToken(), LEASE, limit);
			last = ((AcquireOutcome.Granted) outcome).fencingToken();
		}
		for (int waiting : new int[] { 1, 2 }) {
			AcquireOutcome outcome = this.second.queue(this.name, this.second.newToken(), waiting);
			assertThat(((AcquireOutcome.Busy) outcome).fencingToken()).isEqualTo(last);
		}
	}

	@Test
	void grantLeaseIsNoLongerThanRequestedByTheWaiter() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		Duration lease = Duration.ofMillis(1234);
		StoreClient.get(this.second.store()
			.acquire(new AcquireRequest(this.name, this.second.newToken(), lease, 1, StoreClient.PLACE)));
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().lease()).isEqualTo(lease);
		assertThat(found(this.first).remaining()).isLessThanOrEqualTo(lease);
	}

	@Test
	void waiterThatMissedItsGrantLearnsItFromTheNextAcquire() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		this.first.release(this.name, holder);
		Grant grant = this.second.awaitGrant();
		assertThat(this.second.queue(this.name, waiter))
			.isEqualTo(new AcquireOutcome.Granted(grant.fencingToken(), grant.fenceBlock()));
		assertThat(found(this.second).remaining()).isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void confirmationsDoNotChangeTheOrderOfWaiters() throws Exception {
		assumeHandsOver();
		LockToken current = this.first.hold(this.name);
		List<StoreClient> clients = List.of(newClient().listen(), newClient().listen(), newClient().listen());
		List<LockToken> tokens = clients.stream().map(StoreClient::newToken).toList();
		for (int i = 0; i < 3; i++) {
			clients.get(i).queue(this.name, tokens.get(i));
		}
		for (int i : new int[] { 2, 0, 1, 0 }) {
			clients.get(i).queue(this.name, tokens.get(i));
		}
		StoreClient holder = this.first;
		for (int i = 0; i < 3; i++) {
			holder.release(this.name, current);
			assertThat(clients.get(i).awaitGrant().token()).isEqualTo(tokens.get(i));
			holder = clients.get(i);
			current = tokens.get(i);
		}
		holder.release(this.name, current);
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void unconfirmedWaiterIsSkipped() throws Exception {
		assumeHandsOver();
		StoreClient dead = newClient().listen();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		dead.enqueue(this.name, Duration.ofMillis(100));
		LockToken waiter = this.second.enqueue(this.name);
		pass(Duration.ofMillis(150));
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(dead.grantIfAny()).isNull();
	}

	@Test
	void waiterOfAnInstanceWithoutAListenerIsSkipped() throws Exception {
		assumeTrue(knowsWhoListens(), "This store does not know who listens.");
		StoreClient deaf = newClient();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		deaf.enqueue(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
	}

	@Test
	void waiterThatDoesNotListenKeepsItsPlaceAndFindsItsGrantWhenItAsks() {
		assumeHandsOver();
		LockToken one = this.first.newToken();
		this.first.tryJoin(this.name, one, LEASE, 2);
		LockToken other = this.first.newToken();
		this.first.tryJoin(this.name, other, LEASE, 2);
		LockToken asking = LockToken.ofOperator("shop-1", "anna", "maintenance");
		assertThat(ask(asking, 0)).isInstanceOf(AcquireOutcome.Busy.class);
		this.first.release(this.name, one);
		assertThat(ask(asking, 1)).as("one still holds").isInstanceOf(AcquireOutcome.Busy.class);
		this.first.release(this.name, other);
		assertThat(this.first.tryAcquire(this.name, this.first.newToken()))
			.as("the lock was handed over, although nobody listens")
			.isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(Objects.requireNonNull(this.first.find(this.name)).remaining()).as("the whole lease")
			.isGreaterThan(LEASE.dividedBy(2));
		assertThat(ask(asking, 2)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(this.first.release(this.name, asking)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void waiterThatDoesNotListenIsNotPassedOver() {
		assumeHandsOver();
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertBusy(ask(LockToken.ofOperator("shop-1", "anna", "maintenance"), 0));
		assertBusy(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
	}

	@Test
	void longestTokenIsKept() {
		LockToken longest = LockToken.ofOperator("x".repeat(64), "y".repeat(64), "\u20ac".repeat(66));
		assertThat(longest.text()).hasSizeBetween(LockToken.LONGEST - 50, LockToken.LONGEST);
		assertThat(this.first.tryAcquire(this.name, longest)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(Objects.requireNonNull(this.second.find(this.name)).holder()).isEqualTo(longest.text());
		assertThat(this.first.release(this.name, longest)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	private AcquireOutcome ask(LockToken token, int sign) {
		AcquireRequest.Waiting place = new AcquireRequest.Waiting(LIFE, sign, AcquireRequest.Waiting.NOT_LISTENING);
		return this.first.store().acquire(new AcquireRequest(this.name, token, LEASE, 1, place)).join();
	}

	@Test
	void lockIsFreeIfAllWaitersAreDead() throws Exception {
		LockToken holder = this.first.hold(this.name);
		newClient().enqueue(this.name, Duration.ofMillis(100));
		newClient().enqueue(this.name, Duration.ofMillis(100));
		pass(Duration.ofMillis(150));
		assertThat(this.first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void lockIsFreeIfNoWaiterListens() {
		assumeTrue(knowsWhoListens(), "This store does not know who listens.");
		LockToken holder = this.first.hold(this.name);
		this.second.enqueue(this.name);
		assertThat(this.first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void cancelledWaiterLeavesTheQueue() throws Exception {
		assumeHandsOver();
		StoreClient cancelling = newClient().listen();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		LockToken cancelled = cancelling.enqueue(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		assertThat(cancelling.release(this.name, cancelled)).isEqualTo(ReleaseOutcome.OTHER);
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(cancelling.grantIfAny()).isNull();
	}

	@Test
	void cancelledWaiterGivesTheGrantBack() throws Exception {
		assumeHandsOver();
		StoreClient cancelling = newClient().listen();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		LockToken cancelled = cancelling.enqueue(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		this.first.release(this.name, holder);
		cancelling.awaitGrant();
		assertThat(cancelling.release(this.name, cancelled)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
	}

	@Test
	void waiterAcquiringAnEndedLockLeavesTheQueue() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		end(this.first, holder);
		assertGranted(this.second.queue(this.name, waiter));
		assertThat(this.second.release(this.name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.find(this.name)).isNull();
		assertThat(this.second.grantIfAny()).isNull();
	}

	@Test
	void releasedHolderStillInTheQueueIsNotGrantedTheLockAgain() throws Exception {
		assumeHandsOver();
		this.first.listen();
		LockToken holder = this.second.hold(this.name);
		LockToken token = takenFromTheQueueByAnAttemptWithoutWaiting(holder);
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void releasedHolderStillBehindAWaiterIsNotGrantedTheLockAgain() throws Exception {
		assumeHandsOver();
		this.first.listen();
		this.second.listen();
		LockToken holder = this.second.hold(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		LockToken token = takenFromTheQueueByAnAttemptWithoutWaiting(holder);
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(this.second.release(this.name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.find(this.name)).isNull();
	}

	/**
	 * The store may keep the place in the queue, as the attempt says nothing about it.
	 */
	private LockToken takenFromTheQueueByAnAttemptWithoutWaiting(LockToken holder) throws InterruptedException {
		LockToken token = this.first.enqueue(this.name);
		end(this.second, holder);
		this.first.mustAcquire(this.name, token);
		return token;
	}

	private void end(StoreClient client, LockToken holder) throws InterruptedException {
		assertThat(client.extend(this.name, holder, Duration.ofMillis(1))).isEqualTo(ExtendOutcome.EXTENDED);
		pass(Duration.ofMillis(20));
	}

	@Test
	void attemptWithoutWaitingDoesNotEnterTheQueue() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken holder = this.first.hold(this.name);
		this.second.tryAcquire(this.name, this.second.newToken());
		this.first.release(this.name, holder);
		assertThat(this.first.find(this.name)).isNull();
	}

	@Test
	void oneInstanceMayWaitForManyLocks() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken holder = this.first.newToken();
		List<CompletableFuture<AcquireOutcome>> attempts = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			this.first.mustAcquire(this.name + ":" + i, holder);
			attempts.add(this.second.store()
				.acquire(new AcquireRequest(this.name + ":" + i, this.second.newToken(), LEASE, 1,
						StoreClient.place(LEASE))));
		}
		attempts.forEach(StoreClient::get);
		for (int i = 0; i < 300; i++) {
			this.first.release(this.name + ":" + i, holder);
			assertThat(this.second.awaitGrant().name()).isEqualTo(this.name + ":" + i);
		}
	}

	@Test
	void secondListenDoesNothing() throws Exception {
		assumeHandsOver();
		this.second.listen();
		StoreClient ignored = new StoreClient(this.second.store(), "unused");
		LockToken holder = this.first.newToken();
		LockToken waiter = this.second.newToken();
		this.second.store().listen(waiter.instance(), ignored);
		this.first.mustAcquire(this.name, holder);
		this.second.queue(this.name, waiter);
		this.first.release(this.name, holder);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(ignored.grantIfAny()).isNull();
	}

	@Test
	void closedStoreIsUnavailable() {
		StoreClient closed = newClient();
		closed.tryAcquire(this.name, closed.newToken());
		closed.store().close();
		closed.store().close();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> closed.tryAcquire(this.name + "x", closed.newToken()));
		assertGranted(this.first.tryAcquire(this.name + "x", this.first.newToken()));
	}

	@Test
	void descriptionIsThere() {
		assertThat(this.first.store().description()).isNotBlank();
	}

	@Test
	void permitsLimitTheNumberOfHolders() {
		LockToken one = this.first.newToken();
		LockToken two = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, one, LEASE, 2));
		assertGranted(this.second.tryJoin(this.name, two, Duration.ofSeconds(5), 2));
		assertThat(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 2)).isInstanceOfSatisfying(
				AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5)));
		assertThat(this.second.release(this.name, two)).isEqualTo(ReleaseOutcome.RELEASED);
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 2));
	}

	@Test
	void howManyHoldIsTold() throws Exception {
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 5));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 3));
		assertGranted(this.second.tryJoin(this.name, this.second.newToken(), Duration.ofSeconds(5), 4));
		assertThat(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 5))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> {
				assertThat(busy.holders()).isEqualTo(3);
				assertThat(busy.permits()).isEqualTo(3);
				assertThat(busy.behindWaiters()).isFalse();
				assertThat(busy.remaining()).isBetween(Duration.ZERO, Duration.ofSeconds(5));
			});
		assertThat(this.second.tryAcquire(this.name, this.second.newToken()))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> assertThat(busy.holders()).isEqualTo(3));
		assertThat(StoreClient.get(this.first.store().find(this.name))).hasValueSatisfying((lock) -> {
			assertThat(lock.holders()).isEqualTo(3);
			assertThat(lock.limit()).isEqualTo(4);
		});
		String other = this.name + ":other";
		this.first.mustAcquire(other, this.first.newToken());
		assertThat(this.second.tryJoin(other, this.second.newToken(), LEASE, 5))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> {
				assertThat(busy.holders()).isEqualTo(1);
				assertThat(busy.permits()).isEqualTo(1);
			});
		assertThat(StoreClient.get(this.first.store().find(other))).hasValueSatisfying((lock) -> {
			assertThat(lock.holders()).isEqualTo(1);
			assertThat(lock.limit()).isEqualTo(1);
		});
		String shared = this.name + ":shared";
		assertGranted(this.first.tryJoin(shared, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertThat(StoreClient.get(this.first.store().find(shared)))
			.hasValueSatisfying((lock) -> assertThat(lock.limit()).isEqualTo(AcquireRequest.NO_LIMIT));
		assertGranted(this.second.tryJoin(shared, this.second.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertThat(this.second.tryJoin(shared, this.second.newToken(), LEASE, 2)).isInstanceOfSatisfying(
				AcquireOutcome.Busy.class, (busy) -> assertThat(busy.permits()).isEqualTo(AcquireRequest.NO_LIMIT));
	}

	@Test
	void smallestNumberOfPermitsLimitsTheNumberOfHolders() {
		LockToken three = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, three, LEASE, 3));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 5));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 5));
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 5));
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		this.first.release(this.name, three);
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 2));
		assertGranted(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 5));
	}

	@Test
	void largestNumberOfPermitsIsKept() {
		LockToken token = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, token, LEASE, Integer.MAX_VALUE));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, Integer.MAX_VALUE));
		assertThat(this.first.extend(this.name, token, LEASE, Integer.MAX_VALUE)).isEqualTo(ExtendOutcome.EXTENDED);
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 2));
		assertThat(this.first.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void exclusiveRequestIsGrantedOnlyToASingleHolder() {
		LockToken reader = this.first.newToken();
		LockToken writer = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertThat(this.second.tryAcquire(this.name, writer)).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.remaining()).isBetween(Duration.ofSeconds(10), LEASE));
		String other = this.name + ":writer";
		this.second.mustAcquire(other, writer);
		assertBusy(this.first.tryJoin(other, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertThat(this.second.release(other, writer)).isEqualTo(ReleaseOutcome.RELEASED);
		assertGranted(this.first.tryJoin(other, reader, LEASE, AcquireRequest.NO_LIMIT));
	}

	@Test
	void holderWithAnEndedLeaseIsNotCounted() throws Exception {
		LockToken lasting = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, lasting, LEASE, 2));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), Duration.ofMillis(100), 2));
		pass(Duration.ofMillis(200));
		assertGranted(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 2));
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 2));
	}

	@Test
	void repeatedRequestOfAHolderIsCountedOnce() {
		LockToken token = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, token, LEASE, 2));
		assertGranted(this.first.tryJoin(this.name, token, LEASE, 2));
		assertGranted(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 2));
	}

	@Test
	void eachOfSeveralHoldersHasASeparateLease() throws Exception {
		LockToken lasting = this.first.newToken();
		LockToken ending = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, lasting, LEASE, 3));
		assertGranted(this.second.tryJoin(this.name, ending, LEASE, 3));
		assertThat(this.second.extend(this.name, ending, Duration.ofMillis(10), 3)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(this.first.extend(this.name, lasting, LEASE, 3)).isEqualTo(ExtendOutcome.EXTENDED);
		pass(Duration.ofMillis(20));
		assertThat(this.second.extend(this.name, ending, LEASE, 3)).isEqualTo(ExtendOutcome.OTHER);
		assertThat(this.second.release(this.name, ending)).isEqualTo(ReleaseOutcome.OTHER);
		assertThat(this.first.extend(this.name, lasting, LEASE, 3)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(this.first.release(this.name, lasting)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.extend(this.name, lasting, LEASE, 3)).isEqualTo(ExtendOutcome.ABSENT);
	}

	@Test
	void readersQueueBehindAWaitingWriter() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken reader = this.first.newToken();
		LockToken writer = this.second.newToken();
		LockToken late = this.second.newToken();
		LockToken later = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertBusy(this.second.queue(this.name, writer));
		assertBusy(this.second.queue(this.name, late, AcquireRequest.NO_LIMIT));
		assertBusy(this.second.queue(this.name, later, AcquireRequest.NO_LIMIT));
		assertBusy(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		this.first.release(this.name, reader);
		assertThat(this.second.awaitGrant().token()).isEqualTo(writer);
		assertThat(this.second.release(this.name, writer)).isEqualTo(ReleaseOutcome.RELEASED);
		Grant first = this.second.awaitGrant();
		Grant second = this.second.awaitGrant();
		assertThat(List.of(first.token(), second.token())).containsExactly(late, later);
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertBusy(this.first.tryAcquire(this.name, this.first.newToken()));
	}

	@Test
	void readerBesideAHolderOfItsInstanceIsNotQueuedBehindAWaitingWriter() throws Exception {
		assumeHandsOver();
		this.first.listen();
		this.second.listen();
		LockToken writer = this.first.hold(this.name);
		LockToken reader = this.second.newToken();
		LockToken nextWriter = this.first.newToken();
		assertBusy(this.second.queue(this.name, reader, AcquireRequest.NO_LIMIT));
		assertBusy(this.first.queue(this.name, nextWriter));
		this.first.release(this.name, writer);
		assertThat(this.second.awaitGrant().token()).isEqualTo(reader);
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		LockToken beside = this.second.newToken();
		assertGranted(this.second.joinBeside(this.name, beside, reader));
		assertGranted(this.second.joinBeside(this.name, beside, reader));
		assertGranted(this.second.joinBeside(this.name, this.second.newToken(), beside));
		assertThat(StoreClient.get(this.first.store().find(this.name)))
			.hasValueSatisfying((lock) -> assertThat(lock.holders()).isEqualTo(3));
		assertBusy(this.first.queue(this.name, nextWriter));
	}

	@Test
	void readerBesideATokenThatDoesNotHoldIsQueuedBehindAWaitingWriter() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken reader = this.first.newToken();
		LockToken ended = this.second.newToken();
		LockToken released = this.second.newToken();
		LockToken writer = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertGranted(this.second.tryJoin(this.name, ended, Duration.ofMillis(100), AcquireRequest.NO_LIMIT));
		assertGranted(this.second.tryJoin(this.name, released, LEASE, AcquireRequest.NO_LIMIT));
		assertBusy(this.second.queue(this.name, writer));
		this.second.release(this.name, released);
		pass(Duration.ofMillis(200));
		for (LockToken beside : List.of(ended, released, writer, this.second.newToken())) {
			assertBusy(this.second.joinBeside(this.name, this.second.newToken(), beside));
		}
		assertGranted(this.second.joinBeside(this.name, this.second.newToken(), reader));
		LockToken alone = this.second.hold(this.name + ":alone");
		assertBusy(this.second.joinBeside(this.name + ":alone", this.second.newToken(), alone));
		assertGranted(this.second.joinBeside(this.name + ":free", this.second.newToken(), reader));
	}

	@Test
	void holderGrantedWithoutAPlaceIsNotServedAgain() throws Exception {
		assumeHandsOver();
		this.first.listen();
		LockToken reader = this.first.newToken();
		LockToken late = this.first.newToken();
		LockToken writer = this.first.hold(this.name);
		assertBusy(this.first.queue(this.name, reader, AcquireRequest.NO_LIMIT));
		assertBusy(this.first.queue(this.name, late, AcquireRequest.NO_LIMIT));
		this.first.extend(this.name, writer, Duration.ofMillis(1));
		pass(Duration.ofMillis(20));
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertGranted(this.first.joinBeside(this.name, late, reader));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertThat(StoreClient.get(this.first.store().find(this.name))).hasValueSatisfying((lock) -> {
			assertThat(lock.holders()).isEqualTo(3);
			assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(10));
		});
	}

	@Test
	void limitsOfHoldersApplyToAReaderBesideAHolder() {
		LockToken reader = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertGranted(this.second.tryJoin(this.name, this.second.newToken(), LEASE, 2));
		assertThat(this.first.joinBeside(this.name, this.first.newToken(), reader))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> assertThat(busy.behindWaiters()).isFalse());
	}

	@Test
	void onlyARequestWithoutALimitAndWithoutAPlaceIsBesideAHolder() {
		LockToken token = this.first.newToken();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new AcquireRequest(this.name, token, LEASE, 1, null, 2, token));
		assertThatIllegalArgumentException().isThrownBy(() -> new AcquireRequest(this.name, token, LEASE, 1,
				StoreClient.PLACE, AcquireRequest.NO_LIMIT, token));
	}

	@Test
	void refusalBehindWaitersNamesTheFirstWaiter() throws Exception {
		assumeHandsOver();
		this.first.listen();
		this.second.listen();
		LockToken reader = this.first.newToken();
		LockToken writer = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertRefusedBy(reader, false, this.second.queue(this.name, writer));
		assertRefusedBy(writer, true,
				this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertRefusedBy(writer, true, this.first.queue(this.name, this.first.newToken(), 5));
		assertRefusedBy(reader, false, this.first.tryJoin(this.name, this.first.newToken(), LEASE, 2));
		assertRefusedBy(reader, false, this.first.tryAcquire(this.name, this.first.newToken()));
	}

	@Test
	void refusalAfterAWaiterWasServedNamesTheNearestEnd() throws Exception {
		assumeHandsOver();
		LockToken holder = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, holder, LEASE.dividedBy(2), 2));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), Duration.ofMillis(500), 2));
		assertBusy(StoreClient.get(this.second.store()
			.acquire(new AcquireRequest(this.name, LockToken.ofOperator("shop-1", "anna", "maintenance"), LEASE, 1,
					new AcquireRequest.Waiting(LIFE, 0, AcquireRequest.Waiting.NOT_LISTENING), 2))));
		pass(Duration.ofMillis(550));
		assertThat(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 2))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> {
				assertThat(busy.holders()).as("the waiter was served").isEqualTo(2);
				assertThat(busy.holder()).isEqualTo(holder.text());
				assertThat(busy.remaining()).isLessThanOrEqualTo(LEASE.dividedBy(2));
			});
	}

	private static void assertRefusedBy(LockToken token, boolean behindWaiters, AcquireOutcome outcome) {
		assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(token.text());
			assertThat(busy.behindWaiters()).isEqualTo(behindWaiters);
			assertThat(busy.holders()).isEqualTo(2);
			assertThat(busy.remaining()).isBetween(Duration.ofSeconds(1), LEASE);
		});
	}

	@Test
	void cancelledWriterLetsTheReadersIn() throws Exception {
		assumeHandsOver();
		this.second.listen();
		LockToken writer = this.second.newToken();
		LockToken late = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		assertBusy(this.second.queue(this.name, writer));
		assertBusy(this.second.queue(this.name, late, AcquireRequest.NO_LIMIT));
		this.second.release(this.name, writer);
		assertThat(this.second.awaitGrant().token()).isEqualTo(late);
	}

	@Test
	void releaseOfAWriterServesAllWaitingReaders() throws Exception {
		assumeHandsOver();
		assumeTrue(describesQueue(), "This store does not describe queues and several holders.");
		this.first.listen();
		this.second.listen();
		LockToken writer = this.first.hold(this.name);
		List<LockToken> readers = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			LockToken reader = this.second.newToken();
			readers.add(reader);
			assertBusy(this.second.queue(this.name, reader, AcquireRequest.NO_LIMIT));
		}
		LockToken next = this.first.newToken();
		assertBusy(this.first.queue(this.name, next));
		assertThat(this.first.release(this.name, writer)).isEqualTo(ReleaseOutcome.RELEASED);
		for (LockToken reader : readers) {
			assertThat(this.second.awaitGrant().token()).isEqualTo(reader);
		}
		assertThat(StoreClient.get(this.first.store().describe(this.name)).orElseThrow().waiting()).isEqualTo(1);
	}

	@Test
	void waitingWriterOfAnInstanceWithoutAListenerDelaysNoReader() throws Exception {
		assumeTrue(knowsWhoListens(), "This store does not know who listens.");
		LockToken dead = this.second.newToken();
		LockToken reader = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, reader, LEASE, AcquireRequest.NO_LIMIT));
		assertBusy(this.second.queue(this.name, dead));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		this.second.listen();
		assertBusy(this.second.queue(this.name, dead));
		assertBusy(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
	}

	@Test
	void exclusiveAttemptDoesNotOvertakeAWaiterAfterTheDeathOfSeveralHolders() throws Exception {
		assumeHandsOver();
		this.first.listen();
		LockToken waiter = this.first.newToken();
		LockToken writer = this.first.newToken();
		LockToken[] holders = { this.second.newToken(), this.second.newToken() };
		for (LockToken holder : holders) {
			assertGranted(this.second.tryJoin(this.name, holder, LEASE, 2));
		}
		assertBusy(this.first.queue(this.name, waiter, 2));
		assertBusy(this.first.queue(this.name, writer));
		endLeases(this.name, holders);
		assertThat(this.second.tryAcquire(this.name, this.second.newToken()))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> {
				assertThat(busy.behindWaiters()).isTrue();
				assertThat(busy.holder()).isEqualTo(waiter.text());
				assertThat(busy.holders()).isZero();
			});
		assertBusy(this.first.queue(this.name, writer));
		assertGranted(this.first.queue(this.name, waiter, 2));
		assertThat(this.first.release(this.name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.awaitGrant().token()).isEqualTo(writer);
	}

	@Test
	void exclusiveCallerTakesTheLockAfterTheDeathOfSeveralHolders() throws Exception {
		assumeHandsOver();
		this.first.listen();
		LockToken writer = this.first.newToken();
		LockToken holder = this.second.newToken();
		for (String each : List.of(this.name, this.name + ":waits")) {
			assertGranted(this.second.tryJoin(each, holder, LEASE, 2));
		}
		assertBusy(this.first.queue(this.name + ":waits", writer));
		endLeases(this.name, holder);
		endLeases(this.name + ":waits", holder);
		assertThat(this.first.find(this.name)).isNull();
		assertGranted(this.second.tryAcquire(this.name, this.second.newToken()));
		assertGranted(this.first.queue(this.name + ":waits", writer));
		assertBusy(this.second.tryJoin(this.name + ":waits", this.second.newToken(), LEASE, 2));
	}

	/**
	 * Shorten leases that were long enough for everything before, however slow the
	 * machine is.
	 */
	private void endLeases(String name, LockToken... holders) throws InterruptedException {
		for (LockToken holder : holders) {
			assertThat(this.second.extend(name, holder, Duration.ofMillis(10), 2)).isEqualTo(ExtendOutcome.EXTENDED);
		}
		pass(Duration.ofMillis(20));
	}

	@Test
	void lateReleaseAfterTheDeathOfSeveralHoldersServesTheWaiter() throws Exception {
		assumeHandsOver();
		this.first.listen();
		LockToken ended = this.second.newToken();
		LockToken writer = this.first.newToken();
		assertGranted(this.second.tryJoin(this.name, ended, LEASE, 2));
		assertBusy(this.first.queue(this.name, writer));
		endLeases(this.name, ended);
		assertThat(this.second.release(this.name, ended)).isEqualTo(ReleaseOutcome.ABSENT);
		assertThat(this.first.awaitGrant().token()).isEqualTo(writer);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, AcquireRequest.NO_LIMIT })
	void waiterBehindACrowdOfDeadOnesIsServed(int limit) throws Exception {
		assumeHandsOver();
		this.first.listen();
		LockToken holder = this.first.newToken();
		LockToken beside = this.first.newToken();
		if (limit == 1) {
			this.first.mustAcquire(this.name, holder);
		}
		else {
			assertGranted(this.first.tryJoin(this.name, holder, LEASE, 2));
			assertGranted(this.first.tryJoin(this.name, beside, LEASE, 2));
		}
		for (int i = 0; i < 40; i++) {
			LockToken dead = this.second.newToken();
			StoreClient.get(this.second.store()
				.acquire(new AcquireRequest(this.name, dead, LEASE, 1, StoreClient.place(Duration.ofMillis(100)),
						(i % 2 == 0) ? 1 : limit)));
		}
		LockToken waiter = this.first.newToken();
		LockToken next = this.first.newToken();
		assertBusy(this.first.queue(this.name, waiter, limit));
		assertBusy(this.first.queue(this.name, next));
		pass(Duration.ofMillis(200));
		assertThat(this.first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.awaitGrant().token()).isEqualTo(waiter);
		assertBusy(this.second.tryAcquire(this.name, this.second.newToken()));
		assertBusy(this.second.tryJoin(this.name, this.second.newToken(), LEASE, AcquireRequest.NO_LIMIT));
		this.first.release(this.name, beside);
		assertThat(this.first.release(this.name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.awaitGrant().token()).isEqualTo(next);
	}

	@Test
	void requestBehindACrowdOfDeadWaitersIsGranted() throws Exception {
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, 100));
		for (int i = 0; i < 40; i++) {
			StoreClient.get(this.second.store()
				.acquire(new AcquireRequest(this.name, this.second.newToken(), LEASE, 1,
						StoreClient.place(Duration.ofMillis(100)), 1)));
		}
		pass(Duration.ofMillis(200));
		assertGranted(this.first.tryJoin(this.name, this.first.newToken(), LEASE, AcquireRequest.NO_LIMIT));
	}

	@Test
	void oneBatchExtendsLeasesOfAllKinds() throws Exception {
		String shared = this.name + ":shared";
		List<LeaseExtension> extensions = new ArrayList<>();
		LockToken alone = this.first.hold(this.name);
		extensions.add(new LeaseExtension(this.name, alone, LEASE, LeaseExtension.Mode.AT_LEAST, 1));
		for (int i = 0; i < 150; i++) {
			LockToken reader = this.first.newToken();
			int limit = (i % 3 == 0) ? 1000 : AcquireRequest.NO_LIMIT;
			assertGranted(this.first.tryJoin(shared, reader, Duration.ofSeconds(20), limit));
			extensions.add(new LeaseExtension(shared, reader, LEASE, LeaseExtension.Mode.AT_LEAST, limit));
		}
		LockToken gone = this.first.newToken();
		extensions.add(new LeaseExtension(shared, gone, LEASE, LeaseExtension.Mode.AT_LEAST, 2));
		extensions.add(new LeaseExtension(shared, gone, LEASE, LeaseExtension.Mode.AT_LEAST, 1));
		extensions.add(new LeaseExtension(this.name, gone, LEASE, LeaseExtension.Mode.AT_LEAST, 2));
		extensions.add(new LeaseExtension(this.name + ":free", gone, LEASE, LeaseExtension.Mode.AT_LEAST, 2));
		List<ExtendOutcome> outcomes = this.first.store().extend(extensions).stream().map(StoreClient::get).toList();
		assertThat(outcomes.subList(0, 151)).containsOnly(ExtendOutcome.EXTENDED);
		assertThat(outcomes.subList(151, outcomes.size())).containsExactly(ExtendOutcome.OTHER, ExtendOutcome.OTHER,
				ExtendOutcome.OTHER, ExtendOutcome.ABSENT);
		assertThat(StoreClient.get(this.first.store().find(shared))).hasValueSatisfying((lock) -> {
			assertThat(lock.holders()).isEqualTo(150);
			assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(21));
		});
	}

	@Test
	void renewalsDoNotChangeWhichOfManyHoldersAreShown() {
		assumeTrue(describesQueue(), "This store does not describe queues and several holders.");
		List<LockToken> readers = new ArrayList<>();
		for (int i = 0; i < 120; i++) {
			readers.add(this.first.newToken());
			assertGranted(this.first.tryJoin(this.name, readers.get(i), LEASE, AcquireRequest.NO_LIMIT));
		}
		List<String> shown = shown();
		assertThat(shown).hasSizeGreaterThanOrEqualTo(100);
		for (String holder : shown.subList(0, 50)) {
			assertThat(this.first.extend(this.name, LockToken.parse(holder), LEASE.multipliedBy(2),
					AcquireRequest.NO_LIMIT))
				.isEqualTo(ExtendOutcome.EXTENDED);
		}
		assertThat(shown()).containsExactlyInAnyOrderElementsOf(shown);
	}

	private List<String> shown() {
		return StoreClient.get(this.first.store().describe(this.name))
			.orElseThrow()
			.holds()
			.stream()
			.map(StoredLock::holder)
			.toList();
	}

	@Test
	void oneOfSeveralIsTakenByForceAndTold() throws Exception {
		assumeHandsOver();
		assumeTrue(forceReleases(), "This store cannot take a lock from its holder.");
		this.first.listen();
		this.second.listen();
		LockToken taken = this.first.newToken();
		LockToken staying = this.second.newToken();
		LockToken waiter = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, taken, LEASE, 2));
		assertGranted(this.second.tryJoin(this.name, staying, LEASE, 2));
		assertBusy(this.second.queue(this.name, waiter, 2));
		assertThat(this.second.forceRelease(this.name, taken)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.awaitRevoked(this.name)).isEqualTo(taken);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(this.first.extend(this.name, taken, LEASE, 2)).isEqualTo(ExtendOutcome.OTHER);
		assertThat(this.second.extend(this.name, staying, LEASE, 2)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	@Test
	void severalHoldersAreDescribedTheNearestEndFirst() {
		assumeTrue(lists(), "This store cannot list its locks.");
		assumeTrue(describesQueue(), "This store does not describe queues and several holders.");
		LockToken lasting = this.first.newToken();
		LockToken ending = this.second.newToken();
		LockToken limited = this.second.newToken();
		assertGranted(this.first.tryJoin(this.name, lasting, LEASE, AcquireRequest.NO_LIMIT));
		assertGranted(this.second.tryJoin(this.name, ending, Duration.ofSeconds(5), 7));
		assertGranted(this.second.tryJoin(this.name, limited, Duration.ofSeconds(10), 3));
		assertBusy(this.second.queue(this.name, this.second.newToken()));
		assertThat(StoreClient.get(this.first.store().find(this.name)).orElseThrow().holder()).isEqualTo(ending.text());
		StoredLockDetails details = StoreClient.get(this.first.store().describe(this.name)).orElseThrow();
		assertThat(details.holds()).extracting(StoredLock::holder)
			.containsExactly(ending.text(), limited.text(), lasting.text());
		assertThat(details.lock()).isEqualTo(details.holds().get(0));
		assertThat(details.lock().remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
		assertThat(details.waiting()).isEqualTo(1);
		assertThat(details.queue()).hasSize(1);
		StoredLockDetails.Company company = Objects.requireNonNull(details.company());
		assertThat(company.holders()).isEqualTo(3);
		assertThat(company.smallestLimit()).isEqualTo(3);
		assertThat(company.largestLimit()).isEqualTo(7);
		assertThat(StoreClient.get(this.first.store().list(1000)).locks()).extracting(StoredLockDetails::name)
			.contains(this.name);
		this.first.mustAcquire(this.name + ":alone", this.first.newToken());
		assertThat(StoreClient.get(this.first.store().describe(this.name + ":alone")).orElseThrow().company()).isNull();
	}

	@Test
	void waiterIsGrantedWhenItAsksAgainAfterTheRelease() {
		LockToken holder = this.first.newToken();
		long fence = this.first.mustAcquire(this.name, holder);
		LockToken waiter = this.second.enqueue(this.name);
		assertBusy(this.second.queue(this.name, waiter));
		assertThat(this.first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.queue(this.name, waiter)).isInstanceOfSatisfying(AcquireOutcome.Granted.class,
				(granted) -> assertThat(granted.fencingToken()).isGreaterThan(fence));
		assertBusy(this.first.tryAcquire(this.name, this.first.newToken()));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void simultaneousRequestsAreGrantedUpToTheirLimit(int limit) throws Exception {
		List<StoreClient> clients = Stream.generate(this::newClient).limit(8).toList();
		ExecutorService threads = Executors.newFixedThreadPool(clients.size());
		try {
			for (int round = 0; round < 10; round++) {
				String lock = this.name + ":" + round;
				this.first.release(lock, this.first.hold(lock));
				List<Callable<AcquireOutcome>> requests = clients.stream()
					.<Callable<AcquireOutcome>>map(
							(client) -> () -> client.tryJoin(lock, client.newToken(), LEASE, limit))
					.toList();
				List<Long> fences = new ArrayList<>();
				for (Future<AcquireOutcome> outcome : threads.invokeAll(requests)) {
					if (outcome.get() instanceof AcquireOutcome.Granted granted) {
						fences.add(granted.fencingToken());
					}
				}
				assertThat(fences).hasSize(limit).doesNotHaveDuplicates();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void storeThatDoesNotHandOverNeverTellsAListenerThatGrantsArrive() {
		assumeFalse(handsOver(), "This store hands locks over.");
		this.second.store().listen(this.second.newToken().instance(), this.second);
		LockToken holder = this.first.hold(this.name);
		this.second.enqueue(this.name);
		this.first.release(this.name, holder);
		assertThat(this.second.isSubscribed()).isFalse();
		assertThat(this.second.grantIfAny()).isNull();
	}

	@Test
	void lockIsDescribedAtLeastByItsHolder() {
		LockToken holder = this.first.hold(this.name);
		StoredLockDetails lock = StoreClient.get(this.second.store().describe(this.name)).orElseThrow();
		assertThat(lock.name()).isEqualTo(this.name);
		assertThat(lock.lock().holder()).isEqualTo(holder.text());
		assertThat(lock.lock().remaining()).isBetween(LEASE.minusSeconds(10), LEASE);
		assertThat(lock.queue()).isEmpty();
		this.first.release(this.name, holder);
		assertThat(StoreClient.get(this.second.store().describe(this.name))).isEmpty();
	}

	@Test
	void storeThatCannotListItsLocksSaysSo() {
		assumeFalse(lists(), "This store lists its locks.");
		this.first.hold(this.name);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> StoreClient.get(this.first.store().list(10)))
			.withMessageContaining(this.first.store().description());
	}

	@Test
	void storeThatCannotTakeALockFromItsHolderSaysSoAndDoesNot() {
		assumeFalse(forceReleases(), "This store takes locks by force.");
		LockToken holder = this.first.hold(this.name);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.second.forceRelease(this.name, holder))
			.withMessageContaining(this.second.store().description());
		assertThat(this.first.extend(this.name, holder, LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	@Test
	void lockTakenByForceIsFree() {
		assumeTrue(forceReleases(), "This store cannot take a lock from its holder.");
		LockToken holder = this.first.hold(this.name);
		assertThat(this.second.forceRelease(this.name, this.second.newToken())).isEqualTo(ReleaseOutcome.OTHER);
		assertThat(this.second.forceRelease(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.extend(this.name, holder, LEASE)).isEqualTo(ExtendOutcome.ABSENT);
		assertGranted(this.second.tryAcquire(this.name, this.second.newToken()));
	}

	@Test
	void holderWritesAndReplacesTheRecord() {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		assertThat(this.first.record(this.name)).isNull();
		assertThat(this.first.replaceRecord(this.name, holder, null, "one")).isEqualTo(REPLACED);
		assertThat(this.second.record(this.name)).isEqualTo("one");
		assertThat(this.first.replaceRecord(this.name, holder, "one", "two")).isEqualTo(REPLACED);
		assertThat(this.second.record(this.name)).isEqualTo("two");
	}

	@Test
	void recordIsReplacedOnlyIfItIsTheExpectedOne() {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		assertThat(this.first.replaceRecord(this.name, holder, "one", "two")).isEqualTo(different(null));
		assertThat(this.first.record(this.name)).isNull();
		assertThat(this.first.replaceRecord(this.name, holder, null, "one")).isEqualTo(REPLACED);
		assertThat(this.first.replaceRecord(this.name, holder, null, "two")).isEqualTo(different("one"));
		assertThat(this.first.replaceRecord(this.name, holder, "One", "two")).isEqualTo(different("one"));
		assertThat(this.first.record(this.name)).isEqualTo("one");
	}

	@Test
	void repeatedReplacementOfTheRecordIsAnsweredAsTheFirstTime() {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		for (int i = 0; i < 2; i++) {
			assertThat(this.first.replaceRecord(this.name, holder, null, "one")).isEqualTo(REPLACED);
		}
		for (int i = 0; i < 2; i++) {
			assertThat(this.first.replaceRecord(this.name, holder, "one", "two")).isEqualTo(REPLACED);
		}
		assertThat(this.first.record(this.name)).isEqualTo("two");
		assertThat(this.first.replaceRecord(this.name, holder, null, "one")).as("late").isEqualTo(different("two"));
	}

	@Test
	void onlyTheHolderWritesTheRecord() {
		assumeKeepsRecords();
		LockToken holder = this.first.newToken();
		assertThat(this.first.replaceRecord(this.name, holder, null, "free")).isEqualTo(NOT_HELD);
		this.first.mustAcquire(this.name, holder);
		assertThat(this.first.replaceRecord(this.name, this.first.newToken(), null, "same")).isEqualTo(NOT_HELD);
		LockToken waiter = this.second.enqueue(this.name);
		assertThat(this.second.replaceRecord(this.name, waiter, null, "waits")).isEqualTo(NOT_HELD);
		assertThat(this.first.record(this.name)).isNull();
		assertThat(this.first.replaceRecord(this.name, holder, null, "holds")).isEqualTo(REPLACED);
	}

	@Test
	void holderThatHasReleasedTheLockDoesNotWriteTheRecord() {
		assumeKeepsRecords();
		LockToken former = this.first.hold(this.name);
		this.first.replaceRecord(this.name, former, null, "one");
		this.first.release(this.name, former);
		assertThat(this.first.replaceRecord(this.name, former, "one", "two")).isEqualTo(NOT_HELD);
		LockToken holder = this.second.hold(this.name);
		assertThat(this.first.replaceRecord(this.name, former, "one", "two")).isEqualTo(NOT_HELD);
		assertThat(this.first.replaceRecord(this.name, former, null, "one")).as("repeated").isEqualTo(NOT_HELD);
		assertThat(this.second.replaceRecord(this.name, holder, "one", "two")).isEqualTo(REPLACED);
	}

	@Test
	void holderWhoseLeaseHasEndedDoesNotWriteTheRecord() throws Exception {
		assumeKeepsRecords();
		LockToken former = this.first.newToken();
		assertGranted(this.first.tryAcquire(this.name, former, Duration.ofMillis(100)));
		pass(Duration.ofMillis(200));
		assertThat(this.first.replaceRecord(this.name, former, null, "one")).isEqualTo(NOT_HELD);
		assertThat(this.first.record(this.name)).isNull();
		LockToken holder = this.second.hold(this.name);
		assertThat(this.first.replaceRecord(this.name, former, null, "one")).isEqualTo(NOT_HELD);
		assertThat(this.second.replaceRecord(this.name, holder, null, "two")).isEqualTo(REPLACED);
	}

	@Test
	void holderFromWhomTheLockWasTakenDoesNotWriteTheRecord() {
		assumeKeepsRecords();
		assumeTrue(forceReleases(), "This store cannot take a lock from its holder.");
		LockToken former = this.first.hold(this.name);
		assertThat(this.first.replaceRecord(this.name, former, null, "one")).isEqualTo(REPLACED);
		this.second.forceRelease(this.name, former);
		assertThat(this.first.replaceRecord(this.name, former, "one", "two")).isEqualTo(NOT_HELD);
		assertThat(this.second.record(this.name)).isEqualTo("one");
	}

	@Test
	void oneOfSeveralHoldersDoesNotWriteTheRecord() {
		assumeKeepsRecords();
		LockToken alone = this.first.hold(this.name);
		this.first.replaceRecord(this.name, alone, null, "one");
		this.first.release(this.name, alone);
		LockToken permit = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, permit, LEASE, 2));
		assertThat(this.first.replaceRecord(this.name, permit, "one", "two")).isEqualTo(NOT_HELD);
		LockToken beside = this.second.newToken();
		assertGranted(this.second.tryJoin(this.name, beside, LEASE, AcquireRequest.NO_LIMIT));
		assertThat(this.second.replaceRecord(this.name, beside, "one", "two")).isEqualTo(NOT_HELD);
		this.first.release(this.name, permit);
		assertThat(this.second.replaceRecord(this.name, beside, "one", "two")).as("the last of them")
			.isEqualTo(NOT_HELD);
		assertThat(this.second.record(this.name)).isEqualTo("one");
		this.second.release(this.name, beside);
		assertThat(this.second.replaceRecord(this.name, this.second.hold(this.name), "one", "two")).isEqualTo(REPLACED);
	}

	@Test
	void recordOutlivesItsHolderAndTheNextOnes() throws Exception {
		assumeKeepsRecords();
		LockToken writer = this.first.newToken();
		long fence = this.first.mustAcquire(this.name, writer);
		this.first.replaceRecord(this.name, writer, null, "one");
		assertBusy(this.second.tryAcquire(this.name, this.second.newToken()));
		assertThat(this.first.extend(this.name, writer, LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(this.first.release(this.name, writer)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.record(this.name)).isEqualTo("one");
		assertThat(this.first.find(this.name)).isNull();
		assertThat(this.first.release(this.name, writer)).isEqualTo(ReleaseOutcome.ABSENT);
		assertThat(this.first.extend(this.name, writer, LEASE)).isEqualTo(ExtendOutcome.ABSENT);
		LockToken next = this.second.newToken();
		assertThat(this.second.tryAcquire(this.name, next, Duration.ofMillis(100))).isInstanceOfSatisfying(
				AcquireOutcome.Granted.class, (granted) -> assertThat(granted.fencingToken()).isGreaterThan(fence));
		pass(Duration.ofMillis(200));
		assertThat(this.first.record(this.name)).as("after the end of a lease").isEqualTo("one");
		LockToken permit = this.first.newToken();
		assertGranted(this.first.tryJoin(this.name, permit, LEASE, 2));
		assertThat(this.first.release(this.name, permit)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.first.record(this.name)).as("after one of several holders").isEqualTo("one");
	}

	@Test
	void recordDoesNotDisturbAHandOver() throws Exception {
		assumeKeepsRecords();
		assumeHandsOver();
		this.second.listen();
		LockToken writer = this.first.hold(this.name);
		LockToken waiter = this.second.enqueue(this.name);
		assertThat(this.first.replaceRecord(this.name, writer, null, "one")).isEqualTo(REPLACED);
		LockToken reader = this.second.newToken();
		assertBusy(this.second.queue(this.name, reader, AcquireRequest.NO_LIMIT));
		assertThat(this.first.release(this.name, writer)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(this.second.replaceRecord(this.name, waiter, "one", "two")).isEqualTo(REPLACED);
		assertThat(this.second.release(this.name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.second.awaitGrant().token()).isEqualTo(reader);
		assertThat(this.second.replaceRecord(this.name, reader, "two", "three")).isEqualTo(NOT_HELD);
		assertThat(this.first.record(this.name)).isEqualTo("two");
	}

	@Test
	void freeLockWithARecordIsNeitherDescribedNorListed() {
		assumeKeepsRecords();
		LockToken writer = this.first.hold(this.name);
		this.first.replaceRecord(this.name, writer, null, "one");
		this.first.release(this.name, writer);
		assertThat(StoreClient.get(this.first.store().describe(this.name))).isEmpty();
		assumeTrue(lists(), "This store cannot list its locks.");
		assertThat(StoreClient.get(this.first.store().list(100_000)).locks())
			.noneMatch((lock) -> lock.name().startsWith(this.name));
		this.first.mustAcquire(this.name, writer);
		assertThat(StoreClient.get(this.first.store().list(100_000)).locks()).extracting(StoredLockDetails::name)
			.filteredOn((name) -> name.startsWith(this.name))
			.containsExactly(this.name);
	}

	@Test
	void recordEndsWithItsTimeToLiveWhichEachReplacementRestarts() throws Exception {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		LockToken other = this.first.hold(this.name + ":other");
		this.first.replaceRecord(this.name, holder, null, "one");
		this.first.replaceRecord(this.name + ":other", other, null, "one");
		assertThat(this.first.replaceRecord(this.name, holder, "one", "two")).isEqualTo(REPLACED);
		// Short only when nothing else has to be done before its end
		assertThat(this.first.replaceRecord(this.name + ":other", other, "one", "two", Duration.ofMillis(10)))
			.isEqualTo(REPLACED);
		pass(Duration.ofMillis(20));
		assertThat(this.first.record(this.name)).isEqualTo("two");
		assertThat(this.first.record(this.name + ":other")).isNull();
		assertThat(this.first.replaceRecord(this.name + ":other", other, "two", "three")).isEqualTo(different(null));
		assertThat(this.first.replaceRecord(this.name + ":other", other, null, "three")).isEqualTo(REPLACED);
	}

	@Test
	void repeatedReplacementRestartsTheTimeToLiveOfTheRecord() throws Exception {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		this.first.replaceRecord(this.name, holder, null, "one", Duration.ofMillis(300));
		assertThat(this.first.replaceRecord(this.name, holder, null, "one", LIFE)).isEqualTo(REPLACED);
		pass(Duration.ofMillis(400));
		assertThat(this.first.record(this.name)).isEqualTo("one");
	}

	@Test
	void recordMayLiveLongerThanAnyLease() {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(this.first.replaceRecord(this.name, holder, null, "one", endless)).isEqualTo(REPLACED);
		assertThat(this.first.record(this.name)).isEqualTo("one");
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "0", "1", "-", "=", "=one", "one two", "one\ntwo\r\n", "a:record", "{a}:record",
			"\u00fc\u00df", "\u4e2d\u6587", "\ud83d\udd12", "\u0000", "'\"\\%s $1" })
	void recordMayContainAnyCharacters(String text) {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		assertThat(this.first.replaceRecord(this.name, holder, null, text)).isEqualTo(REPLACED);
		assertThat(this.second.record(this.name)).isEqualTo(text);
		assertThat(this.first.replaceRecord(this.name, holder, text + text, "other")).isEqualTo(different(text));
		assertThat(this.first.replaceRecord(this.name, holder, text, "other")).isEqualTo(REPLACED);
	}

	@Test
	void recordMayBeLong() {
		assumeKeepsRecords();
		LockToken holder = this.first.hold(this.name);
		String text = "\u00e4 \ud83d\udd12\n".repeat(512);
		assertThat(this.first.replaceRecord(this.name, holder, null, text)).isEqualTo(REPLACED);
		assertThat(this.second.record(this.name)).isEqualTo(text);
		assertThat(this.first.replaceRecord(this.name, holder, text.substring(1), "x")).isEqualTo(different(text));
		assertThat(this.first.replaceRecord(this.name, holder, text, text + "x")).isEqualTo(REPLACED);
	}

	@Test
	void recordsOfDifferentLocksAreIndependent() {
		assumeKeepsRecords();
		List<String> names = List.of(this.name, this.name + "x", this.name + ":record", "{" + this.name + "}:record",
				"{" + this.name + "}", this.name + "}");
		for (String each : names) {
			assertThat(this.first.replaceRecord(each, this.first.hold(each), null, "of " + each)).isEqualTo(REPLACED);
		}
		for (String each : names) {
			assertThat(this.second.record(each)).isEqualTo("of " + each);
			assertBusy(this.second.tryAcquire(each, this.second.newToken()));
		}
		LockToken elsewhere = this.second.hold(this.name + ":elsewhere");
		assertThat(this.second.replaceRecord(this.name, elsewhere, "of " + this.name, "x")).isEqualTo(NOT_HELD);
	}

	@Test
	void requestForARecordThatNobodyCouldReadIsRefused() {
		LockToken token = this.first.newToken();
		assertThatIllegalArgumentException().isThrownBy(() -> new RecordChange(this.name, token, null, "", LIFE))
			.withMessageContaining("empty");
		assertThatIllegalArgumentException().isThrownBy(() -> new RecordChange(this.name, token, "", "one", LIFE))
			.withMessageContaining("empty");
		for (Duration none : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
			assertThatIllegalArgumentException().isThrownBy(() -> new RecordChange(this.name, token, null, "one", none))
				.withMessageContaining(none.toString());
		}
	}

	@Test
	void storeThatKeepsNoRecordsSaysSo() {
		assumeFalse(keepsRecords(), "This store keeps records.");
		LockToken holder = this.first.hold(this.name);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.first.replaceRecord(this.name, holder, null, "one"))
			.withMessageContaining(this.first.store().description());
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> this.first.record(this.name))
			.withMessageContaining(this.first.store().description());
		assertThat(this.first.extend(this.name, holder, LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	private void assumeKeepsRecords() {
		assumeTrue(keepsRecords(), "This store keeps no records.");
	}

	private static RecordChange.Outcome different(@Nullable String text) {
		return new RecordChange.Outcome.Different(text);
	}

	private void assumeHandsOver() {
		assumeTrue(handsOver(), "This store does not hand locks over: its waiters ask again.");
	}

	private StoredLock found(StoreClient client) {
		return Objects.requireNonNull(client.find(this.name), "The lock is free");
	}

	private static void assertGranted(AcquireOutcome outcome) {
		assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
	}

	private static void assertBusy(AcquireOutcome outcome) {
		assertThat(outcome).isInstanceOf(AcquireOutcome.Busy.class);
	}

}
