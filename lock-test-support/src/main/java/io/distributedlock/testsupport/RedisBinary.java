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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * The {@code redis-server} executable: the one that the system property
 * {@code lock.test.redis.server} names, otherwise the one inside the embedded-redis jar.
 */
final class RedisBinary {

	static final String PROPERTY = "lock.test.redis.server";

	private static final String VERSION = "7.0.15";

	private RedisBinary() {
	}

	/**
	 * Returns the executable to run.
	 * @throws IllegalStateException if there is none for this platform, or the named one
	 * cannot be executed
	 */
	static Path locate() {
		String named = System.getProperty(PROPERTY);
		if (named == null || named.isEmpty()) {
			return extract();
		}
		Path executable = Path.of(named).toAbsolutePath();
		if (!Files.isRegularFile(executable) || !Files.isExecutable(executable)) {
			throw new IllegalStateException(
					"The system property %s names '%s', which is not an executable file. Name a redis-server or valkey-server."
						.formatted(PROPERTY, named));
		}
		return executable;
	}

	/** Extracted once per machine and user. */
	private static synchronized Path extract() {
		String name = "redis-server-%s-%s-%s".formatted(VERSION, os(), architecture());
		Path directory = Path.of(System.getProperty("java.io.tmpdir"),
				"lock-test-support-" + System.getProperty("user.name"));
		Path executable = directory.resolve(name);
		try (InputStream binary = RedisBinary.class.getResourceAsStream("/" + name)) {
			if (binary == null) {
				throw new IllegalStateException(
						"There is no embedded Redis for this platform (%s). Use Linux, macOS or -D%s=/path."
							.formatted(name, PROPERTY));
			}
			if (!Files.isExecutable(executable)) {
				extract(binary, directory, executable);
			}
			return executable;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot extract " + name + " to " + directory, ex);
		}
	}

	/** Moved into place in one step: another JVM may be extracting or running it. */
	private static void extract(InputStream binary, Path directory, Path executable) throws IOException {
		Files.createDirectories(directory);
		Path partial = Files.createTempFile(directory, "redis-server", ".partial");
		try {
			Files.copy(binary, partial, StandardCopyOption.REPLACE_EXISTING);
			if (!partial.toFile().setExecutable(true, true)) {
				throw new IOException("Cannot make " + partial + " executable");
			}
			try {
				Files.move(partial, executable, StandardCopyOption.ATOMIC_MOVE);
			}
			catch (AtomicMoveNotSupportedException ex) {
				Files.move(partial, executable, StandardCopyOption.REPLACE_EXISTING);
			}
		}
		finally {
			Files.deleteIfExists(partial);
		}
	}

	private static String os() {
		String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
		return os.contains("mac") ? "darwin" : os.contains("linux") ? "linux" : os.replace(' ', '-');
	}

	private static String architecture() {
		return switch (System.getProperty("os.arch")) {
			case "amd64", "x86_64" -> "amd64";
			case "aarch64", "arm64" -> "arm64";
			case "x86", "i386", "i686" -> "386";
			default -> System.getProperty("os.arch");
		};
	}

}
