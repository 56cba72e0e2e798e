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
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockListener;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.SettableTicker;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Instances of an application, each with connections of its own to the same Redis. They
 * share a clock that runs, and that a test can move ahead.
 */
public final class RedisInstances implements AutoCloseable {

	private final RedisServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final List<DefaultLockService> services = new ArrayList<>();

	private final SettableTicker ahead = new SettableTicker();

	public RedisInstances(RedisServer server) {
		this.server = server;
		server.flushAll();
	}

	public DefaultLockService start(String name, LockListener... listeners) {
		URI url = URI.create(this.server.url());
		RedisConnectionFactory connectionFactory = ClientLibrary.LETTUCE
			.connect(new RedisStandaloneConfiguration(url.getHost(), url.getPort()));
		this.opened.add(0, ((DisposableBean) connectionFactory)::destroy);
		RedisLockStore store = RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory),
				RedisLockSettings.defaults().withCommandTimeout(Duration.ofSeconds(10)));
		this.opened.add(0, store);
		Ticker system = Ticker.system();
		DefaultLockService service = new DefaultLockService(store, EngineSettings.of(name), List.of(listeners),
				() -> system.nanos() + this.ahead.nanos());
		this.opened.add(0, service);
		this.services.add(service);
		// Connects, which may take longer than the lease of a test
		service.isLocked("warm-up");
		return service;
	}

	/**
	 * End the lease of a lock without waiting for it: first on the clock of the
	 * instances, then in Redis.
	 */
	public void endLease(String lock, Duration lease) {
		this.ahead.advance(lease);
		this.services.forEach(DefaultLockService::catchUp);
		this.server.cli("DEL", "lock:" + lock);
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

}
