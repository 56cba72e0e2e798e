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
import java.util.List;
import java.util.Map;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.testsupport.Fault;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Redis answers with an error: either one that passes, or one that somebody has to do
 * something about.
 */
@EachClient
@Timeout(120)
class RefusingRedisTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions RENEWED = LONG.withAutoRenew(Duration.ofMinutes(1));

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final List<String> PASSING = List.of("-LOADING Redis is loading the dataset in memory",
			"-OOM command not allowed when used memory > 'maxmemory'.", "-CLUSTERDOWN The cluster is down",
			"-TRYAGAIN Multiple keys request during rehashing of slot",
			"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
			"-READONLY You can't write against a read only replica.");

	/** What the keys of a lock are called. */
	private static final List<String> KEYS = List.of("lock:%s", "{lock:%s}:fence", "{lock:%s}:queue",
			"{lock:%s}:waiting");

	@RegisterExtension
	static final TestBed bed = TestBed
		.on(RedisServer.builder().config("user", "reader", "on", ">secret", "~*", "&*", "+@read", "+@connection"));

	private final ClientLibrary client;

	RefusingRedisTests(ClientLibrary client) {
		this.client = client;
		bed.use(client);
	}

	@Test
	@Shows("READONLY, LOADING, CLUSTERDOWN, TRYAGAIN, MASTERDOWN, BUSY")
	void temporarilyRefusedCommandIsRepeated() {
		// An instance for each, as instances renew all of their locks together
		List<Call<Void>> all = PASSING.stream().map((error) -> {
			Instance here = bed.instanceBehindProxy("here");
			return Call.run(() -> assertRepeated(here, error));
		}).toList();
		all.forEach(Call::get);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	private void assertRepeated(Instance here, String error) {
		String code = error.substring(1, error.indexOf(' '));

		// A single attempt: nobody knows, whether or not the command was carried out
		LockKind.forEach((kind) -> {
			String once = kind.named("once:" + code);
			String done = kind.named("done:" + code);
			bed.proxy.answerNext("lock:" + once, error);
			bed.proxy.rewriteNextReply("lock:" + done, error);
			for (String name : List.of(once, done)) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> here.locks.acquire(name, kind.of(LONG)))
					.withMessageContaining(code);
			}
		});

		// A waiter gets the lock as soon as it passes
		Map<LockKind, List<Fault>> faults = LockKind.map((kind) -> {
			String key = "lock:" + kind.named("waited:" + code);
			return List.of(bed.proxy.answerNext(key, error), bed.proxy.rewriteNextReply(key, error));
		});
		Map<LockKind, Call<LockHandle>> waiting = LockKind.map((kind) -> Call
			.start(() -> here.locks.acquire(kind.named("waited:" + code), kind.of(RENEWED).withWaitTime(PATIENCE))));
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).took()).isLessThan(TestBed.SOON);
			faults.get(kind).forEach((fault) -> fault.awaitStrike(TestBed.SOON));
		});

		// Renewals go on, and so does a release
		Map<LockKind, Fault> notRenewed = LockKind
			.map((kind) -> bed.proxy.rewriteNextReply("lock:" + kind.named("waited:" + code), error));
		here.advance(Duration.ofMinutes(1));
		LockKind.forEach((kind) -> {
			LockHandle handle = waiting.get(kind).get();
			notRenewed.get(kind).awaitStrike(TestBed.SOON);
			await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0);
		});
		LockKind.forEach((kind) -> {
			bed.proxy.answerNext("lock:" + kind.named("waited:" + code), error);
			waiting.get(kind).get().close();
		});
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	@Shows("A network partition leaves the holder with the old master")
	void holderWithRefusedRenewalsLearnsOfTheLossAtTheDeadline() {
		Instance here = bed.instance("here");
		Map<LockKind, LockHandle> handles = LockKind
			.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(RENEWED)));
		bed.server().cli("CONFIG", "SET", "min-replicas-to-write", "1");
		try {
			here.advance(Duration.ofMinutes(2));
			await().atMost(TestBed.SOON)
				.until(() -> here.events(LockEvent.RenewalFailed.class).size() >= handles.size());
			assertThat(handles.values()).allMatch(LockHandle::isHeld);
			here.advance(Duration.ofMinutes(3));
			LockKind.forEach((kind) -> {
				here.awaitLoss(kind.named("x"), LossCause.STORE_UNREACHABLE);
				assertThat(handles.get(kind).state()).isEqualTo(LockState.LOST);
				assertThat(bed.isHeldBy(here, kind.named("x"))).as("Redis has not freed it").isTrue();
			});
		}
		finally {
			bed.server().cli("CONFIG", "SET", "min-replicas-to-write", "0");
		}
	}

	@Test
	void holderWithoutTheRightToRenewReadsTheCommandThatGivesIt() {
		bed.server().cli("ACL", "SETUSER", "renewing", "on", ">secret", "~*", "&*", "+@all", "-pexpire");
		Instance here = instance("renewing", "secret");
		LockHandle denied = here.locks.acquire("denied", RENEWED);
		here.advance(Duration.ofMinutes(2));
		await().atMost(TestBed.SOON).until(() -> !here.events(LockEvent.RenewalFailed.class).isEmpty());
		here.advance(Duration.ofMinutes(3));
		here.awaitLoss("denied", LossCause.STORE_UNREACHABLE);
		String told = here.events(LockEvent.Lost.class).get(0).explanation();
		assertThat(told).matches(
				"The lock store (Redis at \\S+) did not confirm the lease in time\\. The last failure was: \\1 refuses "
						+ "(lock 'denied'|the commands of locks)\\. Its user lacks a permission \\(.*")
			.doesNotContain("check whether");
		assertThat(denied.isHeld()).isFalse();

		String command = told.substring(told.indexOf("(1) ") + 4, told.indexOf(" (2) "));
		bed.server().cli(command.replace("'", "").split(" "));
		LockHandle allowed = here.locks.acquire("allowed", RENEWED);
		here.advance(Duration.ofMinutes(2));
		await().atMost(TestBed.SOON).until(() -> allowed.remaining().compareTo(Duration.ofMinutes(4)) > 0);
		allowed.release();
	}

	@Test
	@Shows("Key that others wrote")
	void keyOfAnotherTypeIsRefusedAtOnceAndStays() {
		Instance here = bed.instance("here");
		LockKind.forEach((kind) -> {
			String name = kind.named("x");
			for (String key : KEYS) {
				String foreign = key.formatted(name);
				bed.server().cli("RPUSH", foreign, "not ours");
				Call<LockHandle> call = Call
					.start(() -> here.locks.acquire(name, kind.of(LONG).withWaitTime(PATIENCE)));
				Throwable failure = call.failure();
				assertThat(call.took()).isLessThan(TestBed.SOON);
				if (failure == null) {
					assertThat(key).as("a key that says who holds").isNotEqualTo(KEYS.get(0));
					failure = catchThrowable(call.get()::release);
				}
				assertThat(failure).satisfiesAnyOf((none) -> assertThat(none).isNull(),
						(refused) -> assertThat(refused).isInstanceOf(LockConfigurationException.class));
				assertThat(bed.server().cli("LRANGE", foreign, "0", "-1")).as(foreign).isEqualTo(List.of("not ours"));
				bed.server().cli("DEL", foreign);
				if (call.failure() != null) {
					assertThat(bed.holders(name)).as("left by the request that %s refused", foreign).isEmpty();
				}
				bed.server().flushAll();
			}
			here.locks.acquire(name, kind.of(LONG).withWaitTime(PATIENCE)).close();
		});
	}

	/** Acquire and release, and return what failed. */
	private static Throwable tryHold(Instance here, String name, LockKind kind) {
		Call<Void> call = Call.run(() -> here.locks.acquire(name, kind.of(LONG).withWaitTime(PATIENCE)).release());
		Throwable failure = call.failure();
		assertThat(call.took()).isLessThan(TestBed.SOON);
		return failure;
	}

	@Test
	@Shows("Key that others wrote")
	void sortedSetOfAnApplicationIsRefusedAtOnceAndStays() {
		Instance here = bed.instance("here");
		LockKind.forEach((kind) -> {
			String name = kind.named("scores");
			for (String score : List.of("10", "99999999999999", "inf")) {
				bed.server().cli("ZADD", "lock:" + name, score, "alice");
				assertThat(tryHold(here, name, kind)).isInstanceOf(LockConfigurationException.class);
				assertThat(bed.server().cli("ZRANGE", "lock:" + name, "0", "-1")).isEqualTo(List.of("alice"));
				bed.server().cli("DEL", "lock:" + name);
			}
			here.locks.acquire(name, kind.of(LONG).withWaitTime(PATIENCE)).close();
		});
	}

	@Test
	@Shows("Key that others wrote")
	void keyReplacedDuringAHoldStays() {
		Instance here = bed.instance("here");
		LockKind.forEach((kind) -> {
			String name = kind.named("x");
			for (String key : KEYS) {
				String foreign = key.formatted(name);
				LockHandle handle = here.locks.acquire(name, kind.of(LONG));
				bed.server().cli("DEL", foreign);
				bed.server().cli("RPUSH", foreign, "not ours");
				for (Runnable step : List.<Runnable>of(() -> handle.extend(Duration.ofMinutes(1)), handle::release)) {
					Throwable failure = catchThrowable(step::run);
					assertThat(failure).satisfiesAnyOf((none) -> assertThat(none).isNull(),
							(refused) -> assertThat(refused).isInstanceOf(LockException.class)
								.isNotInstanceOf(LockUnavailableException.class));
				}
				assertThat(bed.server().cli("LRANGE", foreign, "0", "-1")).as(foreign).isEqualTo(List.of("not ours"));
				bed.server().flushAll();
			}
		});
	}

	@Test
	@Shows("MOVED or ASK without a cluster connection")
	void nodeOfAClusterIsAnErrorAtOnce() {
		Instance here = bed.instanceBehindProxy("here");
		LockKind.forEach((kind) -> {
			bed.proxy.answerNext("lock:" + kind.named("x"), "-MOVED 5000 127.0.0.1:7001");
			assertConfigurationError(here, kind, "spring.data.redis.cluster.nodes");
		});
	}

	@Test
	@Shows("No permission, wrong password")
	void missingPermissionIsAnErrorAtOnce() {
		Instance reader = instance("reader", "secret");
		LockKind.forEach((kind) -> assertConfigurationError(reader, kind, "lacks a permission"));
	}

	@Test
	@Shows("No permission, wrong password")
	void wrongPasswordIsAnErrorAtOnce() {
		Instance stranger = instance("reader", "guess");
		LockKind.forEach((kind) -> assertConfigurationError(stranger, kind, "credentials"));
	}

	/** As on a promoted replica that has not got the user. */
	@Test
	@Shows("No permission, wrong password")
	void serverWithoutTheUserAfterAReconnectIsReportedAsSuch() {
		bed.server().cli("ACL", "SETUSER", "passing", "on", ">secret", "~*", "&*", "+@all");
		Instance here = instance("passing", "secret");
		LockKind.forEach((kind) -> assertThat(tryHold(here, kind.named("x"), kind)).isNull());
		bed.server().cli("ACL", "DELUSER", "passing");
		LockKind.forEach((kind) -> await().atMost(TestBed.SOON)
			.untilAsserted(() -> assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> here.locks.acquire(kind.named("x"), kind.of(LONG)))
				.withMessageContaining("does not accept the credentials (WRONGPASS")));
		bed.server().cli("ACL", "SETUSER", "passing", "on", ">secret", "~*", "&*", "+@all");
		LockKind.forEach((kind) -> await().atMost(TestBed.SOON)
			.untilAsserted(() -> assertThat(tryHold(here, kind.named("x"), kind)).isNull()));
	}

	private static void assertConfigurationError(Instance instance, LockKind kind, String problem) {
		assertThat(tryHold(instance, kind.named("x"), kind)).isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining(problem);
	}

	private Instance instance(String user, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(bed.server().host(),
				bed.server().port());
		configuration.setUsername(user);
		configuration.setPassword(password);
		return bed.closeLater(
				new Instance(EngineSettings.of("here"), configuration, RedisLockSettings.defaults(), this.client));
	}

}
