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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * This project's protocol with next to nothing around it: its two scripts, and a message
 * that completes the future of the waiter. No engine, no life signs, no extension of what
 * was handed over, no timeouts of its own: what a hand-off costs before there is a
 * library.
 */
final class PrototypeClient implements LockClient {

	private static final String INBOX_PREFIX = "lock:inbox:";

	private static final String FENCE_RETENTION = "600000";

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final Map<String, CompletableFuture<String>> waiting = new ConcurrentHashMap<>();

	private final AtomicLong sequence = new AtomicLong();

	private final String acquire;

	private final String release;

	private final String tokenPrefix;

	PrototypeClient(URI redis, String instance) {
		this.client = RedisClient.create(redis.toString());
		this.commands = this.client.connect(new StringCodec(StandardCharsets.UTF_8)).sync();
		this.acquire = this.commands.scriptLoad(Scripts.ofStore("acquire"));
		this.release = this.commands.scriptLoad(Scripts.ofStore("release", "outbox", "holders"));
		this.tokenPrefix = instance + ':';
		StatefulRedisPubSubConnection<String, String> inbox = this.client.connectPubSub();
		inbox.addListener(new RedisPubSubAdapter<>() {

			@Override
			public void message(String channel, String message) {
				granted(message);
			}

		});
		inbox.sync().subscribe(INBOX_PREFIX + instance);
	}

	private void granted(String message) {
		CompletableFuture<String> waiter = this.waiting.remove(message.substring(0, message.indexOf(' ')));
		if (waiter != null) {
			waiter.complete(message);
		}
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws Exception {
		String token = this.tokenPrefix + Long.toString(this.sequence.incrementAndGet(), 36);
		String[] keys = keys(name);
		CompletableFuture<String> granted = new CompletableFuture<>();
		if (!wait.isZero()) {
			this.waiting.put(token, granted);
		}
		try {
			if (!isAcquired(keys, token, lease, wait)) {
				if (wait.isZero()) {
					throw new TimeoutException("The lock is not free");
				}
				granted.get(wait.toNanos(), TimeUnit.NANOSECONDS);
			}
		}
		finally {
			this.waiting.remove(token);
		}
		return () -> release(keys, token, name);
	}

	private boolean isAcquired(String[] keys, String token, Duration lease, Duration wait) {
		String millis = Long.toString(lease.toMillis());
		String[] arguments = wait.isZero() ? new String[] { token, millis, "1", FENCE_RETENTION }
				: new String[] { token, millis, "1", FENCE_RETENTION, Long.toString(wait.toMillis()), "0", "1" };
		String answer = this.commands.evalsha(this.acquire, ScriptOutputType.VALUE, keys, arguments);
		return !answer.startsWith("busy");
	}

	private void release(String[] keys, String token, String name) {
		this.commands.evalsha(this.release, ScriptOutputType.VALUE, keys, token, name,
				"3000 1 " + FENCE_RETENTION + ' ' + INBOX_PREFIX);
	}

	private static String[] keys(String name) {
		String key = "lock:" + name;
		String companions = '{' + key + '}';
		return new String[] { key, companions + ":fence", companions + ":queue", companions + ":waiting" };
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
