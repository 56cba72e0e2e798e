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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its default settings.
 */
final class RedissonClientAdapter implements LockClient {

	private final RedissonClient client;

	private final BiFunction<RedissonClient, String, RLock> locks;

	private RedissonClientAdapter(URI redis, BiFunction<RedissonClient, String, RLock> locks) {
		Config config = new Config();
		config.useSingleServer().setAddress(redis.toString());
		this.client = Redisson.create(config);
		this.locks = locks;
	}

	static LockClient plain(URI redis, String instance) {
		return new RedissonClientAdapter(redis, RedissonClient::getLock);
	}

	static LockClient fair(URI redis, String instance) {
		return new RedissonClientAdapter(redis, RedissonClient::getFairLock);
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		RLock lock = this.locks.apply(this.client, name);
		if (!lock.tryLock(wait.toMillis(), lease.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new TimeoutException("The lock was not free within " + wait);
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.client.shutdown(0, 5, TimeUnit.SECONDS);
	}

}
