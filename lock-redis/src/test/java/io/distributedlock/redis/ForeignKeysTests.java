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

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Values of others under each key of a lock, for each kind of lock, at each script: they
 * are refused, and never changed or deleted. What is refused leaves nothing behind.
 */
class ForeignKeysTests {

	private static final String NAME = "order:1";

	private static final String MAIN = "lock:order:1";

	private static final String FENCE = "{lock:order:1}:fence";

	private static final String QUEUE = "{lock:order:1}:queue";

	private static final String WAITING = "{lock:order:1}:waiting";

	private static final String RECORD = "{lock:order:1}:record";

	private static final List<Integer> LIMITS = List.of(1, 3, AcquireRequest.NO_LIMIT);

	/** What to write, by key; the first of them is of another type. */
	private static final List<Foreign> FOREIGN = List.of(new Foreign(MAIN, "RPUSH", "x"),
			new Foreign(MAIN, "HSET", "field", "x"), new Foreign(MAIN, "ZADD", "10", "alice", "20", "bob"),
			new Foreign(MAIN, "ZADD", "99999999999999", "alice"), new Foreign(MAIN, "ZADD", "inf", "app@host~1:1"),
			new Foreign(MAIN, "ZADD", "-inf", "app@host~1:1", "1", "alice"),
			new Foreign(MAIN, "ZADD", "3", "#alice", "99999999999999", "#bob"),
			new Foreign(MAIN, "ZADD", "3", "#app@host~1:1"),
			new Foreign(MAIN, "ZADD", "99999999999998", "app@host~1:1", "99999999999999", "alice"),
			new Foreign(MAIN, "ZADD", "1", "alice", "99999999999998", "app@host~1:1", "99999999999999", "app@host~1:2"),
			new Foreign(MAIN, "ZADD", "3000000000", "app@host~1:1", "3000000001", "alice", "99999999999998",
					"app@host~1:2", "99999999999999", "app@host~1:3"),
			new Foreign(FENCE, "RPUSH", "x"), new Foreign(FENCE, "SET", "x"), new Foreign(FENCE, "SET", ""),
			new Foreign(FENCE, "SET", "inf"), new Foreign(FENCE, "SET", "9223372036854775806 1"),
			new Foreign(FENCE, "SET", "12"), new Foreign(QUEUE, "SET", "x"), new Foreign(QUEUE, "RPUSH", "x"),
			new Foreign(QUEUE, "ZADD", "0", "alice"), new Foreign(QUEUE, "ZADD", "-inf", "alice:1"),
			new Foreign(WAITING, "SET", "x"), new Foreign(WAITING, "ZADD", "0", "alice"),
			new Foreign(WAITING, "HSET", "app@host~1:1", "x"), new Foreign(RECORD, "RPUSH", "x"),
			new Foreign(RECORD, "HSET", "field", "x"), new Foreign(RECORD, "SET", "x"));

	private static RedisServer server;

	private static RedisFixture redis;

	private static StoreClient client;

	private static StoreClient other;

	@BeforeAll
	static void start() throws Exception {
		server = RedisServer.start();
		redis = new RedisFixture();
		client = redis.client(server).listen();
		other = redis.client(server).listen();
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

	static Stream<Arguments> foreignValuesAndKinds() {
		return FOREIGN.stream().flatMap((foreign) -> LIMITS.stream().map((limit) -> Arguments.of(foreign, limit)));
	}

	@ParameterizedTest
	@MethodSource("foreignValuesAndKinds")
	void foreignValueOfAFreeLockIsRefusedAndStays(Foreign foreign, int limit) {
		LockToken token = client.newToken();
		for (Consumer<LockToken> script : scripts(limit)) {
			flush();
			foreign.write();
			List<?> before = foreign.read();
			refusedOrDone(script, token);
			assertThat(foreign.read()).as("what others wrote").isEqualTo(before);
			assertThat(keysWithoutEnd()).isSubsetOf(foreign.key());
		}
		foreign.write();
		Throwable refusal = catchThrowable(() -> client.tryJoin(NAME, token, StoreClient.LEASE, limit));
		// Nobody who does not wait looks at those that do, unless it may be beside
		// others. Whoever must be alone looks at the last two members only.
		boolean looks = !List.of(WAITING, RECORD).contains(foreign.key())
				&& !(limit == 1 && (foreign.key().equals(QUEUE) || foreign.values().length > 4));
		if (looks) {
			assertThat(refusal).isInstanceOf(LockConfigurationException.class);
			assertThat(server.cli("EXISTS", MAIN)).as("nobody holds it")
				.isEqualTo(foreign.key().equals(MAIN) ? 1L : 0L);
		}
	}

	@ParameterizedTest
	@MethodSource("foreignValuesAndKinds")
	void foreignValueBesideAHolderStaysAndTheHolderKeepsAndReleasesTheLock(Foreign foreign, int limit) {
		if (foreign.key().equals(MAIN)) {
			return;
		}
		LockToken holder = client.newToken();
		for (Consumer<LockToken> script : scripts(limit)) {
			flush();
			client.tryJoin(NAME, holder, StoreClient.LEASE, limit);
			server.cli("DEL", foreign.key());
			foreign.write();
			List<?> before = foreign.read();
			LockToken token = other.newToken();
			refusedOrDone(script, token);
			assertThat(foreign.read()).as("what others wrote").isEqualTo(before);
			assertThat(keysWithoutEnd()).isSubsetOf(foreign.key());
			client.extend(NAME, holder, StoreClient.LEASE, limit);
			assertThat(client.find(NAME)).isNotNull();
			refusedOrDone((each) -> client.release(NAME, each), token);
			refusedOrDone((each) -> client.release(NAME, each), holder);
			assertThat(server.cli("EXISTS", MAIN)).as("it is released").isEqualTo(0L);
			assertThat(foreign.read()).as("what others wrote").isEqualTo(before);
		}
	}

	@ParameterizedTest
	@FieldSource("LIMITS")
	void foreignPlaceInTheQueueStaysAndTheHolderKeepsAndReleasesTheLock(int limit) {
		Foreign place = new Foreign(QUEUE, "ZADD", "0", "app@host~1:1");
		Foreign entry = new Foreign(WAITING, "HSET", "app@host~1:1", "x");
		LockToken holder = client.newToken();
		for (Consumer<LockToken> script : scripts(limit)) {
			flush();
			client.tryJoin(NAME, holder, StoreClient.LEASE, limit);
			place.write();
			entry.write();
			refusedOrDone(script, other.newToken());
			client.extend(NAME, holder, StoreClient.LEASE, limit);
			assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> client.release(NAME, holder));
			assertThat(server.cli("EXISTS", MAIN)).as("it is released").isEqualTo(0L);
			assertThat(place.read()).isEqualTo(List.of("app@host~1:1", "0"));
			assertThat(entry.read()).isEqualTo(List.of("app@host~1:1", "x"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "RPUSH", "ZADD" })
	void valueOfAnotherTypeUnderTheKeyOfTheRecordIsRefusedAndTheLockIsUnaffected(String command) {
		Foreign foreign = command.equals("RPUSH") ? new Foreign(RECORD, command, "x")
				: new Foreign(RECORD, command, "1", "x");
		foreign.write();
		List<?> before = foreign.read();
		LockToken holder = client.newToken();
		client.mustAcquire(NAME, holder);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> client.replaceRecord(NAME, holder, null, "one"))
			.withMessageContaining("'" + MAIN + "' or one of its companions")
			.withMessageContaining("Delete the key");
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> other.record(NAME))
			.withMessageContaining("Delete the key");
		assertThat(foreign.read()).as("what others wrote").isEqualTo(before);
		assertThat(client.extend(NAME, holder, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		server.cli("DEL", RECORD);
		assertThat(client.replaceRecord(NAME, holder, null, "one")).isEqualTo(new RecordChange.Outcome.Replaced());
		assertThat(client.release(NAME, holder)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/** Returns what a token may ask for. */
	private static List<Consumer<LockToken>> scripts(int limit) {
		return List.of((token) -> client.tryJoin(NAME, token, StoreClient.LEASE, limit),
				(token) -> client.queue(NAME, token, limit),
				(token) -> client.extend(NAME, token, StoreClient.LEASE, limit), (token) -> client.release(NAME, token),
				(token) -> client.forceRelease(NAME, token), (token) -> client.find(NAME),
				(token) -> StoreClient.get(client.store().describe(NAME)),
				(token) -> client.replaceRecord(NAME, token, null, "one"), (token) -> client.record(NAME));
	}

	private static void refusedOrDone(Consumer<LockToken> script, LockToken token) {
		Throwable refusal = catchThrowable(() -> script.accept(token));
		if (refusal != null) {
			assertThat(refusal).isInstanceOf(LockConfigurationException.class).hasMessageContaining("Delete the key");
		}
	}

	private static List<String> keysWithoutEnd() {
		List<String> keys = new ArrayList<>();
		for (Object key : (List<?>) server.cli("KEYS", "*")) {
			if (server.cli("PTTL", key.toString()).equals(-1L)) {
				keys.add(key.toString());
			}
		}
		return keys;
	}

	record Foreign(String key, String command, String... values) {

		void write() {
			List<String> words = new ArrayList<>(List.of(this.command, this.key));
			words.addAll(List.of(this.values));
			server.cli(words.toArray(String[]::new));
		}

		/** Returns those of the values that are there. */
		List<?> read() {
			String type = (String) server.cli("TYPE", this.key);
			return switch (type) {
				case "string" -> List.of(server.cli("GET", this.key));
				case "list" -> (List<?>) server.cli("LRANGE", this.key, "0", "-1");
				case "hash" -> written(server.cli("HGETALL", this.key));
				case "zset" -> written(server.cli("ZRANGE", this.key, "0", "-1", "WITHSCORES"));
				default -> List.of();
			};
		}

		private List<?> written(Object answer) {
			return ((List<?>) answer).stream().filter(List.of(this.values)::contains).toList();
		}

		@Override
		public String toString() {
			return this.command + " " + this.key + " " + String.join(" ", this.values);
		}

	}

}
