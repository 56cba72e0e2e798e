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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;

/**
 * The Lua scripts. Each file begins with a description of its keys, arguments and answer.
 */
enum LockScript {

	/** Take the lock, or enter the queue. */
	ACQUIRE(Reply.TEXT, Function.RESERVE, Function.HOLDERS, Function.QUEUE),

	/** Take the lock beside others, or enter the queue. */
	JOIN(Reply.TEXT, Function.RESERVE, Function.HOLDERS, Function.QUEUE, Function.OUTBOX),

	/** Restart leases. */
	EXTEND(Reply.LIST, Function.HOLDERS, Function.QUEUE),

	/** Leave the queue; hand off or free the lock. */
	RELEASE(Reply.TEXT, Function.RESERVE, Function.HOLDERS, Function.QUEUE, Function.OUTBOX),

	/** Find the holder of the lock. */
	FIND(Reply.LIST, Function.HOLDERS, Function.QUEUE),

	/** Inspect the lock and its queue. */
	DESCRIBE(Reply.LIST, Function.HOLDERS, Function.QUEUE),

	/** Read or replace the record of the lock. */
	RECORD(Reply.TEXT, Function.QUEUE),

	/** Check whether locks work, and read the information of the server. */
	INSPECT(Reply.TEXT);

	/** The text, not to be modified. */
	final byte[] source;

	/** The digest by which Redis knows the script once it has seen it. */
	final String sha;

	/** The type of its answer. */
	final Reply reply;

	LockScript(Reply reply, Function... functions) {
		this.reply = reply;
		StringBuilder script = new StringBuilder();
		for (Function function : functions) {
			script.append("local function ").append(function.head).append('\n');
			script.append(read(function)).append("end\n\n");
		}
		String text = script.append(read(this)).toString();
		this.source = text.getBytes(StandardCharsets.UTF_8);
		this.sha = DigestUtils.sha1DigestAsHex(text);
	}

	private static String read(Enum<?> script) {
		String file = script.name().toLowerCase(Locale.ROOT) + ".lua";
		ClassPathResource resource = new ClassPathResource(file, LockScript.class);
		try {
			return resource.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"The " + resource.getDescription() + " cannot be read. Check that the packaging keeps .lua files.",
					ex);
		}
	}

	/**
	 * The code that several scripts share. Each file is the body of a function in front
	 * of the script. A function that is not called costs next to nothing.
	 */
	private enum Function {

		/** Reserve fencing tokens. */
		RESERVE("reserve(time, block, retention)"),

		/** Several holders of one lock. */
		HOLDERS("holders(queue)"),

		/** Waiters, and values that others wrote. */
		QUEUE("queue()"),

		/** Publish messages, and answer. */
		OUTBOX("outbox()");

		private final String head;

		Function(String head) {
			this.head = head;
		}

	}

	/**
	 * The type of a script's answer. Lists cost most: a script creates a table for each.
	 */
	enum Reply {

		/** A {@code byte[]}. */
		TEXT,

		/** A {@link java.util.List} of these and of {@link Long}. */
		LIST

	}

}
