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

import java.time.Duration;
import java.util.Random;
import java.util.function.BiConsumer;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * The attempt of a gate to get the lock from the store for one waiter, with the lease of
 * that waiter: one token, requested repeatedly until it is granted. If the waiter leaves,
 * the next one in line takes over, with the place in the queue. Guarded by its gate.
 *
 * <p>
 * Its {@link Phase} tells whether it still wants the lock, and where its request is: a
 * request is prepared with the gate locked, handed to the store after the gate was
 * unlocked, and answered later, perhaps before its sender reports that it was sent.
 */
final class Contender implements BiConsumer<@Nullable AcquireOutcome, @Nullable Throwable> {

	private static final long SHORTEST_BACKOFF = 20 * Lease.MILLI;

	private static final long LONGEST_BACKOFF = 500 * Lease.MILLI;

	private static final long LIFE_SIGNS = 3;

	final Gate gate;

	final LockToken token;

	/** For whom it asks; for whom it asked last, once it is closed. */
	private Waiter waiter;

	/** The lease of the request that was prepared last. */
	private Duration lease;

	/** It asks once, and without a place in the queue. */
	private boolean companion;

	/** The holder beside which a companion asks to be, or {@code null}. */
	private @Nullable LockToken beside;

	/** The lease that it was granted, or {@code null}. */
	@Nullable Lease granted;

	private Phase phase = Phase.RESTING;

	/** A time before the request in flight was sent. */
	long sentAt;

	/** How many requests were prepared so far. */
	int attempts;

	/** How many of them were for a place in the queue. */
	private int signs;

	/** How many fencing tokens to reserve. */
	private short fenceBlock = 1;

	/** The secret that a grant must carry, once a place in the queue was requested. */
	private volatile long nonce;

	/** A request may have been carried out although it was not answered. */
	private boolean uncertain;

	/** State that it needs only after a refusal, or after its first waiter has left. */
	private @Nullable Refusals refusals;

	Contender(Gate gate, LockToken token, Waiter waiter) {
		this.gate = gate;
		this.token = token;
		this.waiter = waiter;
		this.lease = waiter.options.lease();
		waiter.contender = this;
	}

	Waiter waiter() {
		return this.waiter;
	}

	/**
	 * Ask for another waiter from now on.
	 */
	void serve(Waiter next) {
		// What an earlier waiter asked for may still be granted
		refusals();
		this.waiter.contender = null;
		this.waiter = next;
		next.contender = this;
	}

	/**
	 * Ask only once, and without a place in the queue.
	 * @param beside a holder of this instance that lets the request pass the waiters in
	 * the queue, or {@code null}
	 */
	void accompany(@Nullable LockToken beside) {
		this.companion = true;
		this.beside = beside;
	}

	boolean isCompanion() {
		return this.companion;
	}

	boolean isFollower() {
		return this.beside != null;
	}

	long leaseNanos() {
		return this.lease.toNanos();
	}

	/**
	 * Return the longest lease that the store may have given to this.
	 */
	long longestLease() {
		return (this.refusals != null) ? this.refusals.longestLease : leaseNanos();
	}

	private long shortestLease() {
		return (this.refusals != null) ? this.refusals.shortestLease : leaseNanos();
	}

	/**
	 * Whether a lease is too short for the waiter.
	 */
	private boolean isTooShort(long nanos) {
		long wanted = this.waiter.options.lease().toNanos();
		return nanos < wanted - wanted / 10;
	}

	/**
	 * Whether the last request asked for too short a lease: the waiter for whom it was
	 * sent has left.
	 */
	boolean askedForTooLittle() {
		return isTooShort(leaseNanos());
	}

	/**
	 * The lock was granted for too short a time. It must be given back unless a longer
	 * lease is granted as well.
	 */
	void declined() {
		this.uncertain = true;
	}

	/**
	 * Prepare the next request. It must be sent after the gate was unlocked.
	 */
	void prepare(long now, boolean queue, int fences) {
		assert this.phase == Phase.RESTING : this.phase;
		this.phase = Phase.PREPARED;
		this.fenceBlock = (short) Math.max(this.fenceBlock, fences);
		this.lease = this.waiter.options.lease();
		if (this.refusals != null) {
			this.refusals.shortestLease = Math.min(this.refusals.shortestLease, leaseNanos());
			this.refusals.longestLease = Math.max(this.refusals.longestLease, leaseNanos());
		}
		if (queue || isQueued()) {
			this.signs++;
		}
		this.attempts++;
		this.sentAt = now;
	}

	/**
	 * A request was handed to the store. It may have been answered, and the next one
	 * prepared, before its sender reported it.
	 * @return whether this was closed meanwhile, so that the sender has to clean up
	 */
	boolean sent(int attempt) {
		if (this.attempts != attempt) {
			return false;
		}
		boolean overtaken = this.phase == Phase.OVERTAKEN;
		if (overtaken || this.phase == Phase.PREPARED) {
			this.phase = overtaken ? Phase.ENDING : Phase.SENT;
		}
		return overtaken;
	}

	/**
	 * The request in flight was answered, or will not be.
	 * @return the phase before
	 */
	Phase answered() {
		assert isInFlight() : this.phase;
		Phase before = this.phase;
		this.phase = isClosed() ? Phase.CLOSED : Phase.RESTING;
		return before;
	}

	/**
	 * Granted or abandoned: nothing more is to be asked.
	 */
	void close() {
		assert !isClosed() : this.phase;
		this.waiter.contender = null;
		this.phase = switch (this.phase) {
			case PREPARED -> Phase.OVERTAKEN;
			case SENT -> Phase.ENDING;
			default -> Phase.CLOSED;
		};
	}

	Phase phase() {
		return this.phase;
	}

	boolean isClosed() {
		return this.phase.compareTo(Phase.OVERTAKEN) >= 0;
	}

	boolean isInFlight() {
		return this.phase != Phase.RESTING && this.phase != Phase.CLOSED;
	}

	/**
	 * Whether a request was prepared that is not known to be on its way.
	 */
	boolean isUnsent() {
		return this.phase == Phase.PREPARED || this.phase == Phase.OVERTAKEN;
	}

	boolean isQueued() {
		return this.signs > 0;
	}

	AcquireRequest request(Random random) {
		AcquireRequest.Waiting waiting = null;
		if (isQueued()) {
			while (this.nonce == 0) {
				this.nonce = random.nextLong();
			}
			waiting = new AcquireRequest.Waiting(Duration.ofNanos(LIFE_SIGNS * pollInterval(leaseNanos())),
					this.signs - 1, this.nonce);
		}
		return new AcquireRequest(this.gate.name, this.token, this.lease, this.fenceBlock, waiting, this.gate.limit(),
				this.beside);
	}

	/**
	 * Whether a notice comes from the store, and is about this contender: any client may
	 * know the token, but only the store has the nonce.
	 */
	boolean isNotified(Grant grant) {
		return grant.token().equals(this.token) && this.nonce != 0 && grant.nonce() == this.nonce;
	}

	@Override
	public void accept(@Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
		this.gate.engine.answered(this, outcome, failure);
	}

	boolean wasAnswered() {
		return holder() != null;
	}

	@Nullable LockInfo holder() {
		return (this.refusals != null) ? this.refusals.holder : null;
	}

	@Nullable Throwable failure() {
		return (this.refusals != null) ? this.refusals.failure : null;
	}

	/**
	 * Return a time before the sending of the last request that was answered with "busy",
	 * or of the first one: a grant that is pushed happened after it.
	 */
	long grantAfter() {
		return (this.refusals != null) ? this.refusals.grantAfter : this.sentAt;
	}

	/**
	 * A grant was pushed while a request is in flight: ask again immediately.
	 */
	void hint() {
		refusals().hinted = true;
	}

	/**
	 * A holder in this JVM made way for the waiters before the first request.
	 */
	void vacated() {
		refusals().vacatedAt = this.sentAt;
	}

	/**
	 * Whether the lock was held in this JVM at the given time.
	 */
	boolean isVacatedSince(long time) {
		return this.refusals != null && time <= this.refusals.vacatedAt;
	}

	private Refusals refusals() {
		if (this.refusals == null) {
			this.refusals = new Refusals(this.sentAt, leaseNanos());
		}
		return this.refusals;
	}

	/**
	 * Take note of a "busy".
	 * @return how long to wait before the next request
	 */
	long busy(long now, AcquireOutcome.Busy busy, LockInfo holder) {
		Refusals refusals = refusals();
		if (this.sentAt != refusals.grantAfter) {
			refusals.longestGap = Math.max(refusals.longestGap, now - refusals.grantAfter);
		}
		refusals.grantAfter = this.sentAt;
		// Spreads out contenders that began together or were delayed together
		boolean beginning = refusals.holder == null || refusals.failures > 0;
		double part = beginning ? this.gate.engine.jitter(0.5) : 1;
		long delay = (long) (pollInterval(leaseNanos()) * part);
		refusals.holder = holder;
		refusals.lastFence = busy.fencingToken();
		refusals.failure = null;
		refusals.failures = 0;
		if (busy.remaining() != null) {
			// A dead holder does not renew: ask again when its lease ends
			delay = Math.min(delay, Lease.nanos(busy.remaining()) + 2 * Lease.MILLI);
		}
		if (refusals.hinted) {
			refusals.hinted = false;
			return 0;
		}
		return delay;
	}

	/**
	 * Whether a pushed grant can be taken as it is: it certainly happened after
	 * {@link #grantAfter()}, enough of its short lease is left to hand it on, and it was
	 * not cut to what an earlier waiter asked for. If not, the store has to be asked. A
	 * grant may be older than the last "busy" if it ended before that request was carried
	 * out and the message is late; but then no request was carried out during its whole
	 * lease, or it would have been answered with "granted". If the lock was taken away
	 * meanwhile, the fencing token in the last "busy" shows that the grant is older.
	 */
	boolean canTake(Grant grant, long lease, long now) {
		long longestGap = (this.refusals != null) ? this.refusals.longestGap : 0;
		boolean taken = this.refusals != null && grant.fencingToken() <= this.refusals.lastFence;
		boolean mayHaveEnded = taken || longestGap >= Lease.deadline(0, lease);
		boolean cut = isTooShort(shortestLease());
		return !mayHaveEnded && !cut && Lease.deadline(grantAfter(), lease) - now >= lease / 3;
	}

	/**
	 * Take note of a failure.
	 * @return how long to wait before the next request
	 */
	long failed(Throwable failure) {
		Refusals refusals = refusals();
		refusals.failure = failure;
		// A refused request left nothing, and a release would be refused as well
		this.uncertain |= !(failure instanceof LockConfigurationException);
		long backoff = SHORTEST_BACKOFF << Math.min(refusals.failures++, 5);
		return (long) (Math.min(backoff, LONGEST_BACKOFF) * this.gate.engine.jitter(0.5));
	}

	/**
	 * Whether the answers so far leave it possible that the lock or a place in the queue
	 * was taken.
	 */
	boolean mayHaveLeftTraces() {
		return this.uncertain || (isQueued() && wasAnswered());
	}

	LockUnavailableException tooLate(long took) {
		return new LockUnavailableException(this.gate.name,
				"Lock '%s' was granted, but the answer took %s and its lease of %s can no longer be relied on. Use a longer timeout, or find out why the lock store is slow."
					.formatted(this.gate.name, Printable.elapsed(Duration.ofNanos(took)),
							Printable.of(Duration.ofNanos(leaseNanos()))),
				null);
	}

	/**
	 * Return how often a waiter confirms its place in the queue: this is its life sign,
	 * it makes up for a lost message, and it finds a lease that ended.
	 */
	static long pollInterval(long leaseNanos) {
		return Math.max(Math.min(leaseNanos / 3, Lease.SECOND), 3 * Lease.MILLI);
	}

	/**
	 * Only a contender that was refused has an alarm.
	 */
	LeaseTimer.Timed alarm() {
		Refusals refusals = refusals();
		if (refusals.alarm == null) {
			refusals.alarm = new Alarm();
		}
		return refusals.alarm;
	}

	boolean hasAlarm() {
		return this.refusals != null && this.refusals.alarm != null;
	}

	/**
	 * The last three are closed.
	 */
	enum Phase {

		RESTING,

		/** A request is prepared. Its sender has not said that it was sent. */
		PREPARED,

		SENT,

		/** Closed while a request was prepared. The sender has to clean up. */
		OVERTAKEN,

		/** Closed while a request is on its way. */
		ENDING,

		/** Closed, and no answer is to come. */
		CLOSED

	}

	/**
	 * State that a contender never needs if its first waiter is granted the lock
	 * immediately.
	 */
	private static final class Refusals {

		private long grantAfter;

		/**
		 * The longest time during which certainly no request was executed: a grant with a
		 * shorter lease may have come and ended unnoticed in that time.
		 */
		private long longestGap;

		/** The last fencing token before the last "busy", or 0. */
		private long lastFence;

		private boolean hinted;

		private @Nullable LockInfo holder;

		private @Nullable Throwable failure;

		private int failures;

		private long vacatedAt = Long.MIN_VALUE;

		private @Nullable Alarm alarm;

		/** Of the leases that were asked for. */
		private long shortestLease;

		private long longestLease;

		Refusals(long grantAfter, long leaseNanos) {
			this.grantAfter = grantAfter;
			this.shortestLease = leaseNanos;
			this.longestLease = leaseNanos;
		}

	}

	private final class Alarm extends LeaseTimer.Timed {

		@Override
		void fire(long now) {
			Contender.this.gate.engine.due(Contender.this);
		}

		@Override
		public String toString() {
			return "contender for lock '" + Printable.of(Contender.this.gate.name) + "'";
		}

	}

}
