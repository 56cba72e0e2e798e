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

package io.distributedlock.benchmarks.scale;

import java.time.Duration;
import java.util.List;

import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An instance of an application, as far as locks are concerned.
 */
record Instance(DefaultLockService locks, RedisLockStore store) implements AutoCloseable {

	/**
	 * Opens an instance with connections of its own, like any application.
	 */
	static Instance open(String name, LettuceConnectionFactory redis, Duration fenceRetention) {
		return of(name, RedisLockStore.withOwnConnection(new StringRedisTemplate(redis),
				RedisLockSettings.defaults().withFenceRetention(fenceRetention)));
	}

	/**
	 * Opens an instance that shares event loops and the connection for commands with the
	 * others of this JVM, and has only the connection on which grants arrive to itself.
	 */
	static Instance share(String name, LettuceConnectionFactory redis) {
		return of(name, RedisLockStore.withConnectionOf(new StringRedisTemplate(redis), RedisLockSettings.defaults()));
	}

	private static Instance of(String name, RedisLockStore store) {
		return new Instance(new DefaultLockService(store, EngineSettings.of(name), List.of()), store);
	}

	@Override
	public void close() {
		this.locks.close();
		this.store.close();
	}

}
