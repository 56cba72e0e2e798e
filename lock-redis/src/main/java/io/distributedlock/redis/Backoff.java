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

/**
 * How long to wait before the next attempt to connect: twice as long each time, between
 * 50 ms and 1 s. Not thread-safe.
 */
final class Backoff {

	private static final long FIRST_MILLIS = 50;

	private static final long LONGEST_MILLIS = 1000;

	private long next = FIRST_MILLIS;

	/** Whether nothing has failed since the last success. */
	boolean isFirst() {
		return this.next == FIRST_MILLIS;
	}

	/** After one more failure. */
	long nextMillis() {
		long current = this.next;
		this.next = Math.min(2 * current, LONGEST_MILLIS);
		return current;
	}

	void succeeded() {
		this.next = FIRST_MILLIS;
	}

}
