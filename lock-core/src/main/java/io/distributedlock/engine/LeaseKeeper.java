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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.OnLost;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a lease, from the grant to its end. Its methods are the events of a lease
 * that is held; each is called with the gate locked, changes the hold and the lease, and
 * requests actions through {@link Effects}. Nothing here waits, calls the store or reads
 * a clock, so a store that hangs cannot delay the notice of a loss.
 *
 * <p>
 * <b>Renewal.</b> The timer {@linkplain #due reports} a lease when it has to be extended,
 * is at risk, or is over. At most one request for a lease is {@linkplain Lease#underWay
 * under way}; the next one waits for its answer, and computes the requested length only
 * then. A request for a shorter lease brings the deadline forward before it is sent,
 * because the store may apply it unnoticed; one for a longer lease counts from its answer
 * on.
 *
 * <p>
 * <b>Loss.</b> A lease that was not confirmed in time, or that the store no longer knows,
 * is taken from its holder. The interrupt of the holder is delivered after the gate was
 * unlocked. A release sees it and calls it off or takes it back, so that it never hits
 * later work of the thread.
 *
 * <p>
 * <b>Release.</b> With the last handle the lease goes to the next local waiter, or back
 * to the store, immediately or at the end of its minimum hold. At the same time the local
 * waiters get a contender of their own, whose request is sent after the release, on the
 * same connection, and so stands in the queue behind those of other instances.
 */
final class LeaseKeeper {

	private static final long LONGEST_LEASE = LockOptions.LONGEST.toNanos();

	private static final long LONGEST_RETRY = 500 * Lease.MILLI;

	/** Lengthens no lease. */
	static final Duration SHORTEST = Duration.ofMillis(1);

	private final String instance;

	private final Contention contention;

	private final String store;

	private final int longHoldFactor;

	/** A race only logs twice. */
	private boolean warned;

	LeaseKeeper(String instance, Contention contention, String store, int longHoldFactor) {
		this.instance = instance;
		this.contention = contention;
		this.store = store;
		this.longHoldFactor = longHoldFactor;
	}

	// Time

	void due(Lease lease, long now, Effects effects) {
		assert lease.gate.isLocked();
		Hold hold = lease.gate.holdOf(lease.sequence);
		if (hold == null) {
			return;
		}
		if (hold.isOver(now)) {
			expire(hold, now, effects);
			return;
		}
		if (isOwnerDead(hold)) {
			lose(hold, LossCause.OWNER_DIED,
					"The thread '" + hold.ownerName() + "' died without unlocking it. Unlock in a finally block.", now,
					effects);
			effects.giveBack(hold);
			return;
		}
		if (hold.get() == null) {
			effects.releaseForgotten(hold);
		}
		if (hold.state() == LockState.HELD && now >= lease.riskAt()) {
			hold.state(LockState.AT_RISK);
			effects.tell(new LockEvent.AtRisk(lease.gate.name, hold.options().declaredName(), hold.fencingToken,
					lease.remaining(now)));
		}
		if (!this.contention.isListening()) {
			// An operator may take the lock by force, and the holder must learn of it
			effects.listen();
		}
		if (isHeldLong(hold, now)) {
			hold.incidents().longHoldTold = true;
			effects.heldLong(hold, now);
		}
		if (hold.isExtensionDue(now)) {
			lease.renewing = true;
			lease.beginAdjustment(lease.adjustAt() != 0);
			effects.renew(hold);
		}
		if (now >= lease.askAt(hold.since)) {
			lease.asking(now);
			effects.ask(lease);
		}
		effects.schedule(lease, hold.nextLook());
	}

	/**
	 * Whether to warn about a hold. The timer visits a renewed lease several times in its
	 * length, so this needs no schedule of its own. A hold with a maximum states how long
	 * is normal for it, and ends there.
	 */
	private boolean isHeldLong(Hold hold, long now) {
		return this.longHoldFactor > 0 && hold.wantsRenewal() && hold.options().maxHold() == null
				&& (now - hold.since) / hold.options().lease().toNanos() >= this.longHoldFactor
				&& !hold.incidents().longHoldTold;
	}

	private static boolean isOwnerDead(Hold hold) {
		Thread owner = hold.owner();
		return hold.boundToOwner && owner != null && !owner.isAlive();
	}

	// Extension

	void adopt(Hold hold, LockOptions options, Effects effects) {
		hold.options(options);
		if (hold.lease.gate.isHeld(hold)) {
			effects.schedule(hold.lease, hold.nextLook());
		}
		else if (hold.loss() != null) {
			// It was lost as long as the other options applied
			interrupt(hold, effects);
		}
	}

	/**
	 * A batch of renewals is about to be sent.
	 * @return the request for a lease, or {@code null} if it needs none, or none before
	 * another request is answered
	 */
	@Nullable LeaseExtension renewal(Lease lease, long now, Effects effects) {
		assert lease.gate.isLocked();
		Hold hold = lease.gate.holdOf(lease.sequence);
		if (!lease.renewing) {
			// While the batch was waiting, the holder asked for more and was answered
			return null;
		}
		if (hold == null || hold.isOver(now) || lease.underWay) {
			lease.renewing = false;
			return null;
		}
		long length = hold.wantsRenewal() ? hold.wantedLease(now) : hold.options().lease().toNanos();
		return request(hold, length, now, effects);
	}

	LeaseExtension extension(Hold hold, Duration additional, long now, Effects effects) {
		long length = Math.min(left(hold, now) + Math.min(LONGEST_LEASE, Lease.nanos(additional)), LONGEST_LEASE);
		return requestOfHolder(hold, length, now, effects);
	}

	/**
	 * A holder asks for a minimum remaining length.
	 */
	LeaseExtension refreshment(Hold hold, Duration length, long now, Effects effects) {
		long wanted = Math.min(length.toNanos(), hold.maxHoldEndsAt() - now);
		return requestOfHolder(hold, Math.max(left(hold, now), wanted), now, effects);
	}

	/**
	 * Return the rest of a lease or, if an adjustment is due, the length that it was
	 * about to get. The adjustment then needs no request of its own.
	 */
	private static long left(Hold hold, long now) {
		Lease lease = hold.lease;
		lease.beginAdjustment(lease.isAdjusting() || lease.adjustAt() != 0);
		long left = Math.max(lease.endsAt() - now, 0);
		return lease.isAdjusting() ? Math.max(left, hold.wantedLease(now)) : left;
	}

	private LeaseExtension requestOfHolder(Hold hold, long length, long now, Effects effects) {
		hold.extendedUntil(now + length);
		LeaseExtension request = request(hold, length, now, effects);
		hold.lease.mayEndAt(now + length);
		return request;
	}

	/**
	 * A request that comes late, over an old connection, must not shorten what was
	 * granted after it. Only a request that is meant to shorten the lease is therefore
	 * allowed to.
	 */
	private LeaseExtension request(Hold hold, long length, long now, Effects effects) {
		Lease lease = hold.lease;
		assert lease.gate.isLocked();
		boolean shorter = now + length < lease.endsAtLatest();
		lease.underWay = true;
		if (lease.shorten(now, length)) {
			effects.schedule(lease, hold.nextLook());
		}
		return new LeaseExtension(lease.gate.name, tokenOf(lease), Duration.ofNanos(length),
				shorter ? LeaseExtension.Mode.EXACTLY : LeaseExtension.Mode.AT_LEAST, lease.gate.limit());
	}

	/**
	 * The store answered a request, or did not.
	 * @param sentAt before the sending of the request
	 */
	void answered(Lease lease, LeaseExtension request, long sentAt, @Nullable ExtendOutcome outcome,
			@Nullable Throwable failure, long now, Effects effects) {
		assert lease.gate.isLocked();
		long length = request.lease().toNanos();
		boolean renewing = lease.renewing;
		lease.renewing = false;
		effects.complete(lease.answered(), failure);
		if (failure != null) {
			lease.mayEndAt(now + length);
		}
		Hold hold = lease.gate.holdOf(lease.sequence);
		if (hold == null) {
			return;
		}
		if (failure != null || outcome == null) {
			long interval = hold.options().effectiveRenewInterval().toNanos();
			lease.failed(failure, now + Math.min(interval / 4, LONGEST_RETRY));
			if (renewing && failure != null && hold.wantsRenewal()) {
				effects.tell(new LockEvent.RenewalFailed(lease.gate.name, hold.options().declaredName(),
						hold.fencingToken, lease.remaining(now), failure));
			}
			effects.schedule(lease, hold.nextLook());
		}
		else if (outcome == ExtendOutcome.EXTENDED && hold.isOver(now)) {
			// The handle may have said so already, and must not take it back
			expire(hold, now, effects);
		}
		else if (outcome == ExtendOutcome.EXTENDED) {
			if (request.mode() == LeaseExtension.Mode.EXACTLY) {
				lease.endsForSure();
			}
			hold.confirmed(sentAt, length);
			if (renewing && hold.wantsRenewal()) {
				effects.tell(new LockEvent.Renewed(lease.gate.name, hold.options().declaredName(), hold.fencingToken,
						lease.remaining(now)));
			}
			if (length != hold.wantedLease(sentAt)) {
				// The holder before has asked for it
				this.contention.begin(hold);
			}
			effects.schedule(lease, hold.nextLook());
		}
		else {
			loseInStore(hold, outcome == ExtendOutcome.OTHER, now, effects);
		}
	}

	// Loss

	/**
	 * The store answered whether a lock that may have been taken by force is still held,
	 * or did not answer: {@code null}.
	 * @return whether to ask again
	 */
	boolean lookedUp(Lease lease, @Nullable ExtendOutcome outcome, long now, Effects effects) {
		assert lease.gate.isLocked();
		if (outcome == null || outcome == ExtendOutcome.EXTENDED) {
			return lease.suspectAgain();
		}
		Hold hold = lease.gate.holdOf(lease.sequence);
		if (hold != null) {
			loseInStore(hold, outcome == ExtendOutcome.OTHER, now, effects);
		}
		return false;
	}

	/**
	 * The store reports that a lock changed. It is asked a moment later.
	 */
	void changed(Hold hold, long now, Effects effects) {
		hold.lease.changed(now);
		effects.schedule(hold.lease, hold.nextLook());
	}

	/**
	 * This instance changed a lock, so that the store watches it for none of its holders
	 * here. One of them is enough to have it watched again, however often callers come
	 * and go.
	 */
	void watchAgain(Gate gate, long now, Effects effects) {
		Hold hold = gate.watched();
		if (hold != null) {
			hold.lease.askForAll(gate.nextQuestion(now));
			effects.schedule(hold.lease, hold.nextLook());
		}
	}

	/**
	 * The store may have lost leases.
	 * @param since when it may have lost the last one
	 * @return the question whether it has this one, or {@code null} if that is known
	 */
	@Nullable LeaseExtension doubt(Lease lease, long since, long now) {
		assert lease.gate.isLocked();
		Hold hold = lease.gate.holdOf(lease.sequence);
		boolean held = hold != null && !hold.isOver(now);
		return (held && !lease.isConfirmedSince(since)) ? question(lease) : null;
	}

	/**
	 * Return an extension that extends nothing, and therefore only asks whether the store
	 * has a lease.
	 */
	LeaseExtension question(Lease lease) {
		return new LeaseExtension(lease.gate.name, tokenOf(lease), SHORTEST, LeaseExtension.Mode.AT_LEAST,
				lease.gate.limit());
	}

	LockToken tokenOf(Lease lease) {
		return new LockToken(this.instance, lease.sequence);
	}

	/**
	 * The store answered whether it still has a lease.
	 * @param sentAt before the sending of the question
	 * @param interrupted whether it was asked because of an interruption
	 */
	void confirmed(Lease lease, ExtendOutcome outcome, long sentAt, boolean interrupted, long now, Effects effects) {
		assert lease.gate.isLocked();
		Hold hold = lease.gate.holdOf(lease.sequence);
		if (outcome == ExtendOutcome.EXTENDED) {
			lease.confirmed(sentAt);
			lease.askedForAll();
		}
		else if (hold != null && hold.isOver(now)) {
			expire(hold, now, effects);
		}
		else if (hold != null) {
			boolean taken = outcome == ExtendOutcome.OTHER;
			lose(hold, interrupted ? lossAfterInterruption(hold, taken, now) : lossInStore(hold, taken, now), now,
					effects);
		}
	}

	private static LockEvent.Lost lossAfterInterruption(Hold hold, boolean taken, long now) {
		if (hold.lease.isSuspected()) {
			return lossInStore(hold, taken, now);
		}
		String found = " after an interruption or a flush: probably the server restarted without it, a replica took over that did not have it yet, or somebody deleted it.";
		return taken ? loss(hold, LossCause.TAKEN_BY_OTHER,
				"Another holder has it now; it was gone from the store" + found, now)
				: loss(hold, LossCause.KEY_VANISHED, "It was gone from the store" + found, now);
	}

	/**
	 * Report the loss now if the deadline has passed but the timer has not noticed yet.
	 */
	void expireIfOver(Hold hold, long now, Effects effects) {
		if (hold.isActive() && hold.isOver(now)) {
			expire(hold, now, effects);
		}
	}

	private void expire(Hold hold, long now, Effects effects) {
		Lease lease = hold.lease;
		long late = now - lease.deadline();
		if (late > Math.max(100 * Lease.MILLI, hold.options().lease().toNanos() / 10)) {
			lose(hold, LossCause.PROCESS_PAUSED, "This JVM stood still for at least "
					+ Printable.elapsed(Duration.ofNanos(late))
					+ ", or its time of day was set ahead, and it could not renew the lease: look for long garbage collections, a suspended machine, an overloaded host, or a clock that is set in steps. Let chrony or ntpd adjust the clock slowly.",
					now, effects);
		}
		else if (!hold.wantsRenewal() && lease.lastFailure() == null
				&& !lease.isShorterThan(hold.options().lease().toNanos())) {
			lose(hold, LossCause.LEASE_EXPIRED, "Its lease of " + Printable.of(hold.options().lease())
					+ " is running out and is not renewed; the work was not done after "
					+ Printable.elapsed(Duration.ofNanos(now - hold.since)) + ": use a longer timeout, or autoRenew.",
					now, effects);
		}
		else if (lease.endsAt() >= hold.maxHoldEndsAt()) {
			lose(hold, LossCause.MAX_HOLD_REACHED,
					"Its maximum hold of " + Printable.of(Objects.requireNonNull(hold.options().maxHold()))
							+ " was reached: raise maxHold, or find out why the work takes so long.",
					now, effects);
		}
		else {
			Throwable failure = lease.lastFailure();
			// It says what to do, and may be a refusal of a store that is up
			String why = (failure != null) ? ". The last failure was: " + failure.getMessage()
					: ": check whether it is down, slow or unreachable.";
			lose(hold, LossCause.STORE_UNREACHABLE,
					"The lock store " + this.store + " did not confirm the lease in time" + why, now, effects);
		}
	}

	private void loseInStore(Hold hold, boolean taken, long now, Effects effects) {
		lose(hold, lossInStore(hold, taken, now), now, effects);
	}

	private static LockEvent.Lost lossInStore(Hold hold, boolean taken, long now) {
		if (hold.lease.isSuspected()) {
			return loss(hold, LossCause.FORCED,
					"An operator took it by force; the log of the instance that did so names the operator.", now);
		}
		if (taken) {
			return loss(hold, LossCause.TAKEN_BY_OTHER,
					"Another holder has it now: it was deleted or expired in the store, and acquired again.", now);
		}
		return loss(hold, LossCause.KEY_VANISHED,
				"It was gone from the store before its time: deleted, flushed, evicted for lack of memory, or not replicated before a failover or restart.",
				now);
	}

	void lose(Hold hold, LossCause cause, String explanation, long now, Effects effects) {
		lose(hold, loss(hold, cause, explanation, now), now, effects);
	}

	private void lose(Hold hold, LockEvent.Lost loss, long now, Effects effects) {
		try {
			tell(hold, loss, effects);
			interrupt(hold, effects);
			boolean ofAll = loss.cause() == LossCause.KEY_VANISHED || loss.cause() == LossCause.TAKEN_BY_OTHER;
			if (ofAll && hold.lease.isAskingForAll() && hold.lease.gate.mayAskAll(now)) {
				effects.askOthers(hold);
			}
		}
		finally {
			// Even if there is no memory for a thread that notifies
			this.contention.vacate(hold, now, effects);
		}
	}

	private static void interrupt(Hold hold, Effects effects) {
		Thread owner = hold.owner();
		if (hold.options().onLost() == OnLost.INTERRUPT && owner != null && hold.interrupt() == null) {
			hold.incidents().interrupt(owner);
			effects.interrupt(hold);
		}
	}

	/**
	 * The holder finds out only from its handle.
	 */
	void loseSilently(Hold hold, String explanation, long now, Effects effects) {
		mark(hold, loss(hold, LossCause.SHUTDOWN, explanation, now));
		hold.incidents().takeCallbacks();
		this.contention.vacate(hold, now, effects);
	}

	/**
	 * The answer to a release revealed that the lock had been lost before.
	 */
	LockEvent.Lost lostAtRelease(Hold hold, boolean taken, long now, Effects effects) {
		LockEvent.Lost loss = lossInStore(hold, taken, now);
		tell(hold, loss, effects);
		return loss;
	}

	private static LockEvent.Lost loss(Hold hold, LossCause cause, String explanation, long now) {
		return new LockEvent.Lost(hold.lease.gate.name, hold.options().declaredName(),
				Duration.ofNanos(now - hold.since), hold.fencingToken, hold.options().lease(), cause, explanation,
				hold.lease.sinceConfirmed(now));
	}

	private static void mark(Hold hold, LockEvent.Lost loss) {
		assert hold.lease.gate.isLocked();
		hold.incidents().loss = loss;
		hold.state(LockState.LOST);
	}

	private static void tell(Hold hold, LockEvent.Lost loss, Effects effects) {
		mark(hold, loss);
		effects.lost(hold, loss, hold.incidents().takeCallbacks());
	}

	/**
	 * Call back when a lock is lost.
	 * @return the loss if it was lost before, so that no callback follows
	 */
	LockEvent.@Nullable Lost onLost(Handle handle, Consumer<LockEvent.Lost> callback) {
		Hold hold = handle.hold();
		assert hold.lease.gate.isLocked();
		LockEvent.Lost loss = hold.loss();
		if (loss == null && hold.isActive() && !handle.isClosed()) {
			hold.incidents().callback(handle, callback);
		}
		return loss;
	}

	// Release

	/**
	 * With the last handle the holder is done.
	 * @return the loss, if the lock had been lost before
	 */
	LockEvent.@Nullable Lost close(Handle closing, long now, Effects effects) {
		Hold hold = closing.hold();
		assert hold.lease.gate.isLocked();
		hold.closing();
		expireIfOver(hold, now, effects);
		if (hold.closeOne(closing)) {
			return hold.loss();
		}
		Thread owner = hold.owner();
		if (owner != null && owner != Thread.currentThread()) {
			warnOfOtherThread(hold, owner, effects);
		}
		return release(hold, now, effects);
	}

	LockEvent.@Nullable Lost forgotten(Hold hold, long now, Effects effects) {
		assert hold.lease.gate.isLocked();
		expireIfOver(hold, now, effects);
		return release(hold, now, effects);
	}

	private LockEvent.@Nullable Lost release(Hold hold, long now, Effects effects) {
		Lease lease = hold.lease;
		LockEvent.Lost loss = hold.loss();
		if (loss != null) {
			if (hold.interrupt() != null) {
				// It was meant for the work under the lock, which is over
				effects.endInterrupt(hold);
			}
			if (mayBeLeft(loss)) {
				effects.giveBack(hold);
			}
			return loss;
		}
		if (!hold.isActive()) {
			return null;
		}
		lease.lingers = hold.keepUntil() > now;
		hold.state(LockState.RELEASED);
		if (!lease.lingers && this.contention.handOn(lease, now, effects)) {
			effects.handedOn(hold, now);
			return null;
		}
		CompletableFuture<@Nullable Throwable> answered = (lease.lingers && lease.underWay) ? lease.whenAnswered()
				: null;
		effects.end(hold, answered);
		this.contention.vacate(hold, now, effects);
		return null;
	}

	/**
	 * Warn once of a handle that was handed on and not detached: the thread that acquired
	 * it may have entered the lock again meanwhile, for something else.
	 */
	private void warnOfOtherThread(Hold hold, Thread owner, Effects effects) {
		if (!this.warned) {
			this.warned = true;
			effects.closedByOther(hold, owner);
		}
	}

	/**
	 * Whether the store may still keep something of a lock that was lost: a renewal may
	 * have been carried out unnoticed, and a request that was under way when the lock was
	 * granted by a push may have entered the queue after it had been taken away.
	 */
	private static boolean mayBeLeft(LockEvent.Lost loss) {
		return switch (loss.cause()) {
			case LEASE_EXPIRED, MAX_HOLD_REACHED, STORE_UNREACHABLE, PROCESS_PAUSED, KEY_VANISHED, TAKEN_BY_OTHER,
					FORCED ->
				true;
			// Given back when they were lost
			case OWNER_DIED, SHUTDOWN -> false;
		};
	}

}
