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

package io.distributedlock.benchmarks.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Spring Integration's {@link RedisLockRegistry} with its default settings.
 */
final class SpringIntegrationClient implements LockClient {

	private final LettuceConnectionFactory connectionFactory;

	private final RedisLockRegistry registry;

	private SpringIntegrationClient(URI redis, RedisLockType type) {
		this.connectionFactory = SpringRedis.connect(redis);
		this.registry = new RedisLockRegistry(this.connectionFactory, "benchmark");
		this.registry.setRedisLockType(type);
	}

	static LockClient spinning(URI redis, String instance) {
		return new SpringIntegrationClient(redis, RedisLockType.SPIN_LOCK);
	}

	static LockClient subscribed(URI redis, String instance) {
		return new SpringIntegrationClient(redis, RedisLockType.PUB_SUB_LOCK);
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		DistributedLock lock = this.registry.obtain(name);
		if (!lock.tryLock(wait, lease)) {
			throw new TimeoutException("The lock was not free within " + wait);
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.connectionFactory.destroy();
	}

}
