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

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
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
	void nobodyIsToldOfAnOutageWhileRedisIsHealthy(int threads, int longestWait) throws Exception {
		List<Instance> instances = List.of(bed.instance("here"), bed.instance("there"));
		Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
		long end = System.nanoTime() + Duration.ofSeconds(Integer.getInteger("fuzz.seconds", 2)).toNanos();
		List<Thread> contenders = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Instance instance = instances.get(i % 2);
			Thread contender = new Thread(() -> {
				while (System.nanoTime() < end) {
					outcomes.computeIfAbsent(outcome(instance, longestWait), (key) -> new LongAdder()).increment();
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

	private static String outcome(Instance instance, int longestWait) {
		long wait = ThreadLocalRandom.current().nextLong(longestWait + 1);
		try (LockHandle handle = instance.locks.acquire("x", LONG.withWaitTime(Duration.ofMillis(wait)))) {
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
	void fiftyWaitersOnOneLockAreQuietAndAllServed() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = there.locks.acquire("x", LONG);
		List<Call<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiting.add(Call.start(() -> {
				LockHandle handle = here.locks.acquire("x", PATIENT);
				handle.close();
				return handle;
			}));
		}
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 50);
		bed.awaitQueueLength("x", 1);

		long start = System.nanoTime();
		bed.server().resetCommandStats();
		TestBed.pass(Duration.ofSeconds(2));
		long commands = commands();
		double seconds = (System.nanoTime() - start) / 1e9;
		// One and the same instance looks once a second, or a little more often
		assertThat(commands).isBetween(1L, (long) Math.ceil(2 * seconds));
		assertAtMostTwoConnectionsEach();

		held.close();
		waiting.forEach(Call::get);
		assertThat(waiting.stream().mapToLong((call) -> call.get().fencingToken()).distinct()).hasSize(50);
		bed.assertNothingIsLeft();
	}

	@Test
	void thereIsNoLimitOnContendedNames() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		List<LockHandle> held = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			held.add(there.locks.acquire("name:" + i, LONG));
			waiting.add(here.locks.acquireAsync("name:" + i, PATIENT));
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
	void waitsForLocalAndForRemoteHoldersDoNotAddUp() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = there.locks.acquire("x", LONG);
		// Stands before the other one at the gate of this instance
		Call<LockHandle> first = Call.start(() -> here.locks.acquire("x", PATIENT));
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 1);
		Duration wait = Duration.ofMillis(1500);
		Call<Optional<LockHandle>> second = Call.start(() -> here.locks.tryAcquire("x", LONG.withWaitTime(wait)));
		Call<Optional<LockHandle>> third = Call.start(() -> {
			// Part of the wait passes while a local thread holds it
			held.close();
			return here.locks.tryAcquire("x", LONG.withWaitTime(wait));
		});
		assertThat(second.get()).isEmpty();
		assertThat(second.took()).isBetween(wait.minusMillis(10), wait.multipliedBy(2));
		assertThat(third.get()).isEmpty();
		assertThat(third.took()).isBetween(wait.minusMillis(10), wait.multipliedBy(2));
		first.get().close();
		bed.assertNothingIsLeft();
	}

	@Test
	void theLongestTimesThatCanBeWrittenAreTimesLikeOthers() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
		LockOptions longest = LockOptions.ofLease(Duration.ofDays(3650)).withWaitTime(endless);
		LockHandle held = here.locks.acquire("x", longest.withAutoRenew().withMaxHold(endless));
		assertThat(held.isHeld()).isTrue();
		assertThat(held.remaining()).isGreaterThan(Duration.ofDays(3600));
		assertThat(bed.timeToLive("x")).isGreaterThan(Duration.ofDays(3649));
		held.extend(endless);
		assertThat(held.isHeld()).isTrue();
		Call<LockHandle> waiting = Call.start(() -> there.locks.acquire("x", longest));
		Call<Boolean> view = Call.start(() -> there.locks.asLock("x", longest).tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
		bed.awaitQueueLength("x", 1);
		await().atMost(TestBed.SOON).until(() -> there.locks.waiting().size() == 2);
		view.interrupt();
		assertThat(view.failure()).isInstanceOf(InterruptedException.class);
		held.release();
		waiting.get().release();
		bed.assertNothingIsLeft();
	}

	@Test
	void closingAnInstanceEndsItsWaitsAndLeavesNoPlaceInTheQueue() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = there.locks.acquire("x", LONG);
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire("x", PATIENT));
		CompletableFuture<LockHandle> future = here.locks.acquireAsync("x", PATIENT);
		bed.awaitQueueLength("x", 1);
		long closed = System.nanoTime();
		here.stop(Duration.ZERO);
		assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("shutting down");
		assertThat(waiting.tookSince(closed)).isLessThan(TestBed.SOON);
		assertThat(future).failsWithin(TestBed.SOON);
		assertThat(bed.queueLength("x")).isZero();
		held.close();
		bed.assertNothingIsLeft();
	}

	@Test
	void aViewKeepsTheInterruptFlagAndTriesAllTheSame() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Lock view = here.locks.asLock("x", LONG);
		LockHandle held = there.locks.acquire("x", LONG);
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
