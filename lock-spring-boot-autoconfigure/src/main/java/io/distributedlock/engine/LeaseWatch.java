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
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

import io.distributedlock.LockEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.OnLost;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Watches the leases that are held: has them renewed, and tells their holders when they
 * are at risk or lost. Its {@link #event} runs in the thread of the timer and only looks
 * at the clock, so a store that hangs cannot delay the news of a loss.
 */
final class LeaseWatch {

	private static final Log logger = LogFactory.getLog(LeaseWatch.class);

	private static final long NEVER = Long.MAX_VALUE;

	private static final long LONGEST_LEASE = Duration.ofDays(3650).toNanos();

	private static final long LONGEST_RETRY = 500 * LeaseTimes.MILLI;

	private final Core core;

	private final LockEngine engine;

	private final Renewals renewals;

	LeaseWatch(Core core, LockEngine engine) {
		this.core = core;
		this.engine = engine;
		this.renewals = new Renewals(core, this);
	}

	/**
	 * Start to watch the lease of a hold. The gate must be locked.
	 */
	void start(Hold hold) {
		Lease lease = hold.lease;
		long wanted = hold.options.lease().toNanos();
		long left = lease.endsAt() - hold.since;
		// A short section ends before the lease is adjusted, and saves the command
		boolean suits = Math.abs(left - wanted) <= wanted / 10;
		if (suits) {
			lease.adjustAt(0);
		}
		else if (lease.adjustAt() == 0) {
			lease.adjustAt(hold.since + Math.min(left / 10, LeaseTimes.nanos(this.core.settings().handoffWindow())));
		}
		schedule(hold);
	}

	/**
	 * Have the timer look at a lease when something is due. The gate must be locked.
	 */
	void schedule(Hold hold) {
		Lease lease = hold.lease;
		long next = lease.deadline();
		if (hold.state() == LockState.HELD) {
			next = Math.min(next, lease.riskAt());
		}
		if (!lease.renewing && !lease.underWay) {
			next = Math.min(next, extensionDue(hold));
		}
		this.core.timer().schedule(lease, next);
	}

	private static long extensionDue(Hold hold) {
		if (hold.lease.adjustAt() != 0) {
			return hold.lease.adjustAt();
		}
		if (!hold.wantsRenewal()) {
			return NEVER;
		}
		long due = hold.lease.renewAt(hold.options);
		return (due < hold.renewableUntil()) ? due : NEVER;
	}

	/**
	 * Look at a lease. Called by the timer.
	 */
	void event(Lease lease, long now) {
		Gate gate = lease.gate;
		gate.stripe.lock.lock();
		try {
			Hold hold = gate.hold;
			if (hold == null || hold.lease != lease) {
				return;
			}
			if (now >= lease.deadline()) {
				expire(hold, now);
				return;
			}
			if (isOwnerDead(hold)) {
				lose(hold, LossCause.OWNER_DIED,
						"The thread '" + ownerName(hold) + "' died without unlocking it. Unlock in a finally block.",
						now);
				this.engine.giveBackLater(hold);
				return;
			}
			if (hold.get() == null) {
				this.core.threads().io(() -> this.engine.releaseForgotten(hold));
			}
			if (hold.state() == LockState.HELD && now >= lease.riskAt()) {
				hold.state(LockState.AT_RISK);
				tellAtRisk(hold, lease.deadline() - now);
			}
			if (!lease.renewing && !lease.underWay && now >= extensionDue(hold)) {
				lease.renewing = true;
				lease.beginAdjustment(lease.adjustAt() != 0);
				this.renewals.add(lease, hold.options.effectiveRenewInterval().toNanos());
			}
			schedule(hold);
		}
		finally {
			gate.stripe.lock.unlock();
		}
	}

	private static boolean isOwnerDead(Hold hold) {
		return hold.boundToOwner && hold.owner != null && !hold.owner.isAlive();
	}

	static String ownerName(Hold hold) {
		return (hold.owner != null) ? hold.owner.getName() : "async";
	}

	private void tellAtRisk(Hold hold, long left) {
		LockEvent.AtRisk event = new LockEvent.AtRisk(hold.lease.gate.name, hold.options.label(),
				Duration.ofNanos(left));
		this.core.threads().callback(() -> this.core.announcer().tell(event));
	}

	/**
	 * Return the extension to send for a lease, or {@code null} if it needs none any
	 * more, or none before another request is answered.
	 */
	@Nullable LeaseExtension extensionOf(Lease lease, long now) {
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
			schedule(hold);
		}
		return new LeaseExtension(lease.gate.name, this.core.token(lease), Duration.ofNanos(length));
	}

	/**
	 * The store answered an extension, or did not.
	 */
	void extended(Lease lease, long sentAt, long length, @Nullable ExtendOutcome outcome, @Nullable Throwable failure) {
		Gate gate = lease.gate;
		CompletableFuture<Void> turn;
		gate.stripe.lock.lock();
		try {
			lease.renewing = false;
			turn = lease.answered();
			Hold hold = gate.hold;
			if (hold != null && hold.lease == lease) {
				extended(hold, sentAt, length, outcome, failure);
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		if (turn != null) {
			turn.complete(null);
		}
	}

	private void extended(Hold hold, long sentAt, long length, @Nullable ExtendOutcome outcome,
			@Nullable Throwable failure) {
		Lease lease = hold.lease;
		long now = this.core.now();
		if (failure != null || outcome == null) {
			long interval = hold.options.effectiveRenewInterval().toNanos();
			lease.failed((failure != null) ? Failures.unwrap(failure) : null,
					now + Math.min(interval / 4, LONGEST_RETRY));
			schedule(hold);
		}
		else if (outcome == ExtendOutcome.EXTENDED) {
			confirmed(hold, sentAt, length);
		}
		else {
			vanished(hold, outcome == ExtendOutcome.OTHER, now);
		}
	}

	/**
	 * The last request of a bid was answered after the bid had been granted by a push.
	 * The gate must be locked.
	 * @param granted whether the lease started anew with that request
	 * @return to be completed after the gate was unlocked, or {@code null}
	 */
	@Nullable CompletableFuture<Void> answered(Lease lease, long sentAt, long length, boolean granted) {
		CompletableFuture<Void> turn = lease.answered();
		Hold hold = lease.gate.hold;
		if (hold != null && hold.lease == lease) {
			if (granted) {
				confirmed(hold, sentAt, length);
			}
			else {
				schedule(hold);
			}
		}
		return turn;
	}

	/**
	 * The store said yes to a lease that started at the given time.
	 */
	private void confirmed(Hold hold, long sentAt, long length) {
		hold.lease.renewed(sentAt, length);
		if (hold.state() == LockState.AT_RISK) {
			hold.state(LockState.HELD);
		}
		schedule(hold);
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
			extended(lease, sentAt, extension.lease().toNanos(), outcome, failure);
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

	private static long refreshedLength(Hold hold, Duration length, long now) {
		takeOverAdjustment(hold.lease);
		return Math.max(hold.lease.endsAt() - now, length.toNanos());
	}

	private static void takeOverAdjustment(Lease lease) {
		lease.beginAdjustment(lease.isAdjusting() || lease.adjustAt() != 0);
	}

	/**
	 * Tell the loss now if the deadline has passed but the timer has not come to it yet.
	 */
	void expireIfPast(Hold hold) {
		if (hold.isActive() && this.core.now() >= hold.lease.deadline()) {
			Gate gate = hold.lease.gate;
			gate.stripe.lock.lock();
			try {
				long now = this.core.now();
				if (hold.isActive() && now >= hold.lease.deadline()) {
					expire(hold, now);
				}
			}
			finally {
				gate.stripe.lock.unlock();
			}
		}
	}

	/**
	 * The deadline has passed. The gate must be locked.
	 */
	void expire(Hold hold, long now) {
		Lease lease = hold.lease;
		long late = now - lease.deadline();
		String took = Duration.ofNanos(now - hold.since).toMillis() + " ms";
		if (late > Math.max(100 * LeaseTimes.MILLI, hold.options.lease().toNanos() / 10)) {
			lose(hold, LossCause.PROCESS_PAUSED, "This JVM stood still for at least " + late / LeaseTimes.MILLI
					+ " ms and could not renew the lease: look for long garbage collections, a suspended machine or an overloaded host.",
					now);
		}
		else if (!hold.wantsRenewal()) {
			lose(hold, LossCause.LEASE_EXPIRED,
					"Its lease of " + hold.options.lease().toMillis()
							+ " ms ended and was not to be renewed, and the work was not done after " + took
							+ ": use a longer timeout, or autoRenew.",
					now);
		}
		else if (now >= hold.renewableUntil() - hold.options.effectiveRenewInterval().toNanos()) {
			lose(hold, LossCause.MAX_HOLD_REACHED, "It was not renewed any more because its maximum hold of "
					+ String.valueOf(hold.options.maxHold()) + " was reached: look why the work takes so long.", now);
		}
		else {
			String last = (lease.lastFailure() != null) ? " The last failure was: " + lease.lastFailure().getMessage()
					: "";
			lose(hold, LossCause.STORE_UNREACHABLE,
					"The lock store " + this.core.store().description()
							+ " did not confirm the lease in time: look whether it is down, slow or cut off." + last,
					now);
		}
	}

	/**
	 * The store says that somebody else, or nobody, has the lock. The gate must be
	 * locked.
	 */
	private LockEvent.Lost vanished(Hold hold, boolean taken, long now) {
		return lose(hold, taken ? LossCause.TAKEN_BY_OTHER : LossCause.KEY_VANISHED, explain(taken), now);
	}

	private static String explain(boolean taken) {
		return taken ? "Somebody else has it now: it was deleted or expired in the store, and taken again."
				: "It was gone from the store before its time: deleted, flushed, evicted for lack of memory, or not replicated before a failover or restart.";
	}

	/**
	 * The answer to a release told that the lock had been lost before.
	 */
	LockEvent.Lost lostAtRelease(Hold hold, boolean taken, long now) {
		LockEvent.Lost loss = loss(hold, taken ? LossCause.TAKEN_BY_OTHER : LossCause.KEY_VANISHED, explain(taken),
				now);
		Gates.Stripe stripe = hold.lease.gate.stripe;
		stripe.lock.lock();
		try {
			tell(hold, loss);
		}
		finally {
			stripe.lock.unlock();
		}
		return loss;
	}

	private static LockEvent.Lost loss(Hold hold, LossCause cause, String explanation, long now) {
		return new LockEvent.Lost(hold.lease.gate.name, hold.options.label(), Duration.ofNanos(now - hold.since),
				hold.fencingToken, cause, explanation);
	}

	/**
	 * The hold is lost. The gate must be locked.
	 */
	LockEvent.Lost lose(Hold hold, LossCause cause, String explanation, long now) {
		LockEvent.Lost loss = loss(hold, cause, explanation, now);
		if (hold.options.onLost() == OnLost.INTERRUPT && hold.owner != null && !hold.owner.isInterrupted()) {
			hold.incidents().ownerInterrupted = true;
			hold.owner.interrupt();
		}
		this.engine.bidding().sendLater(this.engine.vacate(hold, now));
		tell(hold, loss);
		return loss;
	}

	/**
	 * Mark a hold as lost and tell everybody. The gate must be locked.
	 */
	private void tell(Hold hold, LockEvent.Lost loss) {
		Hold.Incidents incidents = hold.incidents();
		incidents.loss = loss;
		hold.state(LockState.LOST);
		List<Consumer<LockEvent.Lost>> callbacks = incidents.takeCallbacks();
		this.core.threads().callback(() -> {
			logger.warn("Lock '" + loss.name() + "' was lost " + loss.held().toMillis()
					+ " ms after it was acquired by '" + ownerName(hold) + "'. " + loss.explanation());
			callbacks.forEach((callback) -> Announcer.guard(callback, loss));
			this.core.announcer().tell(loss);
		});
	}

	void onLost(Hold hold, Consumer<LockEvent.Lost> callback) {
		Gate gate = hold.lease.gate;
		LockEvent.Lost loss;
		gate.stripe.lock.lock();
		try {
			loss = hold.loss();
			if (loss == null) {
				if (hold.isActive()) {
					hold.incidents().callback(callback);
				}
				return;
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		LockEvent.Lost told = loss;
		this.core.threads().callback(() -> Announcer.guard(callback, told));
	}

}
