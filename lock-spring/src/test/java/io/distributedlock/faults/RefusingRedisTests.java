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

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testsupport.Fault;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis answers with an error: either one that passes, or one that somebody has to do
 * something about.
 */
@Timeout(120)
class RefusingRedisTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final List<String> PASSING = List.of("-LOADING Redis is loading the dataset in memory",
			"-OOM command not allowed when used memory > 'maxmemory'.", "-CLUSTERDOWN The cluster is down",
			"-TRYAGAIN Multiple keys request during rehashing of slot",
			"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.");

	@RegisterExtension
	static final TestBed bed = TestBed
		.on(RedisServer.builder().config("user", "reader", "on", ">secret", "~*", "&*", "+@read", "+@connection"));

	@Test
	void whatPassesIsTriedAgain() {
		// An instance for each, as instances renew all of their locks together
		List<Call<Void>> all = PASSING.stream().map((error) -> {
			Instance here = bed.instanceBehindProxy("here");
			return Call.run(() -> assertTriedAgain(here, error));
		}).toList();
		all.forEach(Call::get);
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void aMasterThatBecomesAReplicaIsLeftAndTriedAgain() {
		Instance here = bed.instanceBehindProxy("here");
		assertTriedAgain(here, "-READONLY You can't write against a read only replica.");
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	private void assertTriedAgain(Instance here, String error) {
		String code = error.substring(1, error.indexOf(' '));

		// A single attempt: nobody knows, whether or not the command was carried out
		bed.proxy.answerNext("lock:once:" + code, error);
		bed.proxy.rewriteNextReply("lock:done:" + code, error);
		for (String name : List.of("once:" + code, "done:" + code)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.locks.acquire(name, LONG))
				.withMessageContaining(code);
		}

		// Whoever waits gets the lock as soon as it passes
		String name = "waited:" + code;
		Fault refused = bed.proxy.answerNext("lock:" + name, error);
		Fault unheard = bed.proxy.rewriteNextReply("lock:" + name, error);
		Call<LockHandle> waiting = Call
			.start(() -> here.locks.acquire(name, LONG.withAutoRenew(Duration.ofMinutes(1)).withWaitTime(PATIENCE)));
		LockHandle handle = waiting.get();
		assertThat(waiting.took()).isLessThan(TestBed.SOON);
		refused.awaitStrike(TestBed.SOON);
		unheard.awaitStrike(TestBed.SOON);

		// Renewals go on, and so does a release
		Fault notRenewed = bed.proxy.rewriteNextReply("lock:" + name, error);
		here.advance(Duration.ofMinutes(1));
		notRenewed.awaitStrike(TestBed.SOON);
		await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0);
		bed.proxy.answerNext("lock:" + name, error);
		handle.close();
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void aKeyOfAnotherTypeIsAnErrorAtOnceAndNotContention() {
		Instance here = bed.instance("here");
		bed.server().cli("LPUSH", "lock:x", "not ours");
		assertConfigurationError(here, "another type");
		assertThat(bed.server().cli("LLEN", "lock:x")).isEqualTo(1L);
		bed.server().cli("DEL", "lock:x");
		here.locks.acquire("x", LONG.withWaitTime(PATIENCE)).close();
	}

	@Test
	void aNodeOfAClusterIsAnErrorAtOnce() {
		Instance here = bed.instanceBehindProxy("here");
		bed.proxy.answerNext("lock:x", "-MOVED 5000 127.0.0.1:7001");
		assertConfigurationError(here, "spring.data.redis.cluster.nodes");
	}

	@Test
	void aMissingPermissionIsAnErrorAtOnce() {
		assertConfigurationError(instance("reader", "secret"), "lacks a permission");
	}

	@Test
	void aWrongPasswordIsAnErrorAtOnce() {
		assertConfigurationError(instance("reader", "guess"), "credentials");
	}

	private void assertConfigurationError(Instance instance, String problem) {
		Call<LockHandle> waiting = Call.start(() -> instance.locks.acquire("x", LONG.withWaitTime(PATIENCE)));
		assertThat(waiting.failure()).isInstanceOf(LockConfigurationException.class).hasMessageContaining(problem);
		assertThat(waiting.took()).isLessThan(TestBed.SOON);
	}

	private Instance instance(String user, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(bed.server().host(),
				bed.server().port());
		configuration.setUsername(user);
		configuration.setPassword(password);
		return bed.closeLater(new Instance(EngineSettings.of("here"), configuration));
	}

}
