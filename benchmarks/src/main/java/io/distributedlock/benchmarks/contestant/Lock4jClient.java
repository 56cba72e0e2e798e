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
import java.util.List;
import java.util.concurrent.TimeoutException;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j's template and {@code RedisTemplate} executor with their default settings.
 */
final class Lock4jClient implements LockClient {

	private final LettuceConnectionFactory connectionFactory;

	private final LockTemplate template = new LockTemplate();

	Lock4jClient(URI redis, String instance) {
		this.connectionFactory = SpringRedis.connect(redis);
		Lock4jProperties properties = new Lock4jProperties();
		properties.setPrimaryExecutor(RedisTemplateLockExecutor.class);
		this.template.setProperties(properties);
		this.template.setExecutors(
				List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(this.connectionFactory), properties)));
		try {
			this.template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException("Lock4j refused its own defaults", ex);
		}
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws TimeoutException {
		LockInfo lock = this.template.lock(name, lease.toMillis(), wait.toMillis());
		if (lock == null) {
			throw new TimeoutException("The lock was not free within " + wait);
		}
		return () -> this.template.releaseLock(lock);
	}

	@Override
	public void close() {
		this.connectionFactory.destroy();
	}

}
