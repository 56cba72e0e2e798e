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

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.EachKind;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What somebody can do who may use the channels of Redis, and none of its keys.
 */
@Timeout(60)
class ForgedMessagesTests {

	private static final LockOptions LEASE = LockOptions.ofLease(Duration.ofSeconds(30));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private RedisClient client;

	private StatefulRedisConnection<String, String> connection;

	private RedisCommands<String, String> attacker;

	private Instance here;

	private Instance there;

	@BeforeEach
	void connect() throws Exception {
		bed.server()
			.cli("ACL", "SETUSER", "attacker", "reset", "on", ">secret", "resetkeys", "&*", "+publish", "+pubsub",
					"+hello", "+ping", "+get");
		URI url = URI.create(bed.server().url());
		this.client = RedisClient.create(RedisURI.builder()
			.withHost(url.getHost())
			.withPort(url.getPort())
			.withAuthentication("attacker", "secret")
			.build());
		this.connection = this.client.connect();
		this.attacker = this.connection.sync();
		this.here = bed.instance("here");
		this.there = bed.instance("there");
		listen(this.here, this.there);
		listen(this.there, this.here);
	}

	@AfterEach
	void disconnect() {
		this.connection.close();
		this.client.shutdown();
	}

	/** An instance subscribes to its inbox at its first wait. */
	private void listen(Instance waiting, Instance holding) throws Exception {
		LockHandle held = holding.locks.acquire("w", LEASE);
		CompletableFuture<LockHandle> waiter = waiting.locks.acquireAsync("w",
				LEASE.withWaitTime(Duration.ofMinutes(1)));
		bed.awaitQueueLength("w", 1);
		held.close();
		waiter.get().close();
	}

	@EachKind
	@Shows("Messages forged by a client without access to keys")
	void forgedMessagesReleaseNothing(LockKind kind) {
		String theirs = kind.named("theirs");
		String ours = kind.named("ours");
		assertThatExceptionOfType(RedisCommandExecutionException.class)
			.isThrownBy(() -> this.attacker.get("lock:" + theirs))
			.withMessageContaining("NOPERM");
		LockHandle there = this.there.locks.acquire(theirs, kind.of(LEASE));
		LockHandle here = this.here.locks.acquire(ours, kind.of(LEASE));
		List<String> inboxes = this.attacker.pubsubChannels("lock:inbox:*");
		assertThat(inboxes).hasSize(2);
		for (String inbox : inboxes) {
			for (String victim : inboxes) {
				for (int number = 1; number < 50; number++) {
					String token = victim.substring("lock:inbox:".length()) + ":" + Integer.toString(number, 36);
					for (String name : List.of(theirs, ours)) {
						this.attacker.publish(inbox, token + " 1 1 1000 0 " + name);
						this.attacker.publish(inbox, "! " + token + " " + name);
					}
				}
			}
		}
		assertMessagesAreRead();
		assertThat(bed.isHeldBy(this.there, theirs)).isTrue();
		assertThat(bed.isHeldBy(this.here, ours)).isTrue();
		assertThat(there.isHeld() && here.isHeld()).isTrue();
	}

	@EachKind
	@Shows("Messages forged by a client without access to keys")
	void forgedMessagesGiveAWaiterNothing(LockKind kind) {
		String name = kind.named("x");
		LockHandle theirs = this.there.locks.acquire(name, LEASE);
		CompletableFuture<LockHandle> waiter = this.here.locks.acquireAsync(name,
				kind.of(LEASE).withWaitTime(Duration.ofMinutes(1)));
		bed.awaitQueueLength(name, 1);
		String token = (String) ((List<?>) bed.server().cli("ZRANGE", "{lock:" + name + "}:queue", "0", "0")).get(0);
		String inbox = "lock:inbox:" + this.here.locks.instanceId();
		for (String nonce : List.of("0", "1", "-1", "9223372036854775807")) {
			assertThat(this.attacker.publish(inbox, token + " 9000000000000000 1 3000 " + nonce + " " + name))
				.isEqualTo(1);
		}
		assertMessagesAreRead();
		assertThat(waiter).isNotDone();
		theirs.close();
		assertThat(waiter).succeedsWithin(TestBed.SOON);
		assertThat(waiter.join().fencingToken()).isLessThan(9_000_000_000_000_000L);
		waiter.join().close();
	}

	/** A grant by the store comes after what was published before. */
	private void assertMessagesAreRead() {
		for (Instance[] pair : List.of(new Instance[] { this.here, this.there },
				new Instance[] { this.there, this.here })) {
			LockHandle held = pair[1].locks.acquire("after", LEASE);
			CompletableFuture<LockHandle> waiter = pair[0].locks.acquireAsync("after",
					LEASE.withWaitTime(Duration.ofMinutes(1)));
			bed.awaitQueueLength("after", 1);
			held.close();
			assertThat(waiter).succeedsWithin(TestBed.SOON);
			waiter.join().close();
		}
	}

}
