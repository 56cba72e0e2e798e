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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoredLocks;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisPermissions}, and for a Redis that wants credentials.
 */
class RedisPermissionsTests {

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder().password("s3cret/@:"));

	private static final String RULES = RedisPermissions.rules(new KeyLayout("lock:"),
			new RedisSetup("Redis", RedisSetup.Topology.SINGLE, 0, false));

	private static final Pattern PROPOSED = Pattern.compile("ACL SETUSER [^()]+");

	private final RedisFixture redis = new RedisFixture();

	private RedisServer server;

	@BeforeEach
	void clean() {
		this.server = extension.server();
		this.server.flushAll();
		this.server.cli("ACL", "LOG", "RESET");
	}

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void passwordIsUsed() {
		StoreClient client = this.redis.client(this.server);
		assertThat(client.tryAcquire("a", client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void wrongPasswordIsAConfigurationProblem() {
		StoreClient client = client(null, "wrong");
		soon(() -> assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryAcquire("a", client.newToken()))
			.withMessageContaining("WRONGPASS")
			.withMessageContaining("spring.data.redis.password")
			.withMessageNotContaining("wrong"));
	}

	@Test
	void missingPasswordIsAConfigurationProblem() {
		assertRefused(client(null, null), "a", "It requires credentials, and the client sent none (NOAUTH");
	}

	private static void assertRefused(StoreClient client, String name, String problem) {
		soon(() -> assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryAcquire(name, client.newToken()))
			.withMessageContaining(problem));
	}

	@Test
	void aReasonThatLettuceHasNotReadIsAskedForAgain() {
		StoreClient client = this.redis.client(hungUpEarly(2), RedisFixture.settings());
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryAcquire("a", client.newToken()))
			.withMessageContaining("WRONGPASS");
	}

	@Test
	void aServerThatAlwaysHangsUpEarlyDoesNotAnswer() {
		StoreClient client = this.redis.client(hungUpEarly(3), RedisFixture.settings());
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.tryAcquire("a", client.newToken()))
			.withMessageContaining("Connection closed during the handshake");
	}

	/**
	 * As a race in Lettuce is lost.
	 */
	private StringRedisTemplate hungUpEarly(int attempts) {
		RedisStandaloneConfiguration address = RedisFixture.address(this.server);
		address.setPassword("wrong");
		LettuceConnectionFactory factory = new LettuceConnectionFactory(address) {

			private int left = attempts;

			@Override
			public RedisConnection getConnection() {
				if (this.left-- > 0) {
					throw new RedisConnectionFailureException("Unable to connect to Redis",
							new IllegalStateException("RedisHandshakeHandler not registered"));
				}
				return super.getConnection();
			}

		};
		factory.afterPropertiesSet();
		this.redis.closeLater(factory::destroy);
		return new StringRedisTemplate(factory);
	}

	/**
	 * Now and then Lettuce notices that Redis has hung up before it reads why.
	 */
	private static void soon(ThrowingRunnable assertion) {
		await().atMost(Duration.ofSeconds(30)).untilAsserted(assertion);
	}

	@Test
	void wrongPasswordThroughJedisIsAConfigurationProblem() {
		RedisStandaloneConfiguration address = RedisFixture.address(this.server);
		address.setPassword("wrong");
		StoreClient client = this.redis.client(this.redis.jedis(address), RedisFixture.settings());
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryAcquire("a", client.newToken()))
			.withMessageContaining("WRONGPASS");
	}

	@Test
	void documentedPermissionsSuffice() throws Exception {
		setUser("locks", RULES);
		StoreClient first = client("locks", "pw");
		StoreClient second = client("locks", "pw").listen();
		for (String name : List.of("a", "a{tag}b", "a}b")) {
			this.server.cli("SCRIPT", "FLUSH");
			assertHandedOff(name, first, second);
		}
	}

	private static void assertHandedOff(String name, StoreClient first, StoreClient second) throws Exception {
		LockToken holder = first.newToken();
		LockToken waiter = second.newToken();
		first.mustAcquire(name, holder);
		assertThat(first.extend(name, holder, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(first.find(name).holder()).isEqualTo(holder.text());
		assertThat(second.queue(name, waiter)).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(first.release(name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(second.replaceRecord(name, waiter, null, "one")).isEqualTo(new RecordChange.Outcome.Replaced());
		assertThat(first.record(name)).isEqualTo("one");
		assertThat(second.release(name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void exactKeyNeedsSeparateRules() throws Exception {
		Map<String, String> keys = Map.of("report", "job-lock:*:report", "other", "{jobs}:other");
		RedisLockSettings settings = RedisFixture.settings().withKeys(keys);
		setUser("locks", RULES);
		StoreClient refused = client("locks", "pw", settings);
		assertRefused(refused, "report", "'~job-lock:\\*:report' '~{job-lock:\\*:report}:*'");
		assertThat(StoreClient.get(refused.store().inspect()).findings()).singleElement()
			.satisfies((finding) -> assertThat(finding.problem()).contains("'~{jobs}{jobs}:other:*'"));
		setUser("locks", RedisPermissions.rules(new KeyLayout("lock:", keys),
				new RedisSetup("Redis", RedisSetup.Topology.SINGLE, 0, false)));
		StoreClient first = client("locks", "pw", settings);
		StoreClient second = client("locks", "pw", settings).listen();
		assertThat(StoreClient.get(first.store().inspect()).findings()).isEmpty();
		for (String name : List.of("report", "other", "usual")) {
			assertHandedOff(name, first, second);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "shop{eu}:", "shop[eu]:", "shop*:", "sh?p:", "sh\\op:", "shop eu:", "shop's:", "sh^-p:" })
	void rulesSufficeForAPrefixOfAnyCharacters(String prefix) throws Exception {
		RedisLockSettings settings = RedisFixture.settings().withKeyPrefix(prefix);
		setUser("locks", RedisPermissions.rules(new KeyLayout(prefix),
				new RedisSetup("Redis", RedisSetup.Topology.SINGLE, 0, false)));
		StoreClient first = client("locks", "pw", settings);
		StoreClient second = client("locks", "pw", settings).listen();
		assertThat(StoreClient.get(first.store().inspect()).findings()).isEmpty();
		for (String name : List.of("a", "a{tag}b", "a}b")) {
			assertHandedOff(name, first, second);
		}
		assertRefused(client("locks", "pw", RedisFixture.settings().withKeyPrefix("shopping:")), "a", "permission");
	}

	@ParameterizedTest
	@CsvSource(nullValues = "none", textBlock = """
			locks     | locks
			shop.pay-1@eu | shop.pay-1@eu
			the 'user' | <user>
			none      | <user>
			""", delimiter = '|')
	void theCommandNamesTheUserIfItCan(String user, String named) {
		RedisSetup setup = new RedisSetup("Redis", RedisSetup.Topology.SINGLE, 0, false, user);
		assertThat(RedisPermissions.advice(new KeyLayout("lock:"), setup, "")).contains(
				"ACL SETUSER " + named + " +ping ", "ACL SETUSER " + named + " '~lock:*' ",
				"ACL SETUSER " + named + " '&lock:inbox:*'");
		assertThat(RedisPermissions.adviceOnCommands(setup)).contains("ACL SETUSER " + named + " +ping ");
		assertThat(RedisPermissions.reports(setup)).contains("ACL SETUSER " + named + " '+client|tracking' ");
	}

	@Test
	void anotherDatabaseNeedsOneMore() {
		RedisStandaloneConfiguration address = address("locks", "pw");
		address.setDatabase(1);
		setUser("locks", RULES);
		StoreClient refused = this.redis.client(this.redis.lettuce(address), RedisFixture.settings());
		assertRefused(refused, "a", "+select");
		setUser("locks", RedisPermissions.rules(new KeyLayout("lock:"),
				new RedisSetup("Redis", RedisSetup.Topology.SINGLE, 1, false)));
		StoreClient client = this.redis.client(this.redis.lettuce(address), RedisFixture.settings());
		client.mustAcquire("a", client.newToken());
	}

	@Test
	void theLocksOfAllInstancesNeedMore() {
		setUser("locks", RULES);
		StoreClient client = client("locks", "pw");
		client.mustAcquire("a", client.newToken());
		client.queue("a", client.newToken());
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> StoreClient.get(client.store().list(10)))
			.withMessageContaining(
					"). Only the list of all locks needs it: locks themselves work. The key prefix is 'lock:'. If this user is for another one, correct 'distributed-lock.key-prefix', with Spring Boot. Otherwise, on each server that has the user, run each of these (then ACL SAVE, if it keeps users in a file; +info is only for a complete check). If Redis refuses a pattern, the user has all keys or channels already. "
							+ "(1) ACL SETUSER locks " + RULES.substring(RULES.indexOf("+ping")) + " "
							+ RedisPermissions.LISTING
							+ " +info (2) ACL SETUSER locks '~lock:*' '~{lock:*' '~{*}lock:*' "
							+ "(3) ACL SETUSER locks '&lock:inbox:*'");
		setUser("locks", RULES + " " + RedisPermissions.LISTING);
		StoredLocks all = StoreClient.get(client.store().list(10));
		assertThat(all.locks()).hasSize(1);
		assertThat(all.complete()).isTrue();
	}

	@Test
	void exclusiveLocksNeedNoRightsOfSeveralHolders() {
		setUser("locks", RULES.replaceAll("'?[+](zcard|zcount|zscore|zscan|zrangebyscore|zrange|pubsub.numsub)'? ?", "")
			.strip());
		StoreClient client = client("locks", "pw");
		LockToken holder = client.newToken();
		client.mustAcquire("a", holder);
		client.queue("a", client.newToken());
		StoredLockDetails lock = StoreClient.get(client.store().describe("a")).orElseThrow();
		assertThat(lock.lock().holder()).isEqualTo(holder.text());
		assertThat(lock.waiting()).as("who waits is not known").isNull();
		assertThat(client.release("a", holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryJoin("b", client.newToken(), StoreClient.LEASE, 3))
			.withMessageContaining("+zcard");
	}

	@ParameterizedTest
	@CsvSource({ "get, 1", "zrange, 3" })
	void missingPermissionIsNotTakenForALoss(String command, int limit) {
		setUser("locks", RULES);
		StoreClient client = client("locks", "pw");
		LockToken holder = client.newToken();
		client.tryJoin("a", holder, StoreClient.LEASE, limit);
		setUser("locks", RULES.replaceAll("[+]" + command + "(?= |$)", ""));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.extend("a", holder, StoreClient.LEASE, limit))
			.withMessageContaining("+" + command);
		setUser("locks", RULES);
		assertThat(client.extend("a", holder, StoreClient.LEASE, limit)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "get", "set", "del", "pexpire", "pttl", "time", "zadd", "zrem", "zpopmin", "zcount",
			"zscore", "zrange", "zrangebyscore", "hget", "hset", "hdel", "publish", "subscribe" })
	void checkAtStartReportsEachMissingPermission(String command) {
		String where = command.matches("publish|subscribe") ? " on the channels of locks" : "";
		setUser("locks", RULES);
		assertThat(StoreClient.get(client("locks", "pw").store().inspect()).findings()).isEmpty();
		setUser("locks", without("+" + command));
		assertThat(StoreClient.get(client("locks", "pw").store().inspect()).findings()).singleElement()
			.satisfies((finding) -> assertThat(finding.problem())
				.contains("the right to " + command.toUpperCase(Locale.ROOT) + where + " is missing"));
	}

	@Test
	void checkAtStartReportsAllMissingPermissionsAtOnce() {
		setUser("locks", RULES + " +info -pexpire -set -publish");
		assertThat(StoreClient.get(client("locks", "pw").store().inspect()).findings()).singleElement()
			.satisfies((finding) -> {
				assertThat(finding.problem()).contains("the rights to SET, PEXPIRE, PUBLISH are missing");
				assertThat(finding.action()).startsWith("The check does not see all of them.").doesNotContain("~", "&");
			});
		setUser("locks", RULES + " +info resetchannels");
		assertThat(StoreClient.get(client("locks", "pw").store().inspect()).findings()).singleElement()
			.satisfies((finding) -> {
				assertThat(finding.problem())
					.contains("the rights to PUBLISH, SUBSCRIBE on the channels of locks are missing");
				assertThat(finding.action()).contains("'&lock:inbox:*'").doesNotContain("~");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "~* &* -@all +get", "~other:* &other:* -@all +get", "allkeys allchannels -@all +get",
			"~other:* &* +@all", "~* &other:* +@all", "~* &* +@all -pexpire -publish",
			"~* &* +@all -publish -subscribe", "~* &* -@all +get +eval +evalsha +hello",
			"~other:* &other:* +@all -info -hset" })
	void theProposedCommandsGrantWhatIsMissingAndTakeNothing(String rules) {
		setUser("locks", rules);
		String before = String.valueOf(this.server.cli("ACL", "GETUSER", "locks"));
		List<StoreReport.Finding> findings = StoreClient.get(client("locks", "pw").store().inspect()).findings();
		assertThat(findings).isNotEmpty();
		for (StoreReport.Finding finding : findings) {
			Matcher command = PROPOSED.matcher(finding.problem() + " " + finding.action());
			while (command.find()) {
				runAsProposed(command.group());
			}
		}
		StoreClient client = client("locks", "pw");
		StoreReport report = StoreClient.get(client.store().inspect());
		assertThat(report.findings()).isEmpty();
		assertThat(report.unchecked()).isNull();
		client.mustAcquire("a{tag}b", client.newToken());
		String after = String.valueOf(this.server.cli("ACL", "GETUSER", "locks"));
		for (String rule : rules.split(" ")) {
			if (rule.matches("[~&+][^@]*")) {
				assertThat(before).as("the test").contains(rule);
				assertThat(after).containsAnyOf(rule, "+@all");
			}
		}
	}

	private void runAsProposed(String command) {
		try {
			this.server.cli(Arrays.stream(command.strip().split(" "))
				.map((word) -> word.replace("'", ""))
				.toArray(String[]::new));
		}
		catch (RuntimeException ex) {
			assertThat(ex).hasStackTraceContaining("Adding a pattern after the * pattern");
		}
	}

	@Test
	void waiterThatDoesNotListenCountsAsDeadAlsoWithoutThePermissionToListListeners() {
		for (String rules : List.of(without("+pubsub|numsub"), RULES)) {
			this.server.flushAll();
			setUser("locks", rules);
			StoreClient client = client("locks", "pw");
			client.tryJoin("a", client.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT);
			client.queue("a", client.newToken());
			assertThat(client.tryJoin("a", client.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT))
				.isInstanceOf(AcquireOutcome.Granted.class);
		}
		RestrictedUser.assertNothingRefused(this.server);
	}

	@Test
	void documentationHasTheSameRules() throws IOException {
		String page = Files.readString(Path.of("../docs/redis.md"));
		assertThat(page).contains(RULES).contains(RedisPermissions.LISTING);
		for (RedisSetup.Topology topology : RedisSetup.Topology.values()) {
			String more = RedisPermissions.rules(new KeyLayout("lock:"), new RedisSetup("Redis", topology, 0, false))
				.substring(RULES.length())
				.strip();
			assertThat(page).contains(more);
		}
		assertThat(page).contains(RestrictedUser.SENTINEL_RULES);
	}

	@Test
	void documentedPermissionsDoNotReachOtherKeys() {
		setUser("locks", RULES);
		RedisLockSettings elsewhere = RedisFixture.settings().withKeyPrefix("other:");
		StoreClient client = client("locks", "pw", elsewhere);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryAcquire("a", client.newToken()))
			.withMessageContaining("permission")
			.withMessageContaining("'~other:*'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "+set", "+time", "+evalsha" })
	void missingPermissionIsAConfigurationProblemWithAdvice(String command) {
		setUser("locks", without(command));
		StoreClient client = client("locks", "pw");
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.tryAcquire("a", client.newToken()))
			.withMessageContaining("permission")
			.withMessageContaining("+evalsha");
		assertThat(this.server.cli("EXISTS", "lock:a")).isEqualTo(0L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "'~{lock:*'", "+get", "+set" })
	void missingPermissionForARecordIsAConfigurationProblemWithAdvice(String rule) {
		setUser("locks", RULES);
		StoreClient client = client("locks", "pw");
		LockToken holder = client.newToken();
		client.mustAcquire("a", holder);
		assertThat(client.replaceRecord("a", holder, null, "one")).isEqualTo(new RecordChange.Outcome.Replaced());
		setUser("locks", without(rule));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.replaceRecord("a", holder, "one", "two"))
			.withMessageContaining("permission")
			.withMessageContaining("'~{lock:*'");
		assertThat(this.server.cli("GET", "{lock:a}:record")).isEqualTo("one");
	}

	@ParameterizedTest
	@ValueSource(strings = { "+zrem", "+hdel" })
	void missingPermissionInTheMiddleOfAScriptLeavesNoLock(String command) {
		setUser("locks", without(command));
		StoreClient client = client("locks", "pw");
		AcquireRequest.Waiting second = new AcquireRequest.Waiting(StoreClient.PLACE.life(), 1,
				StoreClient.PLACE.nonce());
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> StoreClient
			.get(client.store().acquire(new AcquireRequest("a", client.newToken(), StoreClient.LEASE, 1, second))));
		assertThat(this.server.cli("EXISTS", "lock:a")).isEqualTo(0L);
	}

	@Test
	void missingPermissionForThePlaceInTheQueueLeavesNoWaiter() {
		setUser("locks", without("+zadd"));
		StoreClient client = client("locks", "pw");
		client.mustAcquire("a", client.newToken());
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.queue("a", client.newToken()))
			.withMessageContaining("permission");
		assertThat(this.server.cli("EXISTS", "{lock:a}:queue", "{lock:a}:waiting")).isEqualTo(0L);
	}

	@Test
	void everyDocumentedPermissionIsNeeded() throws Exception {
		setUser("locks", RULES);
		assertThat(allScriptsWork()).isTrue();
		for (String command : List.of("+eval", "+get", "+pexpire", "+pttl", "+del", "+time", "+zadd", "+zpopmin",
				"+zcount", "+zscore", "+zrange", "+zrangebyscore", "+zscan", "+hget", "+hset", "+hdel", "+zrem",
				"+publish")) {
			setUser("locks", without(command));
			assertThat(allScriptsWork()).as("without " + command).isFalse();
		}
	}

	private boolean allScriptsWork() throws InterruptedException {
		this.server.flushAll();
		this.server.cli("SCRIPT", "FLUSH");
		try (RedisFixture own = new RedisFixture()) {
			StoreClient client = own.client(own.lettuce(address("locks", "pw")), RedisFixture.settings()).listen();
			LockToken holder = client.newToken();
			LockToken waiter = client.newToken();
			client.mustAcquire("a", holder);
			client.extend("a", holder, StoreClient.LEASE);
			client.find("a");
			client.queue("a", waiter);
			client.release("a", client.newToken());
			client.release("a", holder);
			client.release("a", waiter);
			LockToken permit = client.newToken();
			client.tryJoin("b", permit, StoreClient.LEASE, 3);
			client.tryJoin("b", client.newToken(), StoreClient.LEASE, 3);
			client.extend("b", permit, StoreClient.LEASE, 3);
			StoreClient.get(client.store().describe("b"));
			client.release("b", permit);
			return true;
		}
		catch (LockConfigurationException ex) {
			return false;
		}
	}

	private StoreClient client(String user, String password) {
		return client(user, password, RedisFixture.settings());
	}

	private StoreClient client(String user, String password, RedisLockSettings settings) {
		return this.redis.client(this.redis.lettuce(address(user, password)), settings);
	}

	private RedisStandaloneConfiguration address(String user, String password) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		address.setUsername(user);
		if (password != null) {
			address.setPassword(password);
		}
		return address;
	}

	private static String without(String command) {
		List<String> rules = new ArrayList<>(List.of(RULES.split(" ")));
		assertThat(rules.removeIf((rule) -> rule.replace("'", "").equals(command.replace("'", "")))).isTrue();
		return String.join(" ", rules);
	}

	private void setUser(String user, String rules) {
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", user, "reset", "on", ">pw"));
		Arrays.stream(rules.split(" ")).map((rule) -> rule.replace("'", "")).forEach(command::add);
		this.server.cli(command.toArray(String[]::new));
	}

}
