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
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
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

	/** It is not known which node of a cluster has answered. */
	private static final Duration SETTLING = Duration.ofSeconds(10);

	private final RedisConnectionFactory connectionFactory;

	private final Duration commandTimeout;

	private final RedisSetup setup;

	private final OutageLog outageLog;

	private final BlockingScriptRunner runner;

	private final boolean singleServer;

	private final AtomicReference<@Nullable BlockingInbox> inbox = new AtomicReference<>();

	BlockingStoreConnection(StringRedisTemplate template, RedisLockSettings settings) {
		this.connectionFactory = template.getRequiredConnectionFactory();
		this.commandTimeout = settings.commandTimeout();
		this.singleServer = JEDIS_PRESENT && Jedis.isSingleServer(this.connectionFactory);
		this.setup = (JEDIS_PRESENT && Jedis.isKnown(this.connectionFactory)) ? Jedis.setup(this.connectionFactory)
				: new RedisSetup("Redis through " + this.connectionFactory.getClass().getSimpleName(),
						RedisSetup.Topology.UNKNOWN, 0, false);
		this.outageLog = new OutageLog(this.setup.description(), this.singleServer ? Duration.ZERO : SETTLING);
		this.runner = new BlockingScriptRunner(template, settings.commandTimeout(), !this.singleServer, this.outageLog);
	}

	@Override
	public ScriptRunner runner() {
		return this.runner;
	}

	@Override
	public void listen(byte[] channel, InboxListener listener) {
		InboxWatch watch = new InboxWatch(listener, this.commandTimeout,
				() -> this.runner.publish(channel, InboxWatch.probe()), this::resubscribe, System::nanoTime);
		BlockingInbox opened = new BlockingInbox(this.connectionFactory, channel, watch);
		if (this.inbox.compareAndSet(null, opened)) {
			opened.open();
		}
	}

	@Override
	public void waiting() {
		BlockingInbox open = this.inbox.get();
		if (open != null) {
			open.waiting();
		}
	}

	private void resubscribe() {
		BlockingInbox open = this.inbox.get();
		if (open != null) {
			open.resubscribe();
		}
	}

	@Override
	public boolean countsReceivers() {
		return this.singleServer;
	}

	@Override
	public RedisConnectionFactory connectionFactory() {
		return this.connectionFactory;
	}

	@Override
	public RedisSetup setup() {
		return this.setup;
	}

	@Override
	public OutageLog outageLog() {
		return this.outageLog;
	}

	@Override
	public void close() {
		this.outageLog.close();
		BlockingInbox open = this.inbox.get();
		if (open != null) {
			open.close();
		}
		this.runner.close();
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
	 * Loaded only if Jedis is present. The servers of another client are assumed to be a
	 * cluster, which works everywhere.
	 */
	private static final class Jedis {

		static boolean isSingleServer(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory jedis && !jedis.isRedisClusterAware();
		}

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
