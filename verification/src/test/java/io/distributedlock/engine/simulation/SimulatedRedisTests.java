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

package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.StoredLock;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Random sequences of calls get the same answers, step by step, from the Lua scripts on a
 * real server and from {@link SimulatedRedis}, and both publish the same messages. Times
 * are compared with tolerance, and fencing tokens by their order. The server is the one
 * of all tests: the system property {@code lock.test.redis.server} names another.
 */
@Timeout(300)
class SimulatedRedisTests {

	private static final int SEQUENCES = Integer.getInteger("simulation.sequences", 60);

	private static final long SEED = Long.getLong("simulation.seed", 20261122);

	private static final int CALLS = 40;

	private static final Duration TOLERANCE = Duration.ofSeconds(100);

	/** Far enough from each other that tolerance does not hide which one is in force. */
	private static final Duration[] LEASES = { Duration.ofSeconds(1000), Duration.ofSeconds(3000),
			Duration.ofSeconds(9000) };

	private static final int TOKENS = 5;

	private static RedisServer server;

	private static LettuceConnectionFactory connections;

	private static RedisLockStore real;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()));
		connections.afterPropertiesSet();
		real = RedisLockStore.withOwnConnection(new StringRedisTemplate(connections),
				RedisLockSettings.defaults().withCommandTimeout(Duration.ofMinutes(2)));
	}

	@AfterAll
	static void stop() {
		real.close();
		connections.destroy();
		server.close();
	}

	@Test
	void bothStoresAnswerTheSame() throws Exception {
		Inbox inbox = new Inbox();
		for (String instance : Sequence.LISTENING) {
			CountDownLatch subscribed = new CountDownLatch(1);
			Inbox.Door door = inbox.door(instance, subscribed);
			// One store listens for one instance
			RedisLockStore store = RedisLockStore.withOwnConnection(new StringRedisTemplate(connections),
					RedisLockSettings.defaults());
			inbox.stores.add(store);
			store.listen(instance, door);
			assertThat(subscribed.await(60, TimeUnit.SECONDS)).isTrue();
		}
		try {
			for (int i = 0; i < SEQUENCES; i++) {
				new Sequence(SEED + i, inbox).run();
			}
		}
		finally {
			inbox.stores.forEach(RedisLockStore::close);
		}
	}

	/**
	 * What the real server publishes.
	 */
	private static final class Inbox {

		/** By instance, as each has a connection of its own. */
		private final Map<String, BlockingQueue<Object>> messages = new HashMap<>();

		private final List<RedisLockStore> stores = new ArrayList<>();

		Door door(String instance, CountDownLatch subscribed) {
			BlockingQueue<Object> messages = new LinkedBlockingQueue<>();
			this.messages.put(instance, messages);
			return new Door(messages, subscribed);
		}

		private static final class Door implements GrantListener {

			private final BlockingQueue<Object> messages;

			private final CountDownLatch subscribed;

			Door(BlockingQueue<Object> messages, CountDownLatch subscribed) {
				this.messages = messages;
				this.subscribed = subscribed;
			}

			@Override
			public void subscribed() {
				this.subscribed.countDown();
			}

			@Override
			public void granted(Grant grant) {
				this.messages.add(grant);
			}

			@Override
			public void revoked(String name, LockToken token) {
				this.messages.add(name + " " + token);
			}

		}

	}

	/**
	 * Calls for one name that follow from a seed.
	 */
	private static final class Sequence implements SimulatedRedis.Publisher {

		private static final List<String> LISTENING = List.of("app@a~AAAAAAAAAAAAAAAAAAAAAA",
				"app@b~BBBBBBBBBBBBBBBBBBBBBB");

		private static final String DEAD = "app@c~CCCCCCCCCCCCCCCCCCCCCC";

		private final long begin = System.nanoTime();

		private final long seed;

		private final Chance chance;

		private final Inbox inbox;

		private final String name;

		private final SimulatedRedis simulated;

		private final List<Message> published = new ArrayList<>();

		private final List<String> told = new ArrayList<>();

		/** Fencing tokens of the real server, by those of the simulated one. */
		private final Map<Long, Long> fences = new HashMap<>();

		private long largest;

		private long largestReal;

		private final int[] signs = new int[TOKENS];

		Sequence(long seed, Inbox inbox) {
			this.seed = seed;
			this.chance = Chance.of(seed, 300);
			this.inbox = inbox;
			this.name = "sequence:" + seed;
			this.simulated = new SimulatedRedis(() -> 1_700_000_000_000_000L + (System.nanoTime() - this.begin) / 1000,
					this);
		}

		@Override
		public int granted(Grant grant) {
			boolean received = LISTENING.contains(grant.token().instance());
			if (received) {
				this.published.add(new Message(grant.token().instance(), grant));
			}
			return received ? 1 : 0;
		}

		@Override
		public void revoked(String name, LockToken token) {
			if (LISTENING.contains(token.instance())) {
				this.published.add(new Message(token.instance(), name + " " + token));
			}
		}

		void run() throws Exception {
			for (int i = 0; i < CALLS; i++) {
				try {
					call();
					compareMessages();
					assertThat(queueOfServer()).isEqualTo(this.simulated.queue(this.name));
				}
				catch (AssertionError ex) {
					throw new AssertionError("Seed " + this.seed + ", call " + i + ": " + this.told, ex);
				}
			}
			this.inbox.messages.values().forEach((messages) -> assertThat(messages).isEmpty());
		}

		private void call() throws Exception {
			switch ((int) this.chance.between(0, 11)) {
				case 0, 1, 2, 3, 4 -> acquire();
				case 5, 6 -> extend();
				case 7, 8, 9 -> release();
				case 10 -> find();
				default -> interfere();
			}
		}

		private int anyone() {
			return (int) this.chance.between(0, TOKENS - 1);
		}

		private static LockToken token(int number) {
			String instance = (number == TOKENS - 1) ? DEAD : LISTENING.get(number % 2);
			return new LockToken(instance, 40 + number);
		}

		private void acquire() throws Exception {
			int who = anyone();
			AcquireRequest.Waiting waiting = null;
			if (this.chance.happens(70)) {
				// The life of some is over at once
				Duration life = this.chance.happens(20) ? Duration.ofMillis(1) : Duration.ofSeconds(500);
				waiting = new AcquireRequest.Waiting(life, this.signs[who]++, 1000 + who);
			}
			AcquireRequest request = new AcquireRequest(this.name, token(who), this.chance.one(LEASES),
					this.chance.one(1, 1, 33), waiting);
			this.told.add(request.toString());
			AcquireOutcome expected = this.simulated.acquire(request);
			AcquireOutcome actual = answer(real.acquire(request));
			if (waiting != null && waiting.life().toMillis() == 1) {
				Thread.sleep(5);
			}
			if (expected instanceof AcquireOutcome.Granted granted) {
				assertThat(actual).isInstanceOf(AcquireOutcome.Granted.class);
				AcquireOutcome.Granted other = (AcquireOutcome.Granted) actual;
				assertThat(other.fenceBlock()).isEqualTo(granted.fenceBlock());
				compareFences(granted.fencingToken(), other.fencingToken());
			}
			else if (expected instanceof AcquireOutcome.Busy busy) {
				assertThat(actual).isInstanceOf(AcquireOutcome.Busy.class);
				AcquireOutcome.Busy other = (AcquireOutcome.Busy) actual;
				assertThat(other.holder()).isEqualTo(busy.holder());
				compareTimes(busy.remaining(), other.remaining());
			}
		}

		private void extend() throws Exception {
			LeaseExtension extension = new LeaseExtension(this.name, token(anyone()), this.chance.one(LEASES),
					this.chance.one(LeaseExtension.Mode.values()));
			this.told.add(extension.toString());
			assertThat(answer(real.extend(List.of(extension)).get(0))).isEqualTo(this.simulated.extend(extension));
		}

		private void release() throws Exception {
			LockToken token = token(anyone());
			String holder = this.simulated.holder(this.name);
			if (holder != null && this.chance.happens(60)) {
				token = LockToken.parse(holder);
			}
			this.told.add("release " + token);
			assertThat(answer(real.release(this.name, token)))
				.isEqualTo(this.simulated.release(this.name, token.text()));
		}

		private void find() throws Exception {
			Optional<StoredLock> expected = this.simulated.find(this.name);
			Optional<StoredLock> actual = answer(real.find(this.name));
			assertThat(actual.map(StoredLock::holder)).isEqualTo(expected.map(StoredLock::holder));
			if (expected.isPresent() && actual.isPresent()) {
				compareTimes(expected.get().remaining(), actual.get().remaining());
			}
		}

		/** An operator, the end of a lease, the loss of all data. */
		private void interfere() throws Exception {
			int what = (int) this.chance.between(0, 4);
			String holder = this.simulated.holder(this.name);
			if (what < 2 && holder != null) {
				this.told.add("force " + holder);
				assertThat(answer(real.forceRelease(this.name, holder)))
					.isEqualTo(this.simulated.forceRelease(this.name, holder));
			}
			else if (what < 4) {
				this.told.add("the lease ends");
				server.cli("DEL", "lock:" + this.name);
				this.simulated.expire(this.name);
			}
			else {
				this.told.add("flush");
				server.flushAll();
				this.simulated.flush();
			}
		}

		private List<String> queueOfServer() {
			Object queue = server.cli("ZRANGE", "{lock:" + this.name + "}:queue", "0", "-1");
			return (queue instanceof List<?> tokens) ? tokens.stream().map(String::valueOf).toList() : List.of();
		}

		private void compareMessages() throws InterruptedException {
			for (Message message : this.published) {
				Object expected = message.content;
				Object actual = this.inbox.messages.get(message.instance).poll(60, TimeUnit.SECONDS);
				if (expected instanceof Grant grant && actual instanceof Grant other) {
					compareFences(grant.fencingToken(), other.fencingToken());
					assertThat(new Grant(other.name(), other.token(), grant.fencingToken(), other.fenceBlock(),
							other.lease(), other.nonce()))
						.isEqualTo(grant);
				}
				else {
					assertThat(actual).isEqualTo(expected);
				}
			}
			this.published.clear();
		}

		/**
		 * The same token again, or a larger one, from both.
		 */
		private void compareFences(long expected, long actual) {
			Long known = this.fences.putIfAbsent(expected, actual);
			if (known != null) {
				assertThat(actual).isEqualTo(known);
				return;
			}
			assertThat(expected).isGreaterThan(this.largest);
			assertThat(actual).isGreaterThan(this.largestReal);
			this.largest = expected;
			this.largestReal = actual;
		}

		private static void compareTimes(@Nullable Duration expected, @Nullable Duration actual) {
			assertThat(actual).isNotNull();
			assertThat(expected).isNotNull();
			assertThat(actual.toMillis()).isCloseTo(expected.toMillis(), within(TOLERANCE.toMillis()));
		}

		private record Message(String instance, Object content) {
		}

		private static <T> T answer(CompletableFuture<T> future) throws Exception {
			return future.get(3, TimeUnit.MINUTES);
		}

	}

}
