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

import java.util.concurrent.CompletableFuture;

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

	/**
	 * A request was sent that may change the lease in the store, and is not answered yet.
	 * The next one waits for it: if two overlapped and the answer to the second were
	 * lost, nobody would know how long the lease is.
	 */
	boolean underWay;

	/** Completed when it is answered, or {@code null} if nobody waits for that. */
	private @Nullable CompletableFuture<Void> turn;

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
			this.sentAt = sentAt;
			this.length = length;
		}
		this.lastFailure = null;
		this.retryAt = 0;
		this.adjusting = false;
	}

	/**
	 * A request is about to be sent: if it is for a shorter lease, the store may follow
	 * it from now on.
	 * @return whether the deadline is earlier now
	 */
	boolean shorten(long sentAt, long length) {
		boolean shorter = LeaseTimes.deadline(sentAt, length) < deadline();
		if (shorter) {
			this.length = length;
			this.sentAt = sentAt;
		}
		return shorter;
	}

	/**
	 * Return a future of the answer to the request under way.
	 */
	CompletableFuture<Void> turn() {
		if (this.turn == null) {
			this.turn = new CompletableFuture<>();
		}
		return this.turn;
	}

	/**
	 * The request under way has been answered.
	 * @return to be completed after the gate was unlocked, or {@code null}
	 */
	@Nullable CompletableFuture<Void> answered() {
		CompletableFuture<Void> turn = this.turn;
		this.turn = null;
		this.underWay = false;
		return turn;
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
