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

package io.distributedlock.sample.stage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A real Redis server with a password on a free port of the loopback interface, started
 * from the binary that {@code org.signal:embedded-redis} carries.
 *
 * <p>
 * The server is the child of a small shell that reads from a pipe whose other end this
 * JVM holds. However this JVM ends, also by {@code kill -9}, the pipe breaks, and the
 * shell ends the server. Through the same pipe the server is stopped and resumed. Binary
 * and configuration are deleted as soon as it runs. Nothing is ever saved.
 */
final class EmbeddedRedis implements AutoCloseable {

	private static final String END_WITH_PARENT = """
			"$0" "$@" </dev/null & server=$!
			exec >/dev/null 2>&1
			end() { kill $server; kill -CONT $server; wait $server; }
			trap end TERM INT
			while read -r signal; do kill -$signal $server; done
			end""";

	private static final String CONFIGURATION = """
			bind 127.0.0.1
			port %d
			requirepass %s
			save ""
			appendonly no
			""";

	private static final Duration TIME_TO_END = Duration.ofSeconds(30);

	private static final Duration TIME_TO_ANSWER = Duration.ofSeconds(30);

	private final int port;

	private final String password;

	private volatile Process shell;

	private EmbeddedRedis(int port, String password, Process shell) {
		this.port = port;
		this.password = password;
		this.shell = shell;
	}

	static EmbeddedRedis start() throws IOException {
		int port = freePort();
		String password = UUID.randomUUID().toString();
		return new EmbeddedRedis(port, password, run(port, password));
	}

	private static Process run(int port, String password) throws IOException {
		Path directory = Files.createTempDirectory("sample-redis");
		Path binary = directory.resolve("redis-server");
		Path configuration = directory.resolve("redis.conf");
		try {
			copyBinary(binary);
			Files.writeString(configuration, CONFIGURATION.formatted(port, password), StandardOpenOption.CREATE_NEW);
			Process shell = new ProcessBuilder("sh", "-c", END_WITH_PARENT, binary.toString(), configuration.toString())
				.redirectErrorStream(true)
				.start();
			awaitReady(shell);
			return shell;
		}
		finally {
			for (Path path : List.of(binary, configuration, directory)) {
				Files.deleteIfExists(path);
			}
		}
	}

	int port() {
		return this.port;
	}

	String password() {
		return this.password;
	}

	/**
	 * Stop the process, so that it answers no client. It keeps its data and its
	 * connections.
	 */
	void stop() throws IOException {
		signal("STOP");
	}

	/** Let the process go on. */
	void resume() throws IOException {
		signal("CONT");
	}

	/** Let it have no memory left: it refuses what would need more. */
	void fill() throws IOException {
		ask("CONFIG SET maxmemory 1");
	}

	/** Undo {@link #fill()}. */
	void empty() throws IOException {
		ask("CONFIG SET maxmemory 0");
	}

	/** Let it become the replica of a server that does not exist: it refuses writes. */
	void demote() throws IOException {
		ask("REPLICAOF 127.0.0.1 1");
	}

	/** Undo {@link #demote()}. */
	void promote() throws IOException {
		ask("REPLICAOF NO ONE");
	}

	/** Let its user have no right to renew a lease. */
	void deny() throws IOException {
		ask("ACL SETUSER default -pexpire");
	}

	/** Undo {@link #deny()}. */
	void allow() throws IOException {
		ask("ACL SETUSER default +pexpire");
	}

	/**
	 * End the process and start another one with the same port and password, and without
	 * any data.
	 */
	void restart() throws IOException {
		Process ended = this.shell;
		close();
		try {
			if (!ended.waitFor(TIME_TO_END.toSeconds(), TimeUnit.SECONDS)) {
				throw new IOException("The embedded Redis did not end within " + TIME_TO_END.toSeconds() + " s.");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while the embedded Redis ended", ex);
		}
		this.shell = run(this.port, this.password);
	}

	/** Independent of the instances, whose connections an incident may have cut. */
	private void ask(String command) throws IOException {
		try (Socket client = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			client.setSoTimeout((int) TIME_TO_ANSWER.toMillis());
			client.getOutputStream()
				.write("AUTH %s\r\n%s\r\nQUIT\r\n".formatted(this.password, command)
					.getBytes(StandardCharsets.US_ASCII));
			List<String> answers = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).lines()
				.toList();
			if (!answers.stream().allMatch((answer) -> answer.startsWith("+OK"))) {
				throw new IOException("The embedded Redis refuses '%s': %s".formatted(command, answers));
			}
		}
	}

	private void signal(String signal) throws IOException {
		OutputStream pipe = this.shell.getOutputStream();
		pipe.write((signal + '\n').getBytes(StandardCharsets.US_ASCII));
		pipe.flush();
	}

	@Override
	public void close() {
		try {
			this.shell.getOutputStream().close();
		}
		catch (IOException ex) {
			this.shell.destroy();
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private static void copyBinary(Path target) throws IOException {
		String name = "redis-server-7.0.15-" + platform();
		try (InputStream binary = EmbeddedRedis.class.getClassLoader().getResourceAsStream(name)) {
			if (binary == null) {
				throw new IllegalStateException("There is no embedded Redis for this platform (" + platform()
						+ "). Start a Redis yourself and tell the sample where it is, "
						+ "with the environment variables REDIS_HOST, REDIS_PORT and REDIS_PASSWORD.");
			}
			Files.copy(binary, target);
		}
		if (!target.toFile().setExecutable(true)) {
			throw new IOException("Cannot make '" + target + "' executable.");
		}
	}

	private static String platform() {
		String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
		String processor = switch (System.getProperty("os.arch")) {
			case "aarch64", "arm64" -> "arm64";
			case "x86", "i386", "i686" -> "386";
			default -> "amd64";
		};
		return (system.contains("mac") ? "darwin" : system.contains("linux") ? "linux" : "windows") + "-" + processor;
	}

	private static void awaitReady(Process shell) throws IOException {
		StringBuilder output = new StringBuilder();
		BufferedReader reader = new BufferedReader(
				new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
		for (String line = reader.readLine(); line != null; line = reader.readLine()) {
			if (line.contains("Ready to accept connections")) {
				drain(reader);
				return;
			}
			output.append(line).append('\n');
		}
		throw new IOException("The embedded Redis did not start. It printed:\n" + output);
	}

	/** A server whose log nobody reads stands still when the pipe is full. */
	private static void drain(BufferedReader log) {
		Thread thread = new Thread(null, () -> {
			try {
				log.transferTo(Writer.nullWriter());
			}
			catch (IOException ex) {
				// It ends with the server
			}
		}, "redis-log", 0, false);
		thread.setDaemon(true);
		thread.start();
	}

}
