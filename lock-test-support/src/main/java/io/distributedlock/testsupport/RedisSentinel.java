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

package io.distributedlock.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A master, its replica and three sentinels on the loopback interface.
 */
public final class RedisSentinel implements AutoCloseable {

	private static final String MASTER_NAME = "locks";

	private static final int SENTINELS = 3;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<SentinelProcess> sentinels = new ArrayList<>();

	private final UnaryOperator<RedisServerBuilder> settings;

	private RedisSentinel(UnaryOperator<RedisServerBuilder> settings) {
		this.settings = settings;
	}

	/**
	 * Starts everything and waits until the sentinels agree and the replica is in sync.
	 */
	public static RedisSentinel start() {
		return start(UnaryOperator.identity());
	}

	/**
	 * Starts everything and waits until the sentinels agree and the replica is in sync.
	 */
	public static RedisSentinel start(UnaryOperator<RedisServerBuilder> settings) {
		RedisSentinel sentinel = new RedisSentinel(settings);
		try {
			sentinel.startAll();
			return sentinel;
		}
		catch (RuntimeException ex) {
			sentinel.close();
			throw ex;
		}
	}

	/**
	 * Returns the addresses as property assignments of a Spring Boot application.
	 */
	public String[] springProperties() {
		return new String[] { "spring.data.redis.sentinel.master=" + MASTER_NAME,
				this.sentinels.stream()
					.map(SentinelProcess::address)
					.collect(Collectors.joining(",", "spring.data.redis.sentinel.nodes=", "")) };
	}

	/**
	 * Sends a command to each sentinel.
	 */
	public void toEachSentinel(String... command) {
		this.sentinels.forEach((sentinel) -> sentinel.cli(command));
	}

	/**
	 * Returns the server that the sentinels name as the master.
	 */
	public RedisServer master() {
		return server(masterPort(this.sentinels.get(0)));
	}

	/**
	 * Returns the other server.
	 */
	public RedisServer replica() {
		RedisServer master = master();
		return this.servers.stream().filter((server) -> server != master).findFirst().orElseThrow();
	}

	/**
	 * Kills the master, once its replica is in sync, and waits until the replica has
	 * taken over.
	 */
	public RedisServer killMaster() {
		RedisServer master = master();
		RedisServer replica = replica();
		Replication.awaitInSync(master, replica);
		master.kill();
		awaitMaster(replica);
		return master;
	}

	/**
	 * Restarts a master that was killed, as the replica of the present one, and waits
	 * until it is in sync. The sentinels would make it one as well, but only when both
	 * servers have answered in time for a while, which a busy machine prevents.
	 */
	public void restart(RedisServer killed) {
		RedisServer master = master();
		killed.restart();
		killed.cli("REPLICAOF", master.host(), Integer.toString(master.port()));
		Replication.awaitInSync(master, killed);
	}

	/**
	 * Lets the replica take over from the living master, and waits until it has, and the
	 * old master knows it.
	 */
	public void failover() {
		RedisServer master = master();
		RedisServer replica = replica();
		Replication.awaitInSync(master, replica);
		// Refused for a while after the replica has changed
		Waiting.until("a sentinel accepts the failover", TIMEOUT,
				() -> "OK".equals(this.sentinels.get(0).cli("SENTINEL", "FAILOVER", MASTER_NAME)));
		awaitMaster(replica);
		Replication.awaitInSync(replica, master);
	}

	/**
	 * Ends all processes.
	 */
	@Override
	public void close() {
		this.sentinels.forEach(SentinelProcess::close);
		this.servers.forEach(RedisServer::close);
	}

	private void startAll() {
		RedisServer master = this.settings.apply(RedisServer.builder().embedded())
			.config("repl-diskless-sync-delay", "0")
			.start();
		this.servers.add(master);
		RedisServer replica = this.settings.apply(RedisServer.builder().embedded())
			.config("repl-diskless-sync-delay", "0")
			.config("replicaof", master.host(), Integer.toString(master.port()))
			.start();
		this.servers.add(replica);
		Replication.awaitInSync(master, replica);
		for (int i = 0; i < SENTINELS; i++) {
			this.sentinels.add(SentinelProcess.start(MASTER_NAME, master));
		}
		for (SentinelProcess sentinel : this.sentinels) {
			Waiting.until("a sentinel knows the others and the replica", TIMEOUT, () -> knowsAll(sentinel));
		}
	}

	private boolean knowsAll(SentinelProcess sentinel) {
		List<?> state = (List<?>) sentinel.cli("SENTINEL", "MASTER", MASTER_NAME);
		return state != null && "1".equals(value(state, "num-slaves"))
				&& Integer.toString(SENTINELS - 1).equals(value(state, "num-other-sentinels"))
				&& "master".equals(value(state, "flags"));
	}

	private static Object value(List<?> pairs, String name) {
		return pairs.get(pairs.indexOf(name) + 1);
	}

	private void awaitMaster(RedisServer master) {
		for (SentinelProcess sentinel : this.sentinels) {
			Waiting.until("a sentinel names %s as the master".formatted(master), TIMEOUT,
					() -> masterPort(sentinel) == master.port());
		}
		Waiting.until(master + " is promoted", TIMEOUT, () -> Replication.isMaster(master));
	}

	private int masterPort(SentinelProcess sentinel) {
		List<?> address = (List<?>) sentinel.cli("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
		if (address == null) {
			throw new IllegalStateException("The sentinels do not know '%s'".formatted(MASTER_NAME));
		}
		return Integer.parseInt((String) address.get(1));
	}

	private RedisServer server(int port) {
		return this.servers.stream().filter((server) -> server.port() == port).findFirst().orElseThrow();
	}

}
