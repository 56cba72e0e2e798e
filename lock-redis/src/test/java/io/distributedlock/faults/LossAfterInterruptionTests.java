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
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.Shows;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis has lost locks, and their holders learn of it when it answers again: long before
 * their next renewal, or their deadline, which are minutes away.
 */
@EachClient
@Timeout(120)
class LossAfterInterruptionTests {

	private static final int MANY = 10_000;

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final ToldHolders holders = new ToldHolders();

	private final ClientLibrary client;

	LossAfterInterruptionTests(ClientLibrary client) {
		this.client = client;
		bed.use(client);
	}

	@Test
	@Shows({ "Redis restarts without its newest data", "Redis restarted or flushed, key deleted" })
	void restartWithoutData() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().kill();
		bed.server().restart();
		awaitLosses(here, held, "restart");
	}

	@Test
	void restartWithoutDataAfterAnOutage() {
		Instance here = bed.impatientInstance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().kill();
		TestBed.pass(Duration.ofSeconds(2));
		assertThat(this.holders.told()).isEmpty();
		bed.server().restart();
		awaitLosses(here, held, "restart after 2 s");
	}

	@Test
	void lockThatSomebodyElseHasAfterTheRestart() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		List<LockHandle> held = holdEach(here);
		bed.server().restart();
		List<LockHandle> taken = held.stream()
			.map((handle) -> there.locks.acquire(handle.name(), ToldHolders.ONCE.withWaitTime(TestBed.SOON)))
			.toList();
		this.holders.awaitTold(held);
		assertThat(here.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
			.isSubsetOf(LossCause.KEY_VANISHED, LossCause.TAKEN_BY_OTHER);
		held.forEach(LockHandle::close);
		assertThat(taken).allMatch(LockHandle::isHeld)
			.allMatch((handle) -> bed.holders(handle.name()).get(0).startsWith(there.locks.instanceId()));
		taken.forEach(LockHandle::release);
		bed.assertNothingIsLeft();
	}

	@Test
	void connectionsBreakAndEverythingIsThere() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		Map<LockHandle, Duration> before = held.stream()
			.collect(Collectors.toMap(Function.identity(), (handle) -> bed.timeToLive(handle.name())));
		bed.server().resetCommandStats();
		breakConnections();
		await().atMost(TestBed.SOON).until(() -> bed.server().commandStats().getOrDefault("evalsha", 0L) > 0);
		TestBed.pass(Duration.ofSeconds(1));
		assertThat(this.holders.told()).isEmpty();
		before.forEach((handle, timeToLive) -> assertThat(bed.timeToLive(handle.name())).isLessThan(timeToLive));
		held.forEach(LockHandle::release);
	}

	@Test
	void connectionsBreakAndEverythingIsGone() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().flushAll();
		breakConnections();
		awaitLosses(here, held, "connections broken");
	}

	@Test
	void silentServerHasLostEverythingWhenItAnswersAgain() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		List<LockHandle> held = holdEach(here);
		bed.proxy.stall();
		bed.server().flushAll();
		here.locks.acquireAsync("unanswered", ToldHolders.ONCE);
		TestBed.pass(Duration.ofSeconds(2));
		assertThat(this.holders.told()).as("a silent server tells nothing").isEmpty();
		bed.proxy.heal();
		this.holders.awaitLosses(here, held, this.client + ", silent for 2 s", LossCause.KEY_VANISHED);
		// The request without an answer is carried out now, and given back
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void connectionsBreakAgainAndAgain() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().resetCommandStats();
		long began = System.nanoTime();
		while (System.nanoTime() - began < Duration.ofMillis(1500).toNanos()) {
			breakConnections();
			TestBed.pass(Duration.ofMillis(50));
		}
		TestBed.pass(Duration.ofSeconds(1));
		double seconds = (System.nanoTime() - began) / 1e9;
		assertThat(this.holders.told()).isEmpty();
		// Four rounds a second, whose scripts are sent again if their connections break
		assertThat(bed.server().commandStats().getOrDefault("evalsha", 0L)).isLessThan((long) (seconds * 4 * 5));
		bed.server().flushAll();
		breakConnections();
		awaitLosses(here, held, "connections broken again and again");
	}

	@Test
	void tenThousandHolds() {
		Instance here = bed.instance("here");
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			held.add(this.holders.hold(here, "many:" + i, ToldHolders.ONCE));
		}
		bed.awaitInbox(here);
		bed.server().restart();
		awaitLosses(here, held, "restart, %,d holds".formatted(MANY));
	}

	private List<LockHandle> holdEach(Instance instance) {
		List<LockHandle> held = this.holders.holdEach(instance);
		bed.awaitInbox(instance);
		return held;
	}

	private static void breakConnections() {
		bed.server().cli("CLIENT", "KILL", "TYPE", "pubsub");
		bed.server().cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
	}

	/**
	 * Redis answers from now on: all holders are told, and nothing is created again.
	 */
	private void awaitLosses(Instance instance, List<LockHandle> held, String label) {
		this.holders.awaitLosses(instance, held, this.client + ", " + label, LossCause.KEY_VANISHED);
		assertThat(bed.server().cli("KEYS", "lock:*")).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
	}

}
