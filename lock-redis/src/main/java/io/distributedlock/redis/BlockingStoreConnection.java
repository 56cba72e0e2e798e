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
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.distributedlock.internal.DaemonThread;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * The connections of a template whose client blocks, such as Jedis. The servers of
 * another client are assumed to be a cluster, which works everywhere.
 *
 * <p>
 * A few threads run the scripts, and stay: when a lease is to be renewed, there may be no
 * memory for another one. All calls with the same first key go through the same thread,
 * so that they keep their order. A call that has timed out before its turn is not sent,
 * except for a release, which cleans up after those that were.
 *
 * <p>
 * The server may have closed pooled connections meanwhile, for example when their
 * credentials expired, and the client notices only when it uses them. Each script may be
 * sent again, so a call whose connection breaks is sent again immediately, as often as a
 * pool of usual size can have such connections.
 */
final class BlockingStoreConnection extends StoreConnection {

	private static final boolean JEDIS_PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			BlockingStoreConnection.class.getClassLoader());

	private static final int LANES = 4;

	private static final int MAX_QUEUED = 2_500;

	/** One more than a pool has connections by default. */
	private static final int MOST_ATTEMPTS = 9;

	/** It is not known which node of a cluster has answered. */
	private static final Duration SETTLING = Duration.ofSeconds(10);

	private static final Function<byte[], String> WHOLE = (key) -> "";

	private final StringRedisTemplate template;

	final ThreadPoolExecutor[] lanes = new ThreadPoolExecutor[LANES];

	private final MasterWatch masters;

	BlockingStoreConnection(StringRedisTemplate template, RedisLockSettings settings) {
		this(template, setup(template.getRequiredConnectionFactory()), settings);
	}

	private BlockingStoreConnection(StringRedisTemplate template, RedisSetup setup, RedisLockSettings settings) {
		super(setup, setup.topology().mayBeCluster() ? SETTLING : Duration.ZERO, settings);
		this.template = template;
		this.masters = new MasterWatch(connectionFactory(), this::interrupted);
		// A connection in the pool may be broken, and nobody knows
		interrupted();
		for (int lane = 0; lane < LANES; lane++) {
			String name = "distributed-lock-redis-" + lane;
			this.lanes[lane] = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_QUEUED),
					(task) -> new DaemonThread(task, name));
		}
	}

	private static RedisSetup setup(RedisConnectionFactory connectionFactory) {
		return (JEDIS_PRESENT && Jedis.isKnown(connectionFactory)) ? Jedis.setup(connectionFactory) : new RedisSetup(
				"Redis through " + connectionFactory.getClass().getSimpleName(), RedisSetup.Topology.UNKNOWN, 0, false);
	}

	@Override
	RedisConnectionFactory connectionFactory() {
		return this.template.getRequiredConnectionFactory();
	}

	/** Until then, nothing is held for long. */
	@Override
	void listen(byte[] channel, InboxListener listener) {
		if (this.setup.topology().mayBeCluster()) {
			this.masters.open();
		}
		// Last, as nobody calls this again once there is an inbox
		super.listen(channel, listener);
	}

	@Override
	boolean pausesAfterFailover() {
		return JEDIS_PRESENT && Jedis.pausesAfterFailover(connectionFactory());
	}

	@Override
	Inbox createInbox(byte[] channel, InboxWatch watch) {
		return new BlockingInbox(connectionFactory(), channel, watch);
	}

	@Override
	String nodeOf(byte[] key) {
		return "";
	}

	@Override
	CompletionStage<?> send(byte[] channel, byte[] message) {
		RedisCallback<Long> callback = (connection) -> connection.publish(channel, message);
		return CompletableFuture.supplyAsync(() -> this.template.execute(callback), this.lanes[0]);
	}

	@Override
	void run(ScriptCall<?> call) {
		call.onOutage((failure, waited) -> this.outageLog.failed(call.key(), WHOLE, failure, waited));
		call.limit(this.commandTimeout);
		this.timer.add(call);
		ThreadPoolExecutor lane = this.lanes[Math.floorMod(Arrays.hashCode(call.key()), LANES)];
		try {
			lane.execute(() -> send(call));
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(lane.isShutdown() ? CallFailure.closed() : CallFailure.tooManyCalls());
		}
	}

	private void send(ScriptCall<?> call) {
		if (call.isDone() && call.script != LockScript.RELEASE) {
			return;
		}
		RedisCallback<@Nullable Object> callback = (connection) -> evaluate(connection, call);
		for (int attempt = 1;; attempt++) {
			try {
				Object reply = this.template.execute(callback);
				this.outageLog.answered(call.key(), WHOLE);
				call.answer(reply, attempt > 1);
				return;
			}
			catch (RuntimeException ex) {
				if (attempt == MOST_ATTEMPTS || call.isDone() || !FailureTranslator.isClosedConnection(ex)) {
					call.completeExceptionally(ex);
					return;
				}
				interrupted();
			}
		}
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall<?> call) {
		RedisScriptingCommands commands = connection.scriptingCommands();
		LockScript script = call.script;
		ReturnType type = switch (script.reply) {
			case TEXT -> ReturnType.VALUE;
			case LIST -> ReturnType.MULTI;
		};
		byte[][] keysAndArguments = Arrays.copyOf(call.keys, call.keys.length + call.arguments.length);
		System.arraycopy(call.arguments, 0, keysAndArguments, call.keys.length, call.arguments.length);
		try {
			return commands.evalSha(script.sha, type, call.keys.length, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (FailureTranslator.isUnknownScript(ex)) {
				return commands.eval(script.source, type, call.keys.length, keysAndArguments);
			}
			throw ex;
		}
	}

	@Override
	public void close() {
		this.masters.close();
		for (ThreadPoolExecutor lane : this.lanes) {
			lane.shutdown();
		}
		super.close();
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

		/** With two, it asks after two failures; with more, also after a pause. */
		static boolean pausesAfterFailover(RedisConnectionFactory connectionFactory) {
			RedisClusterConfiguration cluster = (connectionFactory instanceof JedisConnectionFactory jedis)
					? jedis.getClusterConfiguration() : null;
			return cluster != null && (cluster.getMaxRedirects() == null || cluster.getMaxRedirects() > 2);
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
				return new RedisSetup(through, RedisSetup.Topology.CLUSTER, 0, jedis.isUseSsl())
					.withUserOf(jedis.getClusterConfiguration());
			}
			return jedis.isRedisSentinelAware()
					? new RedisSetup(through, RedisSetup.Topology.SENTINEL, jedis.getDatabase(), jedis.isUseSsl())
						.withUserOf(jedis.getSentinelConfiguration())
					: new RedisSetup("Redis at " + jedis.getHostName() + ":" + jedis.getPort(),
							RedisSetup.Topology.SINGLE, jedis.getDatabase(), jedis.isUseSsl())
						.withUserOf(jedis.getStandaloneConfiguration());
		}

	}

}
