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

package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.kinds.AskedKinds;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.testsupport.RedisServer;

/**
 * An instance in a JVM of its own, that can be killed and frozen. Ends with this JVM.
 */
final class RemoteInstance implements AutoCloseable {

	private final Process process;

	private final PrintWriter commands;

	private final Map<String, BlockingQueue<String>> answers = new ConcurrentHashMap<>();

	private RemoteInstance(Process process) {
		this.process = process;
		this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
		Thread reader = new Thread(this::read, "remote-instance-" + process.pid());
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Start a JVM. Does not wait until it is {@link #awaitReady() ready}.
	 */
	static RemoteInstance start(RedisServer server, String name) {
		return start(server, name, RemoteInstanceMain.class);
	}

	static RemoteInstance start(RedisServer server, String name, Class<?> main) {
		try {
			List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m", "-cp",
					System.getProperty("java.class.path"), main.getName(), name, server.host(),
					Integer.toString(server.port()));
			return new RemoteInstance(
					new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	RemoteInstance awaitReady() {
		answer("ready");
		return this;
	}

	/**
	 * Let the JVM acquire a renewed lock, and return its fencing token.
	 */
	long acquire(String name, LockKind kind, Duration lease, Duration wait) {
		bid(name, kind, lease, wait);
		return awaitGrant(name);
	}

	/**
	 * The same, without waiting for the answer.
	 */
	void bid(String name, LockKind kind, Duration lease, Duration wait) {
		AskedKinds.count(name, kind);
		send("acquire", name, kind.name(), lease.toMillis(), wait.toMillis());
	}

	/**
	 * Wait until the JVM has the lock that it bids for, and return its fencing token.
	 */
	long awaitGrant(String name) {
		return Long.parseLong(answer("acquire " + name));
	}

	/**
	 * Let callers of the JVM wait for a lock, as many as are said.
	 */
	void crowd(String name, LockKind kind, int callers) {
		AskedKinds.count(name, kind);
		send("crowd", name, kind.name(), callers);
		answer("crowd " + name);
	}

	/**
	 * Let the holder take its next step.
	 * @return what it finds: {@code held}, or {@code lost} and the cause
	 */
	String step(String name) {
		send("step", name);
		return answer("step " + name);
	}

	void release(String name) {
		send("release", name);
		answer("release " + name);
	}

	long pid() {
		return this.process.pid();
	}

	void freeze() {
		signal("STOP");
	}

	void thaw() {
		signal("CONT");
	}

	/**
	 * End the JVM as a crash would, with SIGKILL.
	 */
	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	void send(Object... words) {
		this.commands.println(Stream.of(words).map(String::valueOf).collect(Collectors.joining(" ")));
	}

	/** Answers come in any order. */
	String answer(String to) {
		try {
			String answer = answers(to).poll(60, TimeUnit.SECONDS);
			if (answer == null) {
				throw new AssertionError("The other JVM did not answer '%s'".formatted(to));
			}
			return answer;
		}
		catch (InterruptedException ex) {
			throw new AssertionError("Interrupted", ex);
		}
	}

	private BlockingQueue<String> answers(String to) {
		return this.answers.computeIfAbsent(to, (key) -> new LinkedBlockingQueue<>());
	}

	private void signal(String name) {
		try {
			int code = new ProcessBuilder("sh", "-c", "kill -" + name + ' ' + this.process.pid()).start().waitFor();
			if (code != 0) {
				throw new AssertionError("Cannot send SIG" + name);
			}
		}
		catch (IOException | InterruptedException ex) {
			throw new AssertionError("Cannot send SIG" + name, ex);
		}
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			output.lines()
				.filter((line) -> line.startsWith("> "))
				.map((line) -> line.substring(2).split(": ", 2))
				.forEach((line) -> answers(line[0]).add(line[1]));
		}
		catch (IOException | UncheckedIOException ex) {
			// It was killed
		}
	}

	@Override
	public void close() {
		kill();
	}

}
