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

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a server that is yet to start.
 *
 * @since 0.1.0
 */
public final class RedisServerBuilder {

	private @Nullable String password;

	private @Nullable Integer port;

	private final List<String> directives = new ArrayList<>();

	private RedisEnvironment environment = RedisEnvironment.current();

	RedisServerBuilder() {
	}

	/**
	 * Sets the password of the default user. Default: none.
	 * @param password the password
	 * @return this builder
	 */
	public RedisServerBuilder password(String password) {
		this.password = password;
		return this;
	}

	/**
	 * Sets the port. Default: a free one, which is the better choice nearly always.
	 * @param port the port
	 * @return this builder
	 */
	public RedisServerBuilder port(int port) {
		this.port = port;
		return this;
	}

	/**
	 * Adds a directive of {@code redis.conf}.
	 * @param name the name of the directive, such as {@code maxmemory}
	 * @param values its values
	 * @return this builder
	 */
	public RedisServerBuilder config(String name, String... values) {
		this.directives.add("--" + name);
		this.directives.addAll(List.of(values));
		return this;
	}

	/**
	 * Runs the embedded binary, even if there is a Docker engine.
	 * @return this builder
	 */
	public RedisServerBuilder embedded() {
		this.environment = RedisEnvironment.EMBEDDED;
		return this;
	}

	/**
	 * Starts the server and waits until it is ready.
	 * @return the server
	 * @throws IllegalStateException if it does not start
	 */
	public RedisServer start() {
		RedisSettings settings = new RedisSettings(this.password, this.port, this.directives);
		int attempts = (this.port != null) ? 1 : 3;
		while (true) {
			int port = (this.port != null) ? this.port : FreePorts.next();
			RedisServer server = new RedisServer(settings, this.environment.create(settings, port));
			try {
				server.restart();
				return server;
			}
			catch (RuntimeException ex) {
				server.close();
				attempts--;
				if (attempts == 0) {
					throw ex;
				}
			}
		}
	}

}
