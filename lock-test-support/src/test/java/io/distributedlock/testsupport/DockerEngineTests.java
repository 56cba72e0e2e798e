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

import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/**
 * Tests for {@link DockerEngine}.
 */
class DockerEngineTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Test
	void engineThatAnswersIsFound() throws Exception {
		try (ServerSocket engine = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			new Thread(() -> answer(engine)).start();
			assertThat(DockerEngine.answers(engine.getLocalSocketAddress(), PATIENCE)).isTrue();
		}
	}

	@Test
	void silentEngineIsGivenUpQuickly() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertTimeout(PATIENCE,
					() -> assertThat(DockerEngine.answers(silent.getLocalSocketAddress(), Duration.ofMillis(50)))
						.isFalse());
		}
	}

	@Test
	void absentEngineIsNotFound(@TempDir Path directory) {
		assertThat(DockerEngine.answers(UnixDomainSocketAddress.of(directory.resolve("absent.sock")), PATIENCE))
			.isFalse();
		assertThat(DockerEngine.answers(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), PATIENCE))
			.isFalse();
	}

	private void answer(ServerSocket engine) {
		try (Socket socket = engine.accept()) {
			socket.getInputStream().read(new byte[1024]);
			OutputStream out = socket.getOutputStream();
			out.write("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nOK".getBytes(StandardCharsets.US_ASCII));
			out.flush();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
