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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GateMap} and {@link Gate}.
 */
class GateTests extends EngineFixture {

	private static final LockOptions ONE_ATTEMPT = LockOptions.defaults();

	private static final LockOptions WAITING = ONE_ATTEMPT.withWaitTime(Duration.ofSeconds(1));

	private final LockEngine engine = this.here.engine();

	private final GateMap gates = new GateMap(this.engine);

	private final GateMap.Stripe stripe = this.gates.stripe("a");

	@Test
	void remainingWaitersAreServedInOrderAfterOthersLeave() {
		Gate gate = this.stripe.findOrCreate("a", 1);
		List<Waiter> waiters = enqueue(gate, WAITING, 6);
		gate.remove(waiters.get(0));
		gate.remove(waiters.get(3));
		gate.remove(waiters.get(5));
		Waiter late = new TestWaiter(WAITING);
		gate.enqueue(late);
		assertThat(gate.firstWaiter()).isSameAs(waiters.get(1));
		assertThat(List.of(gate.poll(), gate.poll(), gate.poll(), gate.poll())).containsExactly(waiters.get(1),
				waiters.get(2), waiters.get(4), late);
		assertThat(gate.poll()).isNull();
		assertThat(gate.hasWaiters()).isFalse();
		assertThat(gate.isIdle()).isTrue();
		assertThat(late.isWaiting()).isFalse();
	}

	@Test
	void gateStaysUntilTheLastWaiterLeaves() {
		Gate gate = this.stripe.findOrCreate("a", 1);
		List<Waiter> waiters = enqueue(gate, WAITING, 1);
		this.stripe.removeIfIdle("a".hashCode());
		assertThat(this.stripe.findOrCreate("a", 1)).isSameAs(gate);
		gate.remove(waiters.get(0));
		this.stripe.removeIfIdle("a".hashCode());
		assertThat(this.stripe.find("a", 1)).isNull();
	}

	@Test
	void aGateStaysIfAnotherOneWithTheSameHashCodeGoes() {
		assertThat("BB").hasSameHashCodeAs("Aa");
		this.stripe.findOrCreate("BB", 1);
		Gate gate = this.stripe.findOrCreate("Aa", 1);
		enqueue(gate, WAITING, 1);
		this.stripe.removeIfIdle("BB".hashCode());
		assertThat(this.stripe.snapshot()).containsExactly(gate);
	}

	@Test
	void findsGatesLikeAMapOfNames() {
		Random random = new Random(7);
		Map<String, Gate> expected = new HashMap<>();
		GateMap.Stripe table = this.stripe;
		for (int i = 0; i < 50_000; i++) {
			// Grows to hundreds of names and shrinks to none, several times
			boolean growing = (i / 5000) % 2 == 0;
			String name = "name" + random.nextInt(700);
			Gate gate = expected.get(name);
			assertThat(table.find(name, 1)).isSameAs(gate);
			if (gate == null && random.nextInt(4) < (growing ? 3 : 1)) {
				gate = table.findOrCreate(name, 1);
				expected.put(name, gate);
			}
			else if (gate != null && random.nextInt(4) < (growing ? 1 : 3)) {
				table.removeIfIdle(name.hashCode());
				table.removeIfIdle(name.hashCode());
				expected.remove(name);
			}
			if (i % 500 == 0) {
				assertThat(table.snapshot()).containsExactlyInAnyOrderElementsOf(expected.values());
			}
		}
	}

	@Test
	void forEachVisitsEachGateUnderTheLockOfTheStripeDespiteRemovals() {
		for (int i = 0; i < 5000; i++) {
			this.gates.stripe("name" + i).findOrCreate("name" + i, 1);
		}
		AtomicInteger visited = new AtomicInteger();
		this.gates.forEach((gate) -> {
			GateMap.Stripe stripe = this.gates.stripe(gate.name);
			assertThat(stripe.lock.isHeldByCurrentThread()).isTrue();
			stripe.removeIfIdle(gate.name.hashCode());
			visited.incrementAndGet();
		});
		assertThat(visited).hasValue(5000);
		this.gates.forEach((gate) -> visited.incrementAndGet());
		assertThat(visited).hasValue(5000);
	}

	@Test
	void manyNamesLeaveNoGatesBehind() {
		for (int i = 0; i < 3000; i++) {
			this.here.acquire("name" + i, ONE_ATTEMPT).close();
			CompletableFuture<LockHandle> attempt = this.here.acquireAsync("name" + i, WAITING);
			if (!attempt.cancel(true)) {
				attempt.join().close();
			}
		}
		soon(() -> this.here.held().isEmpty());
		AtomicInteger left = new AtomicInteger();
		this.here.engine().gates().forEach((gate) -> left.incrementAndGet());
		assertThat(left).hasValue(0);
	}

	private List<Waiter> enqueue(Gate gate, LockOptions options, int count) {
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Waiter waiter = new TestWaiter(options);
			waiters.add(waiter);
			gate.enqueue(waiter);
		}
		return waiters;
	}

	private static final class TestWaiter extends Waiter {

		TestWaiter(LockOptions options) {
			super("a", options, null, 0);
		}

		@Override
		void wake() {
		}

	}

}
