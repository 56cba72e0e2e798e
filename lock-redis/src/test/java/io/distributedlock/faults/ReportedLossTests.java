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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.Fault;
import io.distributedlock.testsupport.RespException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis still answers, but a lock is gone: Redis reports it to Lettuce, and the holder
 * learns of it long before its next renewal, or its deadline, which are minutes away.
 */
@Timeout(120)
class ReportedLossTests {

	private static final Pattern TRACKED = Pattern.compile("tracking_total_keys:([0-9]+)");

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final ToldHolders holders = new ToldHolders();

	@Test
	@Shows({ "Somebody deletes the key in Redis", "Redis restarted or flushed, key deleted" })
	void deletedKey() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		held.forEach((handle) -> bed.server().cli("DEL", "lock:" + handle.name()));
		this.holders.awaitLosses(here, held, "DEL", LossCause.KEY_VANISHED);
	}

	@Test
	@Shows("Redis is flushed, or evicts the key")
	void flushedDatabase() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().cli("FLUSHDB");
		this.holders.awaitLosses(here, held, "FLUSHDB", LossCause.KEY_VANISHED);
	}

	@Test
	@Shows("Redis is flushed, or evicts the key")
	void evictedKey() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().cli("CONFIG", "SET", "maxmemory-policy", "allkeys-random", "maxmemory", "1");
		try {
			assertThatExceptionOfType(RespException.class).isThrownBy(() -> bed.server().cli("SET", "any", ""))
				.withMessageContaining("OOM");
			assertThat(bed.server().cli("RANDOMKEY")).isNull();
		}
		finally {
			bed.server().cli("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "0");
		}
		this.holders.awaitLosses(here, held, "eviction", LossCause.KEY_VANISHED);
	}

	@Test
	@Shows("A clock breaks condition 2 or 3")
	void keyThatEndsBeforeItsTime() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		held.forEach((handle) -> bed.endLeases(handle.name()));
		this.holders.awaitLosses(here, held, "expiry", LossCause.KEY_VANISHED);
	}

	@Test
	void keyOfAStranger() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		held.forEach((handle) -> bed.server().cli("SET", "lock:" + handle.name(), "stranger"));
		this.holders.awaitLosses(here, held, "SET", LossCause.TAKEN_BY_OTHER);
		held.forEach((handle) -> assertThat(bed.server().cli("GET", "lock:" + handle.name())).isEqualTo("stranger"));
	}

	@Test
	void lockThatSomebodyElseHas() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		List<LockHandle> held = holdEach(here);
		List<LockHandle> taken = new ArrayList<>();
		held.forEach((handle) -> {
			bed.server().cli("DEL", "lock:" + handle.name());
			taken.add(there.locks.acquire(handle.name(), ToldHolders.ONCE.withWaitTime(TestBed.SOON)));
		});
		this.holders.awaitTold(held);
		held.forEach(LockHandle::close);
		assertThat(taken).allMatch(LockHandle::isHeld)
			.allMatch((handle) -> bed.holders(handle.name()).get(0).startsWith(there.locks.instanceId()));
		taken.forEach(LockHandle::release);
	}

	@Test
	void lockThatTheSameInstanceTakesAgain() {
		Instance here = bed.instance("here");
		LockHandle lost = this.holders.hold(here, "x", ToldHolders.ONCE);
		awaitTracked(1);
		Call<LockHandle> waiting = Call
			.start(() -> here.locks.acquire("x", ToldHolders.ONCE.withWaitTime(TestBed.SOON)));
		bed.server().cli("DEL", "lock:x");
		this.holders.awaitTold(List.of(lost));
		LockHandle taken = waiting.get();
		assertThat(taken.fencingToken()).isGreaterThan(lost.fencingToken());
		lost.close();
		// The second one is watched as well, and what ended the first one is no news of
		// it
		awaitTracked(1);
		assertThat(taken.isHeld()).isTrue();
		assertThat(bed.holders("x").get(0)).startsWith(here.locks.instanceId());
		taken.release();
	}

	@Test
	void renewalsAndExtensionsAreWatchedAndAreNoNews() {
		Instance here = bed.instance("here");
		LockOptions often = ToldHolders.ONCE.withAutoRenew(Duration.ofMillis(300));
		List<LockHandle> held = new ArrayList<>();
		LockKind.forEach((kind) -> held.add(this.holders.hold(here, kind.named("often"), kind.of(often))));
		awaitTracked(held.size());
		TestBed.pass(Duration.ofSeconds(2));
		assertThat(here.events(LockEvent.Renewed.class)).isNotEmpty();
		assertThat(this.holders.told()).isEmpty();
		held.forEach((handle) -> handle.extend(Duration.ofMinutes(1)));
		held.forEach((handle) -> bed.server().cli("DEL", "lock:" + handle.name()));
		this.holders.awaitLosses(here, held, "DEL after renewals", LossCause.KEY_VANISHED);
	}

	@Test
	void renewalLeadsToNoQuestion() {
		Instance here = bed.instance("here");
		Duration interval = Duration.ofMinutes(3);
		LockHandle held = this.holders.hold(here, "often", ToldHolders.ONCE.withAutoRenew(interval));
		awaitTracked(1);
		bed.server().resetCommandStats();
		int renewals = 10;
		for (int i = 1; i <= renewals; i++) {
			here.advance(interval);
			int told = i;
			await().atMost(TestBed.SOON).until(() -> here.events(LockEvent.Renewed.class).size() >= told);
		}
		assertThat(here.events(LockEvent.Renewed.class)).hasSize(renewals);
		long scripts = bed.server().commandStats().getOrDefault("evalsha", 0L);
		assertThat(scripts).isBetween((long) renewals, renewals + 1L);
		held.release();
	}

	@Test
	void otherThreadsSendMeanwhile() {
		Instance here = bed.instance("here");
		List<LockHandle> held = new ArrayList<>();
		AtomicBoolean enough = new AtomicBoolean();
		List<Call<Void>> others = IntStream.range(0, 4).mapToObj((thread) -> Call.run(() -> {
			while (!enough.get()) {
				here.locks.acquire("other-" + thread, ToldHolders.ONCE).release();
			}
		})).toList();
		for (int i = 0; i < 100; i++) {
			LockKind kind = LockKind.values()[i % LockKind.values().length];
			held.add(this.holders.hold(here, kind.named("lock-" + i), kind.of(ToldHolders.ONCE)));
			TestBed.pass(Duration.ofMillis(20));
		}
		TestBed.pass(Duration.ofSeconds(1));
		enough.set(true);
		others.forEach(Call::get);
		awaitTracked(held.size());
		held.forEach(LockHandle::release);
	}

	@Test
	void connectionBreaksBefore() {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdEach(here);
		bed.server().resetCommandStats();
		bed.server().cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
		// A question, and a second one for what was under way
		await().atMost(TestBed.SOON).until(() -> bed.server().commandStats().getOrDefault("client|caching", 0L) >= 2);
		assertThat(this.holders.told()).isEmpty();
		held.forEach((handle) -> bed.server().cli("DEL", "lock:" + handle.name()));
		this.holders.awaitLosses(here, held, "DEL after a broken connection", LossCause.KEY_VANISHED);
	}

	@Test
	void holdersWhoComeAndGoCostFewQuestions() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = this.holders.hold(here, "permits", LockKind.PERMITS.of(ToldHolders.ONCE));
		awaitTracked(1);
		bed.server().resetCommandStats();
		long rounds = 0;
		long began = System.nanoTime();
		for (; System.nanoTime() - began < Duration.ofSeconds(3).toNanos(); rounds++) {
			there.locks.acquire("permits", LockKind.PERMITS.of(ToldHolders.ONCE)).release();
		}
		long scripts = bed.server().commandStats().get("evalsha");
		assertThat(rounds).isGreaterThan(20);
		assertThat(scripts - 2 * rounds).as("questions").isBetween(1L, 6L);
		assertThat(held.isHeld()).isTrue();
		held.release();
	}

	@ParameterizedTest
	@EnumSource(names = { "PERMITS", "SHARED" })
	void holdersOfSeveralInstancesDoNotAskAgainAndAgain(LockKind kind) {
		List<LockHandle> held = new ArrayList<>();
		bed.server().resetCommandStats();
		for (String instance : List.of("here", "there")) {
			held.add(this.holders.hold(bed.instance(instance), "several", kind.of(ToldHolders.ONCE)));
			await().atMost(TestBed.SOON)
				.until(() -> bed.server().commandStats().getOrDefault("client|caching", 0L) >= held.size());
		}
		// The second one changed the lock when it came
		TestBed.pass(Duration.ofSeconds(2));
		bed.server().resetCommandStats();
		TestBed.pass(Duration.ofSeconds(3));
		assertThat(bed.server().commandStats()).doesNotContainKeys("evalsha", "client|caching");
		bed.server().cli("DEL", "lock:several");
		this.holders.awaitTold(held);
		held.forEach(LockHandle::close);
	}

	static Stream<LockOptions> optionsOfSeveral() {
		return Stream.of(ToldHolders.ONCE.withPermits(3), ToldHolders.ONCE.withShared());
	}

	@ParameterizedTest
	@MethodSource("optionsOfSeveral")
	void holdersWhoComeAndGoInTheSameInstanceCostFewQuestionsAndNoReport(LockOptions options) {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdSeveral(here, options);
		bed.server().resetCommandStats();
		long rounds = 0;
		long began = System.nanoTime();
		for (; System.nanoTime() - began < Duration.ofSeconds(3).toNanos(); rounds++) {
			here.locks.acquire("several", options).release();
		}
		assertThat(rounds).isGreaterThan(20);
		assertThat(bed.server().commandStats().get("evalsha") - 2 * rounds).as("questions").isBetween(1L, 6L);
		awaitTracked(1);
		bed.server().cli("DEL", "lock:several");
		this.holders.awaitLosses(here, held, "DEL after callers have come and gone", LossCause.KEY_VANISHED);
	}

	/** The server tells nobody, as it has forgotten whom to tell. */
	@ParameterizedTest
	@MethodSource("optionsOfSeveral")
	void deletionRightAfterACallerOfTheSameInstanceCameAndWent(LockOptions options) {
		Instance here = bed.instance("here");
		List<LockHandle> held = holdSeveral(here, options);
		// The question for the first one is answered, and the next one is a second away
		here.locks.acquire("several", options).release();
		awaitTracked(1);
		here.locks.acquire("several", options).release();
		awaitTracked(0);
		bed.server().cli("DEL", "lock:several");
		this.holders.awaitLosses(here, held, "DEL without a report", LossCause.KEY_VANISHED);
	}

	private List<LockHandle> holdSeveral(Instance instance, LockOptions options) {
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			LockHandle handle = this.holders.hold(instance, "several", options);
			handle.detach();
			held.add(handle);
		}
		awaitTracked(1);
		// Each of them has asked
		TestBed.pass(Duration.ofSeconds(2));
		return held;
	}

	@Test
	void serverThatIsBusyIsAskedAgain() {
		Fault busy = bed.proxy.answerNext("OPTIN", "-BUSY Redis is busy running a script.");
		Instance here = bed.instanceBehindProxy("here");
		List<LockHandle> held = List.of(this.holders.hold(here, "x", ToldHolders.ONCE));
		busy.awaitStrike(TestBed.SOON);
		awaitTracked(1);
		bed.server().cli("DEL", "lock:x");
		this.holders.awaitLosses(here, held, "DEL after BUSY", LossCause.KEY_VANISHED);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void userWithoutTheRightsIsToldOnceAndLocks(CapturedOutput output) {
		bed.server().cli("ACL", "SETUSER", "locks", "-client|tracking");
		try {
			Instance here = bed.instance("here");
			LockHandle held = this.holders.hold(here, "x", ToldHolders.ONCE);
			TestBed.pass(Duration.ofSeconds(1));
			assertThat(output).containsOnlyOnce("cannot report that a lock was deleted")
				.contains("+client|tracking +client|caching");
			assertThat(bed.number("PTTL", "lock:x")).isPositive();
			bed.server().cli("DEL", "lock:x");
			TestBed.pass(Duration.ofSeconds(1));
			assertThat(held.isHeld()).as("nobody reports it").isTrue();
			held.close();
		}
		finally {
			bed.server().cli("ACL", "SETUSER", "locks", "+client|tracking");
			bed.server().cli("ACL", "LOG", "RESET");
		}
	}

	private List<LockHandle> holdEach(Instance instance) {
		List<LockHandle> held = this.holders.holdEach(instance);
		awaitTracked(held.size());
		return held;
	}

	private static void awaitTracked(int keys) {
		await().atMost(TestBed.SOON).until(() -> {
			Matcher tracked = TRACKED.matcher((String) bed.server().cli("INFO", "stats"));
			return tracked.find() && Integer.parseInt(tracked.group(1)) == keys;
		});
	}

}
