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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * The least that a correct lock can be: {@code SET NX PX} in a loop, and a script that
 * deletes the key if it still carries our token. For several holders, it is a sorted set
 * of them with their ends, and a script that counts them.
 */
final class BareLoopClient implements LockClient {

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final String compareAndDelete;

	private final String enter;

	private final String tokenPrefix;

	private final AtomicLong sequence = new AtomicLong();

	BareLoopClient(URI redis, String instance) {
		this.client = RedisClient.create(redis.toString());
		this.commands = this.client.connect().sync();
		this.compareAndDelete = this.commands.scriptLoad(script("compare-and-delete.lua"));
		this.enter = this.commands.scriptLoad(script("enter-company.lua"));
		this.tokenPrefix = instance + ':';
	}

	private static String script(String file) {
		try (InputStream script = BareLoopClient.class.getResourceAsStream(file)) {
			return new String(Objects.requireNonNull(script, file).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		String token = token();
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
	public Hold join(String name, int limit, Duration lease, Duration wait)
			throws InterruptedException, TimeoutException {
		String token = ((limit == 1) ? "alone:" : "") + token();
		return Poll.until(wait, () -> enter(name, token, limit, lease));
	}

	private @Nullable Hold enter(String name, String token, int limit, Duration lease) {
		Boolean entered = this.commands.evalsha(this.enter, ScriptOutputType.BOOLEAN, new String[] { name }, token,
				Integer.toString(limit), Long.toString(lease.toMillis()));
		return entered ? () -> this.commands.zrem(name, token) : null;
	}

	private String token() {
		return this.tokenPrefix + this.sequence.incrementAndGet();
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
