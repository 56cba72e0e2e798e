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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockEvent;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.testsupport.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The network between an instance and Redis swallows, cuts and resets.
 */
@Timeout(120)
class BrokenNetworkTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	@Test
	void aHolderWhoIsCutOffIsToldBeforeRedisFreesTheLock() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		CompletableFuture<Duration> leftWhenTold = new CompletableFuture<>();
		LockHandle handle = here.locks.acquire("x",
				LockOptions.ofLease(Duration.ofSeconds(100)).withAutoRenew().withWaitTime(PATIENCE));
		handle.onLost((loss) -> leftWhenTold.complete(bed.timeToLive("x")));
		bed.proxy.blackHole();
		// More than one renewal fails
		here.advance(Duration.ofSeconds(60));
		assertThat(handle.state()).isEqualTo(LockState.HELD);
		here.advance(Duration.ofSeconds(10));
		await().atMost(TestBed.SOON).until(() -> here.events(LockEvent.AtRisk.class).size() == 1);
		assertThat(handle.isHeld()).isTrue();
		// At most 98 s have passed for the holder, of the 100 s until Redis would free it
		here.advance(Duration.ofSeconds(28));
		assertThat(leftWhenTold.orTimeout(20, TimeUnit.SECONDS).join()).isPositive();
		assertThat(handle.isHeld()).isFalse();
		assertThat(here.events(LockEvent.AtRisk.class)).hasSize(1);
		here.awaitLosses(LossCause.STORE_UNREACHABLE);
		Call<Void> closing = Call.run(handle::close);
		assertThat(closing.took()).isLessThan(TestBed.SOON);
	}

	@Test
	void aBlackHoleIsLeftBehindAsSoonAsItHeals() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		int connections = bed.proxy.openConnections();
		bed.proxy.blackHole();
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire("waited", LONG.withWaitTime(PATIENCE)));
		List<Call<?>> attempts = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			String name = "once:" + i;
			attempts.add(Call.start(() -> here.locks.acquire(name, LONG)));
		}
		attempts.forEach((attempt) -> {
			assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
			assertThat(attempt.took()).isLessThan(TestBed.SOON);
		});
		assertThat(waiting.isDone()).isFalse();
		// Nobody says that the connection is dead, so it is given up after some timeouts
		await().atMost(TestBed.SOON).until(() -> bed.proxy.openConnections() > connections);
		long healed = System.nanoTime();
		bed.proxy.heal();
		waiting.get().close();
		assertThat(waiting.tookSince(healed)).isLessThan(TestBed.SOON);
		here.locks.acquire("once:0", LONG.withWaitTime(PATIENCE)).close();
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void repliesThatAreCutOffLeaveNoOrphan() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		bed.proxy.cutOneWay(Direction.TO_CLIENT);
		Call<?> attempt = Call.start(() -> here.locks.acquire("x", LONG));
		await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(here, "x"));
		assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
		// The release is not answered either, but it arrives
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void aWaiterWhoHearsNothingForAWhileGetsTheLockAsSoonAsHeHearsAgain() {
		Instance here = bed.instance("here");
		Instance there = bed.impatientInstanceBehindProxy("there");
		LockHandle held = here.locks.acquire("x", LONG);
		Call<LockHandle> waiting = Call.start(() -> there.locks.acquire("x", LONG.withWaitTime(PATIENCE)));
		bed.awaitQueueLength("x", 1);
		bed.proxy.cutOneWay(Direction.TO_CLIENT);
		held.close();
		await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(there, "x"));
		TestBed.always(Duration.ofMillis(1200), () -> !waiting.isDone());
		long healed = System.nanoTime();
		bed.proxy.heal();
		assertThat(waiting.get().isHeld()).isTrue();
		assertThat(waiting.tookSince(healed)).isLessThan(TestBed.SOON);
		waiting.get().release();
		bed.assertNothingIsLeft();
	}

	@Test
	void aReleaseDuringAnOutageIsMadeUpFor() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		Instance there = bed.instance("there");
		LockHandle handle = here.locks.acquire("x", LONG.withWaitTime(PATIENCE));
		Call<LockHandle> next = Call.start(() -> there.locks.acquire("x", LONG.withWaitTime(PATIENCE)));
		bed.awaitQueueLength("x", 1);
		bed.proxy.refuseConnections();
		bed.proxy.resetConnections();
		Call<Void> closing = Call.run(handle::close);
		assertThat(closing.failure()).isNull();
		assertThat(closing.took()).isLessThan(TestBed.SOON);
		assertThat(here.events(LockEvent.ReleaseFailed.class)).hasSize(1);
		assertThat(bed.isHeldBy(here, "x")).isTrue();
		long healed = System.nanoTime();
		bed.proxy.heal();
		next.get().close();
		assertThat(next.tookSince(healed)).isLessThan(TestBed.SOON);
		bed.assertNothingIsLeft();
	}

	@Test
	void aConnectionThatRedisClosesIsOpenedAgain() {
		Instance here = bed.instanceBehindProxy("here");
		LockHandle handle = here.locks.acquire("x", LONG);
		bed.proxy.halfClose();
		handle.extend(Duration.ofMinutes(5));
		assertThat(handle.isHeld()).isTrue();
		handle.release();
		bed.assertNothingIsLeft();
	}

	@Test
	void resetsAtAnyMomentNeitherLetTwoInNorLeaveAnything() {
		List<Instance> instances = List.of(bed.impatientInstanceBehindProxy("one"),
				bed.impatientInstanceBehindProxy("two"));
		AtomicBoolean end = new AtomicBoolean();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger sections = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		List<Call<Void>> contenders = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			Instance instance = instances.get(i % 2);
			contenders.add(Call.run(() -> {
				while (!end.get()) {
					try {
						instance.locks.executeWithoutResult("x", LONG.withWaitTime(TestBed.SOON), (handle) -> {
							overlaps.addAndGet((inside.incrementAndGet() == 1) ? 0 : 1);
							Thread.yield();
							inside.decrementAndGet();
							sections.incrementAndGet();
						});
					}
					catch (LockException ex) {
						// Nobody was let in
					}
				}
			}));
		}
		for (int reset = 0; reset < 20; reset++) {
			int before = sections.get();
			await().atMost(TestBed.SOON).pollInterval(Duration.ofMillis(10)).until(() -> sections.get() > before + 10);
			bed.proxy.resetConnections();
		}
		end.set(true);
		contenders.forEach((contender) -> assertThat(contender.failure()).isNull());
		assertThat(overlaps).hasValue(0);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

}
