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

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A forked JVM, as the run sees it.
 */
public final class WorkerJvm implements AutoCloseable {

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

	private final Process process;

	private final Channel channel;

	private WorkerJvm(String instance, Process process, Channel channel) {
		this.instance = instance;
		this.process = process;
		this.channel = channel;
	}

	/**
	 * Begins to fork a JVM. Several can start side by side.
	 */
	static Launch launch(String instance, Path log, String classPath) {
		try {
			ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
			server.setSoTimeout((int) START.toMillis());
			return new Launch(instance, log, server, start(instance, server.getLocalPort(), log.toFile(), classPath));
		}
		catch (IOException ex) {
			throw new TaskFailedException("The JVM " + instance + " did not start, see " + log, ex);
		}
	}

	private static Process start(String instance, int port, File log, String classPath) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(OPTIONS);
		command.addAll(List.of("-cp", classPath, Worker.class.getName(), Integer.toString(port), instance));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		return builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log)).start();
	}

	public <R extends @Nullable Object> R run(Task<R> task) {
		send(task);
		return receive(task);
	}

	void send(Task<?> task) {
		try {
			this.channel.send(task);
		}
		catch (IOException ex) {
			throw gone(task, ex);
		}
	}

	// The worker answers each task with the result of that very task.
	@SuppressWarnings({ "unchecked", "NullAway" })
	<R extends @Nullable Object> R receive(Task<R> task) {
		try {
			Answer answer = (Answer) this.channel.receive();
			if (answer instanceof Answer.Failed failed) {
				throw new TaskFailedException(this.instance + ": " + failed.summary(),
						new IllegalStateException(failed.stackTrace()));
			}
			return (R) ((Answer.Done) answer).result();
		}
		catch (IOException | ClassNotFoundException ex) {
			throw gone(task, ex);
		}
	}

	private TaskFailedException gone(Task<?> task, Exception cause) {
		return new TaskFailedException("The JVM " + this.instance + " broke off during " + task, cause);
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			this.channel.close();
			this.process.waitFor();
		}
		catch (IOException ex) {
			// The process is gone already.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A JVM that was forked and has not reported yet.
	 */
	record Launch(String instance, Path log, ServerSocket server, Process process) {

		WorkerJvm await() {
			try (this.server) {
				Socket socket = this.server.accept();
				socket.setSoTimeout((int) TASK.toMillis());
				return new WorkerJvm(this.instance, this.process, new Channel(socket));
			}
			catch (IOException ex) {
				this.process.destroyForcibly();
				throw new TaskFailedException("The JVM " + this.instance + " did not start, see " + this.log, ex);
			}
		}

	}

}
