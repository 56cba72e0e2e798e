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
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One sentinel.
 */
final class SentinelProcess implements AutoCloseable {

	private static final String CONFIGURATION = """
			port %1$d
			bind 127.0.0.1
			sentinel monitor %2$s 127.0.0.1 %3$d 2
			sentinel down-after-milliseconds %2$s 3000
			sentinel failover-timeout %2$s 5000
			""";

	private final int port = FreePorts.next();

	private final Path directory;

	private final GuardedProcess process;

	private SentinelProcess(String masterName, RedisServer master) throws IOException {
		this.directory = Files.createTempDirectory("sentinel-" + this.port + "-");
		Path configuration = Files.writeString(this.directory.resolve("sentinel.conf"),
				CONFIGURATION.formatted(this.port, masterName, master.port()));
		this.process = GuardedProcess.start(this.directory, this.directory.resolve("sentinel.log"),
				List.of(RedisBinary.locate().toString(), configuration.toString(), "--sentinel"));
	}

	static SentinelProcess start(String masterName, RedisServer master) {
		try {
			return new SentinelProcess(masterName, master);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String address() {
		return "127.0.0.1:" + this.port;
	}

	@Nullable Object cli(String... command) {
		try (RespClient client = RespClient.connect("127.0.0.1", this.port, Duration.ofSeconds(5))) {
			return client.command(command);
		}
	}

	@Override
	public void close() {
		this.process.kill();
		GuardedProcess.delete(this.directory);
	}

}
