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
import java.util.concurrent.CompletionStage;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A connection to no server, which answers nothing.
 */
class UnconnectedStoreConnection extends StoreConnection {

	UnconnectedStoreConnection() {
		super(new RedisSetup("Redis at host:1", RedisSetup.Topology.SINGLE, 0, false), Duration.ZERO,
				RedisFixture.settings());
	}

	@Override
	void run(ScriptCall<?> call) {
	}

	@Override
	CompletionStage<?> send(byte[] channel, byte[] message) {
		throw new UnsupportedOperationException();
	}

	@Override
	String nodeOf(byte[] key) {
		return "";
	}

	@Override
	RedisConnectionFactory connectionFactory() {
		throw new UnsupportedOperationException();
	}

	@Override
	Inbox createInbox(byte[] channel, InboxWatch watch) {
		throw new UnsupportedOperationException();
	}

}
