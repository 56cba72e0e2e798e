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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what {@link RedisLockStore} keeps in Redis, and what it meets there.
 */
class RedisLockStoreDataTests {

	/** For tests that take long on a busy machine. */
	private static final Duration LONG_LEASE = Duration.ofMinutes(10);

	private static RedisServer server;

	private static RedisFixture redis;

	private static StoreClient first;

	private static StoreClient second;

	private final String name = "order:1";

	@BeforeAll
	static void start() throws Exception {
		server = RedisServer.start();
		redis = new RedisFixture();
		first = redis.client(server);
		second = redis.client(server).listen();
	}

	@AfterAll
	static void stop() {
		redis.close();
		server.close();
	}

	@BeforeEach
	void flush() {
		server.flushAll();
	}

	@Test
	void lockIsAPlainStringWithTheTokenAndTheLease() {
		LockToken token = first.newToken();
		first.mustAcquire(this.name, token);
		assertThat(server.cli("GET", "lock:order:1")).isEqualTo(token.text());
		assertThat((Long) server.cli("PTTL", "lock:order:1")).isBetween(20_000L, 30_000L);
	}

	@Test
	void nothingButTheFenceIsLeftAfterARelease() throws Exception {
		LockToken holder = first.newToken();
		LockToken waiter = second.newToken();
		first.mustAcquire(this.name, holder);
		second.queue(this.name, waiter);
		assertThat((List<?>) server.cli("KEYS", "*")).hasSize(4);
		first.release(this.name, holder);
		second.awaitGrant();
		second.release(this.name, waiter);
		assertThat(server.cli("KEYS", "*")).isEqualTo(List.of("{lock:order:1}:fence"));
		assertThat((Long) server.cli("PTTL", "{lock:order:1}:fence")).isBetween(590_000L, 600_000L);
	}

	@Test
	void nothingButTheFenceAndTheHoldersIsLeftAfterAReleaseThatServesSeveral() throws Exception {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		for (int i = 0; i < 3; i++) {
			second.queue(this.name, second.newToken(), AcquireRequest.NO_LIMIT);
		}
		first.release(this.name, holder);
		for (int i = 0; i < 3; i++) {
			second.awaitGrant();
		}
		assertThat((List<?>) server.cli("KEYS", "*")).map(String::valueOf)
			.containsExactlyInAnyOrder("{lock:order:1}:fence", "lock:order:1");
	}

	@Test
	void recordIsAPlainStringThatTheReleaseLeaves() {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		first.replaceRecord(this.name, holder, null, "one", Duration.ofHours(1));
		first.release(this.name, holder);
		assertThat((List<?>) server.cli("KEYS", "*")).map(String::valueOf)
			.containsExactlyInAnyOrder("{lock:order:1}:fence", "{lock:order:1}:record");
		assertThat(server.cli("GET", "{lock:order:1}:record")).isEqualTo("one");
		assertThat((Long) server.cli("PTTL", "{lock:order:1}:record")).isBetween(3_590_000L, 3_600_000L);
	}

	@Test
	void replacementOfTheRecordIsOneCommandAndThreeInsideTheScript() {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		first.replaceRecord(this.name, holder, null, "one");
		server.cli("CONFIG", "RESETSTAT");
		first.replaceRecord(this.name, holder, "one", "two");
		assertThat(server.commandStats()).containsEntry("evalsha", 1L)
			.containsEntry("get", 2L)
			.containsEntry("set", 1L)
			.doesNotContainKeys("eval", "pexpire");
	}

	@Test
	void fenceOutlivesALongLease() {
		first.tryAcquire(this.name, first.newToken(), Duration.ofDays(3));
		assertThat((Long) server.cli("PTTL", "{lock:order:1}:fence")).isBetween(Duration.ofDays(5).toMillis(),
				Duration.ofDays(6).toMillis());
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void fenceOutlivesALongLeaseOfAWaiter(int limit) throws Exception {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		StoreClient.get(second.store()
			.acquire(
					new AcquireRequest(this.name, second.newToken(), Duration.ofDays(3), 1, StoreClient.PLACE, limit)));
		first.release(this.name, holder);
		second.awaitGrant();
		assertThat((Long) server.cli("PTTL", "{lock:order:1}:fence")).isBetween(Duration.ofDays(5).toMillis(),
				Duration.ofDays(6).toMillis());
	}

	@Test
	void unusedQueueExpires() {
		first.mustAcquire(this.name, first.newToken());
		second.queue(this.name, second.newToken());
		assertThat((Long) server.cli("PTTL", "{lock:order:1}:queue")).isBetween(20_000L, 25_000L);
		assertThat((Long) server.cli("PTTL", "{lock:order:1}:waiting")).isBetween(20_000L, 25_000L);
	}

	@Test
	void hugeLeaseIsCutToTheMaximumOfRedis() {
		LockToken token = first.newToken();
		assertThat(first.tryAcquire(this.name, token, Duration.ofSeconds(Long.MAX_VALUE)))
			.isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(first.extend(this.name, token, Duration.ofSeconds(Long.MAX_VALUE)))
			.isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(first.find(this.name).remaining()).isGreaterThan(Duration.ofDays(36_500));
	}

	@Test
	void pairWithoutContentionIsTwoCommandsAndPublishesNothing() {
		first.mustAcquire("warm", first.newToken());
		StoreClient.get(first.store().release("warm", first.newToken()));
		LockToken token = first.newToken();
		server.resetCommandStats();
		StoreClient
			.get(first.store().acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 33, StoreClient.PLACE)));
		first.release(this.name, token);
		Map<String, Long> calls = server.commandStats();
		assertThat(calls).containsEntry("evalsha", 2L).doesNotContainKeys("eval", "publish", "script|load");
		calls.remove("config|resetstat");
		assertThat(calls).as("with those inside the scripts: eight")
			.isEqualTo(Map.of("evalsha", 2L, "set", 2L, "time", 1L, "get", 1L, "zpopmin", 1L, "del", 1L));
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, AcquireRequest.NO_LIMIT })
	void pairOfOneOfSeveralIsTwoCommandsAndElevenInsideTheScripts(int limit) {
		first.tryJoin("warm", first.newToken(), StoreClient.LEASE, limit);
		StoreClient.get(first.store().release("warm", first.newToken()));
		LockToken token = first.newToken();
		server.resetCommandStats();
		StoreClient.get(first.store()
			.acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 33, StoreClient.PLACE, limit)));
		first.release(this.name, token);
		Map<String, Long> calls = server.commandStats();
		calls.remove("config|resetstat");
		assertThat(calls).isEqualTo(Map.of("evalsha", 2L, "zrange", 4L, "time", 2L, "set", 1L, "zadd", 1L, "pexpire",
				1L, "get", 1L, "zrem", 1L));
	}

	@Test
	void renewalOfOneOfSeveralIsFourCommandsInsideTheScript() {
		LockToken token = first.newToken();
		first.tryJoin(this.name, token, StoreClient.LEASE, 3);
		first.extend(this.name, token, StoreClient.LEASE, 3);
		server.resetCommandStats();
		assertThat(first.extend(this.name, token, StoreClient.LEASE, 3)).isEqualTo(ExtendOutcome.EXTENDED);
		Map<String, Long> calls = server.commandStats();
		calls.remove("config|resetstat");
		assertThat(calls).isEqualTo(Map.of("evalsha", 1L, "time", 1L, "zrange", 1L, "pexpire", 1L, "zadd", 1L));
	}

	@Test
	void handOffIsOneCommandAndNineInsideTheScript() throws Exception {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		second.queue(this.name, second.newToken());
		server.resetCommandStats();
		first.release(this.name, holder);
		Map<String, Long> calls = server.commandStats();
		calls.remove("config|resetstat");
		assertThat(second.awaitGrant()).isNotNull();
		assertThat(calls).isEqualTo(Map.of("evalsha", 1L, "get", 1L, "zpopmin", 1L, "hget", 1L, "time", 1L, "hdel", 1L,
				"set", 2L, "pubsub|numsub", 1L, "publish", 1L));
	}

	@Test
	void handOffRemovesAPlaceOfTheHolder() throws Exception {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		second.queue(this.name, second.newToken());
		LockToken third = second.newToken();
		second.queue(this.name, third);
		server.cli("SET", "lock:order:1", third.text());
		second.release(this.name, third);
		assertThat(second.awaitGrant()).isNotNull();
		assertThat(server.cli("EXISTS", "{lock:order:1}:queue", "{lock:order:1}:waiting")).isEqualTo(0L);
	}

	@Test
	void holderThatAsksAgainFromItsPlaceLeavesIt() {
		LockToken token = second.newToken();
		first.mustAcquire(this.name, first.newToken());
		second.queue(this.name, token);
		server.cli("DEL", RedisFixture.key(this.name));
		second.mustAcquire(this.name, token);
		String[] place = { "EXISTS", "{lock:" + this.name + "}:queue", "{lock:" + this.name + "}:waiting" };
		assertThat(server.cli(place)).as("its request named no place").isEqualTo(2L);
		StoreClient.get(second.store()
			.acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 1,
					new AcquireRequest.Waiting(StoreClient.LIFE, 1, StoreClient.NONCE))));
		assertThat(server.cli(place)).isEqualTo(0L);
	}

	@Test
	void signOfLifeIsOneCommandAndFiveInsideTheScript() {
		first.mustAcquire(this.name, first.newToken());
		LockToken token = second.newToken();
		second.queue(this.name, token);
		for (int sign = 1; sign < 10; sign++) {
			server.resetCommandStats();
			AcquireRequest.Waiting waiting = new AcquireRequest.Waiting(StoreClient.PLACE.life(), sign,
					StoreClient.PLACE.nonce());
			StoreClient
				.get(second.store().acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 1, waiting)));
			Map<String, Long> calls = server.commandStats();
			calls.remove("config|resetstat");
			assertThat(calls).containsEntry("evalsha", 1L).doesNotContainKeys("eval", "publish");
			assertThat(calls.values().stream().mapToLong(Long::longValue).sum()).as("sign %d: %s", sign, calls)
				.isLessThanOrEqualTo(6);
		}
		assertThat(server.cli("ZSCORE", "{lock:order:1}:queue", token.text())).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void everyFourthSignOfLifeKeepsTheKeysOfTheQueue(int limit) {
		String[] keys = { "{lock:order:1}:queue", "{lock:order:1}:waiting" };
		first.mustAcquire(this.name, first.newToken());
		LockToken token = second.newToken();
		second.queue(this.name, token, limit);
		for (int sign = 1; sign < 9; sign++) {
			for (String key : keys) {
				server.cli("PEXPIRE", key, "9000");
			}
			AcquireRequest.Waiting waiting = new AcquireRequest.Waiting(StoreClient.LIFE, sign, StoreClient.NONCE);
			StoreClient.get(
					second.store().acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 1, waiting, limit)));
			for (String key : keys) {
				assertThat((Long) server.cli("PTTL", key) > 9000).as("sign %d keeps %s", sign, key)
					.isEqualTo(sign % 4 == 3);
			}
		}
	}

	@Test
	void twoHundredExtensionsOfAllKindsAreTwoCommands() {
		List<LeaseExtension> extensions = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			LockToken token = first.newToken();
			int limit = (i < 150) ? 1 : (i < 160) ? 3 : AcquireRequest.NO_LIMIT;
			String each = (limit == 1) ? this.name + i : (limit == 3) ? this.name + ":" + i : this.name;
			first.tryJoin(each, token, StoreClient.LEASE, limit);
			extensions.add(new LeaseExtension(each, token, StoreClient.LEASE, LeaseExtension.Mode.EXACTLY, limit));
		}
		first.store().extend(extensions.subList(0, 1)).forEach(StoreClient::get);
		server.resetCommandStats();
		assertThat(first.store().extend(extensions).stream().map(StoreClient::get)).hasSize(200)
			.containsOnly(ExtendOutcome.EXTENDED);
		assertThat(server.commandStats()).containsEntry("evalsha", 2L).containsEntry("pexpire", 200L);
	}

	@Test
	void releaseSentBeforeTheAcquireIsAnsweredLeavesNothingWhenTheScriptCacheIsFlushed() {
		List<CompletableFuture<?>> futures = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			if (i % 100 == 0) {
				server.cli("SCRIPT", "FLUSH");
			}
			LockToken token = first.newToken();
			futures.add(first.store().acquire(new AcquireRequest(this.name + i, token, StoreClient.LEASE, 1, null)));
			futures.add(first.store().release(this.name + i, token));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).exceptionally((failure) -> null).join();
		assertThat((List<?>) server.cli("KEYS", "lock:*")).isEmpty();
	}

	@Test
	void plainSetNxClientIsExcludedByUs() {
		LockToken token = first.newToken();
		first.mustAcquire(this.name, token);
		assertThat(server.cli("SET", "lock:order:1", "foreign", "NX", "PX", "10000")).isNull();
		first.release(this.name, token);
		assertThat(server.cli("SET", "lock:order:1", "foreign", "NX", "PX", "10000")).isEqualTo("OK");
	}

	@Test
	void weAreExcludedByAPlainSetNxClient() {
		server.cli("SET", "lock:order:1", "worker-7: pid 123", "NX", "PX", "10000");
		assertThat(first.tryAcquire(this.name, first.newToken())).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> {
					assertThat(busy.holder()).isEqualTo("worker-7: pid 123");
					assertThat(busy.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
				});
		assertThat(first.release(this.name, first.newToken())).isEqualTo(ReleaseOutcome.OTHER);
		assertThat(first.extend(this.name, first.newToken(), StoreClient.LEASE)).isEqualTo(ExtendOutcome.OTHER);
		server.cli("DEL", "lock:order:1");
		assertThat(first.tryAcquire(this.name, first.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void operatorsSeeALockWithAnExactKeyUnderItsOwnName() throws Exception {
		RedisLockStore store = RedisLockStore.withOwnConnection(redis.lettuce(RedisFixture.address(server)),
				RedisFixture.settings().withKeys(Map.of("report", "job-lock:prod:report")));
		StoreClient client = redis.client(store).listen();
		server.cli("SET", "job-lock:prod:report", "ADDED:2026@host:1", "NX", "PX", "10000");
		server.cli("SET", "job-lock:prod:other", "ADDED:2026@host:1");
		server.cli("SET", "lock:report", "nobody's");
		LockToken waiter = client.newToken();
		client.queue("report", waiter);
		assertThat(StoreClient.get(store.list(10)).locks()).singleElement().satisfies((lock) -> {
			assertThat(lock.name()).isEqualTo("report");
			assertThat(lock.lock().holder()).isEqualTo("ADDED:2026@host:1");
			assertThat(lock.age()).isNull();
			assertThat(lock.waiting()).isEqualTo(1);
		});
		assertThat(StoreClient.get(store.describe("report"))).isPresent();
		assertThat(StoreClient.get(store.forceRelease("report", "somebody else"))).isEqualTo(ReleaseOutcome.OTHER);
		assertThat(StoreClient.get(store.forceRelease("report", "ADDED:2026@host:1")))
			.isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(client.awaitGrant().token()).isEqualTo(waiter);
		assertThat(server.cli("GET", "job-lock:prod:report")).isEqualTo(waiter.text());
	}

	@Test
	void foreignHolderWithoutExpiryHasNoRemainingTime() {
		server.cli("SET", "lock:order:1", "foreign");
		assertThat(first.tryAcquire(this.name, first.newToken())).isEqualTo(new AcquireOutcome.Busy("foreign", null));
		assertThat(first.find(this.name).remaining()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "99999999999999999999 1", "-5 1", "@1 busy 1 x", "" })
	void foreignFenceTellsAWaiterNothing(String fence) {
		first.hold(this.name);
		for (int limit : new int[] { 1, 5 }) {
			server.cli("SET", "{lock:order:1}:fence", "1700000000000001 2");
			assertThat(last(limit)).isEqualTo(1_700_000_000_000_001L);
			server.cli("SET", "{lock:order:1}:fence", fence);
			assertThat(last(limit)).isZero();
			server.cli("DEL", "{lock:order:1}:fence");
			server.cli("LPUSH", "{lock:order:1}:fence", "x");
			assertThat(last(limit)).isZero();
			server.cli("DEL", "{lock:order:1}:fence");
			assertThat(last(limit)).isZero();
		}
	}

	private long last(int limit) {
		return ((AcquireOutcome.Busy) second.queue(this.name, second.newToken(), limit)).fencingToken();
	}

	@Test
	void keyOfAnotherTypeIsAConfigurationProblem() {
		server.cli("LPUSH", "lock:order:1", "x");
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> first.tryAcquire(this.name, first.newToken()))
			.withMessageContaining("'lock:order:1'")
			.withMessageContaining("Delete the key")
			.satisfies((ex) -> assertThat(ex.getLockName()).isEqualTo("order:1"));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> first.release(this.name, first.newToken()));
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> first.find(this.name));
	}

	@Test
	void keysOfAnotherTypeAreNoLocksInAList() {
		server.cli("LPUSH", "lock:stray", "x");
		LockStore store = first.store();
		StoredLocks none = StoreClient.get(store.list(10));
		assertThat(none.locks()).isEmpty();
		assertThat(none.complete()).isTrue();
		first.mustAcquire("a", first.newToken());
		assertThat(StoreClient.get(store.list(10)).locks()).extracting(StoredLockDetails::name).containsExactly("a");
	}

	@Test
	void companionOfAnotherTypeIsAConfigurationProblemAndLeavesNoLock() {
		server.cli("LPUSH", "{lock:order:1}:fence", "x");
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> first.tryAcquire(this.name, first.newToken()));
		assertThat(server.cli("EXISTS", "lock:order:1")).isEqualTo(0L);
	}

	@Test
	void keyOfAnotherTypeDoesNotCostOtherLocksTheirExtension() {
		LockToken token = first.newToken();
		first.mustAcquire("a", token);
		server.cli("LPUSH", "lock:b", "x");
		List<LeaseExtension> extensions = List.of(
				new LeaseExtension("b", token, StoreClient.LEASE, LeaseExtension.Mode.EXACTLY, 1),
				new LeaseExtension("a", token, StoreClient.LEASE, LeaseExtension.Mode.EXACTLY, 1));
		assertThat(first.store().extend(extensions).stream().map(StoreClient::get)).containsExactly(ExtendOutcome.OTHER,
				ExtendOutcome.EXTENDED);
	}

	@Test
	void fencingTokensIncreaseOverFlushAll() {
		LockToken token = first.newToken();
		long before = first.mustAcquire(this.name, token);
		server.flushAll();
		assertThat(first.extend(this.name, token, StoreClient.LEASE)).isEqualTo(ExtendOutcome.ABSENT);
		assertThat(second.mustAcquire(this.name, second.newToken())).isGreaterThan(before);
	}

	@Test
	void fencingTokensIncreaseEvenIfTheClockOfTheServerIsBehind() throws Exception {
		server.cli("SET", "{lock:order:1}:fence", "8000000000000000 1");
		LockToken token = first.newToken();
		assertThat(first.mustAcquire(this.name, token)).isEqualTo(8_000_000_000_000_001L);
		first.release(this.name, token);
		LockToken next = first.newToken();
		assertThat(first.mustAcquire(this.name, next)).isEqualTo(8_000_000_000_000_002L);
		second.queue(this.name, second.newToken());
		first.release(this.name, next);
		assertThat(second.awaitGrant().fencingToken()).isEqualTo(8_000_000_000_000_003L);
		assertThat(server.cli("GET", "{lock:order:1}:fence")).isEqualTo("8000000000000003 1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{", "}", "{}", "}{", "{a}", "a{b}c", "a{b", "a}b", "{}{x}", "a{}b}", "*", "?[x]", "\\",
			"it's \"quoted\"", "with spaces", "  ", "\uD83D\uDD12 emoji", "日本語", "T(java.lang.Runtime)", "%s%d",
			"a:fence", "{lock:a}:fence", "line\nbreak", "\r\n$3\r\nGET", "\u0000", "\t", "\u2028", "a\u202eb", "\u200b",
			" a", "\u00e9", "-1", "0", "$x ${y} #{z}", "inbox:x" })
	void hostileNameWorksLikeAnyOther(String hostile) throws Exception {
		LockToken holder = first.newToken();
		LockToken waiter = second.newToken();
		long fence = first.mustAcquire(hostile, holder);
		assertThat(server.cli("GET", "lock:" + hostile)).isEqualTo(holder.text());
		assertThat(first.extend(hostile, holder, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(second.queue(hostile, waiter)).isInstanceOf(AcquireOutcome.Busy.class);
		first.release(hostile, holder);
		Grant grant = second.awaitGrant();
		assertThat(grant.name()).isEqualTo(hostile);
		assertThat(grant.fencingToken()).isGreaterThan(fence);
		assertThat(second.find(hostile).holder()).isEqualTo(waiter.text());
		assertThat(second.release(hostile, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(server.cli("EXISTS", "lock:" + hostile)).isEqualTo(0L);
	}

	@Test
	void longNameIsSentUnchanged() {
		String longName = "x".repeat(10_000);
		LockToken token = first.newToken();
		first.mustAcquire(longName, token);
		assertThat(server.cli("GET", "lock:" + longName)).isEqualTo(token.text());
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, AcquireRequest.NO_LIMIT })
	void memoryFullRefusesNewLocksButNotExtensionReleaseOrHandOff(int limit) throws Exception {
		LockToken holder = first.newToken();
		LockToken writer = second.newToken();
		LockToken waiter = second.newToken();
		first.tryJoin(this.name, holder, StoreClient.LEASE, limit);
		first.tryJoin("ended", first.newToken(), Duration.ofMillis(1), limit);
		first.tryJoin("company", first.newToken(), StoreClient.LEASE, limit);
		first.tryJoin("company", first.newToken(), Duration.ofMillis(1), limit);
		first.tryJoin("passed", first.newToken(), StoreClient.LEASE, limit);
		redis.client(server).enqueue("passed", Duration.ofMillis(1));
		second.queue(this.name, writer);
		second.queue(this.name, waiter, limit);
		server.cli("CONFIG", "SET", "maxmemory", "1");
		try {
			for (String another : List.of("another", "ended")) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> first.tryJoin(another, first.newToken(), StoreClient.LEASE, limit))
					.withMessageContaining("OOM");
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> first.queue(another, first.newToken(), limit))
					.withMessageContaining("OOM");
				assertThat(StoreClient.get(first.store().find(another))).isEmpty();
				assertThat(server.cli("EXISTS", "{lock:" + another + "}:queue", "{lock:" + another + "}:waiting"))
					.isEqualTo(0L);
			}
			if (limit != 1) {
				for (String removesFirst : List.of("company", "passed")) {
					assertThatExceptionOfType(LockUnavailableException.class)
						.isThrownBy(() -> first.tryJoin(removesFirst, first.newToken(), StoreClient.LEASE, limit))
						.withMessageContaining("OOM");
				}
			}
			assertThat(first.tryJoin(this.name, first.newToken(), StoreClient.LEASE, limit))
				.isInstanceOf(AcquireOutcome.Busy.class);
			assertThat(first.extend(this.name, holder, Duration.ofSeconds(1), limit)).isEqualTo(ExtendOutcome.EXTENDED);
			assertThat(first.extend(this.name, holder, StoreClient.LEASE, limit)).isEqualTo(ExtendOutcome.EXTENDED);
			assertThat(first.tryJoin(this.name, holder, StoreClient.LEASE, limit)).as("asked again")
				.isInstanceOf(AcquireOutcome.Granted.class);
			assertThat(first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(second.awaitGrant().token()).isEqualTo(writer);
			assertThat(second.release(this.name, writer)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(second.awaitGrant().token()).isEqualTo(waiter);
			assertThat(second.extend(this.name, waiter, StoreClient.LEASE, limit)).isEqualTo(ExtendOutcome.EXTENDED);
			assertThat(second.release(this.name, waiter)).isEqualTo(ReleaseOutcome.RELEASED);
		}
		finally {
			server.cli("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void serverThatLacksReplicasIsUnavailable() {
		first.mustAcquire("before", first.newToken());
		server.cli("CONFIG", "SET", "min-replicas-to-write", "1");
		try {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> first.tryAcquire(this.name, first.newToken()))
				.withMessageContaining("NOREPLICAS");
		}
		finally {
			server.cli("CONFIG", "SET", "min-replicas-to-write", "0");
		}
		first.mustAcquire(this.name, first.newToken());
	}

	@Test
	void plainClientAndSeveralHoldersExcludeEachOther() {
		assertThat(first.tryJoin("export", first.newToken(), StoreClient.LEASE, 3))
			.isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(server.cli("SET", "lock:export", "foreign", "NX", "PX", "30000")).isNull();
		assertThatExceptionOfType(RespException.class).isThrownBy(() -> server.cli("GET", "lock:export"))
			.withMessageContaining("WRONGTYPE");
		assertThat(server.cli("SET", "lock:report", "foreign", "NX", "PX", "30000")).isEqualTo("OK");
		assertThat(first.tryJoin("report", first.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT))
			.isInstanceOfSatisfying(AcquireOutcome.Busy.class,
					(busy) -> assertThat(busy.holder()).isEqualTo("foreign"));
		assertThat(server.cli("DEL", "lock:report")).isEqualTo(1L);
		assertThat(first.tryJoin("report", first.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT))
			.isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void holdersAreASortedSetWithTheirLimits() {
		LockToken permit = first.newToken();
		LockToken reader = first.newToken();
		first.tryJoin("export", permit, StoreClient.LEASE, 3);
		first.tryJoin("export", reader, Duration.ofSeconds(10), AcquireRequest.NO_LIMIT);
		assertThat(members("export")).containsExactly('#' + permit.text(), reader.text(), permit.text());
		assertThat(server.cli("ZSCORE", "lock:export", '#' + permit.text())).isEqualTo("3");
		assertThat((Long) server.cli("PTTL", "lock:export")).isBetween(25_000L, 31_000L);
		first.release("export", permit);
		assertThat(members("export")).containsExactly(reader.text());
		assertThat((Long) server.cli("PTTL", "lock:export")).isBetween(5_000L, 11_000L);
		first.release("export", reader);
		assertThat(server.cli("EXISTS", "lock:export")).isEqualTo(0L);
	}

	private static List<String> members(String name) {
		return ((List<?>) server.cli("ZRANGE", "lock:" + name, "0", "-1")).stream().map(String::valueOf).toList();
	}

	@Test
	void manyHoldersWhoseLeasesHaveEndedAreNotCounted() {
		first.tryJoin("export", first.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT);
		for (int i = 0; i < 150; i++) {
			first.tryJoin("export", first.newToken(), LONG_LEASE, AcquireRequest.NO_LIMIT);
		}
		members("export").stream()
			.skip(1)
			.forEach((member) -> server.cli("ZADD", "lock:export", "XX", "3000000000", member));
		assertThat(first.tryJoin("export", first.newToken(), StoreClient.LEASE, 40))
			.isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(members("export")).hasSize(3);
	}

	@Test
	void renewalRestoresALostLimit() {
		LockToken first = RedisLockStoreDataTests.first.newToken();
		LockToken other = second.newToken();
		RedisLockStoreDataTests.first.tryJoin("export", first, StoreClient.LEASE, 2);
		second.tryJoin("export", other, StoreClient.LEASE, AcquireRequest.NO_LIMIT);
		assertThat(server.cli("ZREM", "lock:export", '#' + first.text())).isEqualTo(1L);
		RedisLockStoreDataTests.first.extend("export", first, StoreClient.LEASE, 2);
		second.extend("export", other, StoreClient.LEASE, AcquireRequest.NO_LIMIT);
		assertThat(members("export")).hasSize(3).startsWith('#' + first.text());
		assertThat(second.tryJoin("export", second.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT))
			.isInstanceOf(AcquireOutcome.Busy.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, AcquireRequest.NO_LIMIT })
	void noScriptLooksAtMoreThanSixteenDeadWaiters(int limit) throws Exception {
		LockToken holder = first.newToken();
		first.tryJoin(this.name, holder, StoreClient.LEASE, limit);
		StoreClient dead = redis.client(server);
		for (int i = 0; i < 100; i++) {
			dead.queue(this.name, dead.newToken());
		}
		LockToken waiter = second.newToken();
		assertThat(second.queue(this.name, waiter)).isInstanceOf(AcquireOutcome.Busy.class);
		server.resetCommandStats();
		first.release(this.name, holder);
		assertThat(second.awaitGrant().token()).isEqualTo(waiter);
		Map<String, Long> calls = server.commandStats();
		assertThat(calls.get("evalsha")).isGreaterThanOrEqualTo(7);
		assertThat(calls.get("hget")).isEqualTo(101);
	}

	@ParameterizedTest
	@ValueSource(ints = { 16, AcquireRequest.NO_LIMIT })
	void lockIsHeldUntilAWaiterBehindManyDeadOnesGetsIt(int limit) throws Exception {
		LockToken holder = first.newToken();
		first.mustAcquire(this.name, holder);
		StoreClient dead = redis.client(server);
		for (int i = 0; i < 40; i++) {
			dead.queue(this.name, dead.newToken(), limit);
		}
		LockToken waiter = second.newToken();
		second.queue(this.name, waiter);
		assertThat(first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(second.extend(this.name, waiter, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	@Test
	void permanentKeyEndsWithItsNextLeaseAndNotWithAQuestion() {
		LockToken token = first.newToken();
		first.mustAcquire(this.name, token);
		server.cli("PERSIST", "lock:order:1");
		assertThat(extendAtLeast(token, Duration.ofMillis(1))).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat(server.cli("PTTL", "lock:order:1")).isEqualTo(-1L);
		assertThat(extendAtLeast(token, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		assertThat((Long) server.cli("PTTL", "lock:order:1")).isPositive();
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, AcquireRequest.NO_LIMIT })
	void questionAboutOneOfSeveralChangesNothingUnlessTheKeyLacksSomething(int limit) {
		LockToken token = first.newToken();
		first.tryJoin(this.name, token, StoreClient.LEASE, limit);
		server.resetCommandStats();
		askAbout(token, limit);
		server.cli("PERSIST", "lock:order:1");
		askAbout(token, limit);
		assertThat(server.commandStats()).doesNotContainKeys("zadd", "pexpire");
		server.cli("PEXPIRE", "lock:order:1", "9000");
		askAbout(token, limit);
		assertThat((Long) server.cli("PTTL", "lock:order:1")).isGreaterThan(9000);
		server.cli("ZREM", "lock:order:1", '#' + token.text());
		askAbout(token, limit);
		assertThat(members("order:1")).hasSize((limit == 3) ? 2 : 1);
	}

	private void askAbout(LockToken token, int limit) {
		assertThat(extendAtLeast(token, Duration.ofMillis(1), limit)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	private ExtendOutcome extendAtLeast(LockToken token, Duration lease) {
		return extendAtLeast(token, lease, 1);
	}

	private ExtendOutcome extendAtLeast(LockToken token, Duration lease, int limit) {
		LeaseExtension extension = new LeaseExtension(this.name, token, lease, LeaseExtension.Mode.AT_LEAST, limit);
		return StoreClient.get(first.store().extend(List.of(extension)).get(0));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 3 })
	void limitOfALeaseThatHasEndedIsNotDescribed(int alive) {
		LockToken reader = first.newToken();
		first.tryJoin(this.name, reader, StoreClient.LEASE, AcquireRequest.NO_LIMIT);
		long future = System.currentTimeMillis() + 60_000;
		for (int i = 0; i < 3; i++) {
			String member = first.newToken().text();
			server.cli("ZADD", "lock:order:1", String.valueOf(3 + 2 * i), '#' + member,
					String.valueOf((i == alive) ? future : future - 120_000), member);
		}
		StoredLockDetails.Company company = companyOf(this.name);
		assertThat(company.holders()).isEqualTo((alive < 3) ? 2 : 1);
		Integer limit = (alive < 3) ? 3 + 2 * alive : null;
		assertThat(company.smallestLimit()).isEqualTo(limit);
		assertThat(company.largestLimit()).isEqualTo(limit);
	}

	@Test
	void onlyLimitIsTheSmallestAndTheLargest() {
		first.tryJoin(this.name, first.newToken(), StoreClient.LEASE, AcquireRequest.NO_LIMIT);
		assertThat(companyOf(this.name).smallestLimit()).isNull();
		assertThat(companyOf(this.name).largestLimit()).isNull();
		first.tryJoin(this.name, first.newToken(), StoreClient.LEASE, 3);
		assertThat(companyOf(this.name).smallestLimit()).isEqualTo(3);
		assertThat(companyOf(this.name).largestLimit()).isEqualTo(3);
	}

	private static StoredLockDetails.Company companyOf(String name) {
		return Objects.requireNonNull(described(name).company());
	}

	private static StoredLockDetails described(String name) {
		return StoreClient.get(first.store().describe(name)).orElseThrow();
	}

	@Test
	void whatIsNotKnownOfALockIsNotDescribed() {
		first.mustAcquire(this.name, LockToken.parse("app@host~%022d:1".formatted(1)));
		assertThat(described(this.name).age()).isNotNull();
		assertThat(described(this.name).waiting()).isZero();
		assertThat(described(this.name).lock().holders()).isOne();
		server.cli("DEL", "{lock:order:1}:fence");
		assertThat(described(this.name).age()).isNull();
		first.tryJoin("book", LockToken.parse("app@host~%022d:2".formatted(1)), StoreClient.LEASE,
				AcquireRequest.NO_LIMIT);
		assertThat(described("book").age()).as("of several").isNull();
		for (String name : List.of(this.name, "book")) {
			server.cli("SET", "{lock:" + name + "}:queue", "foreign");
			assertThat(described(name).waiting()).as(name).isNull();
		}
	}

	@Test
	void oneHundredOfManyHoldersAndWaitersAreDescribed() {
		for (int i = 0; i < 300; i++) {
			first.tryJoin("book", first.newToken(), LONG_LEASE, 1000);
		}
		server.resetCommandStats();
		assertThat(described("book").holds()).hasSize(100);
		assertThat(server.commandStats().get("zscan")).isBetween(2L, 4L);
		for (int i = 0; i < 102; i++) {
			first.queue("book", first.newToken());
		}
		assertThat(described("book").waiting()).isEqualTo(102);
		assertThat(described("book").queue()).hasSize(100);
	}

	@Test
	void fewHoldersAreReadAtOnce() {
		first.tryJoin("book", first.newToken(), LONG_LEASE, AcquireRequest.NO_LIMIT);
		server.resetCommandStats();
		assertThat(described("book").holds()).hasSize(1);
		assertThat(server.commandStats()).containsEntry("zscan", 1L);
	}

	@Test
	void searchForHoldersAmongManyWhoseLeasesHaveEndedIsLimited() {
		first.tryJoin("book", first.newToken(), LONG_LEASE, AcquireRequest.NO_LIMIT);
		server.cli("EVAL", "for i = 1, 5000 do redis.call('ZADD', KEYS[1], ARGV[1] + i, ARGV[2] .. i) end", "1",
				"lock:book", String.valueOf(System.currentTimeMillis() - 60_000), first.newToken().text());
		server.resetCommandStats();
		assertThat(companyOf("book").holders()).isOne();
		assertThat(server.commandStats()).containsEntry("zscan", 16L);
	}

	@Test
	void leaseOfOneThatMakesRoomForDeadWaitersIsKept() throws Exception {
		LockToken last = first.newToken();
		first.tryJoin(this.name, last, StoreClient.LEASE, AcquireRequest.NO_LIMIT);
		queueDead(17, 0);
		assertThat(releaseOnce(last)).isEqualTo("more");
		assertThat(Double.parseDouble(String.valueOf(server.cli("ZSCORE", "lock:order:1", last.text()))))
			.isBetween(System.currentTimeMillis() + 1000.0, System.currentTimeMillis() + 30_000.0);
		assertThat(releaseOnce(last)).isEqualTo("1");
	}

	/** Not again, as the store does. */
	private static String releaseOnce(LockToken token) {
		return String.valueOf(server.cli("EVALSHA", LockScript.RELEASE.sha, "4", "lock:order:1", "{lock:order:1}:fence",
				"{lock:order:1}:queue", "{lock:order:1}:waiting", token.text(), "order:1",
				"60000 1 600000 lock:grants:"));
	}

	@Test
	void releaseThatServesOneAndMeetsManyDeadIsDone() throws Exception {
		LockToken holder = first.newToken();
		LockToken waiter = second.newToken();
		first.mustAcquire(this.name, holder);
		second.queue(this.name, waiter, 3);
		queueDead(17, 1);
		assertThat(first.release(this.name, holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.awaitGrant().token()).isEqualTo(waiter);
	}

	private void queueDead(int waiters, long alive) {
		for (int i = 0; i < waiters; i++) {
			StoreClient.get(second.store()
				.acquire(new AcquireRequest(this.name, second.newToken(), StoreClient.LEASE, 3,
						StoreClient.place(Duration.ofMillis(1)), 1)));
		}
		await().until(() -> described(this.name).waiting(), Predicate.isEqual(alive));
	}

	@Test
	void eachExtensionOfABatchShortensOnItsOwn() {
		List<LeaseExtension> extensions = new ArrayList<>();
		for (String name : List.of("a", "b", "c")) {
			LockToken token = first.hold(name);
			extensions.add(new LeaseExtension(name, token, Duration.ofSeconds(5),
					name.equals("b") ? LeaseExtension.Mode.EXACTLY : LeaseExtension.Mode.AT_LEAST, 1));
		}
		first.store().extend(extensions).forEach(StoreClient::get);
		assertThat((Long) server.cli("PTTL", "lock:a")).isGreaterThan(10_000);
		assertThat((Long) server.cli("PTTL", "lock:b")).isLessThanOrEqualTo(5000);
		assertThat((Long) server.cli("PTTL", "lock:c")).isGreaterThan(10_000);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, AcquireRequest.NO_LIMIT })
	void lockIsReadLastOnlyWhereChangesAreReported(int limit) {
		Map<String, LockToken> held = new TreeMap<>();
		for (String name : List.of("a", "b")) {
			held.put(name, first.newToken());
			first.tryJoin(name, held.get(name), StoreClient.LEASE, limit);
		}
		// Longer each time: a lease that ends in the same millisecond is not written
		// again
		Map<String, Long> unwatched = commandsOf(() -> first.store().extend(extensions(held, limit, 2)));
		Map<String, Long> watched = commandsOf(() -> first.store().extendAndWatch(extensions(held, limit, 3)));
		assertThat(watched.get("pttl")).isEqualTo(unwatched.getOrDefault("pttl", 0L) + 2);
	}

	private static List<LeaseExtension> extensions(Map<String, LockToken> held, int limit, int leases) {
		return held.entrySet()
			.stream()
			.map((entry) -> new LeaseExtension(entry.getKey(), entry.getValue(), StoreClient.LEASE.multipliedBy(leases),
					LeaseExtension.Mode.AT_LEAST, limit))
			.toList();
	}

	private Map<String, Long> commandsOf(Supplier<List<CompletableFuture<ExtendOutcome>>> extensions) {
		server.resetCommandStats();
		assertThat(extensions.get()).map(StoreClient::get).containsOnly(ExtendOutcome.EXTENDED);
		return server.commandStats();
	}

	@Test
	void settingThatEvictsKeysIsTheOnlyFinding() {
		assertThat(StoreClient.get(first.store().inspect()).findings()).isEmpty();
		server.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
		try {
			assertThat(StoreClient.get(first.store().inspect()).findings()).singleElement()
				.satisfies((finding) -> assertThat(finding.problem()).contains("volatile-lru"));
		}
		finally {
			server.cli("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
		}
	}

	@Test
	void tenThousandHoldersHardlySlowTheNextRequest() {
		LockToken last = first.newToken();
		for (int i = 0; i < 100; i++) {
			first.tryJoin("book", first.newToken(), LONG_LEASE, AcquireRequest.NO_LIMIT);
		}
		long few = microsOf(200);
		for (int i = 0; i < 10_000; i++) {
			first.tryJoin("book", first.newToken(), LONG_LEASE, AcquireRequest.NO_LIMIT);
		}
		long many = microsOf(200);
		assertThat(many).isLessThan(Math.max(5 * few, 200));
		assertThat(first.tryAcquire("book", last)).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(described("book").holds()).hasSize(100);
		assertThat(companyOf("book").holders()).isEqualTo(10_500);
	}

	/** The time that Redis needs for a script, on average. */
	private static long microsOf(int calls) {
		server.cli("CONFIG", "RESETSTAT");
		for (int i = 0; i < calls; i++) {
			first.tryJoin("book", first.newToken(), LONG_LEASE, AcquireRequest.NO_LIMIT);
		}
		Matcher matcher = Pattern.compile("cmdstat_evalsha:.*usec_per_call=([0-9]+)")
			.matcher(String.valueOf(server.cli("INFO", "commandstats")));
		assertThat(matcher.find()).isTrue();
		return Long.parseLong(matcher.group(1));
	}

	@Test
	void everyScriptDescribesItself() {
		for (LockScript script : LockScript.values()) {
			String source = new String(script.source, StandardCharsets.UTF_8);
			assertThat(source).contains("-- ").contains("KEYS[").containsIgnoringCase("returns");
			assertThat(server.cli("SCRIPT", "LOAD", source)).isEqualTo(script.sha);
		}
	}

}
