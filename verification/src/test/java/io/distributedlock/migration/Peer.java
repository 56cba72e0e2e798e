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

package io.distributedlock.migration;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.Lock;

import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskResult;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * Other locks on Redis, with the keys that they give to the lock {@code nightly-report}.
 */
enum Peer {

	SHEDLOCK("job-lock:test:nightly-report") {

		@Override
		Instance start(RedisConnectionFactory connectionFactory) {
			LockingTaskExecutor executor = new DefaultLockingTaskExecutor(
					new RedisLockProvider(connectionFactory, "test"));
			return (work) -> {
				try {
					TaskResult<Boolean> result = executor.executeWithLock(() -> {
						work.run();
						return true;
					}, new LockConfiguration(ClockProvider.now(), NAME, LEASE, Duration.ZERO));
					return result.wasExecuted();
				}
				catch (Throwable ex) {
					throw new IllegalStateException(ex);
				}
			};
		}

	},

	SPRING_INTEGRATION("registry:nightly-report") {

		@Override
		Instance start(RedisConnectionFactory connectionFactory) {
			RedisLockRegistry registry = new RedisLockRegistry(connectionFactory, "registry");
			return new Instance() {

				@Override
				public boolean run(Runnable work) {
					Lock lock = registry.obtain(NAME);
					if (!lock.tryLock()) {
						return false;
					}
					try {
						work.run();
						return true;
					}
					finally {
						lock.unlock();
					}
				}

				@Override
				public void close() {
					registry.destroy();
				}

			};
		}

	},

	/** As redis-py and Lock4j do it, which differ in their keys only. */
	SET_NX_PX("{jobs}:nightly}report") {

		@Override
		Instance start(RedisConnectionFactory connectionFactory) {
			StringRedisTemplate redis = new StringRedisTemplate(connectionFactory);
			RedisScript<Boolean> release = RedisScript.of(
					"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
					Boolean.class);
			return (work) -> {
				String token = UUID.randomUUID().toString();
				if (!Boolean.TRUE.equals(redis.opsForValue().setIfAbsent(key(), token, LEASE))) {
					return false;
				}
				try {
					work.run();
					return true;
				}
				finally {
					redis.execute(release, List.of(key()), token);
				}
			};
		}

	};

	static final String NAME = "nightly-report";

	private static final Duration LEASE = Duration.ofSeconds(20);

	private final String key;

	Peer(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	abstract Instance start(RedisConnectionFactory connectionFactory);

	@FunctionalInterface
	interface Instance extends AutoCloseable {

		/**
		 * Do the work under the lock, unless it is held elsewhere.
		 */
		boolean run(Runnable work);

		@Override
		default void close() {
		}

	}

}
