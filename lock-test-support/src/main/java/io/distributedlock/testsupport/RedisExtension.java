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

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test class an empty Redis before each test, and resolves parameters of type
 * {@link RedisServer}.
 * <p>
 * {@code @ExtendWith(RedisExtension.class)} uses the {@linkplain RedisServer#shared()
 * shared server}. A {@code @RegisterExtension static} field made by
 * {@link #with(RedisServerBuilder)} gives the class a server of its own, which is
 * restarted before a test if the previous one left it stopped or frozen.
 */
public final class RedisExtension
		implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback, ParameterResolver {

	private final @Nullable RedisServerBuilder builder;

	private @Nullable RedisServer server;

	private @Nullable ExtensionContext owner;

	/**
	 * Creates an extension that uses the shared server.
	 */
	public RedisExtension() {
		this.builder = null;
	}

	private RedisExtension(RedisServerBuilder builder) {
		this.builder = builder;
	}

	/**
	 * Creates an extension with a server of its own for the test class.
	 * @param builder the settings of the server
	 */
	public static RedisExtension with(RedisServerBuilder builder) {
		return new RedisExtension(builder);
	}

	/**
	 * Returns the server.
	 * @throws IllegalStateException outside of the test class that uses this extension
	 */
	public RedisServer server() {
		RedisServer server = this.server;
		if (server == null) {
			throw new IllegalStateException(
					"Redis is available from @BeforeAll to @AfterAll. Keep the extension in a static field.");
		}
		return server;
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		if (this.server == null) {
			this.server = (this.builder != null) ? this.builder.start() : RedisServer.shared();
			this.owner = context;
		}
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		RedisServer server = server();
		if (this.builder != null) {
			server.resume();
			if (!server.isRunning()) {
				server.restart();
			}
		}
		server.flushAll();
	}

	/** Also called after each nested class, which must leave the server alone. */
	@Override
	public void afterAll(ExtensionContext context) {
		RedisServer server = this.server;
		if (this.builder != null && server != null && context.equals(this.owner)) {
			this.server = null;
			server.close();
		}
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == RedisServer.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return server();
	}

}
