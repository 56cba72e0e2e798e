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
import io.distributedlock.Printable;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store: for how long this JVM has the lock, whoever in it holds it.
 * Goes from one local holder to the next by local hand-off. Guarded by its gate, but for
 * the deadline, which may be read at any time.
 */
final class Lease extends Timed {

	final Gate gate;

	/** The sequence number of the token. */
	final long sequence;

	final long grantedAt;

	/** Before the request was sent to which the store last said yes. */
	private volatile long sentAt;

	private volatile long length;

	long nextFencingToken;

	/** How many local hand-offs are left; each takes a fencing token. */
	short handoffsLeft;

	boolean renewing;

	/**
	 * A request was sent that may change the lease in the store, and is not answered yet.
	 * The next one waits for it: if two overlapped and the answer to the second were
	 * lost, nobody would know how long the lease is.
	 */
	boolean underWay;

	/** The holder is done, but the lock stays taken to the end of its minimum hold. */
	boolean lingers;

	private @Nullable Incidents incidents;

	Lease(Gate gate, long sequence, long sentAt, long length, long grantedAt) {
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
		Incidents incidents = this.incidents;
		if (incidents != null) {
			incidents.lastFailure = null;
			incidents.retryAt = 0;
			incidents.adjusting = false;
		}
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
		Incidents incidents = incidents();
		if (incidents.turn == null) {
			incidents.turn = new CompletableFuture<>();
		}
		return incidents.turn;
	}

	/**
	 * The request under way has been answered.
	 * @return to be completed after the gate was unlocked, or {@code null}
	 */
	@Nullable CompletableFuture<Void> answered() {
		this.underWay = false;
		Incidents incidents = this.incidents;
		if (incidents == null) {
			return null;
		}
		CompletableFuture<Void> turn = incidents.turn;
		incidents.turn = null;
		return turn;
	}

	/**
	 * Return when to ask the store for another length, or zero.
	 */
	long adjustAt() {
		return (this.incidents != null) ? this.incidents.adjustAt : 0;
	}

	void adjustAt(long time) {
		if (time != 0 || this.incidents != null) {
			incidents().adjustAt = time;
		}
	}

	/**
	 * Whether the renewal under way is to give the lease another length.
	 */
	boolean isAdjusting() {
		return this.incidents != null && this.incidents.adjusting;
	}

	/**
	 * An adjustment that is due is under way with the next renewal.
	 */
	void beginAdjustment(boolean adjusting) {
		if (adjusting || this.incidents != null) {
			incidents().adjusting = adjusting;
			incidents().adjustAt = 0;
		}
	}

	/**
	 * A renewal failed.
	 * @param failure why, or {@code null} if that is unknown
	 * @param retryAt when to try again
	 */
	void failed(@Nullable Throwable failure, long retryAt) {
		Incidents incidents = incidents();
		incidents.lastFailure = failure;
		incidents.retryAt = retryAt;
		if (incidents.adjusting) {
			incidents.adjustAt = retryAt;
		}
	}

	@Nullable Throwable lastFailure() {
		return (this.incidents != null) ? this.incidents.lastFailure : null;
	}

	private Incidents incidents() {
		if (this.incidents == null) {
			this.incidents = new Incidents();
		}
		return this.incidents;
	}

	/**
	 * Return when the lease has to be renewed for a holder who wants it: an interval
	 * after a lease of the wanted length would have started.
	 */
	long renewAt(LockOptions options) {
		if (this.incidents != null && this.incidents.retryAt != 0) {
			return this.incidents.retryAt;
		}
		return this.sentAt + this.length - options.lease().toNanos() + options.effectiveRenewInterval().toNanos();
	}

	@Override
	void fire(long now) {
		this.gate.stripe.engine.watch().event(this, now);
	}

	@Override
	public String toString() {
		return "lease of lock '" + Printable.of(this.gate.name) + "'";
	}

	/**
	 * What most leases never have.
	 */
	private static final class Incidents {

		/** When to ask the store for another length, or zero. */
		private long adjustAt;

		/** When to try a failed renewal again, or zero. */
		private long retryAt;

		/** The renewal under way is to give the lease another length. */
		private boolean adjusting;

		/** Completed when the request under way is answered; null if nobody waits. */
		private @Nullable CompletableFuture<Void> turn;

		private @Nullable Throwable lastFailure;

	}

}
