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
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream of RESP2 or RESP3 into frames, without changing a byte of them.
 */
final class RespFrames {

	private final InputStream in;

	private final List<String> words = new ArrayList<>();

	RespFrames(InputStream in) {
		this.in = new BufferedInputStream(in);
	}

	/**
	 * Reads the next command, reply or pushed message.
	 * @return the frame, or {@code null} at the end of the stream
	 * @throws IOException if the stream breaks, also in the middle of a frame
	 */
	@Nullable Frame next() throws IOException {
		this.words.clear();
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		int type = this.in.read();
		if (type == -1) {
			return null;
		}
		readValue(type, bytes);
		return new Frame((char) type, bytes.toByteArray(), List.copyOf(this.words));
	}

	private void readValue(int type, ByteArrayOutputStream bytes) throws IOException {
		bytes.write(type);
		String line = readLine(bytes);
		switch (type) {
			case '$', '=', '!' -> readBulk(Integer.parseInt(line), bytes);
			case '*', '~', '>' -> readValues(Integer.parseInt(line), bytes);
			case '%' -> readValues(2 * Integer.parseInt(line), bytes);
			// Attributes are followed by the value that they describe
			case '|' -> readValues(2 * Integer.parseInt(line) + 1, bytes);
			case '+', '-', ':', ',', '_', '#', '(' -> this.words.add(line);
			// A command typed in plain text
			default -> this.words.addAll(List.of(((char) type + line).split(" ")));
		}
	}

	private void readValues(int count, ByteArrayOutputStream bytes) throws IOException {
		for (int i = 0; i < count; i++) {
			readValue(read(), bytes);
		}
	}

	private void readBulk(int length, ByteArrayOutputStream bytes) throws IOException {
		if (length < 0) {
			return;
		}
		byte[] content = this.in.readNBytes(length + 2);
		if (content.length < length + 2) {
			throw new EOFException();
		}
		bytes.writeBytes(content);
		this.words.add(new String(content, 0, length, StandardCharsets.UTF_8));
	}

	private String readLine(ByteArrayOutputStream bytes) throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		int next;
		do {
			next = read();
			bytes.write(next);
			line.write(next);
		}
		while (next != '\n');
		return line.toString(StandardCharsets.UTF_8).strip();
	}

	private int read() throws IOException {
		int next = this.in.read();
		if (next == -1) {
			throw new EOFException();
		}
		return next;
	}

	/**
	 * One frame.
	 *
	 * @param words the texts and numbers inside of it
	 */
	record Frame(char type, byte[] bytes, List<String> words) {

		private static final List<String> MESSAGES = List.of("message", "pmessage", "smessage");

		private static final List<String> CONFIRMATIONS = List.of("subscribe", "unsubscribe", "psubscribe",
				"punsubscribe", "ssubscribe", "sunsubscribe");

		static Frame error(String text) {
			String line = text.startsWith("-") ? text : "-" + text;
			return new Frame('-', (line + "\r\n").getBytes(StandardCharsets.UTF_8), List.of(text));
		}

		/**
		 * Returns the command with its arguments, separated by spaces.
		 */
		String text() {
			return String.join(" ", this.words);
		}

		boolean isSubscription() {
			return !this.words.isEmpty() && CONFIRMATIONS.contains(this.words.get(0).toLowerCase(Locale.ROOT));
		}

		boolean isMessage(boolean subscribed) {
			return !isConfirmation(subscribed) && isPushed(subscribed, MESSAGES);
		}

		boolean isConfirmation(boolean subscribed) {
			return startsWith(CONFIRMATIONS) && isPushed(subscribed, CONFIRMATIONS);
		}

		/** RESP3 marks what nobody asked for; RESP2 sends it as an ordinary array. */
		private boolean isPushed(boolean subscribed, List<String> kinds) {
			return this.type == '>' || (this.type == '*' && subscribed && startsWith(kinds));
		}

		private boolean startsWith(List<String> kinds) {
			return this.words.size() >= 3 && kinds.contains(this.words.get(0));
		}

	}

}
