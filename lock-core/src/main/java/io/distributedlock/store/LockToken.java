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

package io.distributedlock.store;

/**
 * The identity of one acquisition.
 *
 * @param instance the instance that acquires, unique over all instances and restarts
 * @param sequence the number of the acquisition within the instance
 * @since 0.1.0
 */
public record LockToken(String instance, long sequence) {

	/** The length of the longest token, in characters that are all ASCII. */
	public static final int LONGEST = 500;

	private static final int RADIX = 36;

	/**
	 * Return the text that is kept in the store.
	 * @return the instance, a colon, and the sequence number
	 */
	public String text() {
		return this.instance + ':' + Long.toString(this.sequence, RADIX);
	}

	/**
	 * Create a token with which an operator holds a lock. Everybody whom this holder
	 * refuses can read the names in it. It is longer than that of an instance, which has
	 * 100 characters or so.
	 * @param instance the name of the instance that asks for the lock
	 * @param operator the name of the operator
	 * @param reason why the lock is held
	 * @return a new token, with a random part, of at most {@value #LONGEST} characters
	 * @throws IllegalArgumentException if all names together have more than 330 bytes in
	 * UTF-8
	 */
	public static LockToken ofOperator(String instance, String operator, String reason) {
		return new OperatorHold(instance, operator, reason).newToken();
	}

	/**
	 * Read a token from its text.
	 * @param text the text of a token
	 * @return the token
	 * @throws IllegalArgumentException if this is not the text of a token
	 */
	public static LockToken parse(String text) {
		int colon = text.lastIndexOf(':');
		if (colon < 0) {
			throw new IllegalArgumentException("'" + text + "' is not a token: it has no sequence number.");
		}
		return new LockToken(text.substring(0, colon), Long.parseLong(text.substring(colon + 1), RADIX));
	}

	@Override
	public String toString() {
		return text();
	}

}
