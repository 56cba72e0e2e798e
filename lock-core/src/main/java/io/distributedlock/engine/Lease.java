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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.LongSupplier;

import io.distributedlock.LockOptions;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store: how long this JVM has the lock, regardless of the holder in the
 * JVM. Passed from one local holder to the next by local hand-off. Guarded by its gate,
 * but for the deadline, which may be read at any time.
 */
final class Lease extends LeaseTimer.Timed implements LongSupplier {

	static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	/** A shorter hold costs no question. */
	static final long WATCHED_AFTER = 500 * MILLI;

	/** Between two questions that changes cause. */
	private static final long PAUSE = 25 * MILLI;

	/** The same if other holders come and go, and each of them changes the lock. */
	static final long PAUSE_IN_COMPANY = SECOND;

	/** Some 73 years: longer times count as this, so that sums do not overflow. */
	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

	/** Written with the gate locked only, which makes it visible when it is unlocked. */
	private static final AtomicLongFieldUpdater<Lease> DEADLINE = AtomicLongFieldUpdater.newUpdater(Lease.class,
			"deadline");

	final Gate gate;

	/** The sequence number of the token. */
	final long sequence;

	/** A time before the sending of the request that gives it its end. */
	private long sentAt;

	/** A time before the sending of the last request that the store confirmed. */
	private long confirmedAt;

	private long leaseNanos;

	private volatile long deadline;

	/** How it may be handed on in this JVM, or {@code null} if it may not. */
	@Nullable Handoffs handoffs;

	/** Known from a message only, which no answer of the store has confirmed yet. */
	boolean unconfirmed;

	boolean renewing;

	/**
	 * A request that may change the lease in the store was sent and is not answered yet.
	 * The next one waits for it: if two overlapped and the answer to the second were
	 * lost, the length of the lease would be unknown.
	 */
	boolean underWay;

	/** The holder is done, but the lock stays taken to the end of its minimum hold. */
	boolean lingers;

	/** The store is to be asked to watch it. */
	private boolean toBeWatched;

	/** Also read without the gate, where a moment does not matter. */
	private volatile boolean watched;

	private @Nullable Incidents incidents;

	/**
	 * This instance itself may have ended it in the store before the release by the
	 * holder arrived there, which then finds nothing, or another holder.
	 */
	volatile boolean cleanedUp;

	Lease(Gate gate, long sequence, long sentAt, long leaseNanos) {
		this.gate = gate;
		this.sequence = sequence;
		this.confirmedAt = sentAt;
		this.toBeWatched = gate.engine.canWatch();
		start(sentAt, leaseNanos);
	}

	/**
	 * Return a lease that the store granted, according to a message.
	 * @param grantAfter a time before the grant
	 */
	static Lease pushed(Gate gate, long sequence, long grantAfter, long leaseNanos) {
		Lease lease = new Lease(gate, sequence, grantAfter, leaseNanos);
		lease.unconfirmed = true;
		return lease;
	}

	/**
	 * Return the nanoseconds of a time that may come from anywhere: negative ones count
	 * as zero, and huge ones as some 73 years.
	 */
	static long nanos(Duration duration) {
		if (duration.isNegative()) {
			return 0;
		}
		return ((duration.compareTo(LONGEST) < 0) ? duration : LONGEST).toNanos();
	}

	/**
	 * Return when a lease must be considered as ended, if the request that started it was
	 * sent at the given time: clearly before the store ends it. One percent allows for
	 * clocks of different speed, the rest for notifying the holder.
	 */
	static long deadline(long sentAt, long leaseNanos) {
		return sentAt + leaseNanos - Math.max(leaseNanos / 100, 2 * MILLI) - Math.min(leaseNanos / 10, SECOND);
	}

	/**
	 * Return when the store ends the lease, at the earliest.
	 */
	long endsAt() {
		return this.sentAt + this.leaseNanos;
	}

	/**
	 * Return when the store ends the lease, at the latest: a request that was not
	 * answered may have been carried out.
	 */
	long endsAtLatest() {
		return (this.incidents != null) ? Math.max(endsAt(), this.incidents.longestEnd) : endsAt();
	}

	@Override
	public long getAsLong() {
		return this.gate.locked(this::endsAtLatest);
	}

	/**
	 * The store may keep the lease until then.
	 */
	void mayEndAt(long time) {
		if (time > endsAtLatest()) {
			incidents().longestEnd = time;
		}
	}

	/**
	 * The store has just set the end, whatever it was before.
	 */
	void endsForSure() {
		if (this.incidents != null) {
			this.incidents.longestEnd = Long.MIN_VALUE;
		}
	}

	/**
	 * Whether it is much shorter than its holder asked for, like the lease of a pushed
	 * grant until it is extended.
	 */
	boolean isShorterThan(long wanted) {
		return this.leaseNanos < wanted - wanted / 10;
	}

	/**
	 * Return how long it is, from the last request that the store confirmed.
	 */
	long length() {
		return this.leaseNanos;
	}

	long deadline() {
		return this.deadline;
	}

	Duration remaining(long now) {
		return Duration.ofNanos(Math.max(0, deadline() - now));
	}

	long riskAt() {
		return this.sentAt + this.leaseNanos / 3 * 2;
	}

	/**
	 * The store confirmed the lease. A late answer shortens nothing: a caller that wants
	 * a shorter lease has already {@linkplain #shorten shortened it}.
	 */
	void renewed(long sentAt, long leaseNanos) {
		if (deadline(sentAt, leaseNanos) > deadline()) {
			start(sentAt, leaseNanos);
		}
		confirmed(sentAt);
		this.unconfirmed = false;
		Incidents incidents = this.incidents;
		if (incidents != null) {
			incidents.lastFailure = null;
			incidents.retryAt = 0;
			incidents.adjusting = false;
		}
	}

	private void start(long sentAt, long leaseNanos) {
		boolean ranked = this.gate.unrank(this);
		this.sentAt = sentAt;
		this.leaseNanos = leaseNanos;
		DEADLINE.lazySet(this, deadline(sentAt, leaseNanos));
		if (ranked) {
			this.gate.rank(this);
		}
	}

	/**
	 * A request is about to be sent: if it is for a shorter lease, the store may follow
	 * it from now on, or keep the longer one if it never arrives.
	 */
	boolean shorten(long sentAt, long leaseNanos) {
		boolean shorter = deadline(sentAt, leaseNanos) < deadline();
		if (shorter) {
			long longer = endsAtLatest();
			start(sentAt, leaseNanos);
			mayEndAt(longer);
		}
		return shorter;
	}

	/**
	 * Return a future that completes with the answer to the request under way: with
	 * {@code null}, or with the failure if there is none.
	 */
	CompletableFuture<@Nullable Throwable> whenAnswered() {
		Incidents incidents = incidents();
		if (incidents.whenAnswered == null) {
			incidents.whenAnswered = new CompletableFuture<>();
		}
		return incidents.whenAnswered;
	}

	/**
	 * The request under way has been answered.
	 * @return to be completed after the gate was unlocked, or {@code null}
	 */
	@Nullable CompletableFuture<@Nullable Throwable> answered() {
		this.underWay = false;
		Incidents incidents = this.incidents;
		if (incidents == null) {
			return null;
		}
		CompletableFuture<@Nullable Throwable> waiting = incidents.whenAnswered;
		incidents.whenAnswered = null;
		return waiting;
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

	/**
	 * There is a claim that the store no longer has this lease.
	 * @return whether to ask the store now; otherwise it is being asked already
	 */
	boolean suspect() {
		Incidents incidents = incidents();
		incidents.suspectedAgain = incidents.suspected;
		incidents.suspected = true;
		return !incidents.suspectedAgain;
	}

	/**
	 * The store has this lease, or did not answer.
	 * @return whether to ask it again: after another claim, since it may have answered
	 * before the lock was taken
	 */
	boolean suspectAgain() {
		Incidents incidents = incidents();
		incidents.suspected = incidents.suspectedAgain;
		incidents.suspectedAgain = false;
		return incidents.suspected;
	}

	void trust() {
		incidents().suspected = false;
		incidents().suspectedAgain = false;
	}

	boolean isSuspected() {
		return this.incidents != null && this.incidents.suspected;
	}

	/**
	 * Return when to ask the store whether it has this lease: when it is to be watched,
	 * and after a report that it changed. {@link Long#MAX_VALUE} if there is no reason.
	 * @param since when its present holder got it
	 */
	long askAt(long since) {
		long reported = (this.incidents != null) ? this.incidents.askAt : Long.MAX_VALUE;
		return this.toBeWatched ? Math.min(since + WATCHED_AFTER, reported) : reported;
	}

	/**
	 * The store reports a change. However many reports there are, the number of questions
	 * is bounded.
	 */
	void changed(long now) {
		Incidents incidents = incidents();
		long pause = (this.gate.limit() == 1) ? PAUSE : PAUSE_IN_COMPANY;
		incidents.askAt = Math.min(incidents.askAt, Math.max(now, incidents.askedAt + pause));
	}

	/**
	 * Ask at the given time, for the other holders of the lock as well.
	 */
	void askForAll(long time) {
		Incidents incidents = incidents();
		incidents.askingForAll = true;
		incidents.askAt = Math.min(incidents.askAt, time);
	}

	/**
	 * The store has this lease, and watches the lock again for all its holders.
	 */
	void askedForAll() {
		if (this.incidents != null) {
			this.incidents.askingForAll = this.incidents.askAt != Long.MAX_VALUE;
		}
	}

	boolean isAskingForAll() {
		return this.incidents != null && this.incidents.askingForAll;
	}

	/**
	 * The store is about to be asked, and to watch it from then on.
	 */
	void asking(long now) {
		this.toBeWatched = false;
		this.watched = true;
		this.gate.watch(this);
		if (this.incidents != null) {
			this.incidents.askAt = Long.MAX_VALUE;
			this.incidents.askedAt = now;
		}
	}

	/**
	 * Whether the store has been asked to watch it, and has to be asked again with each
	 * extension, which is a change as well.
	 */
	boolean isWatched() {
		return this.watched;
	}

	/**
	 * Whether the store has confirmed this lease by an answer to a request that was sent
	 * after the given time.
	 */
	boolean isConfirmedSince(long time) {
		return this.confirmedAt > time;
	}

	/**
	 * Return the time since the store is known to have had this lease: it cannot have
	 * lost it before.
	 */
	Duration sinceConfirmed(long now) {
		return Duration.ofNanos(Math.max(0, now - this.confirmedAt));
	}

	/**
	 * The store has this lease: it answered a request, or a question that lengthened
	 * nothing.
	 * @param sentAt before the sending of the request
	 */
	void confirmed(long sentAt) {
		this.confirmedAt = Math.max(this.confirmedAt, sentAt);
	}

	private Incidents incidents() {
		if (this.incidents == null) {
			this.incidents = new Incidents();
		}
		return this.incidents;
	}

	/**
	 * Return when the lease has to be renewed for a holder that wants renewal: an
	 * interval after a lease of the wanted length would have started.
	 */
	long renewAt(LockOptions options) {
		if (this.incidents != null && this.incidents.retryAt != 0) {
			return this.incidents.retryAt;
		}
		return this.sentAt + this.leaseNanos - options.lease().toNanos() + options.effectiveRenewInterval().toNanos();
	}

	@Override
	void fire(long now) {
		this.gate.engine.due(this, now);
	}

	@Override
	public String toString() {
		return "lease of lock '" + Printable.of(this.gate.name) + "'";
	}

	static final class Handoffs {

		/** The time at which other instances get their turn. */
		private final long until;

		/** How many hand-offs are left; each takes a fencing token. */
		private int left;

		private long nextFencingToken;

		Handoffs(int count, long firstFencingToken, long until) {
			this.left = count;
			this.nextFencingToken = firstFencingToken;
			this.until = until;
		}

		boolean isAllowed(long now) {
			return this.left > 0 && now < this.until;
		}

		/**
		 * Hand the lease on once, to a holder with the returned fencing token.
		 */
		long next() {
			this.left--;
			return this.nextFencingToken++;
		}

	}

	/**
	 * State that most leases never need.
	 */
	private static final class Incidents {

		/** When to ask the store for another length, or zero. */
		private long adjustAt;

		/** When to try a failed renewal again, or zero. */
		private long retryAt;

		/** The renewal under way is to give the lease another length. */
		private boolean adjusting;

		/**
		 * Completed when the request under way is answered; null if there is no waiter.
		 */
		private @Nullable CompletableFuture<@Nullable Throwable> whenAnswered;

		private @Nullable Throwable lastFailure;

		/** Whether a message claims that it was taken by force. */
		private boolean suspected;

		/** Whether another message claims it while the store is asked. */
		private boolean suspectedAgain;

		/** When to ask the store whether it has the lease, because it changed. */
		private long askAt = Long.MAX_VALUE;

		/** When the store was last asked for that reason. */
		private long askedAt = Long.MIN_VALUE / 2;

		/** If it is lost, the other holders may have lost the lock in the same way. */
		private boolean askingForAll;

		/** When the store ends the lease at the latest, if that is after its end. */
		private long longestEnd = Long.MIN_VALUE;

	}

}
