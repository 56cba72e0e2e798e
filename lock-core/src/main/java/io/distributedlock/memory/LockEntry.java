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
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * One lock: who holds it, and who waits for it. Guarded by the mutex of the table.
 */
final class LockEntry {

	final String name;

	/** In order of arrival; a repeated put keeps the place. */
	final Map<LockToken, Waiter> queue = new LinkedHashMap<>(2);

	/** As long as the key of several holders outlives their leases in Redis. */
	private static final long GRACE = Duration.ofSeconds(1).toNanos();

	/** In the order of their grants. May have expired. */
	private final Map<LockToken, Hold> holds = new LinkedHashMap<>(2);

	/** Of several holders, the last one that expired since the last grant. */
	private @Nullable Hold expired;

	private @Nullable String record;

	private long recordUntil;

	LockEntry(String name) {
		this.name = name;
	}

	/**
	 * Return the holds that have not expired, and forget the others.
	 */
	Collection<Hold> holdsAt(long now) {
		Iterator<Hold> each = this.holds.values().iterator();
		while (each.hasNext()) {
			Hold hold = each.next();
			if (hold.expiresAt - now <= 0) {
				each.remove();
				boolean last = this.expired == null || hold.expiresAt - this.expired.expiresAt > 0;
				this.expired = (hold.limit > 1 && last) ? hold : this.expired;
			}
		}
		return this.holds.values();
	}

	/**
	 * Return how long waiters still take precedence over an exclusive caller that does
	 * not wait, after the last of several leases has ended. Zero or less if the lock is
	 * held or this time is over.
	 */
	long graceAt(long now) {
		return (holdsAt(now).isEmpty() && this.expired != null) ? this.expired.expiresAt + GRACE - now : 0;
	}

	@Nullable Hold holdAt(long now, LockToken token) {
		holdsAt(now);
		return this.holds.get(token);
	}

	void put(Hold hold) {
		this.holds.put(hold.token, hold);
		this.expired = null;
	}

	boolean remove(LockToken token) {
		return this.holds.remove(token) != null;
	}

	/**
	 * Whether one more holder stays within its own limit and that of every holder.
	 */
	boolean fits(long now, int limit) {
		int holders = 1;
		int smallest = limit;
		for (Hold hold : holdsAt(now)) {
			holders++;
			smallest = Math.min(smallest, hold.limit);
		}
		return holders <= smallest;
	}

	/**
	 * Whether an exclusive holder exists. The queue does not matter before the holder is
	 * gone.
	 */
	boolean isHeldAlone(long now) {
		return holdsAt(now).stream().anyMatch((hold) -> hold.limit == 1);
	}

	@Nullable String recordAt(long now) {
		if (this.recordUntil - now <= 0) {
			this.record = null;
		}
		return this.record;
	}

	void keepRecord(String record, long until) {
		this.record = record;
		this.recordUntil = until;
	}

	boolean isDead(long now) {
		return holdsAt(now).isEmpty() && recordAt(now) == null
				&& (this.queue.isEmpty() || this.queue.values().stream().noneMatch((waiter) -> waiter.isAlive(now)));
	}

	/**
	 * A hold, valid until it expires. Times are in nanoseconds of the table.
	 *
	 * @param fence the first fencing token of its block
	 * @param limit how many holders it accepts, itself included
	 */
	record Hold(LockToken token, long fence, int fenceBlock, long since, long expiresAt, int limit) {

		Hold until(long end) {
			return new Hold(this.token, this.fence, this.fenceBlock, this.since, end, this.limit);
		}

	}

	/**
	 * A place in the queue. Times are in nanoseconds of the table.
	 *
	 * @param lease the lease that the waiter asked for
	 * @param fenceBlock how many fencing tokens it asked for
	 * @param limit how many holders it accepts, itself included
	 */
	record Waiter(long since, long aliveUntil, Duration lease, int fenceBlock, long nonce, int limit) {

		boolean isAlive(long now) {
			return this.aliveUntil - now > 0;
		}

	}

}
