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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * The least that a correct lock can be: {@code SET NX PX} in a loop, and a script that
 * deletes the key if it still carries our token.
 */
final class BareLoopClient implements LockClient {

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final String compareAndDelete;

	private final String tokenPrefix;

	private final AtomicLong sequence = new AtomicLong();

	BareLoopClient(URI redis, String instance) {
		this.client = RedisClient.create(redis.toString());
		this.commands = this.client.connect().sync();
		this.compareAndDelete = this.commands.scriptLoad(Scripts.load("compare-and-delete.lua"));
		this.tokenPrefix = instance + ':';
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		String token = this.tokenPrefix + this.sequence.incrementAndGet();
		return Poll.until(wait, () -> attempt(name, token, lease));
	}

	private @Nullable Hold attempt(String name, String token, Duration lease) {
		String answer = this.commands.set(name, token, SetArgs.Builder.nx().px(lease.toMillis()));
		return (answer != null) ? () -> release(name, token) : null;
	}

	private void release(String name, String token) {
		this.commands.evalsha(this.compareAndDelete, ScriptOutputType.INTEGER, new String[] { name }, token);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
