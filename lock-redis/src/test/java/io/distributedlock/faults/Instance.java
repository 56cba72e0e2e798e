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
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockEvent;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.kinds.AskedKinds;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.testsupport.SettableTicker;
import org.awaitility.Awaitility;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One instance of an application: a lock service on a store of its own. Its clock goes by
 * itself, and a test can move it ahead; that of Redis it cannot.
 */
public final class Instance implements AutoCloseable {

	static final RedisLockSettings PATIENT = RedisLockSettings.defaults().withCommandTimeout(TestBed.SOON);

	public final DefaultLockService locks;

	public final RedisLockStore store;

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final SettableTicker ahead = new SettableTicker();

	private final RedisConnectionFactory connectionFactory;

	Instance(String name, String host, int port, RedisLockSettings storeSettings) {
		this(EngineSettings.of(name), new RedisStandaloneConfiguration(host, port), storeSettings);
	}

	public Instance(EngineSettings settings, RedisConfiguration redis) {
		this(settings, redis, RedisLockSettings.defaults());
	}

	public Instance(EngineSettings settings, RedisConfiguration redis, ClientLibrary client) {
		this(settings, redis, RedisLockSettings.defaults(), client);
	}

	Instance(EngineSettings settings, RedisConfiguration redis, RedisLockSettings storeSettings) {
		this(settings, redis, storeSettings, ClientLibrary.LETTUCE);
	}

	Instance(EngineSettings settings, RedisConfiguration redis, RedisLockSettings storeSettings, ClientLibrary client) {
		this.connectionFactory = client.connect(redis);
		this.store = RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connectionFactory), storeSettings);
		Ticker system = Ticker.system();
		this.locks = new DefaultLockService(AskedKinds.watch(this.store), settings, List.of(this.events::add),
				() -> system.nanos() + this.ahead.nanos());
	}

	/**
	 * Open the connections, so that a test does not measure that.
	 */
	public Instance warm() {
		this.locks.acquire("warm:" + this.locks.instanceId(), LockOptions.defaults().withWaitTime(TestBed.SOON))
			.close();
		return this;
	}

	/**
	 * Move the clock ahead, for what this instance holds to be renewed, at risk or lost.
	 */
	void advance(Duration time) {
		this.ahead.advance(time);
		this.locks.catchUp();
		// Renewals wait for others, but not for long
		this.ahead.advance(Duration.ofSeconds(1));
		this.locks.catchUp();
	}

	public <E extends LockEvent> List<E> events(Class<E> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	/**
	 * Wait until the loss of a lock was told, once.
	 */
	void awaitLoss(String name, LossCause cause, LossCause... orElse) {
		Awaitility.await()
			.atMost(TestBed.SOON)
			.untilAsserted(() -> assertThat(events(LockEvent.Lost.class)).filteredOn((loss) -> loss.name().equals(name))
				.singleElement()
				.satisfies((loss) -> assertThat(EnumSet.of(cause, orElse)).contains(loss.cause())));
	}

	/**
	 * Wait until losses were told, and no others.
	 */
	void awaitLosses(LossCause... causes) {
		Awaitility.await()
			.atMost(TestBed.SOON)
			.untilAsserted(() -> assertThat(events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
				.containsExactlyInAnyOrder(causes));
	}

	void stop(Duration grace) {
		this.locks.close(grace);
		this.store.close();
	}

	@Override
	public void close() {
		stop(Duration.ZERO);
		((SmartLifecycle) this.connectionFactory).stop();
	}

}
