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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.distributedlock.testsupport.RedisServer;

/**
 * An instance in a JVM of its own, that can be killed and frozen. Ends with this JVM.
 */
final class RemoteInstance implements AutoCloseable {

	private static final String READY = "ready";

	private final Process process;

	private final PrintWriter commands;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

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
		try {
			List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m", "-cp",
					System.getProperty("java.class.path"), RemoteInstanceMain.class.getName(), name, server.host(),
					Integer.toString(server.port()));
			return new RemoteInstance(
					new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	RemoteInstance awaitReady() {
		answer(READY);
		return this;
	}

	/**
	 * Let the JVM acquire a lock, and return its fencing token.
	 */
	long acquire(String name, Duration lease, Duration wait) {
		bid(name, lease, wait);
		return Long.parseLong(answer("granted"));
	}

	/**
	 * The same, without waiting for the answer.
	 */
	void bid(String name, Duration lease, Duration wait) {
		this.commands.println("acquire " + name + ' ' + lease.toMillis() + ' ' + wait.toMillis());
	}

	/**
	 * Let the holder take its next step.
	 * @return what it finds: {@code held}, or {@code lost} and the cause
	 */
	String step() {
		this.commands.println("step");
		return answer("step");
	}

	/**
	 * Stand for a leadership.
	 * @param witness the file in which all candidates say that they lead
	 */
	void lead(String name, Duration lease, Path witness) {
		this.commands.println("lead " + name + ' ' + lease.toMillis() + ' ' + witness);
		answer("stands");
	}

	void resign() {
		this.commands.println("resign");
		answer("resigned");
	}

	void release() {
		this.commands.println("release");
		answer("released");
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

	/**
	 * Wait for an answer.
	 */
	String answer(String kind) {
		try {
			String answer = this.answers.poll(60, TimeUnit.SECONDS);
			if (answer == null || !answer.startsWith(kind)) {
				throw new AssertionError("Expected '%s', but the other JVM said '%s'".formatted(kind, answer));
			}
			return answer.substring(kind.length()).strip();
		}
		catch (InterruptedException ex) {
			throw new AssertionError("Interrupted", ex);
		}
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
				.forEach((line) -> this.answers.add(line.substring(2)));
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
