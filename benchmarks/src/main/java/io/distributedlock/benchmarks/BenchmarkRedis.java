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

package io.distributedlock.benchmarks;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;

import redis.embedded.RedisServer;

/**
 * A Redis of its own for the run, without persistence.
 */
final class BenchmarkRedis implements AutoCloseable {

	private final RedisServer server;

	private final URI uri;

	private BenchmarkRedis(RedisServer server, URI uri) {
		this.server = server;
		this.uri = uri;
	}

	static BenchmarkRedis start() throws IOException {
		int port = freePort();
		RedisServer server = RedisServer.builder().port(port).setting("save \"\"").setting("bind 127.0.0.1").build();
		server.start();
		return new BenchmarkRedis(server, URI.create("redis://127.0.0.1:" + port));
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	URI uri() {
		return this.uri;
	}

	@Override
	public void close() throws IOException {
		this.server.stop();
	}

}
