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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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

	private static final Log logger = LogFactory.getLog(LossAfterInterruptionTests.class);

	private static final LockOptions ONCE = LockOptions.ofLease(Duration.ofMinutes(10));

	private static final Map<String, LockOptions> HOLDS = Map.of("once", ONCE, "renewed",
			ONCE.withAutoRenew(Duration.ofMinutes(3)), "minimum", ONCE.withMinHold(Duration.ofMinutes(2)));

	private static final int MANY = 10_000;

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final Map<LockHandle, Long> told = new ConcurrentHashMap<>();

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
		assertThat(this.told).isEmpty();
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
			.map((handle) -> there.locks.acquire(handle.name(), ONCE.withWaitTime(TestBed.SOON)))
			.toList();
		await().atMost(TestBed.SOON).until(() -> this.told.size() == held.size());
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
		assertThat(this.told).isEmpty();
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
		here.locks.acquireAsync("unanswered", ONCE);
		TestBed.pass(Duration.ofSeconds(2));
		assertThat(this.told).as("a silent server tells nothing").isEmpty();
		bed.proxy.heal();
		awaitLosses(here, held, "silent for 2 s");
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
		assertThat(this.told).isEmpty();
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
			held.add(hold(here, "many:" + i, ONCE));
		}
		bed.awaitInbox(here);
		bed.server().restart();
		awaitLosses(here, held, "restart, %,d holds".formatted(MANY));
	}

	/** Not renewed, renewed and with a minimum hold, of each kind. */
	private List<LockHandle> holdEach(Instance instance) {
		List<LockHandle> held = new ArrayList<>();
		HOLDS.forEach((label, options) -> LockKind
			.forEach((kind) -> held.add(hold(instance, kind.named(label), kind.of(options)))));
		bed.awaitInbox(instance);
		return held;
	}

	private LockHandle hold(Instance instance, String name, LockOptions options) {
		LockHandle handle = instance.locks.acquire(name, options);
		handle.onLost((loss) -> this.told.put(handle, System.nanoTime()));
		return handle;
	}

	private static void breakConnections() {
		bed.server().cli("CLIENT", "KILL", "TYPE", "pubsub");
		bed.server().cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
	}

	/**
	 * Redis answers from now on: all holders are told, and nothing is created again.
	 */
	private void awaitLosses(Instance instance, List<LockHandle> held, String label) {
		long since = System.nanoTime();
		await().atMost(TestBed.SOON).until(() -> this.told.size() == held.size());
		// Listeners are called by another thread than callbacks
		await().atMost(TestBed.SOON).until(() -> instance.events(LockEvent.Lost.class).size() == held.size());
		assertThat(instance.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
			.containsOnly(LossCause.KEY_VANISHED);
		assertThat(held).noneMatch(LockHandle::isHeld);
		held.forEach(LockHandle::close);
		assertThat(bed.server().cli("KEYS", "lock:*")).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
		List<Long> millis = this.told.values().stream().map((at) -> (at - since) / 1_000_000).sorted().toList();
		logger.info("%s, %s: told after %d ms (median), %d ms (last)".formatted(this.client, label,
				millis.get(millis.size() / 2), millis.get(millis.size() - 1)));
	}

}
