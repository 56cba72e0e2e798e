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

package io.distributedlock.campaign.history;

import java.util.concurrent.TimeUnit;

/**
 * A hold, from its grant to the moment at which its holder stopped relying on it. The
 * interval in between is what its handle said: that it was held at each check, and would
 * be for the time that remained. A process that is stopped or killed does not change what
 * was said before.
 */
final class Hold {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	final int worker;

	final long id;

	final int name;

	final int kind;

	/** Before the lock was asked for. */
	final long asked;

	/** After the handle was there. */
	final long start;

	final long token;

	final long minHold;

	/** What was asked for, without extensions. */
	final long lease;

	/** How many may have the lock at most while this one has it, itself included. */
	final int limit;

	private long wanted;

	/** Until when it was said to be held. */
	long until;

	long releasing = Long.MAX_VALUE;

	long released = Long.MAX_VALUE;

	long lost = Long.MAX_VALUE;

	/** Not before the holder is done. */
	long end;

	Hold(Event granted, long asked) {
		this.worker = granted.worker();
		this.id = granted.hold();
		this.name = granted.name();
		this.kind = granted.kind();
		this.asked = asked;
		this.start = granted.at();
		this.token = granted.token();
		this.minHold = granted.detail() * MILLI;
		this.limit = granted.largestCompany();
		this.lease = granted.amount();
		this.wanted = this.lease;
		claim(granted.at(), granted.until());
	}

	/**
	 * The handle said that the lock is held. A lease that is longer than its holder asked
	 * for, left over by a local holder before it, may be shortened to that.
	 */
	void claim(long at, long until) {
		this.until = Math.max(this.until, Math.min(until, at + promise(this.wanted)));
	}

	/**
	 * Return for how long a new lease is said to last.
	 */
	long promise() {
		return promise(this.lease);
	}

	private static long promise(long lease) {
		return lease - Math.max(lease / 100, 2 * MILLI) - Math.min(lease / 10, 1000 * MILLI);
	}

	void extending(long additional) {
		this.wanted += additional;
	}

	long wanted() {
		return this.wanted;
	}

	boolean isAlone() {
		return this.limit == 1;
	}

	/**
	 * Whether one of two holders wants to be alone, so that they must follow each other.
	 */
	boolean excludes(Hold other) {
		return isAlone() || other.isAlone();
	}

	boolean overlaps(Hold other) {
		return this.start < other.end && other.start < this.end;
	}

	boolean isEmpty() {
		return this.end <= this.start;
	}

	/**
	 * The holder is done, or dead.
	 */
	void close() {
		this.end = Math.min(this.until, Math.min(this.releasing, this.lost));
	}

	boolean wasLost() {
		return this.lost != Long.MAX_VALUE || this.until < this.releasing;
	}

	/**
	 * Until when the store may have kept the lock, if nothing was lost: the margin of the
	 * deadline comes on top of what a holder is told.
	 */
	long occupiedUntil() {
		if (this.released == Long.MAX_VALUE || wasLost()) {
			return Math.max(this.until, this.start) + this.wanted / 5 + 100 * MILLI;
		}
		return Math.max(this.released, this.start + this.minHold);
	}

}
