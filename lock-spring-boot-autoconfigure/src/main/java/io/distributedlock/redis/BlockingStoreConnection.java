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

import java.util.concurrent.atomic.AtomicReference;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * The connections of a template whose client blocks, such as Jedis.
 */
final class BlockingStoreConnection implements StoreConnection {

	private static final boolean JEDIS_PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			BlockingStoreConnection.class.getClassLoader());

	private final RedisConnectionFactory connectionFactory;

	private final BlockingScriptRunner runner;

	private final boolean singleServer;

	private final AtomicReference<BlockingInbox> inbox = new AtomicReference<>();

	BlockingStoreConnection(StringRedisTemplate template, RedisLockStore.Settings settings) {
		this.connectionFactory = template.getRequiredConnectionFactory();
		this.singleServer = JEDIS_PRESENT && Jedis.isSingleServer(this.connectionFactory);
		this.runner = new BlockingScriptRunner(template, settings.commandTimeout(), !this.singleServer);
	}

	@Override
	public ScriptRunner runner() {
		return this.runner;
	}

	@Override
	public void listen(byte[] channel, InboxListener listener) {
		BlockingInbox opened = new BlockingInbox(this.connectionFactory, channel, listener);
		if (this.inbox.compareAndSet(null, opened)) {
			opened.open();
		}
	}

	@Override
	public boolean countsReceivers() {
		return this.singleServer;
	}

	@Override
	public String description() {
		String where = JEDIS_PRESENT ? Jedis.address(this.connectionFactory) : "";
		return where.isEmpty() ? "Redis through " + this.connectionFactory.getClass().getSimpleName()
				: "Redis at " + where;
	}

	@Override
	public void close() {
		BlockingInbox open = this.inbox.get();
		if (open != null) {
			open.close();
		}
		this.runner.close();
	}

	/**
	 * Is loaded only if Jedis is there. What is not known of another client is assumed to
	 * be a cluster, which works everywhere.
	 */
	private static final class Jedis {

		static boolean isSingleServer(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory jedis && !jedis.isRedisClusterAware();
		}

		static String address(RedisConnectionFactory connectionFactory) {
			return (connectionFactory instanceof JedisConnectionFactory jedis && !jedis.isRedisClusterAware()
					&& !jedis.isRedisSentinelAware()) ? jedis.getHostName() + ":" + jedis.getPort() : "";
		}

	}

}
