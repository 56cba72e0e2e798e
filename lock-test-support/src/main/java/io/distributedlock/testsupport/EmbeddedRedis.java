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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A Redis server that runs as a child process on the loopback interface.
 */
final class EmbeddedRedis implements RedisBackend {

	private final int port;

	private final Path directory;

	private final List<String> command;

	private @Nullable GuardedProcess process;

	private boolean paused;

	EmbeddedRedis(RedisSettings settings, int port) {
		this.port = port;
		try {
			this.directory = Files.createTempDirectory("redis-" + port + "-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		List<String> command = new ArrayList<>();
		command.add(RedisBinary.locate().toString());
		command.addAll(List.of("--port", Integer.toString(port), "--bind", host(), "--dir", this.directory.toString()));
		command.addAll(settings.arguments());
		this.command = List.copyOf(command);
	}

	@Override
	public void start() {
		if (isRunning()) {
			throw new IllegalStateException("Redis is already running on port " + this.port);
		}
		this.process = GuardedProcess.start(this.directory, this.directory.resolve("redis.log"), this.command);
	}

	@Override
	public void stop() {
		resume();
		if (this.process != null) {
			this.process.terminate();
		}
	}

	@Override
	public void kill() {
		this.paused = false;
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Override
	public void pause() {
		requireProcess().signal("STOP");
		this.paused = true;
	}

	@Override
	public void resume() {
		if (this.paused) {
			requireProcess().signal("CONT");
			this.paused = false;
		}
	}

	@Override
	public boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	@Override
	public String host() {
		return "127.0.0.1";
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String output() {
		return (this.process != null) ? this.process.outputTail() : "(never started)";
	}

	/**
	 * Tells whether the server with this process id is this one.
	 * @return whether it is the one that was started last
	 */
	boolean hasPid(long pid) {
		return this.process != null && this.process.pid() == pid;
	}

	@Override
	public void close() {
		kill();
		try (Stream<Path> files = Files.walk(this.directory)) {
			files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach((file) -> file.delete());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private GuardedProcess requireProcess() {
		GuardedProcess process = this.process;
		if (process == null || !process.isAlive()) {
			throw new IllegalStateException("Redis does not run on port " + this.port);
		}
		return process;
	}

}
