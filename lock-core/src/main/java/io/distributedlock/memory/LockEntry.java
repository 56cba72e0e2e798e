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

package io.distributedlock.memory;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.store.LockToken;

/**
 * One lock: who holds it, and who waits for it. Guarded by the mutex of the table.
 */
final class LockEntry {

	final String name;

	/** In order of arrival; a repeated put keeps the place. */
	final Map<LockToken, Waiter> queue = new LinkedHashMap<>(2);

	/** May have expired. */
	@Nullable Hold hold;

	LockEntry(String name) {
		this.name = name;
	}

	@Nullable Hold holdAt(long now) {
		Hold current = this.hold;
		return (current != null && current.expiresAt - now > 0) ? current : null;
	}

	boolean isDead(long now) {
		return holdAt(now) == null
				&& (this.queue.isEmpty() || this.queue.values().stream().noneMatch((waiter) -> waiter.isAlive(now)));
	}

	/**
	 * A hold, valid until it expires.
	 *
	 * @param fence the first fencing token of its block
	 * @param fenceBlock how many tokens its block has
	 * @param since when it was granted, in nanoseconds of the table's time
	 * @param expiresAt when it ends, in nanoseconds of the table's time
	 */
	record Hold(LockToken token, long fence, int fenceBlock, long since, long expiresAt) {

		Hold until(long end) {
			return new Hold(this.token, this.fence, this.fenceBlock, this.since, end);
		}

	}

	/**
	 * A place in the queue.
	 *
	 * @param since when it was entered, in nanoseconds of the table's time
	 * @param aliveUntil until when it is good, in nanoseconds of the table's time
	 * @param lease what the waiter asked for
	 * @param fenceBlock how many fencing tokens it asked for
	 */
	record Waiter(long since, long aliveUntil, Duration lease, int fenceBlock, long nonce) {

		boolean isAlive(long now) {
			return this.aliveUntil - now > 0;
		}

	}

}
