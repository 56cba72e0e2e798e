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

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Runs scripts through a client that blocks, such as Jedis, in a few threads. All calls
 * with the same first key go through the same thread, so that they keep their order.
 *
 * <p>
 * A call that has timed out before its turn is not sent, except for a release, which
 * cleans up after those that were.
 *
 * <p>
 * The server may have closed pooled connections meanwhile, for example when their
 * credentials expired, and the client notices only when it uses them. Each script may be
 * sent again, so a call whose connection breaks is sent again immediately, as often as a
 * pool of usual size can have such connections.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private static final int LANES = 4;

	private static final int MAX_QUEUED = 2_500;

	/** One more than a pool has connections by default. */
	private static final int MOST_ATTEMPTS = 9;

	private static final Duration IDLE = Duration.ofSeconds(10);

	private static final Function<byte[], String> WHOLE = (key) -> "";

	private final StringRedisTemplate template;

	private final OutageLog outageLog;

	private final Duration timeout;

	private final CallTimer timer;

	private final ThreadPoolExecutor[] lanes = new ThreadPoolExecutor[LANES];

	/**
	 * Create a runner.
	 * @param timeout within which each call completes
	 */
	BlockingScriptRunner(StringRedisTemplate template, Duration timeout, OutageLog outageLog) {
		this.outageLog = outageLog;
		this.template = template;
		this.timeout = timeout;
		this.timer = new CallTimer(timeout);
		for (int lane = 0; lane < LANES; lane++) {
			String name = "distributed-lock-redis-" + lane;
			this.lanes[lane] = new ThreadPoolExecutor(1, 1, IDLE.toSeconds(), TimeUnit.SECONDS,
					new ArrayBlockingQueue<>(MAX_QUEUED), (task) -> new DaemonThread(task, name));
			this.lanes[lane].allowCoreThreadTimeOut(true);
		}
	}

	@Override
	public void run(ScriptCall<?> call) {
		call.onOutage((failure, waited) -> this.outageLog.failed(call.key(), WHOLE, failure, waited));
		call.limit(this.timeout);
		this.timer.add(call);
		try {
			lane(call).execute(() -> send(call));
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(lane(call).isShutdown() ? CallFailure.closed() : CallFailure.tooManyCalls());
		}
	}

	@Override
	public CompletionStage<?> publish(byte[] channel, byte[] message) {
		RedisCallback<Long> callback = (connection) -> connection.publish(channel, message);
		return CompletableFuture.supplyAsync(() -> this.template.execute(callback), this.lanes[0]);
	}

	@Override
	public String nodeOf(byte[] key) {
		return "";
	}

	@Override
	public void close() {
		for (ThreadPoolExecutor lane : this.lanes) {
			lane.shutdown();
		}
		this.timer.close();
	}

	private ThreadPoolExecutor lane(ScriptCall<?> call) {
		return this.lanes[Math.floorMod(Arrays.hashCode(call.key()), LANES)];
	}

	private void send(ScriptCall<?> call) {
		if (call.isDone() && call.script() != LockScript.RELEASE) {
			return;
		}
		RedisCallback<@Nullable Object> callback = (connection) -> evaluate(connection, call);
		ScriptCall.Delivery delivery = ScriptCall.Delivery.ONCE;
		for (int attempt = 1;; attempt++) {
			try {
				Object reply = this.template.execute(callback);
				this.outageLog.answered(call.key(), WHOLE);
				call.answer(reply, delivery);
				return;
			}
			catch (RuntimeException ex) {
				if (attempt == MOST_ATTEMPTS || call.isDone() || !FailureTranslator.isClosedConnection(ex)) {
					call.completeExceptionally(ex);
					return;
				}
				delivery = ScriptCall.Delivery.MAYBE_REPEATED;
			}
		}
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall<?> call) {
		RedisScriptingCommands commands = connection.scriptingCommands();
		LockScript script = call.script();
		ReturnType type = switch (script.reply) {
			case TEXT -> ReturnType.VALUE;
			case NUMBER -> ReturnType.INTEGER;
			case LIST -> ReturnType.MULTI;
		};
		byte[][] keysAndArguments = Arrays.copyOf(call.keys(), call.keys().length + call.arguments().length);
		System.arraycopy(call.arguments(), 0, keysAndArguments, call.keys().length, call.arguments().length);
		try {
			return commands.evalSha(script.sha, type, call.keys().length, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (FailureTranslator.isUnknownScript(ex)) {
				return commands.eval(script.source, type, call.keys().length, keysAndArguments);
			}
			throw ex;
		}
	}

}
