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

import java.util.Arrays;

import io.distributedlock.autoconfigure.internal.LockStartupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Finds the connection factory of the application that leads to the Redis of the locks.
 */
final class LockConnectionFactorySelector {

	private final ListableBeanFactory beanFactory;

	private final ObjectProvider<RedisConnectionFactory> factories;

	LockConnectionFactorySelector(ListableBeanFactory beanFactory, ObjectProvider<RedisConnectionFactory> factories) {
		this.beanFactory = beanFactory;
		this.factories = factories;
	}

	RedisConnectionFactory select(@Nullable String configuredName) {
		if (StringUtils.hasText(configuredName)) {
			return named(configuredName);
		}
		RedisConnectionFactory unique = this.factories.getIfUnique();
		if (unique != null) {
			return unique;
		}
		String names = names();
		if (names.equals("none")) {
			throw missing("distributed-lock.provider is 'redis', but there is no RedisConnectionFactory bean.",
					"Add the dependency spring-boot-starter-data-redis, do not exclude DataRedisAutoConfiguration, or define "
							+ "a RedisConnectionFactory bean. Or set distributed-lock.provider to 'in-memory' if there is only one "
							+ "instance, or define a LockStore bean.");
		}
		throw missing(
				"there are several RedisConnectionFactory beans and none of them is primary: %s.".formatted(names),
				"Set distributed-lock.redis.connection-factory to the name of the one to use for locks, or mark "
						+ "one as @Primary.");
	}

	private RedisConnectionFactory named(String name) {
		if (!this.beanFactory.containsBean(name) || !this.beanFactory.isTypeMatch(name, RedisConnectionFactory.class)) {
			throw missing(
					"distributed-lock.redis.connection-factory is '%s', but there is no RedisConnectionFactory bean of that name. There are: %s."
						.formatted(name, names()),
					"Use the name of one of these beans, or remove the property if there is only one or a primary one.");
		}
		return this.beanFactory.getBean(name, RedisConnectionFactory.class);
	}

	private static LockStartupException missing(String problem, String action) {
		return new LockStartupException("Distributed locks cannot be kept in Redis: " + problem, action, null);
	}

	private String names() {
		String[] names = this.beanFactory.getBeanNamesForType(RedisConnectionFactory.class);
		return (names.length > 0) ? String.join(", ", Arrays.stream(names).sorted().toList()) : "none";
	}

}
