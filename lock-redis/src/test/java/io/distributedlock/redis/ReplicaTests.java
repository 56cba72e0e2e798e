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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.Replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisLockStore} with clients that take a replica for the master, as
 * after a failover of which they have not heard: it passes on messages, and answers what
 * is out of date.
 */
class ReplicaTests {

	private static RedisServer master;

	private static RedisServer replica;

	private final RedisFixture redis = new RedisFixture();

	private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

	private final String name = "order:1";

	private StoreClient holder;

	@BeforeAll
	static void start() {
		master = RestrictedUser.onServer(RedisServer.builder()).embedded().start();
		replica = RedisServer.builder()
			.embedded()
			.config("replicaof", master.host(), String.valueOf(master.port()))
			.start();
		Replication.awaitInSync(master, replica);
	}

	@AfterAll
	static void stop() {
		replica.close();
		master.close();
	}

	@BeforeEach
	void connect() {
		master.flushAll();
		this.holder = this.redis.client(master);
	}

	@AfterEach
	void close() {
		this.redis.close();
	}

	/**
	 * The master does not count who hears it from the replica, so the lock goes to the
	 * next one.
	 */
	@ParameterizedTest
	@CsvSource({ "1, false", "2, false", "1, true", "2, true" })
	void whoHearsTheReplicaIsNotToldOfALockThatAnotherGets(int limit, boolean restricted) throws Exception {
		StoreClient releasing = restricted
				? this.redis.client(this.redis.lettuce(withoutQuestion()), RedisFixture.settings()) : this.holder;
		StoreClient far = this.redis.client(master);
		StoreClient near = this.redis.client(master).listen();
		LockToken held = releasing.hold(this.name);
		LockToken passedOver = far.newToken();
		try (RedisClient client = hear(replica, "lock:inbox:" + passedOver.instance())) {
			far.queue(this.name, passedOver, limit);
			LockToken next = near.newToken();
			near.queue(this.name, next, 1);
			releasing.release(this.name, held);
			assertThat(near.awaitGrant().token()).isEqualTo(next);
			master.cli("PUBLISH", "lock:inbox:" + passedOver.instance(), "end");
			assertThat(messages()).noneMatch((message) -> message.contains(passedOver.text()));
		}
		RestrictedUser.assertNothingRefused(master);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoHearsTheMasterIsTold(boolean restricted) throws Exception {
		StoreClient releasing = restricted
				? this.redis.client(this.redis.lettuce(withoutQuestion()), RedisFixture.settings()) : this.holder;
		StoreClient near = this.redis.client(master);
		LockToken held = releasing.hold(this.name);
		LockToken next = near.newToken();
		try (RedisClient client = hear(master, "lock:inbox:" + next.instance())) {
			near.queue(this.name, next);
			releasing.release(this.name, held);
			master.cli("PUBLISH", "lock:inbox:" + next.instance(), "end");
			assertThat(messages()).anyMatch((message) -> message.contains(next.text()));
		}
		assertThat(RedisFixture.holder(master, this.name)).isEqualTo(next.text());
	}

	@Test
	void whatAReplicaSaysIsNoAnswer() {
		LockToken alone = this.holder.hold(this.name);
		LockToken shared = this.holder.newToken();
		this.holder.tryJoin("shared", shared, StoreClient.LEASE, 2);
		Replication.awaitInSync(master, replica);
		List<Consumer<StoreClient>> questions = List.of((client) -> client.tryAcquire(this.name, client.newToken()),
				(client) -> client.tryAcquire("shared", client.newToken()),
				(client) -> client.tryJoin(this.name, client.newToken(), StoreClient.LEASE, 2),
				(client) -> client.tryJoin("shared", client.newToken(), StoreClient.LEASE, 1),
				(client) -> client.extend(this.name, client.newToken(), StoreClient.LEASE),
				(client) -> client.extend("free", client.newToken(), StoreClient.LEASE),
				(client) -> client.extend("shared", client.newToken(), StoreClient.LEASE, 2),
				(client) -> client.replaceRecord("free", client.newToken(), null, "text"),
				(client) -> client.replaceRecord(this.name, alone, "another", "text"),
				(client) -> client.release(this.name, client.newToken()),
				(client) -> client.release("free", client.newToken()),
				(client) -> client.release("shared", client.newToken()), (client) -> ask(client, this.name, alone, 1),
				(client) -> ask(client, "shared", shared, 2));
		StoreClient far = this.redis.client(this.redis.lettuce(RedisFixture.address(replica)), RedisFixture.settings());
		assertThat(questions).allSatisfy((question) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> question.accept(far))
			.withMessageContaining("READONLY"));
		StoreClient near = this.redis.client(master);
		assertThat(questions).allSatisfy((question) -> question.accept(near));
		assertThat(near.tryAcquire(this.name, near.newToken())).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(near.extend("free", near.newToken(), StoreClient.LEASE)).isEqualTo(ExtendOutcome.ABSENT);
		assertThat(near.replaceRecord("free", near.newToken(), null, "text"))
			.isInstanceOf(RecordChange.Outcome.NotHeld.class);
		assertThat(ask(near, this.name, alone, 1)).isEqualTo(ExtendOutcome.EXTENDED);
	}

	/** Whether it is still held: changes nothing. */
	private static ExtendOutcome ask(StoreClient client, String name, LockToken token, int limit) {
		return StoreClient.get(client.store()
			.extend(List.of(new LeaseExtension(name, token, Duration.ofMillis(1), LeaseExtension.Mode.AT_LEAST, limit)))
			.get(0));
	}

	private List<String> messages() throws InterruptedException {
		List<String> messages = new ArrayList<>();
		String message;
		do {
			message = this.heard.poll(RedisFixture.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			assertThat(message).isNotNull();
			messages.add(message);
		}
		while (!message.equals("end"));
		return messages;
	}

	private RedisClient hear(RedisServer server, String channel) {
		RedisClient client = RedisClient.create(RedisFixture.RESOURCES, RedisURI.create(server.host(), server.port()));
		StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
		connection.addListener(new RedisPubSubAdapter<>() {

			@Override
			public void message(String from, String message) {
				ReplicaTests.this.heard.add(message);
			}

		});
		connection.sync().subscribe(channel);
		return client;
	}

	/** As one that may not ask who listens. */
	private RedisStandaloneConfiguration withoutQuestion() {
		master.cli("ACL", "SETUSER", RestrictedUser.NAME, "-pubsub|numsub");
		return RestrictedUser.address(master.host(), master.port());
	}

}
