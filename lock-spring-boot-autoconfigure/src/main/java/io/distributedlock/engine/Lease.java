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

package io.distributedlock.engine;

import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store: for how long this JVM has the lock, whoever in it holds it.
 * Goes from one local holder to the next by local hand-off. Guarded by its gate, but for
 * the deadline, which may be read at any time.
 */
final class Lease extends Timed {

	private final LeaseWatch watch;

	final Gate gate;

	/** The sequence number of the token. */
	final long sequence;

	final long grantedAt;

	/** Before the request was sent to which the store last said yes. */
	private volatile long sentAt;

	private volatile long length;

	long nextFencingToken;

	/** How many local hand-offs are left; each takes a fencing token. */
	int handoffsLeft;

	/** When to ask the store for another length, or zero. */
	long adjustAt;

	/** When to try a failed renewal again, or zero. */
	long retryAt;

	boolean renewing;

	/** The renewal under way is to give the lease another length. */
	boolean adjusting;

	@Nullable Throwable lastFailure;

	Lease(LeaseWatch watch, Gate gate, long sequence, long sentAt, long length, long grantedAt) {
		this.watch = watch;
		this.gate = gate;
		this.sequence = sequence;
		this.sentAt = sentAt;
		this.length = length;
		this.grantedAt = grantedAt;
	}

	/**
	 * Return when the store ends the lease, at the earliest.
	 */
	long endsAt() {
		return this.sentAt + this.length;
	}

	long deadline() {
		return LeaseTimes.deadline(this.sentAt, this.length);
	}

	long riskAt() {
		return LeaseTimes.riskAt(this.sentAt, this.length);
	}

	/**
	 * The store said yes.
	 */
	void renewed(long sentAt, long length) {
		// The earlier of the two possible deadlines is in force between the two writes
		if (length < this.length) {
			this.length = length;
			this.sentAt = sentAt;
		}
		else {
			this.sentAt = Math.max(this.sentAt, sentAt);
			this.length = length;
		}
		this.lastFailure = null;
		this.retryAt = 0;
		this.adjusting = false;
	}

	/**
	 * A request for a shorter lease was sent: from now on the store may follow it.
	 */
	void shorten(long sentAt, long length) {
		if (LeaseTimes.deadline(sentAt, length) < deadline()) {
			renewed(sentAt, length);
		}
	}

	/**
	 * Return when the lease has to be renewed for a holder who wants it: an interval
	 * after a lease of the wanted length would have started.
	 */
	long renewAt(LockOptions options) {
		if (this.retryAt != 0) {
			return this.retryAt;
		}
		return this.sentAt + this.length - options.lease().toNanos() + options.effectiveRenewInterval().toNanos();
	}

	@Override
	void fire(long now) {
		this.watch.event(this, now);
	}

	@Override
	public String toString() {
		return "lease of lock '" + this.gate.name + "'";
	}

}
