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

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connection of a store to Redis: one for scripts, and one for grants.
 */
interface StoreConnection extends AutoCloseable {

	/** Where to send scripts. */
	ScriptRunner runner();

	/** Begin to connect, if the connection is dedicated to locks. */
	default void warmUp() {
	}

	/**
	 * Subscribe, in the background, and again after each interruption, until this is
	 * closed. Calls after the first one do nothing.
	 * @param listener receives the grants
	 */
	void listen(byte[] channel, InboxListener listener);

	/**
	 * Return whether the answer of PUBLISH counts every receiver.
	 * @return {@code false} if some may be connected to another server
	 */
	boolean countsReceivers();

	/** Note that a caller waits for a grant. */
	void waiting();

	/**
	 * Where to get a connection for other commands than scripts. May block while it
	 * connects.
	 */
	RedisConnectionFactory connectionFactory();

	/** The known facts about the servers. */
	RedisSetup setup();

	/** Records the outages of this connection. */
	OutageLog outageLog();

	@Override
	void close();

}
