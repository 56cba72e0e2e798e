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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;

import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RestrictedUser;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances on a Redis of the test class, some of them behind a network that breaks on
 * demand, and a view of what is in Redis. All is whole again before it is closed.
 */
final class TestBed implements BeforeEachCallback, AfterEachCallback {

	/**
	 * Longer than anything takes on a busy machine, and far shorter than a long lease.
	 */
	static final Duration SOON = Duration.ofSeconds(20);

	private static final RedisLockSettings DEFAULTS = RedisLockSettings.defaults();

	private final RedisExtension redis;

	private final boolean restricted;

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	FaultProxy proxy;

	TestBed(RedisExtension redis) {
		this(redis, false);
	}

	private TestBed(RedisExtension redis, boolean restricted) {
		this.redis = redis;
		this.restricted = restricted;
	}

	/**
	 * Instances that have the documented rights in Redis, and no others.
	 */
	static TestBed ofRestrictedUser(RedisExtension redis) {
		return new TestBed(redis, true);
	}

	@Override
	public void beforeEach(ExtensionContext context) {
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

	/**
	 * Let time pass.
	 */
	static void pass(Duration time) {
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

	Instance instance(EngineSettings settings) {
		return instance(settings, server().host(), server().port(), DEFAULTS);
	}

	private Instance instance(String name, String host, int port, RedisLockSettings settings) {
		return instance(EngineSettings.of(name), host, port, settings);
	}

	private Instance instance(EngineSettings engine, String host, int port, RedisLockSettings settings) {
		RedisStandaloneConfiguration address = this.restricted ? RestrictedUser.address(host, port)
				: new RedisStandaloneConfiguration(host, port);
		return closeLater(new Instance(engine, address, settings)).warm();
	}

	/**
	 * Return the token in Redis, or {@code null} if the lock is free.
	 */
	String holder(String name) {
		return (String) server().cli("GET", "lock:" + name);
	}

	/**
	 * Return the last fencing token that was given.
	 */
	String fence(String name) {
		return (String) server().cli("GET", "{lock:" + name + "}:fence");
	}

	boolean isHeldBy(Instance instance, String name) {
		String holder = holder(name);
		return holder != null && holder.startsWith(instance.locks.instanceId());
	}

	Duration timeToLive(String name) {
		return Duration.ofMillis(number("PTTL", "lock:" + name));
	}

	long queueLength(String name) {
		return number("ZCARD", "{lock:" + name + "}:queue");
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
		Awaitility.await()
			.atMost(SOON)
			.until(() -> !((List<?>) server().cli("PUBSUB", "CHANNELS", "lock:inbox:" + instance.locks.instanceId()))
				.isEmpty());
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
