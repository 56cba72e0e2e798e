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

import java.time.Duration;
import java.time.Instant;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;

import io.distributedlock.engine.EngineSettings;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RestrictedUser;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RedisServerBuilder;
import io.distributedlock.testsupport.RespException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances on a Redis of the test class, some of them behind a network that breaks on
 * demand, and a view of what is in Redis. All is whole again before it is closed.
 */
public final class TestBed implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

	/**
	 * Longer than anything takes on a busy machine, and far shorter than a long lease.
	 */
	static final Duration SOON = Duration.ofSeconds(20);

	private static final RedisLockSettings DEFAULTS = RedisLockSettings.defaults();

	private final RedisExtension redis;

	private final boolean restricted;

	private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();

	private ClientLibrary client = ClientLibrary.LETTUCE;

	FaultProxy proxy;

	private TestBed(RedisServerBuilder server, boolean restricted) {
		this.redis = RedisExtension.with(server);
		this.restricted = restricted;
	}

	static TestBed on(RedisServerBuilder server) {
		return new TestBed(server, false);
	}

	/**
	 * Instances that have the documented rights in Redis, and no others.
	 */
	static TestBed ofRestrictedUser() {
		return new TestBed(RestrictedUser.onServer(RedisServer.builder()), true);
	}

	/**
	 * Let all instances use this client.
	 */
	void use(ClientLibrary client) {
		this.client = client;
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		this.redis.beforeAll(context);
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.redis.beforeEach(context);
		this.proxy = FaultProxy.to(server());
	}

	@Override
	public void afterEach(ExtensionContext context) throws Exception {
		this.proxy.heal();
		server().resume();
		if (!server().isRunning()) {
			server().restart();
		}
		while (!this.opened.isEmpty()) {
			this.opened.pop().close();
		}
		this.proxy.close();
		if (this.restricted) {
			RestrictedUser.assertNothingRefused(server());
		}
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.redis.afterAll(context);
	}

	/**
	 * Let time pass.
	 */
	public static void pass(Duration time) {
		always(time, () -> true);
	}

	/**
	 * Let time pass in which something must not change.
	 */
	static void always(Duration time, Callable<Boolean> condition) {
		long end = System.nanoTime() + time.toNanos();
		Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.atMost(time.plus(SOON))
			.failFast("It did not stay so", () -> !condition.call())
			.until(() -> System.nanoTime() >= end);
	}

	/**
	 * Run a test for all kinds of locks at the same time, so that it waits once.
	 */
	static void withEachKind(Consumer<LockKind> test) {
		Map<LockKind, Call<Void>> calls = LockKind.map((kind) -> Call.run(() -> test.accept(kind)));
		LockKind.forEach((kind) -> calls.get(kind).get());
	}

	RedisServer server() {
		return this.redis.server();
	}

	<T extends AutoCloseable> T closeLater(T opened) {
		this.opened.push(opened);
		return opened;
	}

	/**
	 * An instance with a connection of its own that is open already, for which no command
	 * times out on a busy machine.
	 */
	Instance instance(String name) {
		return instance(name, server().host(), server().port(), Instance.PATIENT);
	}

	/**
	 * The same, connected through the proxy.
	 */
	Instance instanceBehindProxy(String name) {
		return instance(name, this.proxy.host(), this.proxy.port(), Instance.PATIENT);
	}

	/**
	 * An instance with the default timeouts, for tests in which commands do time out.
	 */
	Instance impatientInstance(String name) {
		return instance(name, server().host(), server().port(), DEFAULTS);
	}

	/**
	 * The same, connected through the proxy.
	 */
	Instance impatientInstanceBehindProxy(String name) {
		return instance(name, this.proxy.host(), this.proxy.port(), DEFAULTS);
	}

	/**
	 * An instance that is not connected yet.
	 */
	Instance coldInstance(String name, RedisLockSettings settings) {
		return closeLater(new Instance(EngineSettings.of(name),
				new RedisStandaloneConfiguration(server().host(), server().port()), settings, this.client));
	}

	Instance instance(EngineSettings settings) {
		return instance(settings, server().host(), server().port(), DEFAULTS);
	}

	Instance instance(String name, String host, int port, RedisLockSettings settings) {
		return instance(EngineSettings.of(name), host, port, settings);
	}

	private Instance instance(EngineSettings engine, String host, int port, RedisLockSettings settings) {
		RedisStandaloneConfiguration address = this.restricted ? RestrictedUser.address(host, port)
				: new RedisStandaloneConfiguration(host, port);
		return closeLater(new Instance(engine, address, settings, this.client)).warm();
	}

	/**
	 * Return the token in Redis, or {@code null} if the lock is free.
	 */
	String holder(String name) {
		List<String> holders = holders(name);
		return holders.isEmpty() ? null : holders.get(0);
	}

	/**
	 * Return the tokens in Redis.
	 */
	List<String> holders(String name) {
		return List.copyOf(leases(name).keySet());
	}

	Duration timeToLive(String name) {
		return leases(name).values().stream().max(Duration::compareTo).orElse(Duration.ZERO);
	}

	/**
	 * Return the tokens in Redis, and how long they last.
	 */
	private Map<String, Duration> leases(String name) {
		String key = "lock:" + name;
		while (true) {
			try {
				return "zset".equals(server().cli("TYPE", key)) ? leasesOfSeveral(key) : leaseOfOne(key);
			}
			catch (RespException ex) {
				// Meanwhile it passed from one holder to several, or back
				assertThat(ex).hasMessageContaining("WRONGTYPE");
			}
		}
	}

	private Map<String, Duration> leaseOfOne(String key) {
		String token = (String) server().cli("GET", key);
		return (token == null) ? Map.of() : Map.of(token, Duration.ofMillis(number("PTTL", key)));
	}

	/** There are limits beside the tokens. */
	private Map<String, Duration> leasesOfSeveral(String key) {
		List<?> time = (List<?>) server().cli("TIME");
		Instant now = Instant.ofEpochSecond(Long.parseLong((String) time.get(0)),
				1000 * Long.parseLong((String) time.get(1)));
		Map<String, Duration> leases = new LinkedHashMap<>();
		Iterator<?> members = ((List<?>) server().cli("ZRANGE", key, "0", "-1", "WITHSCORES")).iterator();
		while (members.hasNext()) {
			String token = (String) members.next();
			Instant end = Instant.ofEpochMilli(Double.valueOf((String) members.next()).longValue());
			if (!token.startsWith("#")) {
				leases.put(token, Duration.between(now, end));
			}
		}
		return leases;
	}

	/**
	 * Return the last fencing token that was given.
	 */
	String fence(String name) {
		return (String) server().cli("GET", "{lock:" + name + "}:fence");
	}

	boolean isHeldBy(Instance instance, String name) {
		return holders(name).stream().anyMatch((holder) -> holder.startsWith(instance.locks.instanceId()));
	}

	/**
	 * Let all leases of a lock end now.
	 */
	void endLeases(String name) {
		server().cli("PEXPIRE", "lock:" + name, "0");
	}

	long queueLength(String name) {
		return number("ZCARD", queue(name));
	}

	static String queue(String name) {
		return "{lock:" + name + "}:queue";
	}

	long number(String... command) {
		return (Long) server().cli(command);
	}

	void awaitQueueLength(String name, long length) {
		Awaitility.await().atMost(SOON).until(() -> queueLength(name) == length);
	}

	/**
	 * Wait until a lock can be handed off to the instance. Its first waiter may be queued
	 * before it listens.
	 */
	void awaitInbox(Instance instance) {
		Awaitility.await().atMost(SOON).until(() -> !inboxes(instance.locks.instanceId()).isEmpty());
	}

	/**
	 * Return the channels on which instances whose names begin like this listen.
	 */
	@SuppressWarnings("unchecked")
	List<String> inboxes(String instance) {
		return (List<String>) server().cli("PUBSUB", "CHANNELS", "lock:inbox:" + instance + "*");
	}

	/**
	 * Assert that nobody holds or waits for anything, now or before places in a queue
	 * would end by themselves.
	 */
	void assertNothingIsLeft() {
		assertNothingIsLeft(Duration.ofSeconds(3));
	}

	/**
	 * Assert that nobody holds or waits for anything, now or after some time.
	 */
	void assertNothingIsLeft(Duration within) {
		Awaitility.await()
			.atMost(within)
			.untilAsserted(() -> assertThat((List<?>) server().cli("KEYS", "*"))
				.allMatch((key) -> ((String) key).endsWith(":fence")));
	}

}
