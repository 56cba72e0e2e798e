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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockEvent;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The network between an instance and Redis swallows, cuts and resets.
 */
@EachClient
@Timeout(120)
class BrokenNetworkTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final ClientLibrary client;

	BrokenNetworkTests(ClientLibrary client) {
		this.client = client;
		bed.use(client);
	}

	@Test
	@Shows({ "Renewals without an answer", "Renewals do not reach Redis",
			"A holder whose lease runs out learns of it before Redis frees the lock" })
	void cutOffHolderLearnsOfTheLossBeforeRedisFreesTheLock() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		LockOptions renewed = LockOptions.ofLease(Duration.ofSeconds(100)).withAutoRenew().withWaitTime(PATIENCE);
		Map<LockKind, LockHandle> handles = LockKind
			.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(renewed)));
		Map<LockKind, CompletableFuture<Duration>> leftWhenTold = LockKind.map((kind) -> {
			CompletableFuture<Duration> left = new CompletableFuture<>();
			handles.get(kind).onLost((loss) -> left.complete(bed.timeToLive(kind.named("x"))));
			return left;
		});
		bed.proxy.blackHole();
		// More than one renewal fails
		here.advance(Duration.ofSeconds(60));
		assertThat(handles.values()).extracting(LockHandle::state).containsOnly(LockState.HELD);
		here.advance(Duration.ofSeconds(10));
		await().atMost(TestBed.SOON).until(() -> here.events(LockEvent.AtRisk.class).size() == handles.size());
		assertThat(handles.values()).allMatch(LockHandle::isHeld);
		// At most 98 s have passed for the holder, of the 100 s until Redis would free it
		here.advance(Duration.ofSeconds(28));
		LockKind.forEach((kind) -> {
			assertThat(leftWhenTold.get(kind).orTimeout(20, TimeUnit.SECONDS).join()).isPositive();
			assertThat(handles.get(kind).isHeld()).isFalse();
			here.awaitLoss(kind.named("x"), LossCause.STORE_UNREACHABLE);
			Call<Void> closing = Call.run(handles.get(kind)::close);
			assertThat(closing.took()).isLessThan(TestBed.SOON);
		});
		assertThat(here.events(LockEvent.AtRisk.class)).hasSize(handles.size());
	}

	@Test
	@Shows("Network swallows everything, then heals")
	void blackHoleIsLeftBehindAsSoonAsItHeals() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		int connections = bed.proxy.openConnections();
		bed.proxy.blackHole();
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> Call
			.start(() -> here.locks.acquire(kind.named("waited"), kind.of(LONG).withWaitTime(PATIENCE))));
		Map<LockKind, Call<?>> attempts = LockKind
			.map((kind) -> Call.start(() -> here.locks.acquire(kind.named("once"), kind.of(LONG))));
		LockKind.forEach((kind) -> {
			assertThat(attempts.get(kind).failure()).isInstanceOf(LockUnavailableException.class);
			assertThat(attempts.get(kind).took()).isLessThan(TestBed.SOON);
			assertThat(waiting.get(kind).isDone()).isFalse();
		});
		// Nobody says that the connection is dead, so it is given up after some timeouts
		await().atMost(TestBed.SOON).until(() -> bed.proxy.openConnections() > connections);
		long healed = System.nanoTime();
		bed.proxy.heal();
		LockKind.forEach((kind) -> {
			waiting.get(kind).get().close();
			assertThat(waiting.get(kind).tookSince(healed)).isLessThan(TestBed.SOON);
			here.locks.acquire(kind.named("once"), kind.of(LONG).withWaitTime(PATIENCE)).close();
		});
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Acquisition without an answer")
	void repliesThatAreCutOffLeaveNoOrphan() {
		// An instance for each, as a connection is given up after three timeouts
		Map<LockKind, Instance> instances = LockKind.map((kind) -> bed.impatientInstanceBehindProxy("here"));
		// Redis knows the scripts
		LockKind
			.forEach((kind) -> instances.get(kind).locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(PATIENCE))
				.release());
		bed.proxy.cutOneWay(Direction.TO_CLIENT);
		TestBed.withEachKind((kind) -> {
			Instance here = instances.get(kind);
			Call<?> attempt = Call.start(() -> here.locks.acquire(kind.named("x"), kind.of(LONG)));
			if (this.client == ClientLibrary.LETTUCE) {
				await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(here, kind.named("x")));
			}
			assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
		});
		if (this.client == ClientLibrary.JEDIS) {
			// Its connection waits for an answer, and a new one for that to its greeting
			bed.proxy.heal();
		}
		// The release is not answered either, but it arrives
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	@Shows("Lease shorter than the round trip")
	void leaseShorterThanTheRoundTripIsRefusedAndLeavesNothing() {
		Instance here = bed.instanceBehindProxy("here");
		bed.proxy.delay(Duration.ofMillis(200));
		LockOptions brief = LockOptions.ofLease(Duration.ofMillis(100));
		TestBed.withEachKind((kind) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> here.locks.acquire(kind.named("x"), kind.of(brief)))
			.withMessageContaining("100ms")
			.withMessageContaining("longer timeout"));
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows({ "Network swallows everything, then heals", "Acquisition without an answer" })
	void waiterGetsTheLockAsSoonAsTheNetworkDeliversAgain() {
		Instance here = bed.instance("here");
		Instance there = bed.impatientInstanceBehindProxy("there");
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> here.locks.acquire(kind.named("x"), LONG));
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> {
			Call<LockHandle> call = Call
				.start(() -> there.locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(PATIENCE)));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		bed.proxy.cutOneWay(Direction.TO_CLIENT);
		LockKind.forEach((kind) -> {
			held.get(kind).close();
			await().atMost(TestBed.SOON).until(() -> bed.isHeldBy(there, kind.named("x")));
		});
		TestBed.always(Duration.ofMillis(1200), () -> waiting.values().stream().noneMatch(Call::isDone));
		long healed = System.nanoTime();
		bed.proxy.heal();
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).get().isHeld()).isTrue();
			assertThat(waiting.get(kind).tookSince(healed)).isLessThan(TestBed.SOON);
			waiting.get(kind).get().release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Lock released during an outage")
	void releaseDuringAnOutageIsMadeUpFor() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> handles = LockKind
			.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(LONG).withWaitTime(PATIENCE)));
		Map<LockKind, Call<LockHandle>> next = LockKind.map((kind) -> {
			Call<LockHandle> call = Call.start(() -> there.locks.acquire(kind.named("x"), LONG.withWaitTime(PATIENCE)));
			bed.awaitQueueLength(kind.named("x"), 1);
			return call;
		});
		bed.proxy.refuseConnections();
		bed.proxy.resetConnections();
		TestBed.withEachKind((kind) -> {
			Call<Void> closing = Call.run(handles.get(kind)::close);
			assertThat(closing.failure()).isNull();
			assertThat(closing.took()).isLessThan(TestBed.SOON);
			assertThat(bed.isHeldBy(here, kind.named("x"))).isTrue();
		});
		assertThat(here.events(LockEvent.ReleaseFailed.class)).hasSize(handles.size());
		long healed = System.nanoTime();
		bed.proxy.heal();
		LockKind.forEach((kind) -> {
			next.get(kind).get().close();
			assertThat(next.get(kind).tookSince(healed)).isLessThan(TestBed.SOON);
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Network swallows everything, then heals")
	void connectionThatRedisClosesIsOpenedAgain() {
		Instance here = bed.instanceBehindProxy("here");
		Map<LockKind, LockHandle> handles = LockKind.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(LONG)));
		LockKind.forEach((kind) -> {
			bed.proxy.halfClose();
			handles.get(kind).extend(Duration.ofMinutes(5));
			assertThat(handles.get(kind).isHeld()).isTrue();
			handles.get(kind).release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows({ "Release or renewal without an answer", "One holder at a time" })
	void resetsAtAnyMomentNeitherLetTooManyInNorLeaveAnything() {
		List<Instance> instances = List.of(bed.impatientInstanceBehindProxy("one"),
				bed.impatientInstanceBehindProxy("two"));
		AtomicBoolean end = new AtomicBoolean();
		Map<LockKind, Company> companies = LockKind.map((kind) -> new Company());
		List<Call<Void>> contenders = new ArrayList<>();
		for (Instance instance : instances) {
			LockKind.forEach((kind) -> {
				// One of three is alone, whatever the kind
				for (LockOptions options : List.of(kind.of(LONG), kind.of(LONG), LONG)) {
					contenders.add(Call.run(() -> {
						while (!end.get()) {
							try {
								instance.locks.executeWithoutResult(kind.named("x"), options.withWaitTime(TestBed.SOON),
										(handle) -> {
											companies.get(kind).enter(options);
											Thread.yield();
											companies.get(kind).leave(options);
										});
							}
							catch (LockException ex) {
								// Nobody was let in
							}
						}
					}));
				}
			});
		}
		for (int reset = 0; reset < 20; reset++) {
			Map<LockKind, Integer> before = LockKind.map((kind) -> companies.get(kind).grants());
			await().atMost(TestBed.SOON)
				.pollInterval(Duration.ofMillis(10))
				.until(() -> before.keySet()
					.stream()
					.allMatch((kind) -> companies.get(kind).grants() > before.get(kind) + 5));
			bed.proxy.resetConnections();
		}
		end.set(true);
		contenders.forEach((contender) -> assertThat(contender.failure()).isNull());
		LockKind.forEach((kind) -> assertThat(companies.get(kind).tooLarge()).isEmpty());
		bed.assertNothingIsLeft(TestBed.SOON);
	}

}
