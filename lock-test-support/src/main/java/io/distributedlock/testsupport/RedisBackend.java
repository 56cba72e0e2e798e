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

package io.distributedlock.testsupport;

/**
 * A way to run one Redis server.
 */
interface RedisBackend extends AutoCloseable {

	/** Starts the server, on the same port each time. Returns before it is ready. */
	void start();

	/** Ends the server in an orderly way. */
	void stop();

	/** Ends the server at once. */
	void kill();

	/** Freezes the server; its connections stay open and nothing answers. */
	void pause();

	/** Thaws the server. */
	void resume();

	boolean isRunning();

	String host();

	int port();

	/**
	 * The last lines that the server wrote.
	 */
	String output();

	@Override
	void close();

}
