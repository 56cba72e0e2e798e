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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * It is a child process from an embedded binary; the system property
 * {@code lock.test.redis.server} names another executable. It listens on the loopback
 * interface, keeps nothing on disk, and never outlives the JVM.
 */
public final class RedisServer implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(1);

	private static final Pattern COMMAND_CALLS = Pattern.compile("(?m)^cmdstat_(\\S+?):calls=(\\d+)");

	private static final Pattern PROCESS_ID = Pattern.compile("(?m)^process_id:(\\d+)");

	private final int port;

	private final @Nullable String password;

	private final Path directory;

	private final List<String> command;

	private @Nullable GuardedProcess process;

	private boolean paused;

	/**
	 * Creates a server that does not run yet.
	 * @param directives what it is configured with, as command line arguments
	 */
	RedisServer(int port, @Nullable String password, List<String> directives) {
		this.port = port;
		this.password = password;
		try {
			this.directory = Files.createTempDirectory("redis-" + port + "-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.command = new ArrayList<>(List.of(RedisBinary.locate().toString(), "--port", Integer.toString(port),
				"--bind", HOST, "--dir", this.directory.toString(), "--save", "", "--appendonly", "no"));
		if (password != null) {
			this.command.addAll(List.of("--requirepass", password, "--masterauth", password));
		}
		this.command.addAll(directives);
	}

	/**
	 * Starts a server on a free port, without a password.
	 */
	public static RedisServer start() {
		return builder().start();
	}

	/**
	 * Returns a builder for a server with settings of its own.
	 */
	public static RedisServerBuilder builder() {
		return new RedisServerBuilder();
	}

	/**
	 * Returns the one server without a password that the tests of this JVM share. It is
	 * started at the first call, and ended with the JVM. A test that stops, kills or
	 * freezes a server must start its own.
	 */
	public static RedisServer shared() {
		return Shared.SERVER;
	}

	public String host() {
		return HOST;
	}

	/**
	 * Returns the port, which survives a restart.
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Returns the password of the default user, or {@code null} if there is none.
	 */
	public @Nullable String password() {
		return this.password;
	}

	/**
	 * Returns the address as a {@code redis://} URL, with the password if there is one.
	 */
	public String url() {
		String credentials = (this.password != null)
				? ":" + URLEncoder.encode(this.password, StandardCharsets.UTF_8) + "@" : "";
		return "redis://%s%s:%d".formatted(credentials, host(), port());
	}

	/**
	 * Returns the address as property assignments of a Spring Boot application, such as
	 * {@code spring.data.redis.port=12345}.
	 */
	public String[] springProperties() {
		return springProperties(host(), port(), this.password);
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
	 * @return a {@link String}, a {@link Long}, a {@link List} of these, or {@code null}
	 * @throws RespException if Redis answers with an error
	 * @throws UncheckedIOException if Redis cannot be reached or is silent for 30 s
	 */
	public @Nullable Object cli(String... command) {
		try (RespClient client = client()) {
			return client.command(command);
		}
	}

	/**
	 * Opens an authenticated connection, to be closed by the caller.
	 */
	public RespClient client() {
		return client(REPLY_TIMEOUT);
	}

	private RespClient client(Duration timeout) {
		RespClient client = RespClient.connect(host(), port(), timeout);
		try {
			if (this.password != null) {
				client.command("AUTH", this.password);
			}
			return client;
		}
		catch (RuntimeException ex) {
			client.close();
			throw ex;
		}
	}

	public void flushAll() {
		cli("FLUSHALL", "SYNC");
	}

	/**
	 * Returns how often each command was executed, those inside of scripts included, by
	 * lower-case command name, subcommands as {@code config|get}.
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
	 */
	public boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Ends the server in an orderly way, unless it has ended. The data is lost.
	 */
	public void stop() {
		resume();
		if (this.process != null) {
			this.process.terminate();
		}
	}

	/**
	 * Ends the server at once, as a crash would.
	 */
	public void kill() {
		this.paused = false;
		if (this.process != null) {
			this.process.kill();
		}
	}

	/**
	 * Stops the server if it runs, and starts it on the same port, with empty data.
	 * @throws IllegalStateException if it ends, or does not answer in time
	 */
	public void restart() {
		if (isRunning()) {
			stop();
		}
		GuardedProcess started = GuardedProcess.start(this.directory, this.directory.resolve("redis.log"),
				this.command);
		this.process = started;
		try {
			Waiting.until("Redis answers", START_TIMEOUT, () -> !started.isAlive() || isReady(started));
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("Redis does not answer:\n" + started.outputTail(), ex);
		}
		if (!started.isAlive()) {
			throw new IllegalStateException("Redis ended at once:\n" + started.outputTail());
		}
	}

	/** Another server may have taken the port before ours could. */
	private boolean isReady(GuardedProcess started) {
		try (RespClient client = client(ATTEMPT_TIMEOUT)) {
			String info = String.valueOf(client.command("INFO"));
			Matcher pid = PROCESS_ID.matcher(info);
			return info.contains("\nloading:0") && pid.find() && Long.parseLong(pid.group(1)) == started.pid();
		}
		catch (RespException ex) {
			if (String.valueOf(ex.getMessage()).contains("unknown command")) {
				// A test has taken it away
				return true;
			}
			throw ex;
		}
	}

	/**
	 * Freezes the server: connections stay open, connecting still works, nothing answers.
	 */
	public void pause() {
		signal("STOP");
		this.paused = true;
	}

	/**
	 * Thaws a frozen server; it then executes what clients sent meanwhile.
	 */
	public void resume() {
		if (this.paused) {
			signal("CONT");
			this.paused = false;
		}
	}

	private void signal(String name) {
		GuardedProcess process = this.process;
		if (process == null || !process.isAlive()) {
			throw new IllegalStateException("Redis does not run on port " + this.port);
		}
		process.signal(name);
	}

	/**
	 * Ends the server and removes its files.
	 */
	@Override
	public void close() {
		kill();
		GuardedProcess.delete(this.directory);
	}

	@Override
	public String toString() {
		return "Redis on %s:%d".formatted(host(), port());
	}

	private static final class Shared {

		static final RedisServer SERVER = start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close, "shared-redis-shutdown"));
		}

	}

}
