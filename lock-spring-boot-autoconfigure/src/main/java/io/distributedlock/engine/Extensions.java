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
	 * Add to a lease, after the request under way if there is one.
	 */
	CompletableFuture<Void> extend(Hold hold, Duration additional) {
		return extend(hold, (now) -> extendedLength(hold, additional, now));
	}

	/**
	 * Let at least the given length be left of a lease, counted from the sending of the
	 * request.
	 */
	CompletableFuture<Void> refresh(Hold hold, Duration length) {
		return extend(hold, (now) -> refreshedLength(hold, length, now));
	}

	private CompletableFuture<Void> extend(Hold hold, LongUnaryOperator lengthAt) {
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
				return lease.turn().thenCompose((answered) -> extend(hold, lengthAt));
			}
			sentAt = this.core.now();
			extension = prepare(hold, sentAt, lengthAt.applyAsLong(sentAt));
		}
		finally {
			gate.stripe.lock.unlock();
		}
		return this.core.store().extend(List.of(extension)).get(0).handle((outcome, failure) -> {
			answered(lease, sentAt, extension.lease().toNanos(), outcome, failure);
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
	 * The extension comes on top of the length that the lease is about to get, and makes
	 * the request for that needless.
	 */
	private static long extendedLength(Hold hold, Duration additional, long now) {
		Lease lease = hold.lease;
		long left = Math.max(lease.endsAt() - now, 0);
		takeOverAdjustment(lease);
		if (lease.isAdjusting()) {
			left = Math.max(left, hold.options.lease().toNanos());
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
		return lease.isAdjusting() ? Math.max(left, hold.options.lease().toNanos()) : left;
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
			long length = hold.options.lease().toNanos();
			if (hold.wantsRenewal()) {
				length = Math.max(length, lease.endsAt() - now);
			}
			return prepare(hold, now, length);
		}
		finally {
			gate.stripe.lock.unlock();
		}
	}

	private LeaseExtension prepare(Hold hold, long now, long length) {
		Lease lease = hold.lease;
		lease.underWay = true;
		if (lease.shorten(now, length)) {
			this.schedule.next(hold);
		}
		return new LeaseExtension(lease.gate.name, this.core.token(lease), Duration.ofNanos(length));
	}

	/**
	 * The store answered an extension, or did not.
	 */
	void answered(Lease lease, long sentAt, long length, @Nullable ExtendOutcome outcome, @Nullable Throwable failure) {
		Gate gate = lease.gate;
		CompletableFuture<Void> turn;
		gate.stripe.lock.lock();
		try {
			lease.renewing = false;
			turn = lease.answered();
			Hold hold = gate.hold;
			if (hold != null && hold.lease == lease) {
				answered(hold, sentAt, length, outcome, failure);
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		if (turn != null) {
			turn.complete(null);
		}
	}

	private void answered(Hold hold, long sentAt, long length, @Nullable ExtendOutcome outcome,
			@Nullable Throwable failure) {
		Lease lease = hold.lease;
		long now = this.core.now();
		if (failure != null || outcome == null) {
			long interval = hold.options.effectiveRenewInterval().toNanos();
			lease.failed((failure != null) ? Failures.unwrap(failure) : null,
					now + Math.min(interval / 4, LONGEST_RETRY));
			this.schedule.next(hold);
		}
		else if (outcome == ExtendOutcome.EXTENDED) {
			this.schedule.confirmed(hold, sentAt, length);
		}
		else {
			this.losses.vanished(hold, outcome == ExtendOutcome.OTHER, now);
		}
	}

}
