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

package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.kinds.EachKind;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What waiting costs, how long it takes, and how it ends.
 */
@Timeout(120)
class WaitingTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions PATIENT = LONG.withWaitTime(Duration.ofMinutes(1));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	/**
	 * With waits that end at any moment, a request is often under way when they do. How
	 * long this goes on can be set with the system property {@code fuzz.seconds}.
	 */
	@ParameterizedTest
	@CsvSource({ "16, 50", "256, 500" })
	@Shows("Wait ends after at least one refusal, by Redis or a local holder")
	void contendersSeeNoOutageWhileRedisIsHealthy(int threads, int longestWait) throws Exception {
		List<Instance> instances = List.of(bed.instance("here"), bed.instance("there"));
		Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
		long end = System.nanoTime() + Duration.ofSeconds(Integer.getInteger("fuzz.seconds", 2)).toNanos();
		List<Thread> contenders = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Instance instance = instances.get(i % 2);
			LockKind kind = LockKind.values()[i % 3];
			// One of four is alone, whatever the kind
			LockOptions options = (i % 4 == 0) ? LONG : kind.of(LONG);
			Thread contender = new Thread(() -> {
				while (System.nanoTime() < end) {
					outcomes
						.computeIfAbsent(outcome(instance, kind.named("x"), options, longestWait),
								(key) -> new LongAdder())
						.increment();
				}
			});
			contenders.add(contender);
			contender.start();
		}
		for (Thread contender : contenders) {
			contender.join();
		}
		assertThat(outcomes).containsOnlyKeys("held", "busy");
	}

	private static String outcome(Instance instance, String name, LockOptions options, int longestWait) {
		long wait = ThreadLocalRandom.current().nextLong(longestWait + 1);
		try (LockHandle handle = instance.locks.acquire(name, options.withWaitTime(Duration.ofMillis(wait)))) {
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(10_000_000));
			return handle.isHeld() ? "held" : "lost";
		}
		catch (LockNotAcquiredException ex) {
			return "busy";
		}
		catch (LockUnavailableException ex) {
			return ex.getMessage();
		}
	}

	@Test
	@Shows("Many waiters, many names")
	void fiftyWaitersOnALockAreQuietAndAllServed() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> there.locks.acquire(kind.named("x"), LONG));
		Map<LockKind, List<Call<LockHandle>>> waiting = LockKind
			.map((kind) -> IntStream.range(0, 50).mapToObj((i) -> Call.start(() -> {
				LockHandle handle = here.locks.acquire(kind.named("x"), kind.of(PATIENT));
				handle.close();
				return handle;
			})).toList());
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 150);
		LockKind.forEach((kind) -> awaitQueued(kind.named("x")));

		long start = System.nanoTime();
		bed.server().resetCommandStats();
		TestBed.pass(Duration.ofSeconds(2));
		long commands = commands();
		double seconds = (System.nanoTime() - start) / 1e9;
		// One and the same instance looks once a second for each permit and each of the
		// other two locks, or a little more often
		assertThat(commands).isBetween(3L, 4 * (long) Math.ceil(2 * seconds));
		assertAtMostTwoConnectionsEach();

		LockKind.forEach((kind) -> {
			held.get(kind).close();
			waiting.get(kind).forEach(Call::get);
			assertThat(waiting.get(kind).stream().mapToLong((call) -> call.get().fencingToken()).distinct())
				.hasSize(50);
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Many waiters, many names")
	void contendedNamesAreNotLimited() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		List<LockHandle> held = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			String name = "name:" + i;
			LockKind.forEach((kind) -> {
				held.add(there.locks.acquire(kind.named(name), LONG));
				waiting.add(here.locks.acquireAsync(kind.named(name), kind.of(PATIENT)));
			});
		}
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 300);
		held.forEach(LockHandle::close);
		for (CompletableFuture<LockHandle> next : waiting) {
			next.orTimeout(60, TimeUnit.SECONDS).join().close();
		}
		assertAtMostTwoConnectionsEach();
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows({ "Many waiters, many names", "Holder killed", "Waiter killed or frozen" })
	void thousandsOfWaitersFollowAKilledHolderSoonAndVanishSoonWhenKilled() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		try (RemoteInstance holder = RemoteInstance.start(bed.server(), "holder");
				RemoteInstance crowd = RemoteInstance.start(bed.server(), "crowd")) {
			holder.awaitReady();
			crowd.awaitReady();
			LockKind.forEach((kind) -> {
				holder.acquire(kind.named("x"), LockKind.EXCLUSIVE, Duration.ofMinutes(5), Duration.ZERO);
				holder.acquire(kind.named("y"), LockKind.EXCLUSIVE, Duration.ofMinutes(5), Duration.ZERO);
				crowd.crowd(kind.named("y"), kind, crowdOf(kind));
				awaitQueued(kind.named("y"));
			});
			Map<LockKind, CompletableFuture<?>> served = LockKind.map((kind) -> CompletableFuture.allOf(IntStream
				.range(0, crowdOf(kind))
				.mapToObj(
						(i) -> here.locks.acquireAsync(kind.named("x"), kind.of(PATIENT)).thenAccept(LockHandle::close))
				.toArray(CompletableFuture<?>[]::new)));
			LockKind.forEach((kind) -> awaitQueued(kind.named("x")));
			holder.kill();
			crowd.kill();
			await().atMost(TestBed.SOON).until(() -> bed.inboxes("crowd").isEmpty());
			LockKind.forEach((kind) -> {
				bed.endLeases(kind.named("x"));
				bed.endLeases(kind.named("y"));
			});
			LockKind.forEach((kind) -> {
				there.locks.acquire(kind.named("y"), LONG.withWaitTime(TestBed.SOON)).release();
				assertThat(served.get(kind)).succeedsWithin(TestBed.SOON);
			});
		}
		bed.assertNothingIsLeft();
	}

	private static void awaitQueued(String name) {
		await().atMost(TestBed.SOON).until(() -> bed.queueLength(name) > 0);
	}

	private static int crowdOf(LockKind kind) {
		return (kind == LockKind.SHARED) ? 10_000 : 1000;
	}

	@Test
	@Shows("Waiters get the lock")
	void waitersOfThreeInstancesAreServedInTheOrderOfTheirArrival() {
		Instance here = bed.instance("here");
		List<Instance> others = List.of(bed.instance("first"), bed.instance("second"), bed.instance("third"));
		LockKind.forEach((kind) -> {
			String name = kind.named("x");
			LockHandle holder = here.locks.acquire(name, kind.of(LONG));
			List<Call<LockHandle>> waiting = new ArrayList<>();
			for (Instance other : others) {
				// None of them fits beside another
				LockOptions options = (waiting.size() == 1) ? kind.of(PATIENT) : PATIENT;
				waiting.add(Call.start(() -> other.locks.acquire(name, options)));
				bed.awaitQueueLength(name, waiting.size());
			}
			for (int i = 0; i < waiting.size(); i++) {
				holder.release();
				holder = waiting.get(i).get();
				assertThat(waiting.subList(i + 1, waiting.size())).noneMatch(Call::isDone);
			}
			holder.release();
		});
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows({ "Wait ends, or the instance closes, while waiting",
			"Wait ends after at least one refusal, by Redis or a local holder" })
	void waitsForLocalAndForRemoteHoldersDoNotAddUp(LockKind kind) {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		String name = kind.named("x");
		LockHandle held = there.locks.acquire(name, LONG);
		// Stands before the other one at the gate of this instance
		Call<LockHandle> first = Call.start(() -> here.locks.acquire(name, LONG.withWaitTime(LONG.lease())));
		bed.awaitQueueLength(name, 1);
		bed.awaitInbox(here);
		LockOptions brief = kind.of(LONG).withWaitTime(Duration.ofSeconds(120));
		Call<Optional<LockHandle>> second = Call.start(() -> here.locks.tryAcquire(name, brief));
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 2);
		here.advance(Duration.ofSeconds(40));
		// The rest of the wait passes while a local thread holds it
		held.close();
		LockHandle local = first.get();
		here.advance(Duration.ofSeconds(40));
		assertThat(second.isDone()).isFalse();
		here.advance(Duration.ofSeconds(40));
		// A wait of its own for the local holder would take longer than that
		await().atMost(TestBed.SOON).until(second::isDone);
		assertThat(second.get()).isEmpty();
		local.close();
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows("Lease too short, negative wait, renewal interval above half of the lease")
	void longestAndShortestTimesAreTimesLikeOthersAndWorseOnesAreRefused(LockKind kind) {
		assertThatIllegalArgumentException().isThrownBy(() -> kind.of(LONG).withLease(Duration.ofMillis(9)))
			.withMessageContaining("9ms, but must be at least 10ms");
		assertThatIllegalArgumentException().isThrownBy(() -> kind.of(LONG).withWaitTime(Duration.ofMillis(-1)))
			.withMessageContaining("-1ms, but must not be negative");
		assertThatIllegalArgumentException().isThrownBy(() -> kind.of(LONG).withAutoRenew(Duration.ofSeconds(151)))
			.withMessageContaining("2m31s, but must be at most half of the lease of 5m");
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		String name = kind.named("x");
		LockOptions shortest = LockOptions.ofLease(Duration.ofMillis(10)).withAutoRenew(Duration.ofMillis(5));
		try {
			here.locks.tryAcquire(kind.named("shortest"), kind.of(shortest)).ifPresent(LockHandle::close);
		}
		catch (LockUnavailableException ex) {
			assertThat(ex).as("on a busy machine").hasMessageContaining("its lease of 10ms can no longer be relied on");
		}
		Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
		LockOptions longest = LockOptions.ofLease(Duration.ofDays(3650)).withWaitTime(endless);
		LockHandle held = here.locks.acquire(name, kind.of(longest).withAutoRenew().withMaxHold(endless));
		assertThat(held.isHeld()).isTrue();
		assertThat(held.remaining()).isGreaterThan(Duration.ofDays(3600));
		assertThat(bed.timeToLive(name)).isGreaterThan(Duration.ofDays(3649));
		held.extend(endless);
		assertThat(held.isHeld()).isTrue();
		Call<LockHandle> waiting = Call.start(() -> there.locks.acquire(name, longest));
		Call<Boolean> view = Call.start(() -> there.locks.asLock(name, longest).tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
		bed.awaitQueueLength(name, 1);
		await().atMost(TestBed.SOON).until(() -> there.locks.waiting().size() == 2);
		view.interrupt();
		assertThat(view.failure()).isInstanceOf(InterruptedException.class);
		held.release();
		waiting.get().release();
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows("Wait ends, or the instance closes, while waiting")
	void closingAnInstanceEndsItsWaitsAndLeavesNoPlaceInTheQueue(LockKind kind) {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		String name = kind.named("x");
		LockHandle held = there.locks.acquire(name, LONG);
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire(name, kind.of(PATIENT)));
		CompletableFuture<LockHandle> future = here.locks.acquireAsync(name, kind.of(PATIENT));
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 2 && bed.queueLength(name) > 0);
		long closed = System.nanoTime();
		here.stop(Duration.ZERO);
		assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("shutting down");
		assertThat(waiting.tookSince(closed)).isLessThan(TestBed.SOON);
		assertThat(future).failsWithin(TestBed.SOON);
		assertThat(bed.queueLength(name)).isZero();
		held.close();
		bed.assertNothingIsLeft();
	}

	@EachKind
	@Shows("Thread interrupted")
	void viewKeepsTheInterruptFlagAndTriesAllTheSame(LockKind kind) {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Lock view = here.locks.asLock(kind.named("x"), kind.of(LONG));
		LockHandle held = there.locks.acquire(kind.named("x"), LONG);
		Call<List<Boolean>> call = Call.start(() -> {
			Thread.currentThread().interrupt();
			boolean whileBusy = view.tryLock();
			held.close();
			view.lock();
			boolean flag = Thread.currentThread().isInterrupted();
			view.unlock();
			boolean whileFree = view.tryLock();
			view.unlock();
			return List.of(whileBusy, flag, whileFree, Thread.currentThread().isInterrupted());
		});
		assertThat(call.get()).containsExactly(false, true, true, true);
		bed.assertNothingIsLeft();
	}

	private long commands() {
		return bed.server()
			.commandStats()
			.entrySet()
			.stream()
			.filter((command) -> command.getKey().matches("eval(sha)?|ping|publish|subscribe"))
			.mapToLong(Map.Entry::getValue)
			.sum();
	}

	/**
	 * One for commands and one that listens. The holder listens as well if it holds for
	 * long.
	 */
	private void assertAtMostTwoConnectionsEach() {
		String clients = (String) bed.server().cli("CLIENT", "LIST", "TYPE", "normal");
		String listening = (String) bed.server().cli("CLIENT", "LIST", "TYPE", "pubsub");
		// The connection that asks for the list is in it
		assertThat(clients.lines().count() - 1).isLessThanOrEqualTo(2);
		assertThat(listening.lines().count()).isBetween(1L, 2L);
	}

}
