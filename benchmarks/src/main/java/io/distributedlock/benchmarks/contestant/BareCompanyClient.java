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
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * The least that a correct lock with several holders can be: a sorted set of holders with
 * their ends, and a script that counts them, called in a loop.
 */
final class BareCompanyClient implements LockClient {

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final String enter;

	private final String tokenPrefix;

	private final AtomicLong sequence = new AtomicLong();

	BareCompanyClient(URI redis, String instance) {
		this.client = RedisClient.create(redis.toString());
		this.commands = this.client.connect().sync();
		this.enter = this.commands.scriptLoad(Scripts.load("enter-company.lua"));
		this.tokenPrefix = instance + ':';
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		return acquire(name, 1, lease, wait);
	}

	@Override
	public Hold acquire(String name, int limit, Duration lease, Duration wait)
			throws InterruptedException, TimeoutException {
		String token = ((limit == 1) ? "alone:" : "") + this.tokenPrefix + this.sequence.incrementAndGet();
		return Poll.until(wait, () -> attempt(name, token, limit, lease));
	}

	private @Nullable Hold attempt(String name, String token, int limit, Duration lease) {
		Boolean entered = this.commands.evalsha(this.enter, ScriptOutputType.BOOLEAN, new String[] { name }, token,
				Integer.toString(limit), Long.toString(lease.toMillis()));
		return entered ? () -> this.commands.zrem(name, token) : null;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
