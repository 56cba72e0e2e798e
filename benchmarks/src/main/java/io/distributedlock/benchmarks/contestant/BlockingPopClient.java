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

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A baton in a list, for one waiting thread per JVM. The baton is laid down by whoever
 * prepares the cell.
 */
final class BlockingPopClient implements LockClient {

	private final RedisClient client;

	private final RedisCommands<String, String> popping;

	private final RedisCommands<String, String> pushing;

	BlockingPopClient(URI redis, String instance) {
		this.client = RedisClient.create(redis.toString());
		this.popping = this.client.connect().sync();
		this.pushing = this.client.connect().sync();
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws TimeoutException {
		KeyValue<String, String> baton = this.popping.blpop((double) wait.toSeconds(), name);
		if (baton == null) {
			throw new TimeoutException("The baton did not arrive within " + wait);
		}
		return () -> this.pushing.rpush(name, baton.getValue());
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
