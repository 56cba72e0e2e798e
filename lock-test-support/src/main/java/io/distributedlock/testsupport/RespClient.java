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

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A minimal blocking RESP2 client that sends any command as it is. One connection, not
 * safe for use by several threads.
 */
public final class RespClient implements AutoCloseable {

	private final Socket socket = new Socket();

	private final InputStream in;

	private final OutputStream out;

	private RespClient(String host, int port, Duration timeout) throws IOException {
		int millis = Math.toIntExact(timeout.toMillis());
		try {
			this.socket.connect(new InetSocketAddress(host, port), millis);
			this.socket.setSoTimeout(millis);
			this.socket.setTcpNoDelay(true);
			this.in = new BufferedInputStream(this.socket.getInputStream());
			this.out = new BufferedOutputStream(this.socket.getOutputStream());
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	/**
	 * Connects.
	 * @return a connected client
	 * @throws UncheckedIOException if nobody answers
	 */
	public static RespClient connect(String host, int port, Duration timeout) {
		try {
			return new RespClient(host, port, timeout);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot connect to %s:%d".formatted(host, port), ex);
		}
	}

	/**
	 * Changes how long to wait for each reply.
	 * @throws IOException if the connection is closed
	 */
	void timeout(Duration timeout) throws IOException {
		this.socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
	}

	/**
	 * Sends one command and waits for its reply.
	 * @return a {@link String}, a {@link Long}, a {@link List} of these (an error inside
	 * it is a {@link RespException}), or {@code null}
	 * @throws RespException if Redis answers with an error
	 * @throws UncheckedIOException if the connection breaks or no reply comes in time
	 */
	public @Nullable Object command(String... command) {
		try {
			send(command);
			return receive();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No reply to " + command[0], ex);
		}
	}

	/**
	 * Sends one command without waiting for its reply.
	 * @throws IOException if the connection is broken
	 */
	public void send(String... command) throws IOException {
		ByteArrayOutputStream frame = new ByteArrayOutputStream();
		frame.writeBytes(ascii("*" + command.length + "\r\n"));
		for (String argument : command) {
			byte[] bytes = argument.getBytes(StandardCharsets.UTF_8);
			frame.writeBytes(ascii("$" + bytes.length + "\r\n"));
			frame.writeBytes(bytes);
			frame.writeBytes(ascii("\r\n"));
		}
		frame.writeTo(this.out);
		this.out.flush();
	}

	/**
	 * Waits for the next reply or pushed message.
	 * @return a {@link String}, a {@link Long}, a {@link List} of these, or {@code null}
	 * @throws RespException if the reply is an error
	 * @throws IOException if the connection breaks or no reply comes in time
	 */
	public @Nullable Object receive() throws IOException {
		String line = readLine();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> throw new RespException(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> readText(Integer.parseInt(rest));
			case '*' -> readList(Integer.parseInt(rest));
			default -> throw new IOException("Not a RESP2 reply: " + line);
		};
	}

	private @Nullable String readText(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		readLine();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readList(int size) throws IOException {
		if (size < 0) {
			return null;
		}
		List<@Nullable Object> list = new ArrayList<>(size);
		for (int i = 0; i < size; i++) {
			list.add(receiveElement());
		}
		return list;
	}

	private @Nullable Object receiveElement() throws IOException {
		try {
			return receive();
		}
		catch (RespException ex) {
			return ex;
		}
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		int next;
		while ((next = this.in.read()) != '\n') {
			if (next == -1) {
				throw new EOFException("The connection was closed");
			}
			line.write(next);
		}
		String text = line.toString(StandardCharsets.UTF_8);
		return text.substring(0, text.length() - 1);
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
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
