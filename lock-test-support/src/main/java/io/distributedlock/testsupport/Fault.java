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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One fault that waits in a {@link FaultProxy} for its command, and strikes once.
 */
public final class Fault {

	private final Kind kind;

	private final String text;

	private final String reply;

	private volatile List<String> struckWords = List.of();

	private final CountDownLatch struck = new CountDownLatch(1);

	Fault(Kind kind, String text, String reply) {
		this.kind = kind;
		this.text = text;
		this.reply = reply;
	}

	/**
	 * Tells whether the fault has struck.
	 */
	public boolean hasStruck() {
		return this.struck.getCount() == 0;
	}

	/**
	 * Waits until the fault has struck.
	 * @throws AssertionError if it has not struck by then
	 */
	public void awaitStrike(Duration timeout) {
		try {
			if (!this.struck.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new AssertionError("No command with '%s' came within %s".formatted(this.text, timeout));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError("Interrupted while waiting for a command with '%s'".formatted(this.text), ex);
		}
	}

	/**
	 * Returns the words of the message that was lost or repeated: its kind, its channel
	 * and its content.
	 */
	public List<String> struckWords() {
		return this.struckWords;
	}

	void strike(List<String> words) {
		this.struckWords = List.copyOf(words);
		strike();
	}

	Kind kind() {
		return this.kind;
	}

	String reply() {
		return this.reply;
	}

	boolean matches(String command) {
		return command.contains(this.text);
	}

	void strike() {
		this.struck.countDown();
	}

	@Override
	public String toString() {
		return "%s on '%s'".formatted(this.kind, this.text);
	}

	enum Kind {

		/** The command never arrives, the connection is reset. */
		DROP_REQUEST,

		/** The command is executed, its reply never arrives, the connection is reset. */
		DROP_REPLY,

		/** The command is executed, half of its reply arrives, the connection ends. */
		CUT_REPLY,

		/** The command is executed, and answered with an error. */
		REWRITE_REPLY,

		/** The command never arrives, and is answered with an error. */
		ANSWER,

		/** The pushed message never arrives, and nobody notices. */
		LOSE_MESSAGE,

		/** The pushed message arrives twice. */
		REPEAT_MESSAGE;

		boolean isOnMessages() {
			return this == LOSE_MESSAGE || this == REPEAT_MESSAGE;
		}

	}

}
