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
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.Waiter.Outcome;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * Decides which waiter of this JVM gets a lock. Its methods are the events of a gate;
 * each is called with the gate locked, changes the gate, and requests actions through
 * {@link Effects}. Nothing here waits, calls the store or reads a clock.
 *
 * <p>
 * A {@link Waiter} that {@linkplain #arrive arrives} at a {@link Gate} re-enters the
 * lock, is refused, has a {@link Contender} ask for it, or joins the line. The grant to
 * its contender, an answer or pushed by the store, becomes a {@link Lease}, and the
 * waiter gets a {@link Hold} on it. When that hold ends, the lease goes to the
 * {@linkplain #handOn next waiter} without asking the store, with the next fencing token
 * of the block that came with the grant. The number of hand-offs of a lease, and the time
 * for them after the grant, are limited, so that other instances get their turn: then the
 * lock returns to the store, and a new contender queues behind those of other instances.
 *
 * <p>
 * <b>Whose lease.</b> A contender asks for one waiter, with its lease. If that waiter
 * leaves, the first in line takes over the contender, its place in the queue and its
 * request under way. A grant that turns out to be shorter than the lease of the new
 * waiter is not passed to it: the store is asked again with the same token.
 *
 * <p>
 * <b>Who cleans up.</b> A request is prepared with the gate locked and sent after it was
 * unlocked. In between, the contender may be abandoned, or granted by a push and even
 * released. A release that was sent in that time would be carried out before the request
 * and clean up nothing. Whoever abandons a contender therefore cleans up only if its
 * request is known to be on its way. Otherwise the sender cleans up, which checks again
 * after it has {@linkplain #sent sent} the request, or the receiver of the
 * {@linkplain #answered answer}.
 *
 * <p>
 * <b>Pushed grants</b> arrive through another channel than answers, perhaps late or
 * twice, and any client with access to the messages of the store can forge one. A message
 * is therefore a hint: without the nonce of a contender that waits now it is ignored, and
 * no message makes this instance release anything else. A message with the nonce is
 * accepted only if {@link Contender#canTake(long, long)} determines that it must still be
 * valid, for no longer than the short lease of a grant, and an extension confirms the
 * lease soon after. Otherwise the store is asked again with the same token, and its
 * answer is authoritative.
 */
final class Contention {

	/** A holder that is done sooner need not learn that the lock was taken from it. */
	private static final long LISTEN_AFTER = 500 * Lease.MILLI;

	private static final long UNSUBSCRIBED_POLL = 50 * Lease.MILLI;

	/** Grants that cannot arrive must not keep a waiter out of the queue forever. */
	private static final int UNSUBSCRIBED_REQUESTS = 20;

	/** The identity of this instance in the store, which its tokens begin with. */
	private final String instance;

	private final String instanceName;

	private final AtomicLong sequence = new AtomicLong();

	private final int localHandoffs;

	private final long handoffWindow;

	/** Grants can arrive, so that it makes sense to enter the queue. */
	private volatile boolean listening;

	private volatile boolean closed;

	Contention(String instance, String instanceName, int localHandoffs, Duration handoffWindow) {
		this.instance = instance;
		this.instanceName = instanceName;
		this.localHandoffs = localHandoffs;
		this.handoffWindow = Lease.nanos(handoffWindow);
	}

	/**
	 * Admit only holders that re-enter. A gate that is locked after this has no new
	 * waiters.
	 */
	void close() {
		this.closed = true;
	}

	static LockUnavailableException closed(String name) {
		return new LockUnavailableException(name,
				"Lock '" + name + "' cannot be acquired: the lock service is shutting down.", null);
	}

	// Waiters

	/**
	 * A caller arrives. It is settled now or later.
	 * @param own the hold that the caller has already, perhaps of another gate of the
	 * same name, or {@code null}
	 */
	void arrive(Gate gate, Waiter waiter, @Nullable Hold own, long now, Effects effects) {
		assert gate.isLocked();
		if (own != null && !isCovered(own, gate.limit())) {
			settle(waiter, new Outcome.Failed(noUpgrade(waiter.name)), effects);
			return;
		}
		Handle again = (own != null) ? enterAgain(own, waiter.options, now, effects) : null;
		if (again != null) {
			settle(waiter, again, effects);
			return;
		}
		if (this.closed) {
			settle(waiter, new Outcome.Failed(closed(waiter.name)), effects);
			return;
		}
		Contender refused = waiter.waits() ? null : gate.resting();
		if (refused == null && gate.mayAsk(waiter)) {
			effects.send(open(gate, waiter, now, 1));
		}
		else if (waiter.waits() || (refused == null && gate.isAsking())) {
			// The answer that is on its way also applies to single attempts
			waiter.contended = true;
			gate.enqueue(waiter);
		}
		else {
			settle(waiter, refusal(gate.holder(), refused, now), effects);
		}
	}

	private Outcome refusal(@Nullable Hold hold, @Nullable Contender refused, long now) {
		if (hold != null || refused == null) {
			return new Outcome.Busy((hold != null) ? describe(hold, now) : null);
		}
		Throwable failure = refused.failure();
		return (failure != null) ? new Outcome.Failed(failure) : new Outcome.Busy(refused.holder());
	}

	/**
	 * Whether an existing hold covers a re-entry: the inner work must not accept fewer
	 * holders.
	 */
	static boolean isCovered(Hold own, int limit) {
		return own.lease.gate.limit() <= limit;
	}

	static LockConfigurationException noUpgrade(String name) {
		return new LockConfigurationException(name, "Lock '" + Printable.of(name)
				+ "' is already held by this caller, shared or with more permits than it asks for now. It cannot exclude the other holders while it holds the lock as well: two callers that both tried would wait for each other forever. Release the lock first, or acquire it exclusively from the start.",
				null);
	}

	private static void settle(Waiter waiter, Outcome outcome, Effects effects) {
		waiter.settle(outcome);
		effects.wake(waiter);
	}

	/**
	 * Settle those in line that want no more than one attempt.
	 */
	private static void settleSingleAttempts(Gate gate, Outcome outcome, Effects effects) {
		Waiter waiter = gate.firstWaiter();
		while (waiter != null && gate.mayHaveSingleAttempts()) {
			Waiter following = waiter.next;
			if (!waiter.waits()) {
				gate.remove(waiter);
				settle(waiter, outcome, effects);
			}
			waiter = following;
		}
	}

	/**
	 * A holder enters again: without the store, with another handle on the same hold. The
	 * lease is lengthened in the background if the inner work asks for more than is left
	 * of it, and is never shortened.
	 * @return the handle, or {@code null} if the outer one is no longer reachable
	 */
	@Nullable Handle enterAgain(Hold hold, LockOptions options, long now, Effects effects) {
		assert hold.lease.gate.isLocked();
		Handle outer = hold.get();
		if (outer == null) {
			return null;
		}
		boolean renewal = options.autoRenew() && !hold.options().autoRenew();
		hold.openAnother(renewal);
		long missing = now + options.lease().toNanos() - hold.lease.endsAt();
		boolean renewed = hold.wantsRenewal() && options.lease().compareTo(hold.options().lease()) <= 0;
		if (missing > options.lease().toNanos() / 10 && !renewed) {
			effects.refresh(hold, options.lease());
		}
		else if (renewal) {
			effects.schedule(hold.lease, hold.nextLook());
		}
		return outer.reenter(renewal);
	}

	/**
	 * A caller does not want to wait any longer. If its time is up before the store has
	 * answered at all, the outcome is still unknown: then it gets as much time as a
	 * single attempt. The next in line takes over its contender.
	 * @return the outcome: why there is no lock, or the lock, if it was granted just now;
	 * {@code null} if the caller must await the first answer of the store
	 */
	@Nullable Outcome leave(Gate gate, Waiter waiter, Outcome.GivenUp why, long now, Effects effects) {
		assert gate.isLocked();
		Outcome outcome = waiter.outcome();
		if (outcome != null) {
			return outcome;
		}
		outcome = (why == Outcome.GivenUp.TIMED_OUT && waiter.isWaiting()) ? refusal(gate, waiter, now) : why;
		if (outcome == null) {
			gate.waitNoLonger(waiter);
			return null;
		}
		withdraw(gate, waiter, now, effects);
		settle(waiter, outcome, effects);
		return outcome;
	}

	private void withdraw(Gate gate, Waiter waiter, long now, Effects effects) {
		if (waiter.inLine) {
			gate.remove(waiter);
		}
		else if (waiter.contender != null) {
			passOn(waiter.contender, now, effects);
		}
	}

	/**
	 * Return the outcome for a waiter whose time is up. It was refused if it waited
	 * behind a local holder, or if the store ever said "busy"; a store that fails
	 * meanwhile does not change that. Without any answer, the outcome is unknown.
	 * @return {@code null} if the first request is still to be answered
	 */
	private @Nullable Outcome refusal(Gate gate, Waiter waiter, long now) {
		Hold hold = gate.holder();
		if (hold != null) {
			return new Outcome.Busy(describe(hold, now));
		}
		List<Contender> candidates = gate.candidates();
		Throwable failure = null;
		for (Contender contender : candidates) {
			if (contender.wasAnswered() || contender.isVacatedSince(waiter.since)) {
				return new Outcome.Busy(contender.holder());
			}
			failure = (failure != null) ? failure : contender.failure();
		}
		if (waiter.refusedBy != null) {
			return new Outcome.Busy(waiter.refusedBy);
		}
		if (failure != null) {
			return new Outcome.Failed(failure);
		}
		return (candidates.isEmpty() && !gate.isAsking()) ? new Outcome.Busy(null) : null;
	}

	/**
	 * All waits end.
	 */
	void dismiss(Gate gate, Outcome outcome, Effects effects) {
		assert gate.isLocked();
		for (Contender contender : gate.contenders()) {
			Waiter waiter = contender.waiter();
			abandon(contender, effects);
			settle(waiter, outcome, effects);
		}
		for (Waiter waiter = gate.poll(); waiter != null; waiter = gate.poll()) {
			settle(waiter, outcome, effects);
		}
	}

	/**
	 * One wait ends.
	 */
	void dismiss(Gate gate, Waiter waiter, Outcome outcome, long now, Effects effects) {
		assert gate.isLocked();
		if (waiter.isWaiting()) {
			withdraw(gate, waiter, now, effects);
			settle(waiter, outcome, effects);
		}
	}

	// The contender and its requests

	/**
	 * Open a contender for a waiter that is not in line.
	 */
	private Contender open(Gate gate, Waiter waiter, long now, int fences) {
		Contender contender = new Contender(gate, new LockToken(this.instance, this.sequence.incrementAndGet()),
				waiter);
		gate.open(contender);
		contender.prepare(now, this.listening && waiter.waits() && !contender.isCompanion(), fences);
		return contender;
	}

	/**
	 * Ask for those in line, as far as the gate lets them.
	 */
	private void askForNext(Gate gate, long now, Effects effects) {
		Waiter next = gate.firstWaiter();
		while (next != null && gate.mayAsk(next)) {
			gate.remove(next);
			effects.sendLater(open(gate, next, now, fencesFor(gate)));
			next = gate.firstWaiter();
		}
	}

	private void prepareAgain(Contender contender, long now) {
		boolean queue = !contender.isCompanion() && (this.listening || contender.attempts >= UNSUBSCRIBED_REQUESTS);
		contender.prepare(now, queue, fencesFor(contender.gate));
	}

	/**
	 * Return how many fencing tokens to reserve: more than one only if the lock can be
	 * handed to another local waiter. The store has one token for each microsecond of its
	 * time, so no more than needed may be reserved.
	 */
	private int fencesFor(Gate gate) {
		return gate.hasWaiters() ? mostFencesFor(gate) : 1;
	}

	private int mostFencesFor(Gate gate) {
		return gate.handsOn() ? this.localHandoffs + 1 : 1;
	}

	void due(Contender contender, long now, Effects effects) {
		assert contender.gate.isLocked();
		if (contender.phase() == Contender.Phase.RESTING) {
			prepareAgain(contender, now);
			effects.sendLater(contender);
		}
	}

	/**
	 * A request is on its way.
	 * @return whether the sender has to clean up, since the contender was overtaken
	 * meanwhile
	 */
	static boolean sent(Contender contender, int attempt) {
		assert contender.gate.isLocked();
		return contender.sent(attempt) && !isNeeded(contender);
	}

	/**
	 * The store answered a request, or did not: with neither outcome nor failure the
	 * request was overtaken before it could be sent.
	 */
	void answered(Contender contender, @Nullable AcquireOutcome outcome, @Nullable Throwable failure, long now,
			Effects effects) {
		assert contender.gate.isLocked();
		Contender.Phase before = contender.answered();
		if (contender.isClosed()) {
			boolean granted = outcome instanceof AcquireOutcome.Granted;
			answeredLate(contender, granted, failure != null, now, effects);
			if ((granted || before == Contender.Phase.OVERTAKEN) && !isNeeded(contender)) {
				effects.cleanUp(contender);
			}
		}
		else if (outcome instanceof AcquireOutcome.Granted granted) {
			Lease lease = new Lease(contender.gate, contender.token.sequence(), contender.sentAt,
					contender.leaseNanos());
			granted(contender, lease, granted.fencingToken(), granted.fenceBlock(), now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Busy busy) {
			busy(contender, busy, now, effects);
		}
		else {
			failed(contender,
					(failure != null) ? failure
							: new LockUnavailableException(contender.gate.name, "The lock store did not answer.", null),
					now, effects);
		}
	}

	/**
	 * The last request of a contender that was closed before, perhaps as it had been
	 * granted by a push, was answered.
	 * @param granted whether the lease started anew with that request
	 * @param failed whether it may have, unknown to this instance
	 */
	private static void answeredLate(Contender contender, boolean granted, boolean failed, long now, Effects effects) {
		Lease lease = contender.granted;
		if (lease != null) {
			if (failed) {
				lease.mayEndAt(now + contender.leaseNanos());
			}
			effects.complete(lease.answered(), null);
			Hold hold = contender.gate.holdOf(lease.sequence);
			if (hold != null) {
				// After the deadline its handle may have said that it is over
				if (granted && !hold.isOver(now)) {
					hold.confirmed(contender.sentAt, contender.leaseNanos());
				}
				effects.schedule(lease, hold.nextLook());
			}
		}
	}

	private void busy(Contender contender, AcquireOutcome.Busy busy, long now, Effects effects) {
		LockInfo holder = busy.describe(contender.gate.name, this.instance);
		long delay = contender.busy(now, busy, holder);
		if (!goesOn(contender, new Outcome.Busy(holder), now, effects)) {
			return;
		}
		if (!this.listening) {
			effects.listen();
		}
		if (!contender.isQueued()) {
			// The queue is entered as soon as grants can arrive
			delay = this.listening ? 0 : Math.min(delay, UNSUBSCRIBED_POLL);
		}
		effects.schedule(contender.alarm(), now + delay);
	}

	private void failed(Contender contender, Throwable failure, long now, Effects effects) {
		long delay = contender.failed(failure);
		Outcome outcome = new Outcome.Failed(failure);
		if (failure instanceof LockConfigurationException) {
			dismiss(contender.gate, outcome, effects);
		}
		else if (goesOn(contender, outcome, now, effects)) {
			effects.schedule(contender.alarm(), now + delay);
		}
	}

	/**
	 * A contender was refused, or not answered. Single attempts end with that.
	 * @return whether it asks again
	 */
	private boolean goesOn(Contender contender, Outcome outcome, long now, Effects effects) {
		Gate gate = contender.gate;
		Waiter waiter = contender.waiter();
		gate.refused(contender);
		settleSingleAttempts(gate, outcome, effects);
		if (!waiter.waits()) {
			boolean needed = passOn(contender, now, effects);
			settle(waiter, outcome, effects);
			return needed;
		}
		if (contender.isCompanion()) {
			abandon(contender, effects);
			waiter.contended = true;
			waiter.refusedBy = contender.holder();
			gate.enqueueFirst(waiter);
			askForNext(gate, now, effects);
			return false;
		}
		return true;
	}

	/**
	 * Let the first in line take over a contender whose waiter leaves.
	 * @return whether there is one; otherwise the contender is abandoned
	 */
	private boolean passOn(Contender contender, long now, Effects effects) {
		Gate gate = contender.gate;
		Waiter next = contender.isCompanion() ? null : gate.poll();
		if (next != null) {
			contender.serve(next);
			return true;
		}
		abandon(contender, effects);
		askForNext(gate, now, effects);
		return false;
	}

	private static void close(Contender contender, Effects effects) {
		contender.close();
		contender.gate.close(contender);
		if (contender.hasAlarm()) {
			effects.cancel(contender.alarm());
		}
	}

	private static void abandon(Contender contender, Effects effects) {
		close(contender, effects);
		if ((contender.phase() == Contender.Phase.CLOSED) ? contender.mayHaveLeftTraces() : !contender.isUnsent()) {
			effects.cleanUp(contender);
		}
	}

	/**
	 * Whether the grant of a contender is held, or left to the end of its minimum hold.
	 */
	private static boolean isNeeded(Contender contender) {
		return contender.gate.holdOf(contender.token.sequence()) != null
				|| (contender.granted != null && contender.granted.lingers);
	}

	// Grants

	void listening() {
		this.listening = true;
	}

	boolean isListening() {
		return this.listening;
	}

	/**
	 * A message announces that the store gave the lock to this instance.
	 */
	void pushed(Gate gate, Grant grant, long now, Effects effects) {
		assert gate.isLocked();
		Contender contender = gate.contenderOf(grant.token());
		if (contender == null || !contender.isNotified(grant)) {
			return;
		}
		long length = Math.min(Lease.nanos(grant.lease()), contender.leaseNanos());
		if (contender.canTake(grant, length, now)) {
			Lease lease = Lease.pushed(gate, contender.token.sequence(), contender.grantAfter(), length);
			granted(contender, lease, grant.fencingToken(), grant.fenceBlock(), now, effects);
		}
		else if (contender.isInFlight()) {
			contender.hint();
		}
		else {
			prepareAgain(contender, now);
			effects.sendLater(contender);
		}
	}

	/**
	 * The store gave the lock to a contender, in an answer or by a push.
	 * @param fences how many fencing tokens there are
	 */
	private void granted(Contender contender, Lease lease, long fencingToken, int fences, long now, Effects effects) {
		Gate gate = contender.gate;
		if (contender.askedForTooLittle()) {
			contender.declined();
			prepareAgain(contender, now);
			effects.sendLater(contender);
			return;
		}
		if (lease.deadline() <= now) {
			failed(contender, contender.tooLate(now - contender.sentAt), now, effects);
			return;
		}
		Waiter waiter = contender.waiter();
		waiter.contended |= contender.wasAnswered();
		close(contender, effects);
		int handoffs = Math.min(fences - 1, this.localHandoffs);
		if (handoffs > 0) {
			lease.handoffs = new Lease.Handoffs(handoffs, fencingToken + 1, now + this.handoffWindow);
		}
		lease.underWay = contender.isInFlight();
		if (contender.longestLease() > contender.leaseNanos()) {
			// An earlier waiter asked for more, which the store may have granted
			lease.mayEndAt(now + contender.longestLease());
		}
		contender.granted = lease;
		Hold hold = hold(waiter, lease, fencingToken, now, effects);
		boolean followed = gate.granted(contender) && gate.hasWaiters();
		askForNext(gate, now, effects);
		if (followed) {
			effects.wakeLater(waiter);
		}
		else {
			effects.wake(waiter);
		}
		if (gate.hasWaiters() && !gate.isAsking()) {
			settleSingleAttempts(gate, new Outcome.Busy(describe(hold, now)), effects);
		}
	}

	/**
	 * Let a waiter have a lease. It is woken afterwards.
	 */
	private Hold hold(Waiter waiter, Lease lease, long fencingToken, long now, Effects effects) {
		Handle handle = Hold.create(lease, waiter.options, waiter.owner, waiter.boundToOwner(), fencingToken, now);
		Hold hold = handle.hold();
		lease.gate.hold(hold);
		begin(hold);
		waiter.settle(handle);
		long look = hold.nextLook();
		effects.schedule(lease, this.listening ? look : Math.min(look, now + LISTEN_AFTER));
		return hold;
	}

	void begin(Hold hold) {
		hold.begin(this.handoffWindow);
	}

	/**
	 * A holder is done: hand the lease to the next local waiter, if that is fair to other
	 * instances and enough of the lease is left.
	 */
	boolean handOn(Lease lease, long now, Effects effects) {
		Gate gate = lease.gate;
		assert gate.isLocked();
		Waiter last = gate.firstWaiter();
		Lease.Handoffs handoffs = lease.handoffs;
		// Where a contender asks for each waiter, the store decides who is next
		if (last == null || handoffs == null || !handoffs.isAllowed(now)) {
			return false;
		}
		Waiter next = Objects.requireNonNull(gate.firstToCome());
		long enough = Math.min(next.options.lease().toNanos() / 2, 1000 * Lease.MILLI);
		if (lease.deadline() - now < enough) {
			return false;
		}
		gate.remove(last);
		if (next.contender != null) {
			next.contender.serve(last);
		}
		hold(next, lease, handoffs.next(), now, effects);
		effects.wake(next);
		return true;
	}

	/**
	 * The lock no longer has a holder in this JVM: ask for it on behalf of the waiters,
	 * in the thread that releases it, but not in one that finds that it was lost.
	 */
	void vacate(Hold hold, long now, Effects effects) {
		Gate gate = hold.lease.gate;
		assert gate.isLocked();
		gate.vacate(hold);
		effects.cancel(hold.lease);
		Waiter next = gate.firstWaiter();
		if (next == null || !gate.mayAsk(next)) {
			return;
		}
		gate.remove(next);
		// The previous holder is the most likely next caller
		Contender contender = open(gate, next, now, mostFencesFor(gate));
		contender.vacated();
		if (hold.state() == LockState.RELEASED) {
			effects.send(contender);
		}
		else {
			effects.sendLater(contender);
		}
	}

	// Who holds a lock, without the token that releases it

	LockInfo describe(Hold hold, long now) {
		return LockInfo
			.heldHere(hold.lease.gate.name, this.instanceName, hold.ownerName(),
					Duration.ofNanos(Math.max(0, hold.lease.endsAt() - now)))
			.withCompany(hold.lease.gate.holders(), hold.options().mode(), hold.options().permits());
	}

}
