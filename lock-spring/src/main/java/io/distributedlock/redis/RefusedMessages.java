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

package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The messages that a server refused to publish inside a script, and the rest of the
 * script's answer: see {@code outbox.lua}.
 *
 * @param messages the messages, in their order
 * @param answer the answer
 */
record RefusedMessages(List<Message> messages, byte[] answer) {

	private static final byte MARK = '!';

	/**
	 * Read the answer of a script.
	 * @return the messages, or {@code null} if there are none
	 */
	static @Nullable RefusedMessages in(@Nullable Object reply) {
		return (reply instanceof byte[] bytes && bytes.length > 0 && bytes[0] == MARK) ? new Reader(bytes).read()
				: null;
	}

	/**
	 * A message that the client must publish.
	 */
	record Message(byte[] channel, byte[] message) {
	}

	private static final class Reader {

		private final byte[] bytes;

		private int next = 1;

		Reader(byte[] bytes) {
			this.bytes = bytes;
		}

		RefusedMessages read() {
			int count = number();
			List<Message> messages = new ArrayList<>(count);
			for (int i = 0; i < count; i++) {
				int channel = number();
				int message = number();
				messages.add(new Message(text(channel), text(message)));
			}
			return new RefusedMessages(messages, text(this.bytes.length - this.next));
		}

		/** Read a number and the space after it. */
		private int number() {
			int number = 0;
			for (; this.bytes[this.next] != ' '; this.next++) {
				number = 10 * number + this.bytes[this.next] - '0';
			}
			this.next++;
			return number;
		}

		private byte[] text(int length) {
			byte[] text = Arrays.copyOfRange(this.bytes, this.next, this.next + length);
			this.next += length;
			return text;
		}

	}

}
