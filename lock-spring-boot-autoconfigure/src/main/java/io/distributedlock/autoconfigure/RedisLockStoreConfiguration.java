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

package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.LockService;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.autoconfigure.DistributedLockProperties.Provider;
import io.distributedlock.autoconfigure.DistributedLockProperties.Redis;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.internal.Printable;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A lock store in the Redis of the application. Creating it does not connect.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ RedisLockStore.class, StringRedisTemplate.class })
@ConditionalOnLockProvider(Provider.REDIS)
@ConditionalOnMissingBean({ LockStore.class, LockService.class })
final class RedisLockStoreConfiguration {

	private static final Log logger = LogFactory.getLog(RedisLockStoreConfiguration.class);

	private static final int ATTEMPTS_PER_LEASE = 3;

	/**
	 * Create the configuration.
	 * @param checked has checked the properties, before they are bound for this
	 */
	RedisLockStoreConfiguration(LockSettingsConfiguration checked) {
	}

	/**
	 * Declared as the interface, so that looking at the types of beans loads no client.
	 */
	@Bean
	@Lazy
	LockStore distributedLockStore(DistributedLockProperties properties, RedisLockSettings settings,
			ListableBeanFactory beanFactory, ObjectProvider<RedisConnectionFactory> connectionFactories) {
		Redis redis = properties.redis();
		StringRedisTemplate template = new StringRedisTemplate(
				new LockConnectionFactorySelector(beanFactory, connectionFactories).select(redis.connectionFactory()));
		return redis.dedicatedConnection() ? RedisLockStore.withOwnConnection(template, settings)
				: RedisLockStore.withConnectionOf(template, settings);
	}

	/**
	 * Not lazy, so that wrong settings end every start.
	 */
	@Bean
	RedisLockSettings distributedLockRedisSettings(DistributedLockProperties properties) {
		Redis redis = properties.redis();
		doubtCommandTimeout(properties, "distributed-lock.defaults.timeout", properties.defaults().timeout());
		properties.locks()
			.forEach((name, lock) -> doubtCommandTimeout(properties, "distributed-lock.locks[" + name + "].timeout",
					lock.timeout()));
		try {
			return RedisLockSettings.defaults()
				.withKeyPrefix(properties.keyPrefix())
				.withCommandTimeout(redis.commandTimeout())
				.withFenceRetention(redis.fenceRetention())
				.withConnectTimeout(redis.connectTimeout())
				.withKeys(properties.keys());
		}
		catch (IllegalArgumentException ex) {
			Map<String, Object> found = new LinkedHashMap<>();
			found.put("distributed-lock.key-prefix", "'" + properties.keyPrefix() + "'");
			properties.keys()
				.forEach((name, key) -> found.put("distributed-lock.locks[" + name + "].key", "'" + key + "'"));
			addIfTooShort(found, "command-timeout", redis.commandTimeout());
			addIfTooShort(found, "connect-timeout", redis.connectTimeout());
			addIfTooShort(found, "fence-retention", redis.fenceRetention());
			throw LockStartupException.ofSettings(String.valueOf(ex.getMessage()), found,
					"Change the property, or remove it to use its default.", ex);
		}
	}

	private static void addIfTooShort(Map<String, Object> found, String name, Duration time) {
		if (time.toMillis() < 1) {
			found.put("distributed-lock.redis." + name, time);
		}
	}

	/** A single unanswered command may cause the loss of a lock. */
	private static void doubtCommandTimeout(DistributedLockProperties properties, String property,
			@Nullable Duration lease) {
		Duration commandTimeout = properties.redis().commandTimeout();
		if (lease == null || commandTimeout.multipliedBy(ATTEMPTS_PER_LEASE).compareTo(lease) <= 0) {
			return;
		}
		String problem = "distributed-lock.redis.command-timeout is %s, which is more than a third of %s, which is %s: a lock may be lost while one renewal waits for its answer."
			.formatted(Printable.of(commandTimeout), property, Printable.of(lease));
		String action = "Make the command timeout shorter or the lease longer.";
		if (properties.validation() == LockValidation.STRICT) {
			Map<String, Object> found = new LinkedHashMap<>();
			found.put("distributed-lock.redis.command-timeout", commandTimeout);
			found.put(property, lease);
			throw LockStartupException.ofSettings(problem, found, action, null);
		}
		logger.warn(problem + " " + action);
	}

}
