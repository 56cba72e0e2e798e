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

package io.distributedlock.redis;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.lettuce.core.event.DefaultEventBus;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.netty.channel.local.LocalAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.scheduler.Schedulers;

import org.springframework.data.redis.RedisConnectionFailureException;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FailureTranslator}.
 */
class FailureTranslatorTests {

	private final FailureTranslator translator = translator(RedisSetup.Topology.SINGLE, false, true);

	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation against a key holding the wrong kind of value script: 1, on x:1.",
			"ERR Error running script (call to f_1): @user_script:1: WRONGTYPE Operation against a key",
			"NOPERM this user has no permissions to run the 'evalsha' command",
			"ERR Error running script (call to f_1): @user_script: 7: NOPERM The user executing the script can't run",
			"ERR The user executing the script can't run this command or subcommand script: 1, on @user_script:15.",
			"ERR ACL failure in script: The user executing the script can't run this command or subcommand",
			"NOAUTH Authentication required.", "WRONGPASS invalid username-password pair or user is disabled.",
			"ERR invalid password", "ERR AUTH <password> called without any password configured for the default user.",
			"ERR Client sent AUTH, but no password is set",
			"ERR unknown command 'EVALSHA', with args beginning with: 'x'",
			"ERR Unknown Redis command called from Lua script", "ERR DB index is out of range",
			"DENIED Redis is running in protected mode because protected mode is enabled",
			"ERR This instance has cluster support disabled" })
	void answerThatOnlyAPersonCanChangeIsAConfigurationProblem(String message) {
		LockException translated = translate("order:1", wrapped(message));
		assertThat(translated).isInstanceOf(LockConfigurationException.class)
			.hasMessageStartingWith("Redis at host:1 refuses lock 'order:1'. ")
			.hasCauseInstanceOf(RuntimeException.class);
		assertThat(translated.getLockName()).isEqualTo("order:1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "READONLY You can't write against a read only replica.",
			"LOADING Redis is loading the dataset in memory", "OOM command not allowed when used memory > 'maxmemory'.",
			"CLUSTERDOWN The cluster is down", "TRYAGAIN Multiple keys request during rehashing of slot",
			"MASTERDOWN Link with MASTER is down",
			"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
			"MISCONF Redis is configured to save RDB snapshots", "NOREPLICAS Not enough good replicas to write.",
			"ERR max number of clients reached", "Connection refused", "Connection closed", "something new" })
	void anythingElseIsUnavailable(String message) {
		assertThat(translate("order:1", wrapped(message))).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("order:1")
			.hasMessageContaining(message.replaceFirst("\\.$", ""))
			.hasMessageContaining("Redis at host:1");
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			OOM command not allowed when used memory > 'maxmemory'., maxmemory.
			READONLY You can't write against a read only replica., spring.data.redis
			NOREPLICAS Not enough good replicas to write., min-replicas-to-write
			MISCONF Redis is configured to save RDB snapshots, log
			BUSY Redis is busy running a script., SCRIPT KILL
			ERR max number of clients reached, maxclients
			LOADING Redis is loading the dataset in memory, ready
			CLUSTERDOWN The cluster is down, ready
			""")
	void refusalForNowSaysWhatToDoAndDoesNotDoubtTheConnection(String message, String action) {
		assertThat(translate("order:1", wrapped(message)))
			.hasMessageStartingWith("Redis cannot serve lock 'order:1' in Redis at host:1 at present: ")
			.satisfies((translated) -> assertThat(translated.getMessage()
				.substring(translated.getMessage().indexOf(message.replaceFirst("\\.$", "")) + message.length()))
				.contains(action));
		assertThat(translate("order:1", wrapped("Connection refused"))).hasMessage(
				"No answer about lock 'order:1' in Redis at host:1: Connection refused. Check that Redis is up, and can be reached from here.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					PKIX path building failed: unable to find valid certification path to requested target | spring.data.redis.ssl.bundle
					unable to find valid certification path to requested target                            | spring.data.redis.ssl.bundle
							No subject alternative names matching IP address 127.0.0.1 found                       | spring.data.redis.host
					No name matching localhost found                                                       | spring.data.redis.host
					""")
	void certificateThatIsNotAcceptedIsSaidToBeTheReason(String message, String property) {
		assertThat(translate("order:1", wrapped(message))).isInstanceOf(LockUnavailableException.class)
			.hasMessageStartingWith("No connection to lock 'order:1' in Redis at host:1: " + message + ". ")
			.hasMessageContaining("certificate of the server")
			.hasMessageContaining(property)
			.hasMessageNotContaining("Check that Redis is up");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Cannot provide redisAddress using sentinel for masterId shop",
			"Cannot obtain master using SENTINEL MASTER. Command timed out after 2 second(s)",
			"Can connect to sentinel, but shop seems to be not monitored..." })
	void masterThatNoSentinelNamesIsAQuestionOfTheSentinels(String message) {
		assertThat(translator(RedisSetup.Topology.SENTINEL, false, false).translate("a", wrapped(message),
				Duration.ofSeconds(1)))
			.isInstanceOf(LockUnavailableException.class)
			.hasMessageContainingAll("Check that a sentinel can be reached", "spring.data.redis.sentinel.master",
					"+sentinel|get-master-addr-by-name")
			.hasMessageNotContaining("Check that Redis is up");
		assertThat(translate("a", wrapped(message))).hasMessageContaining("Check that Redis is up");
	}

	@Test
	void credentialsAreThoseOfServersOrSentinels() {
		String refused = "WRONGPASS invalid username-password pair or user is disabled.";
		assertThat(translator(RedisSetup.Topology.SENTINEL, false, false).translate("a", wrapped(refused),
				Duration.ofSeconds(1)))
			.hasMessageContaining("spring.data.redis.sentinel.password.");
		assertThat(translate("a", wrapped(refused)))
			.hasMessageEndingWith("spring.data.redis.password, and whether this server has the user.");
	}

	/**
	 * The messages of Lettuce.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			SENTINEL | 10.0.0.7/<unresolved>:6379 | 10.0.0.7:6379
			SENTINEL | /10.0.0.7:6379             | 10.0.0.7:6379
			SENTINEL | /[fd00:0:0:0:0:0:0:7]:6379 | [fd00:0:0:0:0:0:0:7]:6379
			CLUSTER  | redis-3/10.0.0.7:6379      | redis-3:6379
			""")
	void serverThatRefusesTheCredentialsIsNamedWhereThereAreSeveral(RedisSetup.Topology topology, String connected,
			String address) {
		String problem = "Redis at host:1 refuses lock 'a'. It does not accept the credentials (WRONGPASS invalid username-password pair";
		Exception failure = refused("Unable to connect to " + connected, "WRONGPASS invalid username-password pair");
		assertThat(translator(topology, false, true).translate("a", failure, Duration.ofSeconds(1))).hasMessage(problem
				+ ", from " + address
				+ "). Check user and password, with Spring Boot spring.data.redis.username and spring.data.redis.password, and whether this server has the user.");
		assertThat(translate("a", failure)).hasMessageStartingWith(problem + ").");
		assertThat(translator(topology, false, true).translate("a",
				refused("Unable to connect to " + connected, "NOAUTH HELLO must be called"), Duration.ofSeconds(1)))
			.hasMessage(
					"Redis at host:1 refuses lock 'a'. It requires credentials, and the client sent none (NOAUTH, from "
							+ address
							+ "). Set the password, and the user if it is not the default one, with Spring Boot spring.data.redis.password and spring.data.redis.username.");
	}

	@Test
	void nodeOfAClusterThatRefusesTheCredentialsIsNamedAmongThoseThatCannotBeReached() {
		String partitions = """
				Cannot retrieve cluster partitions from [redis://shop:***@10.0.0.6:6379, redis://shop:***@10.0.0.7:6379]

				Details:
					[redis://shop:***@10.0.0.6:6379]: Unable to connect to [10.0.0.6/<unresolved>:6379]: Connection refused
					[redis://shop:***@10.0.0.7:6379]: Unable to connect to [10.0.0.7/<unresolved>:6379]: WRONGPASS invalid username-password pair.
				""";
		assertThat(translator(RedisSetup.Topology.CLUSTER, false, false)
			.translate("a", wrapped(partitions), Duration.ofSeconds(1))).hasMessageContaining(
					"It does not accept the credentials (WRONGPASS invalid username-password pair, from 10.0.0.7:6379). Check");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis://***@10.0.0.7:26379?timeout=3s", "rediss://sentinel:***@10.0.0.7:26379",
			"redis://10.0.0.7:26379/0" })
	void sentinelThatRefusesTheCredentialsIsNamedWithItsProperties(String uri) {
		assertThat(translator(RedisSetup.Topology.SENTINEL, false, true).translate("a",
				refused("Cannot connect Redis Sentinel at " + uri, "WRONGPASS invalid username-password pair"),
				Duration.ofSeconds(1)))
			.hasMessageEndingWith(
					"It does not accept the credentials (WRONGPASS invalid username-password pair, from the sentinel at 10.0.0.7:26379). Check user and password, with Spring Boot spring.data.redis.sentinel.username and spring.data.redis.sentinel.password, and whether this sentinel has the user.");
		assertThat(translator(RedisSetup.Topology.SENTINEL, false, true).translate("a",
				refused("Cannot connect Redis Sentinel at " + uri, "NOAUTH HELLO must be called"),
				Duration.ofSeconds(1)))
			.hasMessageEndingWith(
					"sent none (NOAUTH, from the sentinel at 10.0.0.7:26379). Set the password, and the user if it is not the default one, with Spring Boot spring.data.redis.sentinel.password and spring.data.redis.sentinel.username.");
	}

	@Test
	void serverThatRefusesAReconnectIsNamed() {
		RefusedReconnects reconnects = new RefusedReconnects(new DefaultEventBus(Schedulers.immediate()));
		reconnects
			.publish(new ReconnectFailedEvent(LocalAddress.ANY, InetSocketAddress.createUnresolved("10.0.0.7", 6379),
					new CompletionException(new RuntimeException("WRONGPASS invalid username-password pair")), 1));
		assertThat(translator(RedisSetup.Topology.SENTINEL, false, true).translate("a",
				CallFailure.refused(Objects.requireNonNull(reconnects.latest())), Duration.ofSeconds(1)))
			.isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("(WRONGPASS invalid username-password pair, from 10.0.0.7:6379)");
	}

	private static Exception refused(String where, String refusal) {
		return new RedisConnectionFailureException("Unable to connect to Redis",
				new IllegalStateException(where, new RuntimeException(refusal)));
	}

	@Test
	void timeoutOfAClientThatMayRepeatCommandsAsksForAReplica() {
		assertThat(translator(RedisSetup.Topology.UNKNOWN, false, true).translate("a", new TimeoutException(),
				Duration.ofSeconds(1)))
			.hasMessageContaining("check whether this server is a replica");
		assertThat(translator(RedisSetup.Topology.SINGLE, false, true).translate("a", new TimeoutException(),
				Duration.ofSeconds(1)))
			.hasMessageContaining("load of Redis")
			.hasMessageNotContaining("replica");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void refusalsOfALockAreLoggedOnceUntilSomethingIsChanged(CapturedOutput output) {
		FailureTranslator translator = translator(RedisSetup.Topology.SINGLE, false, true);
		Exception failure = wrapped("NOPERM User shop has no permissions to run the 'evalsha' command");
		for (String name : List.of("", "a", "b")) {
			translator.tellRefused(translator.translate(name, failure, Duration.ofSeconds(1)), failure);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("refuses lock 'a'")
			.endsWith("ACL SETUSER <user> '&lock:inbox:*'");
	}

	@Test
	void alertOfTheServerIsNotBlamedOnItsCertificate() {
		assertThat(translate("order:1", wrapped("Received fatal alert: certificate_unknown")))
			.hasMessageContaining("The server refused to speak TLS with this client.")
			.hasMessageNotContaining("does not trust");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void refusalsForNowAreLoggedOnceUnlessSlotsAreOnTheirWay(CapturedOutput output) {
		FailureTranslator ofCluster = translator(RedisSetup.Topology.CLUSTER, false, true);
		for (String message : List.of("TRYAGAIN Multiple keys request", "MOVED 1 host:2", "ASK 1 host:2",
				"Connection refused", "OOM command not allowed", "OOM command not allowed", "NOREPLICAS Not enough")) {
			Exception failure = wrapped(message);
			ofCluster.tellRefused(ofCluster.translate("order:1", failure, Duration.ofSeconds(1)), failure);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN")))
			.satisfiesExactly((line) -> assertThat(line).contains("OOM command not allowed"),
					(line) -> assertThat(line).contains("NOREPLICAS Not enough"))
			.allSatisfy((line) -> assertThat(line)
				.endsWith("Further refusals for this reason are logged at most once a minute."));
	}

	@ParameterizedTest
	@CsvSource({ "SINGLE, MOVED, true", "SENTINEL, MOVED, true", "STATIC_NODES, ASK, true", "CLUSTER, MOVED, false",
			"CLUSTER, ASK, false", "UNKNOWN, MOVED, false" })
	void connectionThatCannotFollowMovedKeysIsAConfigurationProblem(RedisSetup.Topology topology, String error,
			boolean isProblem) {
		LockException translated = translator(topology, false, true).translate("order:1",
				wrapped(error + " 1234 10.0.0.1:6379"), Duration.ofSeconds(1));
		if (isProblem) {
			assertThat(translated).isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining(error + " 1234")
				.hasMessageContaining("spring.data.redis.cluster.nodes");
		}
		else {
			assertThat(translated).isInstanceOf(LockUnavailableException.class);
		}
	}

	@Test
	void plainServerForAClusterIsAConfigurationProblemWithItsSettings() {
		assertThat(translator(RedisSetup.Topology.CLUSTER, false, true).translate("order:1",
				wrapped("ERR This instance has cluster support disabled"), Duration.ofSeconds(1)))
			.isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining(
					"It is no node of a Redis Cluster, and the connection is for one. Connect to it as a single server, with Spring Boot by spring.data.redis.host");
	}

	@ParameterizedTest
	@CsvSource({ "Connection reset, false, false, ssl.enabled=true",
			"Connection closed prematurely, false, false, ssl.enabled=true",
			"RedisHandshakeHandler not registered, false, false, closed during the handshake",
			"there was no connection within 3s, true, false, ssl.enabled=false",
			"there was no connection within 3s, false, false, ",
			"Connection initialization timed out after 2 second(s), true, false, with redis:// instead of rediss://",
			"Connection reset, false, false, begins with rediss://", "Connection refused, false, false, ",
			"Connection reset, false, true, " })
	void serverThatHungUpFromTheStartMayWantTheOtherEncryption(String message, boolean encrypted, boolean answered,
			String hint) {
		LockException translated = translator(RedisSetup.Topology.SINGLE, encrypted, answered).translate("order:1",
				new IOException(message), Duration.ofSeconds(1));
		if (hint != null) {
			assertThat(translated).hasMessageContaining(hint);
		}
		else {
			assertThat(translated).hasMessageNotContaining("ssl");
		}
	}

	@ParameterizedTest
	@MethodSource("ownFailures")
	void locallyDetectedFailureHasNoCause(Exception failure) {
		assertThat(translate("order:1", failure)).isInstanceOf(LockUnavailableException.class).hasNoCause();
	}

	static Stream<Exception> ownFailures() {
		return Stream.of(new TimeoutException(), new CompletionException(new TimeoutException()),
				new CancellationException(), CallFailure.closed(), CallFailure.disconnected(Duration.ofSeconds(1)));
	}

	@Test
	void outageIsWhereNothingWasHeard() {
		assertThat(Stream.of(new TimeoutException(), CallFailure.unreachable(),
				new CompletionException(new IllegalStateException(new IOException("Connection reset"))),
				new RedisConnectionFailureException("Unable to connect")))
			.allMatch(FailureTranslator::isOutage);
		assertThat(Stream.of(CallFailure.closed(), CallFailure.tooManyCalls(), wrapped("OOM command not allowed"),
				new RedisConnectionFailureException("Unable to connect",
						new IOException("LOADING Redis is loading the dataset in memory"))))
			.noneMatch(FailureTranslator::isOutage);
	}

	@Test
	void placeInTheScriptIsNotShown() {
		assertThat(translate("a", wrapped(
				"OOM command not allowed when used memory > 'maxmemory'. script: 203eb8dc, on @user_script:43.")))
			.hasMessageContaining("'maxmemory'. Free")
			.hasMessageNotContaining("script");
	}

	@Test
	void timeoutNamesTheTimeoutAndThePropertyToChange() {
		assertThat(translate("order:1", new TimeoutException())).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("within 1s234ms")
			.hasMessageContaining("distributed-lock.redis.command-timeout");
	}

	@Test
	void messageOfManyLocksNamesTheStore() {
		LockException translated = translate("", new TimeoutException());
		assertThat(translated).hasMessageStartingWith("No answer about Redis at host:1 ");
		assertThat(translated.getLockName()).isEmpty();
	}

	@Test
	void lockExceptionStaysUnchanged() {
		LockException original = new LockUnavailableException("a", "b", null);
		assertThat(translate("x", original)).isSameAs(original);
	}

	@Test
	void failureWithoutMessageShowsItsType() {
		assertThat(translate("a", new CompletionException(new IOException()))).hasMessageContaining("IOException");
	}

	@Test
	void causesInACircleEnd() {
		Exception first = new Exception("first");
		Exception second = new Exception("second", first);
		first.initCause(second);
		assertThat(translate("a", first)).isInstanceOf(LockUnavailableException.class);
	}

	private LockException translate(String lockName, Throwable failure) {
		return this.translator.translate(lockName, failure, Duration.ofMillis(1234));
	}

	private static FailureTranslator translator(RedisSetup.Topology topology, boolean encrypted, boolean answered) {
		return new FailureTranslator(new RedisSetup("Redis at host:1", topology, 0, encrypted), new KeyLayout("lock:"),
				() -> answered);
	}

	private static Exception wrapped(String message) {
		return new CompletionException(new IllegalStateException("Error in execution", new RuntimeException(message)));
	}

}
