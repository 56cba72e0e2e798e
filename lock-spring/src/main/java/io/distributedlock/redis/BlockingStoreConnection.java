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

package io.distributedlock.redis;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * The connections of a template whose client blocks, such as Jedis. The servers of
 * another client are assumed to be a cluster, which works everywhere.
 */
final class BlockingStoreConnection extends StoreConnection {

	private static final boolean JEDIS_PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			BlockingStoreConnection.class.getClassLoader());

	/** It is not known which node of a cluster has answered. */
	private static final Duration SETTLING = Duration.ofSeconds(10);

	private final RedisConnectionFactory connectionFactory;

	private final BlockingScriptRunner runner;

	BlockingStoreConnection(StringRedisTemplate template, RedisLockSettings settings) {
		this(template, setup(template.getRequiredConnectionFactory()), settings);
	}

	private BlockingStoreConnection(StringRedisTemplate template, RedisSetup setup, RedisLockSettings settings) {
		super(setup, setup.topology().mayBeCluster() ? SETTLING : Duration.ZERO, settings);
		this.connectionFactory = template.getRequiredConnectionFactory();
		this.runner = new BlockingScriptRunner(template, settings.commandTimeout(), this.outageLog);
	}

	private static RedisSetup setup(RedisConnectionFactory connectionFactory) {
		return (JEDIS_PRESENT && Jedis.isKnown(connectionFactory)) ? Jedis.setup(connectionFactory) : new RedisSetup(
				"Redis through " + connectionFactory.getClass().getSimpleName(), RedisSetup.Topology.UNKNOWN, 0, false);
	}

	@Override
	ScriptRunner runner() {
		return this.runner;
	}

	@Override
	RedisConnectionFactory connectionFactory() {
		return this.connectionFactory;
	}

	@Override
	Inbox createInbox(byte[] channel, InboxWatch watch) {
		return new BlockingInbox(this.connectionFactory, channel, watch);
	}

	/**
	 * Make the client close a connection when it is returned, instead of keeping it in a
	 * pool, if the client allows that.
	 */
	static void discard(RedisConnection connection) {
		if (JEDIS_PRESENT) {
			Jedis.discard(connection);
		}
	}

	/**
	 * Loaded only if Jedis is present.
	 */
	private static final class Jedis {

		static boolean isKnown(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory;
		}

		static void discard(RedisConnection connection) {
			if (connection.getNativeConnection() instanceof redis.clients.jedis.Jedis jedis) {
				jedis.getConnection().setBroken();
			}
		}

		static RedisSetup setup(RedisConnectionFactory connectionFactory) {
			JedisConnectionFactory jedis = (JedisConnectionFactory) connectionFactory;
			String through = "Redis through " + jedis.getClass().getSimpleName();
			if (jedis.isRedisClusterAware()) {
				return new RedisSetup(through, RedisSetup.Topology.CLUSTER, 0, jedis.isUseSsl());
			}
			return jedis.isRedisSentinelAware()
					? new RedisSetup(through, RedisSetup.Topology.SENTINEL, jedis.getDatabase(), jedis.isUseSsl())
					: new RedisSetup("Redis at " + jedis.getHostName() + ":" + jedis.getPort(),
							RedisSetup.Topology.SINGLE, jedis.getDatabase(), jedis.isUseSsl());
		}

	}

}
