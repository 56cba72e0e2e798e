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

package io.distributedlock.topologies;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.faults.Call;
import io.distributedlock.faults.ClientLibrary;
import io.distributedlock.faults.Instance;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.redis.RestrictedUser;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How long it takes until the callback of a holder says that its lock is lost: for each
 * cause, kind of hold and client, from the moment when a server without the lock takes
 * writes, or when the lock is taken away. Prints a table:
 *
 * <pre>
 * ./mvnw -Ptopologies -pl verification -am test -Dtest=ToldOfLossTests
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dtest.redirectOutput=false -Dtold.repetitions=5
 * </pre>
 *
 * {@code -Dtold.many=100000} is how many locks are held at once when a master restarts,
 * instead of 10,000. With so many, the tests need {@code -Dtest.jvm=-Xmx6g} as well, and
 * fail: it takes seconds until the last holder is told.
 */
@Tag("topologies")
@Timeout(600)
class ToldOfLossTests {

	/** The server reports to Lettuce that a key was deleted or overwritten. */
	private static final Map<ClientLibrary, Promise> CHANGED_KEY = Map.of(ClientLibrary.LETTUCE, Promise.AT_ONCE,
			ClientLibrary.JEDIS, Promise.LATE);

	/** After which a lock is watched, and a little more. */
	private static final Duration WATCHED = Duration.ofMillis(700);

	private static final Map<ClientLibrary, Promise> SOON = Map.of(ClientLibrary.LETTUCE, Promise.SOON,
			ClientLibrary.JEDIS, Promise.SOON);

	private static final Map<ClientLibrary, Promise> AT_ONCE = Map.of(ClientLibrary.LETTUCE, Promise.AT_ONCE,
			ClientLibrary.JEDIS, Promise.AT_ONCE);

	private static final int MANY = Integer.getInteger("told.many", 10_000);

	/** Where nothing else runs: the bounds are then those of the promises. */
	private static final boolean MEASURED = System.getProperty("told.repetitions") != null;

	private static final int REPETITIONS = Integer.getInteger("told.repetitions", 1);

	/** Of what takes seconds. */
	private static final int FEW_REPETITIONS = (REPETITIONS + 1) / 2;

	/** Most of those after the first one meet Lettuce asking for the topology. */
	private static final int FAILOVERS_IN_CLUSTER = Math.max(3, REPETITIONS);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/**
	 * For a busy machine. Without a report or a question, a holder learns minutes later.
	 */
	private static final Duration BUSY = Duration.ofSeconds(5);

	private static final List<String> table = Collections.synchronizedList(new ArrayList<>());

	private final List<String> brokenPromises = new ArrayList<>();

	@AfterAll
	static void printTable() {
		System.out.println("\n| Cause | Hold | Lettuce, ms: median | worst | Jedis, ms: median | worst |");
		System.out.println("|---|---|---|---|---|---|");
		table.forEach(System.out::println);
		System.out.println("\n(late): at a renewal, each second, or at the deadline of a lease of 3 s");
	}

	@Test
	void holdersOnOneServerAreTold() {
		RedisServer server = startServer();
		try (server; Stage stage = new Stage(address(server), List.of(server))) {
			measure(stage, "restart", REPETITIONS, SOON, (tag, names) -> restart(server, tag));
			measure(stage, "`DEL`", REPETITIONS, CHANGED_KEY, (tag, names) -> forEach(names, server, "DEL"));
			measure(stage, "`FLUSHALL`", REPETITIONS, CHANGED_KEY, (tag, names) -> {
				long since = System.nanoTime();
				server.flushAll();
				return since;
			});
			measure(stage, "eviction", REPETITIONS, CHANGED_KEY, (tag, names) -> evictAll(server));
			measure(stage, "`SET` by a stranger", REPETITIONS, CHANGED_KEY,
					(tag, names) -> forEach(names, server, "SET", "stranger", "PX", "10000"));
			measure(stage, "forced release", REPETITIONS, AT_ONCE, new ForcedRelease(stage));
		}
		assertThat(this.brokenPromises).isEmpty();
	}

	@Test
	void holdersOfManyLocksAreTold() {
		RedisServer server = startServer();
		Map<ClientLibrary, List<Long>> times = new EnumMap<>(ClientLibrary.class);
		try (server) {
			for (ClientLibrary client : ClientLibrary.values()) {
				try (Stage stage = new Stage(address(server), List.of(server))) {
					List<Held> held = IntStream.range(0, MANY)
						.mapToObj((i) -> stage.hold(client, Hold.NOT_RENEWED, "many:" + i, Promise.SOON))
						.toList();
					long since = restart(server, "many");
					awaitTold(held);
					times.put(client, held.stream().map((each) -> each.millisAfter(since)).toList());
					held.forEach(Held::close);
				}
			}
		}
		add(String.format(Locale.ROOT, "restart, %,d holds", MANY), Hold.NOT_RENEWED, times, SOON);
		assertThat(this.brokenPromises).isEmpty();
	}

	@Test
	void holdersOnAClusterAreTold() {
		try (ClusterTopology topology = ClusterTopology.start();
				Stage stage = new Stage(withoutPauses(topology.configuration()), topology.cluster().nodes())) {
			measure(stage, "restart in a cluster", FEW_REPETITIONS, SOON, new RestartInCluster(topology));
			measure(stage, "slot taken in a cluster", FEW_REPETITIONS, SOON, new SlotTaken(topology));
			measure(stage, "failover in a cluster", FAILOVERS_IN_CLUSTER, SOON, new Failover(topology));
		}
		assertThat(this.brokenPromises).isEmpty();
	}

	/** With more redirects, Jedis pauses before it asks for the new master. */
	private static RedisConfiguration withoutPauses(RedisConfiguration cluster) {
		((RedisClusterConfiguration) cluster).setMaxRedirects(2);
		return cluster;
	}

	@Test
	void holdersBehindSentinelsAreTold() {
		try (SentinelTopology topology = SentinelTopology.start();
				Stage stage = new Stage(topology.configuration(),
						List.of(topology.masterOf(""), topology.replicaOf("")))) {
			measure(stage, "failover with Sentinel", FEW_REPETITIONS, SOON, new Failover(topology));
		}
		assertThat(this.brokenPromises).isEmpty();
	}

	private void measure(Stage stage, String label, int repetitions, Map<ClientLibrary, Promise> promises,
			Cause cause) {
		Map<Hold, Map<ClientLibrary, List<Long>>> times = new EnumMap<>(Hold.class);
		for (int i = 0; i < repetitions; i++) {
			String tag = "{told:" + table.size() + ":" + i + "}";
			cause.prepare(tag);
			List<Held> held = new ArrayList<>();
			for (ClientLibrary client : promises.keySet()) {
				for (Hold hold : Hold.values()) {
					held.add(stage.hold(client, hold, tag + client + hold, promises.get(client)));
				}
			}
			await().pollDelay(WATCHED).until(() -> true);
			assertThat(held).as(label + ": told before").noneMatch(Held::isTold);
			long since = cause.happen(tag, held.stream().map(Held::name).toList());
			awaitTold(held);
			held.forEach((each) -> times.computeIfAbsent(each.kind(), (kind) -> new EnumMap<>(ClientLibrary.class))
				.computeIfAbsent(each.client(), (client) -> new ArrayList<>())
				.add(each.millisAfter(since)));
			held.forEach(Held::close);
			cause.end(tag);
		}
		times.forEach((hold, ofHold) -> add(label, hold, ofHold, promises));
	}

	private static void awaitTold(List<Held> held) {
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> held.stream().allMatch(Held::isTold));
	}

	private void add(String label, Hold hold, Map<ClientLibrary, List<Long>> times,
			Map<ClientLibrary, Promise> promises) {
		StringBuilder row = new StringBuilder("| %s | %s |".formatted(label, hold));
		for (ClientLibrary client : ClientLibrary.values()) {
			List<Long> sorted = times.get(client).stream().sorted().toList();
			long worst = sorted.get(sorted.size() - 1);
			Promise promise = promises.get(client);
			row.append(String.format(Locale.ROOT, " %,d%s | %,d |", sorted.get(sorted.size() / 2),
					(promise == Promise.LATE) ? " (late)" : "", worst));
			if (worst > promise.boundMillis()) {
				this.brokenPromises.add("%s, %s, %s: %s ms".formatted(label, hold, client, sorted));
			}
		}
		table.add(row.toString());
	}

	private static RedisServer startServer() {
		return RestrictedUser.onServer(RedisServer.builder()).start();
	}

	private static RedisConfiguration address(RedisServer server) {
		return RestrictedUser.address(server.host(), server.port());
	}

	private static long restart(RedisServer server, String tag) {
		server.kill();
		Call<Long> answer = Call.start(() -> firstAnswer(() -> server, tag));
		server.restart();
		return answer.get();
	}

	/** Over one connection, so that the last lock is gone soon after the first one. */
	private static long forEach(List<String> names, RedisServer server, String command, String... arguments) {
		try (RespClient client = server.client()) {
			long since = System.nanoTime();
			names.forEach((name) -> client.command(
					Stream.concat(Stream.of(command, "lock:" + name), Stream.of(arguments)).toArray(String[]::new)));
			return since;
		}
	}

	private static long evictAll(RedisServer server) {
		long since = System.nanoTime();
		server.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lru", "maxmemory", "1");
		await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> Long.valueOf(0).equals(server.cli("DBSIZE")));
		server.cli("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "0");
		return since;
	}

	/** Return when the master of a tag takes writes for the first time. */
	private static long firstAnswer(Supplier<RedisServer> master, String tag) {
		await().atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.ignoreExceptions()
			.until(() -> "OK".equals(master.get().cli("SET", tag + "answer", "")));
		return System.nanoTime();
	}

	private static void heal(Topology topology, String tag) {
		topology.heal();
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> String.valueOf(topology.replicaOf(tag).cli("INFO", "replication"))
				.contains("master_link_status:up"));
	}

	/**
	 * When a holder learns of a loss, and the lease with which that shows.
	 */
	private enum Promise {

		/** Some milliseconds, as the table shows. */
		AT_ONCE(Duration.ofMillis(500), Duration.ofMinutes(10)),

		SOON(Duration.ofSeconds(1), Duration.ofMinutes(10)),

		/** At the next renewal or the deadline. */
		LATE(Duration.ofSeconds(4), Duration.ofSeconds(3));

		private final Duration bound;

		private final Duration lease;

		Promise(Duration bound, Duration lease) {
			this.bound = bound;
			this.lease = lease;
		}

		long boundMillis() {
			return (MEASURED ? this.bound : this.bound.plus(BUSY)).toMillis();
		}

	}

	/**
	 * A kind of hold.
	 */
	private enum Hold {

		RENEWED {

			@Override
			LockOptions of(LockOptions options) {
				return options.withAutoRenew(options.lease().dividedBy(3));
			}

		},

		NOT_RENEWED,

		PERMIT {

			@Override
			LockOptions of(LockOptions options) {
				return options.withPermits(2);
			}

		},

		SHARED {

			@Override
			LockOptions of(LockOptions options) {
				return options.withShared();
			}

		},

		MINIMUM {

			@Override
			LockOptions of(LockOptions options) {
				return options.withMinHold(options.lease().dividedBy(3));
			}

		},

		LEADER;

		LockOptions of(LockOptions options) {
			return options;
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

	/**
	 * Takes locks away.
	 */
	@FunctionalInterface
	private interface Cause {

		/** Before the locks are acquired, whose names begin with the tag. */
		default void prepare(String tag) {
		}

		/** Return when somebody else could have the locks. */
		long happen(String tag, List<String> names);

		default void end(String tag) {
		}

	}

	/**
	 * An operator takes all locks.
	 */
	private record ForcedRelease(Stage stage) implements Cause {

		@Override
		public void prepare(String tag) {
			this.stage.awaitListening();
		}

		@Override
		public long happen(String tag, List<String> names) {
			LockStore operator = this.stage.instances.get(ClientLibrary.LETTUCE).store;
			Map<String, String> holders = names.stream()
				.collect(Collectors.toMap((name) -> name, (name) -> operator.find(name).join().orElseThrow().holder()));
			long since = System.nanoTime();
			holders.forEach((name, holder) -> operator.forceRelease(name, holder).join());
			return since;
		}

	}

	/**
	 * A master is back before its replica can take over.
	 */
	private record RestartInCluster(ClusterTopology topology) implements Cause {

		@Override
		public long happen(String tag, List<String> names) {
			this.topology.replicaOf(tag).kill();
			return restart(this.topology.masterOf(tag), tag);
		}

		@Override
		public void end(String tag) {
			heal(this.topology, tag);
		}

	}

	/**
	 * Another master takes the slot of the locks, but not the locks.
	 */
	private record SlotTaken(ClusterTopology topology) implements Cause {

		@Override
		public long happen(String tag, List<String> names) {
			RedisServer master = this.topology.cluster().takeSlot(tag);
			return firstAnswer(() -> master, tag);
		}

	}

	/**
	 * A replica takes over that lacks the locks.
	 */
	private static final class Failover implements Cause {

		private final Topology topology;

		private RedisServer master;

		private RedisServer replica;

		Failover(Topology topology) {
			this.topology = topology;
		}

		@Override
		public void prepare(String tag) {
			this.master = this.topology.masterOf(tag);
			this.replica = this.topology.replicaOf(tag);
			this.replica.pause();
			this.master.cli("CLIENT", "KILL", "TYPE", "replica");
		}

		@Override
		public long happen(String tag, List<String> names) {
			this.master.kill();
			this.replica.resume();
			await().atMost(PATIENCE)
				.pollInterval(Duration.ofMillis(5))
				.ignoreExceptions()
				.until(() -> this.topology.masterOf(tag) == this.replica);
			return firstAnswer(() -> this.replica, tag);
		}

		@Override
		public void end(String tag) {
			heal(this.topology, tag);
		}

	}

	/**
	 * A lock that is held, and when its holder was told of the loss.
	 */
	private record Held(String name, ClientLibrary client, Hold kind, CompletableFuture<Long> told,
			AutoCloseable holder) implements AutoCloseable {

		boolean isTold() {
			return this.told.isDone();
		}

		/** A holder may be told before a test has the first answer. */
		long millisAfter(long since) {
			return Math.max(0, TimeUnit.NANOSECONDS.toMillis(this.told.join() - since));
		}

		@Override
		public void close() {
			try {
				this.holder.close();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * An instance with each client.
	 */
	private static final class Stage implements AutoCloseable {

		private final Map<ClientLibrary, Instance> instances = new EnumMap<>(ClientLibrary.class);

		private final Map<ClientLibrary, LeaderElection> elections = new EnumMap<>(ClientLibrary.class);

		private final List<RedisServer> servers;

		Stage(RedisConfiguration redis, List<RedisServer> servers) {
			this.servers = servers;
			for (ClientLibrary client : ClientLibrary.values()) {
				Instance instance = new Instance(EngineSettings.of(client.name().toLowerCase(Locale.ROOT)), redis,
						client);
				this.instances.put(client, instance);
				this.elections.put(client, new LeaderElection(instance.locks));
				// It listens when it has had its first lock for half a second
				Held first = hold(client, Hold.NOT_RENEWED, "first:" + client, Promise.SOON);
				awaitListening();
				first.close();
			}
		}

		Held hold(ClientLibrary client, Hold kind, String name, Promise promise) {
			CompletableFuture<Long> told = new CompletableFuture<>();
			LockOptions options = kind.of(LockOptions.ofLease(promise.lease));
			if (kind == Hold.LEADER) {
				Leadership leadership = this.elections.get(client).campaign(name, options);
				leadership.onRevoked((revoked) -> told.complete(System.nanoTime()));
				await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(leadership::isLeader);
				return new Held(name, client, kind, told, leadership);
			}
			LockHandle handle = this.instances.get(client).locks.acquire(name, options.withWaitTime(PATIENCE));
			handle.onLost((loss) -> told.complete(System.nanoTime()));
			return new Held(name, client, kind, told, handle);
		}

		/** Again, if connections broke. */
		void awaitListening() {
			this.instances.values().forEach((instance) -> {
				String inboxes = "lock:inbox:" + instance.locks.instanceId() + "*";
				await("subscription of " + inboxes).atMost(PATIENCE)
					.pollInterval(Duration.ofMillis(5))
					.ignoreExceptions()
					.until(() -> this.servers.stream()
						.anyMatch((server) -> !((List<?>) server.cli("PUBSUB", "CHANNELS", inboxes)).isEmpty()));
			});
		}

		@Override
		public void close() {
			this.elections.values().forEach(LeaderElection::close);
			this.instances.values().forEach(Instance::close);
		}

	}

}
