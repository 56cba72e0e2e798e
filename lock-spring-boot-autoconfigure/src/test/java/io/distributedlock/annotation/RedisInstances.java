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

package io.distributedlock.annotation;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockListener;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.testsupport.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Instances of an application, each with connections of its own to the same Redis.
 */
final class RedisInstances implements AutoCloseable {

	private final RedisServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	RedisInstances(RedisServer server) {
		this.server = server;
		server.flushAll();
	}

	DefaultLockService start(String name, LockListener... listeners) {
		URI url = URI.create(this.server.url());
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(url.getHost(), url.getPort()));
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		this.opened.add(0, connectionFactory::destroy);
		RedisLockStore store = RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory),
				RedisLockStore.Settings.defaults().withCommandTimeout(Duration.ofSeconds(10)));
		this.opened.add(0, store);
		DefaultLockService service = new DefaultLockService(store, EngineSettings.of(name), List.of(listeners));
		this.opened.add(0, service);
		return service;
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

}
