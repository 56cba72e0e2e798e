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

package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.configuration.internal.LockStoreCheck;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Severity;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what is found out about Redis when an application starts, on a real one.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockStoreCheckTests {

	private static final String LINE = "Distributed locks are kept in Redis at ";

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static RedisServer redis;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withBean(Locked.class)
		.withPropertyValues("distributed-lock.redis.command-timeout=10s");

	@BeforeAll
	static void start() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@AfterEach
	void reset() {
		redis.cli("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction", "min-replicas-to-write", "0");
		redis.flushAll();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void suitableRedisIsLoggedInOneLine(String client, CapturedOutput output) {
		with(redis, client).run((context) -> {
			StoreReport report = answered(context.getBean(LockStoreCheck.class), output);
			assertThat(report.version()).startsWith("Redis ").isEqualTo("Redis " + version());
			assertThat(report.findings()).isEmpty();
			assertThat(report.unchecked()).isNull();
			assertThat(lines(output, LINE)).singleElement()
				.asString()
				.contains("INFO", ":" + redis.port() + " (Redis " + version() + ")", "keys beginning with 'lock:'",
						"for 2 locked methods", "timeout 30s");
			assertThat(output).doesNotContain("WARN", "were not checked");
			assertThat(redis.cli("DBSIZE")).isEqualTo(0L);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void anEvictionPolicyIsWarnedOf(String client, CapturedOutput output) {
		redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
		with(redis, client).run((context) -> {
			assertThat(answered(context.getBean(LockStoreCheck.class), output).findings()).singleElement()
				.satisfies((finding) -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
			assertThat(lines(output, "WARN")).singleElement()
				.asString()
				.contains("Redis at", "evicts keys", "maxmemory-policy volatile-lru", "noeviction");
		});
	}

	@Test
	void aFindingThatOnlyWeakensAGuaranteeEndsAStrictStart() {
		ApplicationContextRunner strict = with(redis, "lettuce").withPropertyValues("distributed-lock.check=strict");
		strict.run((context) -> assertThat(context).hasNotFailed());
		redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
		strict.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(LockStartupException.class)
			.hasMessageStartingWith("Distributed locks work, but a guarantee may fail:")
			.hasMessageContaining("evicts keys"));
		strict.withPropertyValues("distributed-lock.check=fail").run((context) -> assertThat(context).hasNotFailed());
		user("");
		redis.cli("CONFIG", "SET", "maxmemory-policy", "noeviction");
		as("locks", "pw", "lettuce").withPropertyValues("distributed-lock.check=strict")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartupException.class)
				.hasMessageStartingWith("Distributed locks work, but were not checked completely:")
				.hasMessageContaining("were not checked. Grant +info"));
		user("+info");
		as("locks", "pw", "lettuce").withPropertyValues("distributed-lock.check=strict")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void anOutageEndsAStrictStartUnlessItIsOnlyForWhatCanBeReached(String client, CapturedOutput output)
			throws IOException {
		ApplicationContextRunner lenient = with(redis, client)
			.withPropertyValues("distributed-lock.check=strict-if-reachable");
		lenient.run((context) -> assertThat(context).hasNotFailed());
		redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
		lenient.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageStartingWith("Distributed locks work, but a guarantee may fail:"));
		redis.cli("CONFIG", "SET", "maxmemory-policy", "noeviction");
		user("");
		as("locks", "not-the-password", client).withPropertyValues("distributed-lock.check=strict-if-reachable")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("Distributed locks do not work:"));
		String nowhere = "spring.data.redis.port=" + freePort();
		with(redis, client).withPropertyValues("distributed-lock.check=strict", nowhere)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("Distributed locks do not work:"));
		lenient.withPropertyValues(nowhere).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("and this could not be checked yet");
		});
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lettuce | maxmemory | 1 | OOM command not allowed | Free memory in Redis
					jedis | maxmemory | 1 | OOM command not allowed | Free memory in Redis
					lettuce | min-replicas-to-write | 1 | NOREPLICAS Not enough good replicas to write. | Find out why its replicas are missing
					""")
	void aServerThatAcceptsNoWriteEndsTheStart(String client, String setting, String value, String refusal,
			String advice) {
		ApplicationContextRunner checked = with(redis, client).withPropertyValues("distributed-lock.check=fail");
		redis.cli("CONFIG", "SET", setting, value);
		checked.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageStartingWith("Distributed locks do not work:")
			.hasMessageContainingAll("refuses to write locks at present: " + refusal, advice));
		checked.withPropertyValues("distributed-lock.check=strict")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockStartupException.class,
						(refused) -> assertThat(refused.getAction()).contains("'strict-if-reachable'")));
		ApplicationContextRunner lenient = checked.withPropertyValues("distributed-lock.check=strict-if-reachable");
		lenient.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockStoreCheck.class).get().findings()).singleElement()
				.satisfies((finding) -> assertThat(finding.severity()).isEqualTo(Severity.OUTAGE));
		});
		redis.cli("CONFIG", "SET", setting, "0");
		checked.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void whatWeakensAGuaranteeEndsTheStartAlsoDuringAnOutage() {
		redis.cli("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
		redis.cli("CONFIG", "SET", "maxmemory", "1");
		with(redis, "lettuce").withPropertyValues("distributed-lock.check=strict-if-reachable")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("Distributed locks work, but a guarantee may fail:")
				.hasMessageContaining("evicts keys"));
	}

	@Test
	void withoutALimitOfMemoryNothingIsEvicted(CapturedOutput output) {
		redis.cli("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "allkeys-lru");
		with(redis, "lettuce")
			.run((context) -> assertThat(answered(context.getBean(LockStoreCheck.class), output).findings()).isEmpty());
	}

	@Test
	void replicasWithoutMinReplicasToWriteCauseAWarning(CapturedOutput output) {
		try (RedisServer replica = RedisServer.builder()
			.config("replicaof", redis.host(), String.valueOf(redis.port()))
			.start()) {
			await().atMost(PATIENCE)
				.until(() -> String.valueOf(redis.cli("INFO", "replication")).contains("state=online"));
			with(redis, "lettuce").run((context) -> {
				answered(context.getBean(LockStoreCheck.class), output);
				assertThat(lines(output, "WARN")).singleElement()
					.asString()
					.contains("has replicas", "min-replicas-to-write 0", "two holders",
							"@DistributedLock(fenced = true)", "lock-fencing");
			});
			redis.cli("CONFIG", "SET", "min-replicas-to-write", "1");
			with(redis, "lettuce").run((context) -> {
				await().atMost(PATIENCE).until(() -> lines(output, LINE).size() == 2);
				assertThat(context.getBean(LockStoreCheck.class).get().findings()).isEmpty();
			});
			with(replica, "lettuce").withPropertyValues("distributed-lock.check=fail")
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(LockStartupException.class)
					.hasMessageContaining("is a replica, and refuses to write locks."));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void aUserWithoutTheRightToAskIsToldThatThisIsNotChecked(String client, CapturedOutput output) {
		redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
		redis.cli("ACL", "LOG", "RESET");
		user("");
		as("locks", "pw", client).run((context) -> {
			StoreReport report = answered(context.getBean(LockStoreCheck.class), output);
			assertThat(report.version()).isNull();
			assertThat(report.findings()).isEmpty();
			assertThat(report.unchecked()).contains("does not let its user run INFO");
			assertThat(lines(output, LINE)).singleElement().asString().doesNotContain("(Redis", "pw");
			assertThat(output).doesNotContain("WARN");
			assertThat(lines(output, "does not let its user run INFO")).singleElement()
				.asString()
				.contains("INFO ")
				.endsWith(" Redis at " + redis.host() + ":" + redis.port()
						+ " does not let its user run INFO, so version, role, eviction and replicas were not checked. Grant +info to have them checked: Spring Boot's health check of Redis needs it, too.");
			assertThat(redis.cli("ACL", "LOG")).isEqualTo(List.of());
			context.getBean(LockService.class).acquire("order:1").close();
		});
	}

	@Test
	void missingPermissionOfTheUserIsAnError(CapturedOutput output) {
		user("-hset");
		as("locks", "pw", "lettuce").run((context) -> {
			answered(context.getBean(LockStoreCheck.class), output);
			assertThat(lines(output, "WARN")).singleElement()
				.asString()
				.contains("the right to HSET is missing", "ACL SETUSER locks +ping ")
				.doesNotContain("pw");
		});
		as("locks", "pw", "lettuce").withPropertyValues("distributed-lock.check=fail")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartupException.class)
				.hasMessageContaining("the right to HSET is missing"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tracking", "caching" })
	void missingRightToReportsOfLostKeysEndsAStrictStart(String subcommand, CapturedOutput output) {
		user("+info");
		redis.cli("ACL", "SETUSER", "locks", "-client|" + subcommand);
		as("locks", "pw", "lettuce").run((context) -> {
			assertThat(answered(context.getBean(LockStoreCheck.class), output).findings()).singleElement()
				.satisfies((finding) -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
			context.getBean(LockService.class).acquire("order:1").close();
		});
		ApplicationContextRunner strict = as("locks", "pw", "lettuce")
			.withPropertyValues("distributed-lock.check=strict");
		strict.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(LockStartupException.class)
			.hasMessageContaining("the right to CLIENT " + subcommand.toUpperCase(Locale.ROOT))
			.hasMessageContaining("ACL SETUSER locks '+client|tracking' '+client|caching'"));
		as("locks", "pw", "jedis").withPropertyValues("distributed-lock.check=strict")
			.run((context) -> assertThat(context).hasNotFailed());
		redis.cli("ACL", "SETUSER", "locks", "+client|" + subcommand);
		strict.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aStrictStartTellsOfAllMissingRightsAtOnce() {
		user("-hset");
		redis.cli("ACL", "SETUSER", "locks", "-client|tracking");
		as("locks", "pw", "lettuce").withPropertyValues("distributed-lock.check=strict")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("Distributed locks do not work:")
				.hasMessageContaining("the right to HSET is missing")
				.hasMessageContaining("the right to CLIENT TRACKING")
				.hasMessageContaining("does not let its user run INFO"));
		as("locks", "pw", "lettuce").withPropertyValues("distributed-lock.check=fail")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("the right to HSET is missing")
				.hasMessageNotContaining("run INFO"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "-eval", "-evalsha", "resetkeys" })
	void userWithoutThePermissionToInspectIsAnError(String rule, CapturedOutput output) {
		redis.cli("SCRIPT", "FLUSH");
		user(rule);
		as("locks", "pw", "lettuce").run((context) -> {
			answered(context.getBean(LockStoreCheck.class), output);
			assertThat(lines(output, "WARN")).singleElement().asString().contains("lacks a permission", "ACL SETUSER");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void aWrongPasswordIsAnError(String client, CapturedOutput output) {
		user("");
		as("locks", "not-the-password", client).run((context) -> {
			answered(context.getBean(LockStoreCheck.class), output);
			assertThat(lines(output, "WARN")).singleElement()
				.asString()
				.contains("(WRONGPASS")
				.doesNotContain("not-the-password");
		});
		as("locks", "not-the-password", client).withPropertyValues("distributed-lock.check=fail")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartupException.class)
				.hasMessageNotContaining("not-the-password"));
	}

	@Test
	void clusterNodeConfiguredAsASingleRedisCausesAWarning(CapturedOutput output) {
		try (RedisServer node = RedisServer.builder().embedded().config("cluster-enabled", "yes").start()) {
			node.cli("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			await().atMost(PATIENCE)
				.until(() -> String.valueOf(node.cli("CLUSTER", "INFO")).contains("cluster_state:ok"));
			with(node, "lettuce").run((context) -> {
				answered(context.getBean(LockStoreCheck.class), output);
				assertThat(lines(output, "WARN")).singleElement()
					.asString()
					.contains("is a node of a Redis Cluster", "spring.data.redis.cluster.nodes");
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void anOutageAtStartIsOneWarningAndItsEndOneLine(String client, CapturedOutput output) {
		try (RedisServer server = RedisServer.start()) {
			server.stop();
			with(server, client).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(answered(context.getBean(LockStoreCheck.class), output).findings()).singleElement()
					.satisfies((finding) -> assertThat(finding.problem()).startsWith("No answer about Redis at"));
				LockService locks = context.getBean(LockService.class);
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire("order:1"));
				server.restart();
				await().atMost(PATIENCE).ignoreExceptions().until(() -> {
					locks.acquire("order:1").close();
					return true;
				});
				assertThat(lines(output, "WARN")).singleElement().asString().contains("does not answer");
				assertThat(lines(output, "answers again, after")).singleElement()
					.asString()
					.contains("INFO")
					.containsPattern("after (\\d+(m|s|ms))+[.]");
				StoreReport afterwards = context.getBean(LockStoreCheck.class).get();
				assertThat(afterwards.findings()).as("those of the outage, which is over").isEmpty();
				assertThat(afterwards.version()).isEqualTo("Redis " + version());
			});
		}
	}

	@Test
	void startDoesNotWaitForAnAnswer(CapturedOutput output) throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			long begin = System.nanoTime();
			to(silent).withPropertyValues("distributed-lock.check=warn").run((context) -> {
				assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE);
				assertThat(context).hasNotFailed();
				assertThat(output).doesNotContain(LINE);
				assertThat(context.getBean(LockStoreCheck.class).get()).isEqualTo(StoreReport.EMPTY);
			});
			assertThat(output).doesNotContain(LINE);
		}
	}

	@Test
	void startFailsWithoutAnAnswerIfConfiguredToFail() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			to(silent)
				.withPropertyValues("distributed-lock.check=fail", "distributed-lock.redis.command-timeout=200ms",
						"distributed-lock.redis.connect-timeout=200ms")
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(LockStartupException.class)
					.hasMessageContaining("No answer about Redis at"));
		}
	}

	@Test
	void nothingIsAskedIfTheCheckIsOff(CapturedOutput output) {
		redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
		redis.resetCommandStats();
		with(redis, "lettuce").withPropertyValues("distributed-lock.check=off").run((context) -> {
			await().atMost(PATIENCE).until(() -> !lines(output, LINE).isEmpty());
			assertThat(lines(output, LINE)).singleElement().asString().doesNotContain("(Redis");
			context.getBean(LockService.class).acquire("order:1").close();
			assertThat(redis.commandStats()).doesNotContainKey("info");
			assertThat(output).doesNotContain("WARN");
		});
	}

	private ApplicationContextRunner with(RedisServer server, String client) {
		return this.contextRunner.withPropertyValues(server.springProperties())
			.withPropertyValues("spring.data.redis.client-type=" + client);
	}

	private ApplicationContextRunner as(String user, String password, String client) {
		return with(redis, client).withPropertyValues("spring.data.redis.username=" + user,
				"spring.data.redis.password=" + password);
	}

	private ApplicationContextRunner to(ServerSocket silent) {
		return this.contextRunner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + silent.getLocalPort(), "distributed-lock.redis.command-timeout=30s",
				"distributed-lock.redis.connect-timeout=30s");
	}

	/** One with the rules of the documentation, and one more. */
	private static void user(String rule) {
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">pw", "~lock:*",
				"~{lock:*", "~{*}lock:*", "&lock:inbox:*"));
		command.addAll(List
			.of(("+ping +hello +client|setname +client|tracking +client|caching +eval +evalsha +get +set +del +pexpire +pttl +time"
					+ " +zadd +zrem +zpopmin +zcount +zscore +zrange +zrangebyscore +hget +hset +hdel"
					+ " +publish +subscribe +unsubscribe")
				.split(" ")));
		if (!rule.isEmpty()) {
			command.add(rule);
		}
		redis.cli(command.toArray(String[]::new));
	}

	private static StoreReport answered(LockStoreCheck check, CapturedOutput output) {
		await().atMost(PATIENCE)
			.until(() -> !lines(output, LINE).isEmpty() && lines(output, "WARN").size() >= check.get().findings().size()
					&& (check.get().unchecked() == null || !lines(output, "were not checked").isEmpty()));
		return check.get();
	}

	private static List<String> lines(CapturedOutput output, String text) {
		return output.toString().lines().filter((line) -> line.contains(text)).toList();
	}

	private static String version() {
		return String.valueOf(redis.cli("INFO", "server"))
			.lines()
			.filter((line) -> line.startsWith("redis_version:"))
			.map((line) -> line.substring("redis_version:".length()))
			.findFirst()
			.orElseThrow();
	}

	static class Locked {

		@DistributedLock(name = "one")
		@DistributedLock(name = "other")
		void twice() {
		}

		@DistributedLock(name = "one")
		void once() {
		}

	}

}
