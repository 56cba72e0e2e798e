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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.testsupport.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds with the simulated server holds with Redis: random sequences of calls get
 * the same answers, step by step, from the scripts on a real server and from the store in
 * memory, and both publish the same messages. Times are compared with tolerance, and
 * fencing tokens by their order. The server is the one of all tests: the system property
 * {@code lock.test.redis.server} names another.
 */
@Timeout(300)
class StoresAgreeTests {

	private static final int SEQUENCES = Integer.getInteger("simulation.sequences", 60);

	private static final long SEED = Long.getLong("simulation.seed", 20261122);

	private static final int CALLS = 40;

	private static final Duration TOLERANCE = Duration.ofSeconds(100);

	/** Far enough from each other that tolerance does not hide which one is in force. */
	private static final Duration[] LEASES = { Duration.ofSeconds(1000), Duration.ofSeconds(3000),
			Duration.ofSeconds(9000) };

	private static final List<String> LISTENING = List.of("app@a~AAAAAAAAAAAAAAAAAAAAAA",
			"app@b~BBBBBBBBBBBBBBBBBBBBBB");

	private static final String DEAF = "app@c~CCCCCCCCCCCCCCCCCCCCCC";

	private static final int TOKENS = 5;

	/** The sequence number of the first token. */
	private static final int FIRST = 40;

	/** Most want to be alone, others accept some company, or any. */
	private static final Integer[] LIMITS = { 1, 1, 2, 3, AcquireRequest.NO_LIMIT };

	private final List<String> told = new ArrayList<>();

	/** Of each token, in the present sequence. */
	private final int[] limits = new int[TOKENS];

	/** Fencing tokens of the real server, by those of the memory. */
	private final Map<Long, Long> fences = new HashMap<>();

	private long largest;

	private long largestReal;

	private RedisServer server;

	private LettuceConnectionFactory connections;

	private Side real;

	private Side memory;

	@BeforeEach
	void start() throws Exception {
		this.server = RedisServer.start();
		this.connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.server.host(), this.server.port()));
		this.connections.afterPropertiesSet();
		InMemoryLockStore table = new InMemoryLockStore();
		this.memory = new Side(List.of(table, table.connect()));
		this.real = new Side(List.of(newRedisStore(), newRedisStore()));
	}

	private RedisLockStore newRedisStore() {
		return RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connections),
				RedisLockSettings.defaults().withCommandTimeout(Duration.ofMinutes(2)));
	}

	@AfterEach
	void stop() {
		this.real.stores.forEach(LockStore::close);
		this.connections.destroy();
		this.server.close();
	}

	@Test
	void bothStoresAnswerTheSame() throws Exception {
		for (long seed = SEED; seed < SEED + SEQUENCES; seed++) {
			run(seed);
		}
	}

	private void run(long seed) throws Exception {
		Chance chance = Chance.of(seed, 300);
		String name = "sequence:" + seed;
		int[] signs = new int[TOKENS];
		this.told.clear();
		this.fences.clear();
		this.largest = 0;
		this.largestReal = 0;
		boolean alone = chance.happens(30);
		Arrays.setAll(this.limits, (who) -> alone ? 1 : chance.one(LIMITS));
		for (int i = 0; i < CALLS; i++) {
			try {
				switch ((int) chance.between(0, 13)) {
					case 0, 1, 2, 3, 4 -> acquire(name, chance, signs);
					case 5, 6 -> {
						LockToken token = anyone(chance);
						extend(new LeaseExtension(name, token, chance.one(LEASES),
								chance.one(LeaseExtension.Mode.values()), limitOf(token)));
					}
					case 7, 8, 9 -> {
						LockToken holder = holder(name);
						release(name, (holder != null && chance.happens(60)) ? holder : anyone(chance));
					}
					case 10, 11, 12 -> replaceRecord(name, "record " + i, chance);
					default -> interfere(name, chance);
				}
				compareMessages();
				compareState(name);
			}
			catch (AssertionError ex) {
				throw new AssertionError("Seed " + seed + ", call " + i + ": " + this.told, ex);
			}
		}
	}

	private static LockToken anyone(Chance chance) {
		return token((int) chance.between(0, TOKENS - 1));
	}

	private static LockToken token(int number) {
		return new LockToken((number == TOKENS - 1) ? DEAF : LISTENING.get(number % 2), FIRST + number);
	}

	private int limitOf(LockToken token) {
		return this.limits[(int) token.sequence() - FIRST];
	}

	private @Nullable LockToken holder(String name) {
		return answer(this.memory.store().find(name)).map(StoredLock::holder).map(LockToken::parse).orElse(null);
	}

	private void acquire(String name, Chance chance, int[] signs) throws InterruptedException {
		int who = (int) chance.between(0, TOKENS - 1);
		AcquireRequest.Waiting waiting = null;
		if (chance.happens(70)) {
			waiting = new AcquireRequest.Waiting(Duration.ofSeconds(500), signs[who], 1000 + who);
			// Redis enters a place that is gone only with some signs, the memory with
			// each
			signs[who] = 1;
		}
		boolean mayBeBeside = this.limits[who] == AcquireRequest.NO_LIMIT && waiting == null && chance.happens(50);
		AcquireRequest request = new AcquireRequest(name, token(who), chance.one(LEASES), chance.one(1, 1, 33), waiting,
				this.limits[who], mayBeBeside ? anyone(chance) : null);
		this.told.add(request.toString());
		AcquireOutcome expected = answer(this.memory.store().acquire(request));
		AcquireOutcome actual = answer(this.real.store().acquire(request));
		// Those in front were served first
		compareMessages();
		assertThat(actual).hasSameClassAs(expected);
		if (expected instanceof AcquireOutcome.Granted granted && actual instanceof AcquireOutcome.Granted other) {
			if (request.limit() > 1) {
				// Redis does not know the first one of several holders any more
				this.fences.remove(granted.fencingToken());
				this.largest = Math.min(this.largest, granted.fencingToken() - 1);
			}
			else {
				assertThat(other.fenceBlock()).isEqualTo(granted.fenceBlock());
			}
			compareFences(granted.fencingToken(), other.fencingToken());
		}
		else {
			AcquireOutcome.Busy busy = (AcquireOutcome.Busy) expected;
			assertThat(actual).isInstanceOfSatisfying(AcquireOutcome.Busy.class, (other) -> {
				assertThat(holders(this.real, name, other.holder()))
					.isEqualTo(holders(this.memory, name, busy.holder()));
				assertThat(other.holders()).isEqualTo(busy.holders());
				assertThat(other.behindWaiters()).isEqualTo(busy.behindWaiters());
			});
		}
	}

	/**
	 * All of several holders, as two leases may end at the same time, or else the one.
	 */
	private static Set<String> holders(Side side, String name, String told) {
		Set<String> holders = answer(side.store().describe(name)).stream()
			.flatMap((lock) -> lock.holds().stream())
			.map(StoredLock::holder)
			.collect(Collectors.toCollection(TreeSet::new));
		return (told.isEmpty() || holders.contains(told)) ? holders : Set.of(told);
	}

	private void extend(LeaseExtension extension) {
		expectSame(extension.toString(), (store) -> store.extend(List.of(extension)).get(0));
	}

	private void release(String name, LockToken token) {
		expectSame("release " + token, (store) -> store.release(name, token));
	}

	/** Often of the holder, now and then a wrong expectation or a repetition. */
	private void replaceRecord(String name, String text, Chance chance) {
		LockToken holder = holder(name);
		LockToken token = (holder != null && chance.happens(80)) ? holder : anyone(chance);
		String present = record(this.memory, name);
		String expected = chance.happens(70) ? present : (present != null) ? null : "another one";
		boolean repeated = present != null && chance.happens(15);
		boolean ending = chance.happens(10);
		RecordChange change = new RecordChange(name, token, expected, repeated ? present : text,
				ending ? Duration.ofMillis(1) : chance.one(LEASES));
		RecordChange.Outcome outcome = expectSame(change.toString(), (store) -> store.replaceRecord(change));
		while (ending && outcome instanceof RecordChange.Outcome.Replaced
				&& (record(this.memory, name) != null || record(this.real, name) != null)) {
			Thread.onSpinWait();
		}
	}

	private static @Nullable String record(Side side, String name) {
		return answer(side.store().record(name)).orElse(null);
	}

	/** An operator, the end of a lease, the loss of all data. */
	private void interfere(String name, Chance chance) throws Exception {
		LockToken holder = holder(name);
		switch ((int) chance.between(0, 2)) {
			case 0 -> expectSame("force", (store) -> store.forceRelease(name, String.valueOf(holder)));
			case 1 -> {
				if (holder != null) {
					extend(new LeaseExtension(name, holder, Duration.ofMillis(1), LeaseExtension.Mode.EXACTLY,
							limitOf(holder)));
					while (isHeldBy(holder, this.memory, name) || isHeldBy(holder, this.real, name)) {
						Thread.onSpinWait();
					}
					// The key of several holders may live a millisecond longer than they
					Thread.sleep(2);
				}
			}
			default -> {
				this.told.add("flush");
				this.server.flushAll();
				((InMemoryLockStore) this.memory.store()).clear();
			}
		}
	}

	private static boolean isHeldBy(LockToken token, Side side, String name) {
		return holders(side, name, "").contains(token.text());
	}

	private <T> T expectSame(String call, Function<LockStore, CompletableFuture<T>> command) {
		this.told.add(call);
		T expected = answer(command.apply(this.memory.store()));
		assertThat(answer(command.apply(this.real.store()))).isEqualTo(expected);
		return expected;
	}

	private void compareState(String name) {
		assertThat(record(this.real, name)).isEqualTo(record(this.memory, name));
		StoredLockDetails expected = answer(this.memory.store().describe(name)).orElse(null);
		StoredLockDetails actual = answer(this.real.store().describe(name)).orElse(null);
		assertThat(actual == null).isEqualTo(expected == null);
		if (expected != null && actual != null) {
			assertThat(holders(this.real, name, "")).isEqualTo(holders(this.memory, name, ""));
			assertThat(actual.lock().remaining()).isCloseTo(expected.lock().remaining(), TOLERANCE);
			StoredLockDetails.Company company = expected.company();
			if (company != null) {
				assertThat(actual.company()).isNotNull();
				assertThat(actual.company().holders()).isEqualTo(company.holders());
				assertThat(actual.company().smallestLimit()).isEqualTo(company.smallestLimit());
			}
			assertThat(waiting(actual)).isEqualTo(waiting(expected));
		}
	}

	/**
	 * A request without a place that takes the lock may leave the place to the release.
	 */
	private static List<String> waiting(StoredLockDetails lock) {
		List<String> holders = lock.holds().stream().map(StoredLock::holder).toList();
		return lock.queue()
			.stream()
			.map(StoredLockDetails.Waiter::token)
			.filter((token) -> !holders.contains(token))
			.toList();
	}

	private void compareMessages() throws InterruptedException {
		// One command may serve several of both instances
		Map<Long, Long> granted = new TreeMap<>();
		for (String instance : LISTENING) {
			BlockingQueue<Object> messages = this.memory.messages.get(instance);
			for (Object expected = messages.poll(); expected != null; expected = messages.poll()) {
				Object actual = this.real.messages.get(instance).poll(60, TimeUnit.SECONDS);
				if (expected instanceof Grant grant && actual instanceof Grant other) {
					granted.put(grant.fencingToken(), other.fencingToken());
					assertThat(new Grant(other.name(), other.token(), grant.fencingToken(), other.fenceBlock(),
							other.lease(), other.nonce()))
						.isEqualTo(grant);
				}
				else {
					assertThat(actual).isEqualTo(expected);
				}
			}
		}
		granted.forEach(this::compareFences);
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

	private static <T> T answer(CompletableFuture<T> future) {
		return future.orTimeout(3, TimeUnit.MINUTES).join();
	}

	/**
	 * Two instances with the same kind of store, and what it tells them.
	 */
	private static final class Side {

		private final List<? extends LockStore> stores;

		private final Map<String, BlockingQueue<Object>> messages = new HashMap<>();

		Side(List<? extends LockStore> stores) throws InterruptedException {
			this.stores = stores;
			CountDownLatch subscribed = new CountDownLatch(stores.size());
			for (int i = 0; i < stores.size(); i++) {
				BlockingQueue<Object> messages = new LinkedBlockingQueue<>();
				this.messages.put(LISTENING.get(i), messages);
				stores.get(i).listen(LISTENING.get(i), new GrantListener() {

					@Override
					public void subscribed() {
						subscribed.countDown();
					}

					@Override
					public void granted(Grant grant) {
						messages.add(grant);
					}

					@Override
					public void revoked(String name, LockToken token) {
						messages.add(name + " " + token);
					}

				});
			}
			assertThat(subscribed.await(60, TimeUnit.SECONDS)).isTrue();
		}

		LockStore store() {
			return this.stores.get(0);
		}

	}

}
