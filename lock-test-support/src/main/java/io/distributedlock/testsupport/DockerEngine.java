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
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a Docker engine answers, quickly and without a word in the log.
 * Testcontainers is only touched if it does: without an engine it takes seconds and
 * prints stack traces.
 */
final class DockerEngine {

	private static final byte[] PING = "GET /_ping HTTP/1.0\r\nHost: localhost\r\n\r\n"
		.getBytes(StandardCharsets.US_ASCII);

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private DockerEngine() {
	}

	static boolean answers() {
		SocketAddress address = address(System.getenv("DOCKER_HOST"));
		return address != null && answers(address, TIMEOUT);
	}

	static boolean answers(SocketAddress address, Duration timeout) {
		try (SocketChannel channel = open(address)) {
			FutureTask<Boolean> ping = new FutureTask<>(() -> ping(channel, address));
			Thread thread = new Thread(ping, "docker-ping");
			thread.setDaemon(true);
			thread.start();
			return ping.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (IOException | ExecutionException | TimeoutException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private static boolean ping(SocketChannel channel, SocketAddress address) throws IOException {
		channel.connect(address);
		channel.write(ByteBuffer.wrap(PING));
		ByteBuffer reply = ByteBuffer.allocate(64);
		while (reply.position() < 12 && channel.read(reply) >= 0) {
			continue;
		}
		String status = new String(reply.array(), 0, reply.position(), StandardCharsets.US_ASCII);
		return status.startsWith("HTTP/1") && status.contains(" 200");
	}

	private static SocketChannel open(SocketAddress address) throws IOException {
		return (address instanceof UnixDomainSocketAddress) ? SocketChannel.open(StandardProtocolFamily.UNIX)
				: SocketChannel.open();
	}

	private static @Nullable SocketAddress address(@Nullable String host) {
		URI uri = URI.create((host != null && !host.isBlank()) ? host : "unix:///var/run/docker.sock");
		if ("unix".equals(uri.getScheme())) {
			Path path = Path.of(uri.getPath());
			return Files.exists(path) ? UnixDomainSocketAddress.of(path) : null;
		}
		return (uri.getHost() != null)
				? new InetSocketAddress(uri.getHost(), (uri.getPort() > 0) ? uri.getPort() : 2375) : null;
	}

}
