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

import java.util.concurrent.CompletionStage;

/**
 * Sends scripts to Redis through one kind of client. Calls with the same first key are
 * carried out in the order in which they were given.
 */
interface ScriptRunner extends AutoCloseable {

	/** Returns immediately; the call completes within the command timeout. */
	void run(ScriptCall<?> call);

	/** Completes when Redis has received the message; fails if not connected now. */
	CompletionStage<?> publish(byte[] channel, byte[] message);

	/**
	 * The node that has a key: empty if there is a single server, no connection yet, or a
	 * client that does not expose it.
	 */
	String nodeOf(byte[] key);

	@Override
	void close();

}
