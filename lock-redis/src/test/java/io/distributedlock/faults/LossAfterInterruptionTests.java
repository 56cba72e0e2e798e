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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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

	LossAfterInterruptionTests(ClientLibrary client) {
		bed.use(client);
	}

	@Test
	@Shows({ "Redis restarts without its newest data", "Redis restarted or flushed, key deleted" })
	void restartWithoutData() {
		Instance here = bed.instance("here");
		Map<String, LockHandle> held = holdEach(here);
		bed.server().kill();
		bed.server().restart();
		long answers = System.nanoTime();
		awaitLosses(here, held.values(), LossCause.KEY_VANISHED);
		report("restart", held, answers);
	}

	@Test
	void restartWithoutDataAfterAnOutage() {
		Instance here = bed.impatientInstance("here");
		Map<String, LockHandle> held = holdEach(here);
		bed.server().kill();
		TestBed.pass(Duration.ofSeconds(2));
		assertThat(this.told).isEmpty();
		bed.server().restart();
		long answers = System.nanoTime();
		awaitLosses(here, held.values(), LossCause.KEY_VANISHED);
		report("restart after 2 s", held, answers);
	}

	@Test
	void lockThatSomebodyElseHasAfterTheRestart() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<String, LockHandle> held = holdEach(here);
		bed.server().restart();
		Map<String, LockHandle> taken = new LinkedHashMap<>();
		held.forEach((name, handle) -> there.locks
			.tryAcquire(name.substring(name.indexOf(' ') + 1), ONCE.withWaitTime(TestBed.SOON))
			.ifPresent((other) -> taken.put(name, other)));
		assertThat(taken).hasSameSizeAs(held);
		await().atMost(TestBed.SOON).until(() -> this.told.size() == held.size());
		assertThat(here.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
			.isSubsetOf(LossCause.KEY_VANISHED, LossCause.TAKEN_BY_OTHER);
		assertThat(taken.values()).allMatch(LockHandle::isHeld);
		held.values().forEach(LockHandle::close);
		assertThat(taken.values())
			.allMatch((handle) -> bed.holders(handle.name()).get(0).startsWith(there.locks.instanceId()));
		taken.values().forEach(LockHandle::release);
		bed.assertNothingIsLeft();
	}

	@Test
	void connectionsBreakAndEverythingIsThere() {
		Instance here = bed.instance("here");
		Map<String, LockHandle> held = holdEach(here);
		Map<String, Duration> before = new LinkedHashMap<>();
		held.forEach((name, handle) -> before.put(name, bed.timeToLive(handle.name())));
		bed.server().resetCommandStats();
		breakConnections();
		await().atMost(TestBed.SOON).until(() -> bed.server().commandStats().getOrDefault("evalsha", 0L) > 0);
		TestBed.pass(Duration.ofSeconds(1));
		assertThat(this.told).isEmpty();
		held.forEach((name, handle) -> assertThat(bed.timeToLive(handle.name())).isLessThan(before.get(name)));
		held.values().forEach(LockHandle::release);
	}

	@Test
	void connectionsBreakAndEverythingIsGone() {
		Instance here = bed.instance("here");
		Map<String, LockHandle> held = holdEach(here);
		bed.server().flushAll();
		breakConnections();
		long answers = System.nanoTime();
		awaitLosses(here, held.values(), LossCause.KEY_VANISHED);
		report("connections broken", held, answers);
	}

	@Test
	void silentServerHasLostEverythingWhenItAnswersAgain() {
		Instance here = bed.impatientInstance("here");
		Map<String, LockHandle> held = holdEach(here);
		bed.server().flushAll();
		bed.server().pause();
		here.locks.acquireAsync("unanswered", ONCE);
		TestBed.pass(Duration.ofSeconds(2));
		assertThat(this.told).isEmpty();
		bed.server().resume();
		long answers = System.nanoTime();
		awaitLosses(here, held.values(), LossCause.KEY_VANISHED);
		report("silent for 2 s", held, answers);
	}

	@Test
	void connectionsBreakAgainAndAgain() {
		Instance here = bed.instance("here");
		Map<String, LockHandle> held = holdEach(here);
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
		awaitLosses(here, held.values(), LossCause.KEY_VANISHED);
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
		long answers = System.nanoTime();
		await().atMost(TestBed.SOON).until(() -> this.told.size() == MANY);
		logger.info("10,000 holds: " + summary(held, answers));
		held.forEach(LockHandle::close);
	}

	/** Not renewed, renewed and with a minimum hold, of each kind. */
	private Map<String, LockHandle> holdEach(Instance instance) {
		Map<String, LockHandle> held = new LinkedHashMap<>();
		HOLDS.forEach((label, options) -> LockKind.forEach((kind) -> held.put(label + " " + kind.named(label),
				hold(instance, kind.named(label), kind.of(options)))));
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

	private void awaitLosses(Instance instance, Collection<LockHandle> held, LossCause cause) {
		await().atMost(TestBed.SOON).until(() -> this.told.size() == held.size());
		assertThat(instance.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause).containsOnly(cause);
		assertThat(held).noneMatch(LockHandle::isHeld);
		held.forEach((handle) -> {
			handle.close();
			assertThat(bed.holders(handle.name())).as("not created again").isEmpty();
		});
	}

	private void report(String cause, Map<String, LockHandle> held, long since) {
		Map<String, List<LockHandle>> byHold = new LinkedHashMap<>();
		held.forEach((name, handle) -> byHold.computeIfAbsent(name, (absent) -> new ArrayList<>()).add(handle));
		byHold.forEach((name, handles) -> logger.info(cause + ", " + name + ": " + summary(handles, since)));
	}

	private String summary(List<LockHandle> held, long since) {
		List<Long> millis = held.stream()
			.map((handle) -> (this.told.get(handle) - since) / 1_000_000)
			.sorted()
			.toList();
		return "told after %d ms (median), %d ms (last)".formatted(millis.get(millis.size() / 2),
				millis.get(millis.size() - 1));
	}

}
