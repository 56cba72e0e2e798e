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

import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A real Redis server that a test owns, and may stop, kill or freeze.
 * <p>
 * It runs in a container if Testcontainers is on the class path and a Docker engine
 * answers, otherwise as a child process from an embedded binary. The system property
 * {@code lock.test.redis} ({@code container} or {@code embedded}) decides instead, and
 * {@code lock.test.redis.server} names another executable to run in place of the embedded
 * one. It listens on the loopback interface, keeps nothing on disk, and never outlives
 * the JVM.
 *
 * @since 0.1.0
 */
public final class RedisServer implements AutoCloseable {

	private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(1);

	private static final Pattern COMMAND_CALLS = Pattern.compile("(?m)^cmdstat_(\\S+?):calls=(\\d+)");

	private final RedisSettings settings;

	private final RedisBackend backend;

	RedisServer(RedisSettings settings, RedisBackend backend) {
		this.settings = settings;
		this.backend = backend;
	}

	/**
	 * Starts a server on a free port, without a password.
	 * @return the server, ready for commands
	 */
	public static RedisServer start() {
		return builder().start();
	}

	/**
	 * Returns a builder for a server with settings of its own.
	 * @return the builder
	 */
	public static RedisServerBuilder builder() {
		return new RedisServerBuilder();
	}

	/**
	 * Returns the one server without a password that the tests of this JVM share. It is
	 * started at the first call, and ended with the JVM. A test that stops, kills or
	 * freezes a server must start its own.
	 * @return the shared server
	 */
	public static RedisServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Returns the host to connect to.
	 * @return the host
	 */
	public String host() {
		return this.backend.host();
	}

	/**
	 * Returns the port to connect to. It survives a restart.
	 * @return the port
	 */
	public int port() {
		return this.backend.port();
	}

	/**
	 * Returns the password of the default user.
	 * @return the password, or {@code null} if there is none
	 */
	public @Nullable String password() {
		return this.settings.password();
	}

	/**
	 * Returns the address as a {@code redis://} URL, with the password if there is one.
	 * @return the URL
	 */
	public String url() {
		String password = this.settings.password();
		String credentials = (password != null) ? ":" + URLEncoder.encode(password, StandardCharsets.UTF_8) + "@" : "";
		return "redis://%s%s:%d".formatted(credentials, host(), port());
	}

	/**
	 * Returns the address as property assignments of a Spring Boot application.
	 * @return pairs such as {@code spring.data.redis.port=12345}
	 */
	public String[] springProperties() {
		return springProperties(host(), port(), password());
	}

	static String[] springProperties(String host, int port, @Nullable String password) {
		List<String> properties = new ArrayList<>(
				List.of("spring.data.redis.host=" + host, "spring.data.redis.port=" + port));
		if (password != null) {
			properties.add("spring.data.redis.password=" + password);
		}
		return properties.toArray(String[]::new);
	}

	/**
	 * Sends one command on a connection of its own.
	 * @param command the command and its arguments
	 * @return a {@link String}, a {@link Long}, a {@link List} of these, or {@code null}
	 * @throws RespException if Redis answers with an error
	 * @throws UncheckedIOException if Redis cannot be reached or is silent for 30 s
	 */
	public @Nullable Object cli(String... command) {
		try (RespClient client = client(REPLY_TIMEOUT)) {
			return client.command(command);
		}
	}

	/**
	 * Opens an authenticated connection.
	 * @return the connection, to be closed by the caller
	 */
	public RespClient client() {
		return client(REPLY_TIMEOUT);
	}

	/**
	 * Removes all keys.
	 */
	public void flushAll() {
		cli("FLUSHALL", "SYNC");
	}

	/**
	 * Returns how often each command was executed, those inside of scripts included.
	 * @return the calls by lower-case command name, subcommands as {@code config|get}
	 */
	public Map<String, Long> commandStats() {
		Map<String, Long> calls = new TreeMap<>();
		Matcher matcher = COMMAND_CALLS.matcher(String.valueOf(cli("INFO", "commandstats")));
		while (matcher.find()) {
			calls.put(matcher.group(1), Long.valueOf(matcher.group(2)));
		}
		return calls;
	}

	/**
	 * Sets the figures of {@link #commandStats()} back to zero.
	 */
	public void resetCommandStats() {
		cli("CONFIG", "RESETSTAT");
	}

	/**
	 * Tells whether the process runs; a frozen one does.
	 * @return whether it runs
	 */
	public boolean isRunning() {
		return this.backend.isRunning();
	}

	/**
	 * Ends the server in an orderly way, unless it has ended. The data is lost.
	 */
	public void stop() {
		this.backend.stop();
	}

	/**
	 * Ends the server at once, as a crash would.
	 */
	public void kill() {
		this.backend.kill();
	}

	/**
	 * Stops the server if it runs, and starts it on the same port, with empty data.
	 */
	public void restart() {
		if (isRunning()) {
			stop();
		}
		this.backend.start();
		new RedisReadiness(this.backend, () -> client(ATTEMPT_TIMEOUT)).await();
	}

	/**
	 * Freezes the server: connections stay open, connecting still works, nothing answers.
	 */
	public void pause() {
		this.backend.pause();
	}

	/**
	 * Thaws a frozen server; it then executes what clients sent meanwhile.
	 */
	public void resume() {
		this.backend.resume();
	}

	/**
	 * Ends the server and removes its files.
	 */
	@Override
	public void close() {
		this.backend.close();
	}

	@Override
	public String toString() {
		return "Redis on %s:%d".formatted(host(), port());
	}

	private RespClient client(Duration timeout) {
		RespClient client = RespClient.connect(host(), port(), timeout);
		try {
			String password = this.settings.password();
			if (password != null) {
				client.command("AUTH", password);
			}
			return client;
		}
		catch (RuntimeException ex) {
			client.close();
			throw ex;
		}
	}

	private static final class Shared {

		static final RedisServer SERVER = start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close, "shared-redis-shutdown"));
		}

	}

}
