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

package io.distributedlock.benchmarks.redis;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * The run's own connection to Redis. It sends what it is told and nothing else, so that
 * its commands can be left out of every count, and it can listen to {@code MONITOR}.
 */
final class RedisLink implements AutoCloseable {

	private final Socket socket;

	private final OutputStream out;

	private final DataInputStream in;

	RedisLink(URI redis) {
		try {
			this.socket = new Socket(redis.getHost(), redis.getPort());
			this.out = this.socket.getOutputStream();
			this.in = new DataInputStream(new BufferedInputStream(this.socket.getInputStream(), 1 << 16));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Redis is not at " + redis, ex);
		}
	}

	String ask(String... words) {
		StringBuilder request = new StringBuilder("*").append(words.length).append("\r\n");
		for (String word : words) {
			int length = word.getBytes(StandardCharsets.UTF_8).length;
			request.append('$').append(length).append("\r\n").append(word).append("\r\n");
		}
		try {
			this.out.write(request.toString().getBytes(StandardCharsets.UTF_8));
			this.out.flush();
			return answer();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The next answer, or with {@code MONITOR} the next command that Redis saw.
	 */
	String answer() throws IOException {
		String line = line();
		return switch (line.charAt(0)) {
			case '+', ':' -> line.substring(1);
			case '$' -> bulk(Integer.parseInt(line.substring(1)));
			default -> throw new IOException("Redis answered " + line);
		};
	}

	private String bulk(int length) throws IOException {
		byte[] bytes = new byte[length];
		this.in.readFully(bytes);
		line();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		while (true) {
			int next = this.in.read();
			if (next < 0) {
				throw new EOFException("Redis closed the connection");
			}
			if (next == '\n') {
				return line.toString();
			}
			if (next != '\r') {
				line.append((char) next);
			}
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
