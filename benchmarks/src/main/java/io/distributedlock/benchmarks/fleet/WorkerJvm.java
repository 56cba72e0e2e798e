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

package io.distributedlock.benchmarks.fleet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * A forked JVM, as the run sees it. It starts in the background, until its first task.
 */
final class WorkerJvm implements AutoCloseable {

	/**
	 * A small, quiet collector: dozens of these JVMs live side by side.
	 */
	private static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-Xms64m", "-Xmx768m", "-Xss512k");

	private static final Duration START = Duration.ofSeconds(60);

	/**
	 * Longer than any task takes, even if each waiter waits in vain.
	 */
	private static final Duration TASK = Duration.ofMinutes(3);

	private final String instance;

	private final ServerSocket server;

	private final Process process;

	private @Nullable Channel channel;

	WorkerJvm(Contestant contestant, URI redis, String instance, Path log) {
		this.instance = instance;
		try {
			this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
			this.server.setSoTimeout((int) START.toMillis());
			List<String> command = new ArrayList<>();
			command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
			command.addAll(OPTIONS);
			command.addAll(List.of("-cp", contestant.classPath(), Worker.class.getName(),
					Integer.toString(this.server.getLocalPort()), contestant.name(), redis.toString(), instance));
			this.process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new TaskFailedException("The JVM " + instance + " did not start", ex);
		}
	}

	void send(Task<?> task) {
		try {
			channel().send(task);
		}
		catch (IOException ex) {
			throw gone(task, ex);
		}
	}

	// The worker answers each task with the result of that very task.
	@SuppressWarnings("unchecked")
	<R> R receive(Task<R> task) {
		try {
			Object answer = channel().receive();
			if (answer instanceof TaskFailedException failure) {
				throw failure;
			}
			return (R) answer;
		}
		catch (IOException | ClassNotFoundException ex) {
			throw gone(task, ex);
		}
	}

	private Channel channel() throws IOException {
		Channel current = this.channel;
		if (current == null) {
			Socket socket = this.server.accept();
			socket.setSoTimeout((int) TASK.toMillis());
			current = new Channel(socket);
			this.channel = current;
		}
		return current;
	}

	private TaskFailedException gone(Task<?> task, Exception cause) {
		return new TaskFailedException("The JVM " + this.instance + " is gone, or did not end " + task, cause);
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		try (this.server) {
			if (this.channel != null) {
				this.channel.close();
			}
			this.process.waitFor();
		}
		catch (IOException ex) {
			// The process is gone already
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
