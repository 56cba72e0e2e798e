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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;

import io.distributedlock.HeldLock;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Locks with permits, and shared locks.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class SeveralHoldersTests extends EngineFixture {

	private static final LockOptions TWO = LEASE_30S.withPermits(2);

	private static final LockOptions SHARED = LEASE_30S.withShared();

	@Test
	void aThreadLeavesNothingOfAHoldThatItHasDetachedOrClosed() {
		Handle handle = (Handle) this.here.acquire("a", TWO);
		Gate gate = handle.hold().lease.gate;
		assertThat(owned(gate)).isTrue();
		handle.detach();
		assertThat(handle.hold().owner()).isNull();
		assertThat(owned(gate)).isFalse();
		LockHandle again = this.here.acquire("a", TWO);
		assertThat(owned(gate)).isTrue();
		again.close();
		assertThat(owned(gate)).isFalse();
		handle.close();
		assertThat(gate.locked(gate::isIdle)).isTrue();
	}

	private static boolean owned(Gate gate) {
		return gate.locked(() -> gate.holdOf(Thread.currentThread()) != null);
	}

	@Test
	void asManyHoldAsThereArePermitsOnAllInstancesTogether() throws Exception {
		LockHandle first = granted(this.here.acquireAsync("a", TWO));
		LockHandle second = granted(this.there.acquireAsync("a", TWO));
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertBusy(this.here.acquireAsync("a", TWO));
		assertBusy(this.there.acquireAsync("a", TWO));
		first.close();
		LockHandle third = granted(this.there.acquireAsync("a", TWO));
		assertThat(third.isHeld() && second.isHeld()).isTrue();
	}

	@Test
	void aSnapshotSaysForHowManyTheHolderAsked() throws Exception {
		keep(granted(this.here.acquireAsync("some", TWO)));
		keep(granted(this.here.acquireAsync("any", SHARED)));
		keep(granted(this.here.acquireAsync("one", LEASE_30S)));
		assertThat(this.here.held()).extracting(HeldLock::name, HeldLock::permits, HeldLock::mode)
			.containsExactlyInAnyOrder(tuple("some", 2, LockMode.EXCLUSIVE), tuple("any", 1, LockMode.SHARED),
					tuple("one", 1, LockMode.EXCLUSIVE));
	}

	@Test
	void aCallerIsRefusedHereWhileAllPermitsAreHeldHere() throws Exception {
		granted(this.here.acquireAsync("a", TWO)).detach();
		LockHandle second = keep(granted(this.here.acquireAsync("a", TWO)));
		int requests = this.store.count("acquire");
		assertBusy(this.here.acquireAsync("a", TWO));
		assertThat(this.store.count("acquire")).isEqualTo(requests);
		assertThat(second.isHeld()).isTrue();
	}

	@Test
	void anyNumberOfReadersExcludesAWriter() throws Exception {
		List<LockHandle> readers = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			readers.add(granted(((i % 2 == 0) ? this.here : this.there).acquireAsync("a", SHARED)));
		}
		assertThat(readers).allMatch(LockHandle::isHeld);
		assertBusy(this.here.acquireAsync("a", LEASE_30S));
		CompletableFuture<LockHandle> writer = this.here.acquireAsync("a", WAITING);
		soon(() -> this.store.queued() == 1);
		for (LockHandle reader : readers) {
			assertThat(writer).isNotDone();
			reader.close();
		}
		LockHandle alone = granted(writer);
		assertBusy(this.there.acquireAsync("a", SHARED));
		assertThat(alone.isHeld()).isTrue();
	}

	@Test
	void readersDoNotOvertakeAWaitingWriter() throws Exception {
		LockHandle reader = granted(this.there.acquireAsync("a", SHARED));
		CompletableFuture<LockHandle> writer = queue("a", WAITING);
		assertBusy(this.there.acquireAsync("a", SHARED));
		CompletableFuture<LockHandle> later = this.there.acquireAsync("a", WAITING.withShared());
		reader.close();
		LockHandle alone = granted(writer);
		assertThat(later).isNotDone();
		alone.close();
		assertThat(granted(later).isHeld()).isTrue();
	}

	@Test
	void smallestNumberOfPermitsAmongHoldersAndCallersCounts() throws Exception {
		LockHandle first = granted(this.here.acquireAsync("a", LEASE_30S.withPermits(5)));
		LockHandle second = granted(this.here.acquireAsync("a", LEASE_30S.withPermits(3)));
		assertBusy(this.there.acquireAsync("a", TWO));
		LockHandle third = granted(this.there.acquireAsync("a", SHARED));
		assertBusy(this.there.acquireAsync("a", LEASE_30S.withPermits(5)));
		second.close();
		assertThat(granted(this.there.acquireAsync("a", LEASE_30S.withPermits(5))).isHeld()).isTrue();
		assertThat(first.isHeld() && third.isHeld()).isTrue();
	}

	@Test
	void waitersGetTheFirstPermitOfAnyHolder() throws Exception {
		LockHandle slow = granted(this.here.acquireAsync("a", TWO));
		LockHandle fast = granted(this.here.acquireAsync("a", TWO));
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiters.add(this.here.acquireAsync("a", WAITING.withPermits(2)));
		}
		fast.close();
		for (CompletableFuture<LockHandle> waiter : waiters) {
			granted(waiter).close();
		}
		assertThat(slow.isHeld()).isTrue();
	}

	@Test
	void waitersHereAndThereAreServedInTheirOrder() throws Exception {
		LockHandle first = granted(this.here.acquireAsync("a", TWO));
		LockHandle second = granted(this.there.acquireAsync("a", TWO));
		CompletableFuture<LockHandle> waiterHere = queue("a", WAITING.withPermits(2));
		CompletableFuture<LockHandle> waiterThere = this.there.acquireAsync("a", WAITING.withPermits(2));
		soon(() -> this.thereStore.queued() == 1);
		first.close();
		assertThat(granted(waiterHere).isHeld()).isTrue();
		assertThat(waiterThere).isNotDone();
		second.close();
		assertThat(granted(waiterThere).isHeld()).isTrue();
	}

	@Test
	void holderReentersWithoutTheStore() {
		LockHandle outer = this.here.acquire("a", TWO);
		keep(this.here.acquireAsync("a", TWO).join());
		int requests = this.store.count("acquire");
		try (LockHandle inner = this.here.acquire("a", TWO)) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		}
		try (LockHandle wider = this.here.acquire("a", SHARED)) {
			assertThat(wider.fencingToken()).isEqualTo(outer.fencingToken());
		}
		assertThat(this.store.count("acquire")).isEqualTo(requests);
		assertThat(this.here.current("a")).containsSame(outer);
		outer.close();
		assertThat(this.here.current("a")).isEmpty();
	}

	@Test
	void exclusiveHolderMayReenterShared() {
		LockHandle alone = this.here.acquire("a", LEASE_30S);
		try (LockHandle shared = this.here.acquire("a", SHARED)) {
			assertThat(shared.fencingToken()).isEqualTo(alone.fencingToken());
		}
		assertBusy(this.there.acquireAsync("a", SHARED));
	}

	@Test
	void sharedHolderCannotReenterExclusively() {
		LockHandle shared = this.here.acquire("a", SHARED);
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> this.here.acquire("a", WAITING))
			.withMessageContaining("'a'")
			.withMessageContaining("Release the lock first");
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> this.here.acquire("a", TWO));
		assertThat(shared.isHeld()).isTrue();
		shared.close();
		this.here.acquire("a", LEASE_30S).close();
	}

	@Test
	void refusalTellsTheNumberOfHolders(CapturedOutput output) throws Exception {
		granted(this.here.acquireAsync("a", TWO)).detach();
		granted(this.there.acquireAsync("a", TWO)).detach();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.here.acquire("a", TWO))
			.withMessageContaining("is held by 2 callers, first of them ")
			.satisfies((ex) -> assertThat(ex.getHolder()).isNotNull()
				.satisfies((holder) -> assertThat(holder.holders()).isEqualTo(2)));
		assertThat(this.there.find("a")).hasValueSatisfying((info) -> assertThat(info.holders()).isEqualTo(2));
		assertThat(output).doesNotContain("permits");
	}

	@Test
	void refusalOfAReaderNamesTheWaitingWriter() throws Exception {
		granted(this.there.acquireAsync("a", SHARED)).detach();
		queue("a", WAITING);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.there.acquire("a", SHARED))
			.withMessageContaining("is held, and others wait for it, first of them instance 'here'; not acquired")
			.satisfies((ex) -> assertThat(ex.getHolder()).isNotNull()
				.satisfies((info) -> assertThat(info.othersWait()).isTrue())
				.satisfies((info) -> assertThat(info.mode()).isEqualTo(LockMode.SHARED)));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.there.acquire("a", LEASE_30S))
			.withMessageContaining("is held by this instance")
			.satisfies((ex) -> assertThat(ex.getHolder().othersWait()).isFalse());
	}

	@Test
	void lockInfoHasModeAndPermits() throws Exception {
		granted(this.here.acquireAsync("alone", LEASE_30S)).detach();
		granted(this.here.acquireAsync("some", LEASE_30S.withPermits(3))).detach();
		granted(this.there.acquireAsync("some", LEASE_30S.withPermits(5))).detach();
		granted(this.here.acquireAsync("any", SHARED)).detach();
		assertThat(List.of("alone", "some", "any")).map((name) -> this.there.find(name).orElseThrow())
			.extracting(LockInfo::mode, LockInfo::permits, LockInfo::holders)
			.containsExactly(tuple(LockMode.EXCLUSIVE, 1, 1), tuple(LockMode.EXCLUSIVE, 3, 2),
					tuple(LockMode.SHARED, 1, 1));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.here.acquire("any", LEASE_30S))
			.satisfies((ex) -> assertThat(ex.getHolder().mode()).isEqualTo(LockMode.SHARED));
	}

	@Test
	void callersWithOtherPermitsAreWarnedOfOnce(CapturedOutput output) throws Exception {
		granted(this.here.acquireAsync("a", TWO)).detach();
		granted(this.here.acquireAsync("a", TWO)).detach();
		for (int i = 0; i < 3; i++) {
			assertBusy(this.there.acquireAsync("a", LEASE_30S.withPermits(3)));
			assertBusy(this.there.acquireAsync("a", SHARED));
			assertBusy(this.there.acquireAsync("a", LEASE_30S));
		}
		assertThat(output.toString()).containsOnlyOnce("Lock 'a' is wanted with 3 permits and held with 2.")
			.containsOnlyOnce("is wanted with");
	}

	@Test
	void readLockOfAReadWriteLockIsShared() {
		ReadWriteLock ours = this.here.asReadWriteLock("a", LEASE_30S);
		ReadWriteLock theirs = this.there.asReadWriteLock("a", TWO);
		assertThat(ours.readLock().tryLock()).isTrue();
		assertThat(theirs.readLock().tryLock()).isTrue();
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> ours.writeLock().tryLock());
		ours.readLock().unlock();
		assertThat(ours.writeLock().tryLock()).isFalse();
		theirs.readLock().unlock();
		assertThat(ours.writeLock().tryLock()).isTrue();
		assertThat(ours.readLock().tryLock()).isTrue();
		ours.writeLock().unlock();
		assertThat(theirs.readLock().tryLock()).isFalse();
		ours.readLock().unlock();
		assertThat(theirs.writeLock().tryLock()).isTrue();
		theirs.writeLock().unlock();
	}

	@Test
	void eachHolderHasASeparateLease() throws Exception {
		LockHandle renewed = keep(granted(this.here.acquireAsync("a", TWO.withAutoRenew())));
		LockHandle other = keep(granted(this.here.acquireAsync("a", TWO)));
		LockHandle extended = granted(this.there.acquireAsync("b", TWO));
		extended.extend(Duration.ofMinutes(2));
		passWithIo(Duration.ofSeconds(40));
		assertThat(renewed.isHeld()).isTrue();
		assertThat(other.state()).isEqualTo(LockState.LOST);
		assertThat(extended.isHeld()).isTrue();
		soon(() -> !events(LockEvent.Lost.class).isEmpty());
		assertThat(events(LockEvent.Lost.class)).hasSize(1);
		assertThat(granted(this.there.acquireAsync("a", TWO)).isHeld()).isTrue();
		assertBusy(this.there.acquireAsync("a", TWO));
	}

	@Test
	void permitIsKeptForTheMinimumHold() throws Exception {
		LockOptions kept = TWO.withMinHold(Duration.ofSeconds(10));
		granted(this.here.acquireAsync("a", kept)).close();
		granted(this.here.acquireAsync("a", kept)).close();
		this.here.awaitIo();
		assertBusy(this.there.acquireAsync("a", TWO));
		passWithIo(Duration.ofSeconds(11));
		assertThat(granted(this.there.acquireAsync("a", TWO)).isHeld()).isTrue();
	}

	@Test
	void cancelledWaitersLeaveNothing() throws Exception {
		List<LockHandle> holders = List.of(granted(this.there.acquireAsync("a", TWO)),
				granted(this.there.acquireAsync("a", TWO)));
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			waiters.add(this.here.acquireAsync("a", WAITING.withPermits(2)));
		}
		soon(() -> this.store.queued() >= 1);
		waiters.forEach((waiter) -> waiter.cancel(false));
		this.here.awaitIo();
		soon(() -> this.here.waiting().isEmpty());
		holders.forEach(LockHandle::close);
		assertThat(granted(this.there.acquireAsync("a", LEASE_30S)).isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 7 })
	void neverMoreThanThePermitsUnderLoad(int permits) throws Exception {
		load(LEASE_30S.withPermits(permits).withWaitTime(Duration.ofSeconds(30)), permits);
	}

	/**
	 * Threads of three instances that acquire with the given options, or alone.
	 */
	private static void load(LockOptions options, int limit) throws Exception {
		InMemoryLockStore table = new InMemoryLockStore();
		List<DefaultLockService> instances = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			instances.add(new DefaultLockService(table.connect(), EngineSettings.of("i" + i), List.of()));
		}
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger disturbed = new AtomicInteger();
		ExecutorService pool = Executors.newFixedThreadPool(18);
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(800);
		List<Future<?>> work = new ArrayList<>();
		for (int i = 0; i < 18; i++) {
			DefaultLockService instance = instances.get(i % 3);
			boolean alone = i < 2;
			work.add(pool.submit(() -> {
				while (System.nanoTime() < end) {
					LockHandle handle = oneWayOrTheOther(instance, alone ? options.withExclusive() : options);
					if (handle != null) {
						int now = inside.incrementAndGet();
						most.accumulateAndGet(now, Math::max);
						disturbed.addAndGet((alone && now > 1) ? 1 : 0);
						// Long enough for others to come
						LockSupport.parkNanos(200_000);
						inside.decrementAndGet();
						handle.close();
					}
				}
				return null;
			}));
		}
		for (Future<?> one : work) {
			one.get();
		}
		pool.shutdown();
		instances.forEach(DefaultLockService::close);
		assertThat(disturbed).hasValue(0);
		assertThat(most.get()).isBetween(2, limit);
		assertThat(table.connect().list(10).get().locks()).isEmpty();
	}

	private static LockHandle oneWayOrTheOther(DefaultLockService instance, LockOptions options) throws Exception {
		return switch (ThreadLocalRandom.current().nextInt(4)) {
			case 0 -> instance.tryAcquire("a", options.withWaitTime(Duration.ZERO)).orElse(null);
			case 1 -> instance.acquireAsync("a", options).get();
			case 2 -> instance.tryAcquire("a", options.withWaitTime(Duration.ofMillis(1))).orElse(null);
			default -> instance.acquire("a", options);
		};
	}

	@Test
	void sharedAndExclusiveUnderLoad() throws Exception {
		load(LEASE_30S.withShared().withWaitTime(Duration.ofSeconds(30)), 18);
	}

	@Test
	void contradictingOptionsAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LEASE_30S.withPermits(0))
			.withMessage("The permits are 0, but must be at least 1.");
		assertThatIllegalArgumentException().isThrownBy(() -> TWO.withShared())
			.withMessageStartingWith("A shared lock has no permits: use either permits");
		assertThat(TWO.withExclusive()).isEqualTo(LEASE_30S);
		assertThat(SHARED.withExclusive()).isEqualTo(LEASE_30S).isNotEqualTo(SHARED);
		assertThat(SHARED.mode()).isEqualTo(LockMode.SHARED);
	}

	private static void assertBusy(CompletableFuture<LockHandle> attempt) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> attempt.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

}
