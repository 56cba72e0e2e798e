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

import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock's Redis provider with its default settings.
 */
final class ShedLockClient implements LockClient {

	private final LettuceConnectionFactory connectionFactory;

	private final LockProvider provider;

	ShedLockClient(URI redis, String instance) {
		this.connectionFactory = SpringRedis.connect(redis);
		this.provider = new RedisLockProvider(this.connectionFactory);
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		return Poll.until(wait, () -> attempt(name, lease));
	}

	private @Nullable Hold attempt(String name, Duration lease) {
		LockConfiguration configuration = new LockConfiguration(ClockProvider.now(), name, lease, Duration.ZERO);
		SimpleLock lock = this.provider.lock(configuration).orElse(null);
		return (lock != null) ? lock::unlock : null;
	}

	@Override
	public void close() {
		this.connectionFactory.destroy();
	}

}
