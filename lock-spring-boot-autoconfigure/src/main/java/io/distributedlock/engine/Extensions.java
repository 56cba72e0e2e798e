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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;

import io.distributedlock.LockEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for more time, and takes what it answers: for renewals and adjustments,
 * which {@link Renewals} sends in batches, and for holders who ask themselves.
 *
 * <p>
 * At most one request for a lease is {@linkplain Lease#underWay under way}. If two
 * overlapped and the answer to the second were lost, the length of the lease in the store
 * would be unknown. Whoever comes second waits for his turn, and computes the length he
 * asks for only then. A request for a shorter lease brings the deadline forward before it
 * is sent, since the store may follow it without our knowledge; one for a longer lease
 * counts from its answer on.
 */
final class Extensions {

	private static final long LONGEST_LEASE = Duration.ofDays(3650).toNanos();

	private static final long LONGEST_RETRY = 500 * LeaseTimes.MILLI;

	private final Core core;

	private final LeaseSchedule schedule;

	private final Losses losses;

	Extensions(Core core, LeaseSchedule schedule, Losses losses) {
		this.core = core;
		this.schedule = schedule;
		this.losses = losses;
	}

	/**
	 * Add to a lease, after the request under way if there is one. If that is not
	 * answered, neither would be the next one: it fails with the same failure, so that a
	 * caller waits for one answer at most.
	 */
	CompletableFuture<Void> extend(Hold hold, Duration additional) {
		return extend(hold, (now) -> extendedLength(hold, additional, now), true);
	}

	/**
	 * Let at least the given length be left of a lease, counted from the sending of the
	 * request.
	 */
	CompletableFuture<Void> refresh(Hold hold, Duration length) {
		return extend(hold, (now) -> refreshedLength(hold, length, now), false);
	}

	private CompletableFuture<Void> extend(Hold hold, LongUnaryOperator lengthAt, boolean failsWithOther) {
		Lease lease = hold.lease;
		Gate gate = lease.gate;
		LeaseExtension extension;
		long sentAt;
		gate.stripe.lock.lock();
		try {
			if (gate.hold != hold) {
				LockEvent.Lost loss = hold.loss();
				return (loss != null) ? CompletableFuture.failedFuture(new LockLostException(loss))
						: CompletableFuture.completedFuture(null);
			}
			if (lease.underWay) {
				return lease.turn().thenCompose((failure) -> {
					if (failure != null && failsWithOther) {
						throw Failures.inCaller(gate.name, failure);
					}
					return extend(hold, lengthAt, failsWithOther);
				});
			}
			sentAt = this.core.now();
			long length = lengthAt.applyAsLong(sentAt);
			hold.extendedUntil(sentAt + length);
			extension = prepare(hold, sentAt, length);
			lease.mayEndAt(sentAt + length);
		}
		finally {
			gate.stripe.lock.unlock();
		}
		return this.core.store().extend(List.of(extension)).get(0).handle((outcome, failure) -> {
			answered(lease, sentAt, extension, outcome, failure);
			LockEvent.Lost loss = hold.loss();
			if (loss != null) {
				throw new LockLostException(loss);
			}
			if (failure != null) {
				throw Failures.inCaller(gate.name, failure);
			}
			return null;
		});
	}

	/**
	 * Go on with other options for a lock that is still held.
	 */
	void adopt(Hold hold, LockOptions options) {
		Gate gate = hold.lease.gate;
		gate.stripe.lock.lock();
		try {
			if (gate.hold == hold) {
				hold.options(options);
				this.schedule.next(hold);
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
	}

	/**
	 * The extension comes on top of the length that the lease is about to get, and makes
	 * the request for that needless.
	 */
	private static long extendedLength(Hold hold, Duration additional, long now) {
		Lease lease = hold.lease;
		long left = Math.max(lease.endsAt() - now, 0);
		takeOverAdjustment(lease);
		if (lease.isAdjusting()) {
			left = Math.max(left, hold.options().lease().toNanos());
		}
		return Math.min(left + Math.min(LONGEST_LEASE, LeaseTimes.nanos(additional)), LONGEST_LEASE);
	}

	/**
	 * Not shorter than the length that the lease is about to get, either.
	 */
	private static long refreshedLength(Hold hold, Duration length, long now) {
		Lease lease = hold.lease;
		long left = Math.max(lease.endsAt() - now, length.toNanos());
		takeOverAdjustment(lease);
		return lease.isAdjusting() ? Math.max(left, hold.options().lease().toNanos()) : left;
	}

	private static void takeOverAdjustment(Lease lease) {
		lease.beginAdjustment(lease.isAdjusting() || lease.adjustAt() != 0);
	}

	/**
	 * Return the extension to send for a lease, or {@code null} if it needs none any
	 * more, or none before another request is answered.
	 */
	@Nullable LeaseExtension prepare(Lease lease, long now) {
		Gate gate = lease.gate;
		gate.stripe.lock.lock();
		try {
			Hold hold = gate.hold;
			if (hold == null || hold.lease != lease || now >= lease.deadline() || lease.underWay) {
				lease.renewing = false;
				return null;
			}
			return prepare(hold, now, hold.wantsRenewal() ? hold.wantedLease(now) : hold.options().lease().toNanos());
		}
		finally {
			gate.stripe.lock.unlock();
		}
	}

	/**
	 * A request that comes late, over an old connection, must not shorten what was
	 * granted after it. So only one that is to shorten the lease says that it may.
	 */
	private LeaseExtension prepare(Hold hold, long now, long length) {
		Lease lease = hold.lease;
		boolean shorter = now + length < lease.endsAtLatest();
		lease.underWay = true;
		if (lease.shorten(now, length)) {
			this.schedule.next(hold);
		}
		return new LeaseExtension(lease.gate.name, this.core.token(lease), Duration.ofNanos(length),
				shorter ? LeaseExtension.Mode.EXACTLY : LeaseExtension.Mode.AT_LEAST);
	}

	/**
	 * The store answered an extension, or did not.
	 */
	void answered(Lease lease, long sentAt, LeaseExtension extension, @Nullable ExtendOutcome outcome,
			@Nullable Throwable failure) {
		Gate gate = lease.gate;
		CompletableFuture<@Nullable Throwable> turn;
		gate.stripe.lock.lock();
		try {
			lease.renewing = false;
			turn = lease.answered();
			if (failure != null) {
				lease.mayEndAt(this.core.now() + extension.lease().toNanos());
			}
			Hold hold = gate.hold;
			if (hold != null && hold.lease == lease) {
				answered(hold, sentAt, extension, outcome, failure);
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		if (turn != null) {
			turn.complete(failure);
		}
	}

	private void answered(Hold hold, long sentAt, LeaseExtension extension, @Nullable ExtendOutcome outcome,
			@Nullable Throwable failure) {
		Lease lease = hold.lease;
		long now = this.core.now();
		long length = extension.lease().toNanos();
		if (failure != null || outcome == null) {
			long interval = hold.options().effectiveRenewInterval().toNanos();
			lease.failed((failure != null) ? Failures.unwrap(failure) : null,
					now + Math.min(interval / 4, LONGEST_RETRY));
			this.schedule.next(hold);
		}
		else if (outcome == ExtendOutcome.EXTENDED) {
			if (extension.mode() == LeaseExtension.Mode.EXACTLY) {
				lease.endsForSure();
			}
			this.schedule.confirmed(hold, sentAt, length);
		}
		else {
			this.losses.vanished(hold, outcome == ExtendOutcome.OTHER, now);
		}
	}

}
