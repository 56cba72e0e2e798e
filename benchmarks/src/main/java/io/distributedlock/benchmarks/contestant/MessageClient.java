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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Not a lock but what a message costs: two JVMs hand a baton to each other by publishing.
 * A message that arrives when nobody waits is forgotten.
 */
final class MessageClient implements LockClient {

	private static final String SCRIPT = "return redis.call('PUBLISH', KEYS[1], ARGV[1])";

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final StatefulRedisPubSubConnection<String, String> messages;

	private final String instance;

	private final BiConsumer<String, String> publisher;

	private final Semaphore arrived = new Semaphore(0);

	private MessageClient(URI redis, String instance, boolean scripted) {
		this.client = RedisClient.create(redis.toString());
		this.commands = this.client.connect().sync();
		this.messages = this.client.connectPubSub();
		this.instance = instance;
		this.messages.addListener(new RedisPubSubAdapter<>() {

			@Override
			public void message(String channel, String sender) {
				if (!sender.equals(instance)) {
					MessageClient.this.arrived.release();
				}
			}

		});
		String script = this.commands.scriptLoad(SCRIPT);
		this.publisher = scripted ? (channel, message) -> this.commands.evalsha(script, ScriptOutputType.INTEGER,
				new String[] { channel }, message) : this.commands::publish;
	}

	static LockClient plain(URI redis, String instance) {
		return new MessageClient(redis, instance, false);
	}

	static LockClient scripted(URI redis, String instance) {
		return new MessageClient(redis, instance, true);
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		this.arrived.drainPermits();
		this.messages.sync().subscribe(name);
		boolean first = this.commands.setnx("baton:" + name, this.instance);
		if (!first && !this.arrived.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new TimeoutException("The message did not arrive within " + wait);
		}
		return () -> this.publisher.accept(name, this.instance);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
