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

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The messages that a server refused to publish inside a script, in their order, and the
 * rest of the script's answer: see {@code outbox.lua}.
 */
record RefusedMessages(List<Message> messages, byte[] answer) {

	private static final byte MARK = '!';

	/** Reads the answer of a script; {@code null} if it contains no messages. */
	static @Nullable RefusedMessages in(@Nullable Object reply) {
		if (!(reply instanceof byte[] bytes && bytes.length > 0 && bytes[0] == MARK)) {
			return null;
		}
		ByteBuffer rest = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
		List<Message> messages = new ArrayList<>();
		for (int left = number(rest); left > 0; left--) {
			int channel = number(rest);
			int message = number(rest);
			messages.add(new Message(next(rest, channel), next(rest, message)));
		}
		return new RefusedMessages(messages, next(rest, rest.remaining()));
	}

	/** Reads a number and the space after it. */
	private static int number(ByteBuffer from) {
		int number = 0;
		for (byte next = from.get(); next != ' '; next = from.get()) {
			number = 10 * number + next - '0';
		}
		return number;
	}

	private static byte[] next(ByteBuffer from, int length) {
		byte[] next = new byte[length];
		from.get(next);
		return next;
	}

	record Message(byte[] channel, byte[] message) {
	}

}
