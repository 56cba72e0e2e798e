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

import java.time.Duration;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The clients of Redis through which locks work.
 */
public enum ClientLibrary {

	/** With connections of the lock's own. */
	LETTUCE {

		@Override
		public RedisConnectionFactory connect(RedisConfiguration redis) {
			LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(redis,
					LettuceClientConfiguration.builder()
						.clientResources(RESOURCES)
						.shutdownQuietPeriod(Duration.ZERO)
						.build());
			connectionFactory.afterPropertiesSet();
			connectionFactory.start();
			return connectionFactory;
		}

	},

	/** With connections of the application. */
	JEDIS {

		@Override
		public RedisConnectionFactory connect(RedisConfiguration redis) {
			JedisConnectionFactory connectionFactory = jedis(redis);
			connectionFactory.afterPropertiesSet();
			connectionFactory.start();
			return connectionFactory;
		}

	};

	private static JedisConnectionFactory jedis(RedisConfiguration redis) {
		if (redis instanceof RedisSentinelConfiguration sentinel) {
			return new JedisConnectionFactory(sentinel);
		}
		return (redis instanceof RedisClusterConfiguration cluster) ? new JedisConnectionFactory(cluster)
				: new JedisConnectionFactory((RedisStandaloneConfiguration) redis);
	}

	/** Lives as long as the JVM, as its threads are daemons: its end takes a while. */
	private static final ClientResources RESOURCES = DefaultClientResources.create();

	/**
	 * Return a factory that was started, and that the caller destroys.
	 */
	public abstract RedisConnectionFactory connect(RedisConfiguration redis);

}
