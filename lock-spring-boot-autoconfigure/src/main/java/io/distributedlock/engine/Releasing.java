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

import io.distributedlock.LockEvent;
import io.distributedlock.LockState;
import io.distributedlock.Printable;
import io.distributedlock.store.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Ends holds: when the last handle is closed, when nobody can reach the handle any more,
 * and after a loss, when something may be left in the store.
 *
 * <p>
 * With the gate locked it is decided what becomes of the lease: it goes to the next local
 * waiter, or back to the store at once, or to the end of its minimum hold. In the same
 * moment the local waiters get a bid of their own, which is sent after the release, on
 * the same connection, and so stands in the queue behind those of other instances. What
 * the store has to be told is noted as {@linkplain PendingReleases#owe() owed} before the
 * gate is unlocked, so whoever closes the engine can wait for it.
 */
final class Releasing {

	private static final Log logger = LogFactory.getLog(Releasing.class);

	private final Core core;

	private final Handover handover;

	private final Bidding bidding;

	private final Losses losses;

	private final PendingReleases releases;

	/** A race only logs twice. */
	private boolean warned;

	Releasing(Core core, Handover handover, Bidding bidding, Losses losses, PendingReleases releases) {
		this.core = core;
		this.handover = handover;
		this.bidding = bidding;
		this.losses = losses;
		this.releases = releases;
	}

	/**
	 * Close a handle; with the last one the lock is passed on or released.
	 */
	Release release(Handle handle) {
		return finish(handle.hold(), handle);
	}

	/**
	 * @param closing the handle that is closed, or {@code null} if nobody can reach one
	 */
	private Release finish(Hold hold, @Nullable Handle closing) {
		Lease lease = hold.lease;
		Gate gate = lease.gate;
		Bid bid = null;
		boolean passedOn = false;
		CompletableFuture<@Nullable Throwable> turn = null;
		long now;
		LockEvent.Lost loss;
		gate.stripe.lock.lock();
		try {
			now = this.core.now();
			if (hold.isActive() && now >= lease.deadline()) {
				this.losses.expire(hold, now);
			}
			if (closing != null && hold.closeOne(closing.isRenewalByReentry())) {
				loss = hold.loss();
				return (loss != null) ? Release.lost(loss) : Release.DONE;
			}
			warnOfOtherThread(hold, closing);
			if (hold.wasInterrupted() && hold.owner() == Thread.currentThread()) {
				// The interrupt was meant for the work under the lock, which is over
				Thread.interrupted();
			}
			loss = hold.loss();
			if (loss == null) {
				if (!hold.isActive()) {
					return Release.DONE;
				}
				lease.lingers = hold.keepUntil() > now;
				hold.state(LockState.RELEASED);
				passedOn = !lease.lingers && this.handover.passOn(lease, now);
				if (!passedOn) {
					turn = (lease.lingers && lease.underWay) ? lease.turn() : null;
					bid = this.bidding.vacate(hold, now);
					this.releases.owe();
				}
			}
			else if (mayBeLeft(loss)) {
				this.releases.owe();
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		if (loss != null) {
			if (mayBeLeft(loss)) {
				giveBack(hold);
			}
			return Release.lost(loss);
		}
		if (passedOn) {
			this.core.announcer().released(hold, now);
			return Release.DONE;
		}
		long keepUntil = lease.lingers ? hold.keepUntil() : PendingReleases.AT_ONCE;
		CompletableFuture<ReleaseOutcome> told = (turn != null)
				? turn.thenCompose((answered) -> this.releases.end(lease, keepUntil))
				: this.releases.end(lease, keepUntil);
		if (bid != null) {
			// Before anybody is told of the release, and may come to wait for this bid
			this.bidding.send(bid);
		}
		return Release.asked(told, (outcome, failure) -> conclude(hold, outcome, failure, now));
	}

	/**
	 * Warn once of a handle that was handed on and not detached: the thread that acquired
	 * it may have entered the lock again meanwhile, for something else.
	 */
	private void warnOfOtherThread(Hold hold, @Nullable Handle closing) {
		Thread owner = hold.owner();
		if (closing != null && owner != null && owner != Thread.currentThread() && !this.warned) {
			this.warned = true;
			logger.warn("Thread '" + Thread.currentThread().getName() + "' closes the handle of lock '"
					+ hold.lease.gate.name + "' that thread '" + owner.getName()
					+ "' acquired. Until then, the latter enters this lock again whatever it works on. Call detach() on a handle before handing it to another thread, or use acquireAsync. This is logged once.");
		}
	}

	private RuntimeException releaseFailed(Hold hold, Throwable failure) {
		RuntimeException problem = Failures.inCaller(hold.lease.gate.name, failure);
		logger.warn("Lock '" + Printable.of(hold.lease.gate.name)
				+ "' was released, but the lock store could not be told. It is told again in the background, or the lock ends with its lease. "
				+ problem.getMessage());
		this.core.announcer().tell(new LockEvent.ReleaseFailed(hold.lease.gate.name, hold.options().label(), problem));
		return problem;
	}

	/**
	 * Tell how the release went. The state was settled before, when the answer came.
	 */
	private LockEvent.@Nullable Lost conclude(Hold hold, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure,
			long now) {
		if (failure != null) {
			throw releaseFailed(hold, failure);
		}
		if (outcome == ReleaseOutcome.RELEASED) {
			this.core.announcer().released(hold, now);
			return null;
		}
		return this.losses.atRelease(hold, outcome == ReleaseOutcome.OTHER, now);
	}

	/**
	 * Whether the store may still keep a lock that was lost: a renewal may have been
	 * carried out of which we know nothing.
	 */
	private static boolean mayBeLeft(LockEvent.Lost loss) {
		return switch (loss.cause()) {
			case LEASE_EXPIRED, MAX_HOLD_REACHED, STORE_UNREACHABLE, PROCESS_PAUSED -> true;
			case KEY_VANISHED, TAKEN_BY_OTHER -> false;
			// Given back when they were lost
			case OWNER_DIED, SHUTDOWN -> false;
		};
	}

	/**
	 * Give a lost lock back in the thread for I/O.
	 */
	void giveBackLater(Hold hold) {
		assert hold.lease.gate.isLocked();
		this.releases.owe();
		this.core.threads().io(() -> giveBack(hold));
	}

	/**
	 * Give a lost lock back that may still be in the store.
	 */
	private void giveBack(Hold hold) {
		this.releases.release(hold.lease.gate.name, this.core.token(hold.lease),
				Math.max(hold.lease.endsAtLatest(), this.core.now() + hold.options().lease().toNanos()));
	}

	/**
	 * Release a hold whose handle nobody can reach any more.
	 */
	void releaseForgotten(Hold hold) {
		if (hold.isActive()) {
			logger.warn("The handle of lock '" + Printable.of(hold.lease.gate.name)
					+ "' was never closed and nobody refers to it any more; the lock is released now. Close handles in a finally block or with try-with-resources"
					+ ((hold.acquiredAt() != null) ? "." : "; log " + LockEngine.class.getName()
							+ " at debug level to see where the lock was acquired."),
					hold.acquiredAt());
			finish(hold, null).toFuture(this.core.threads());
		}
	}

	/**
	 * Let no thread own the hold any more.
	 */
	void detach(Hold hold) {
		Gates.Stripe stripe = hold.lease.gate.stripe;
		stripe.lock.lock();
		try {
			hold.detach();
		}
		finally {
			stripe.lock.unlock();
		}
	}

	/**
	 * Have the lock released without regard to its minimum hold.
	 */
	void waiveMinHold(Hold hold) {
		Gates.Stripe stripe = hold.lease.gate.stripe;
		stripe.lock.lock();
		try {
			hold.waiveMinHold();
		}
		finally {
			stripe.lock.unlock();
		}
	}

}
