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

import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store on behalf of the gates, and takes what it answers. What it pushes comes
 * through the {@link Inbox}.
 *
 * <p>
 * A bid is prepared with the gate locked and sent after it was unlocked, in the thread of
 * the caller if there is one. Its answer, or a push that is quicker, makes it a lease; a
 * "busy" or a failure has it sent again later, as long as somebody waits at the gate.
 * {@link Leftovers} tells what can overtake what, and what has to be cleaned up then.
 */
final class Bidding {

	private static final long UNSUBSCRIBED_POLL = 50 * LeaseTimes.MILLI;

	private final Core core;

	private final Handover handover;

	private final LeaseSchedule schedule;

	private final Leftovers leftovers;

	private final Holders holders;

	private final int fenceBlock;

	/** For what a publisher of messages must not guess. */
	private final Random random = new SecureRandom();

	private final Inbox inbox;

	Bidding(Core core, Handover handover, LeaseSchedule schedule, Leftovers leftovers, Holders holders) {
		this.core = core;
		this.handover = handover;
		this.schedule = schedule;
		this.leftovers = leftovers;
		this.holders = holders;
		this.inbox = new Inbox(core, this, leftovers);
		this.fenceBlock = core.settings().localHandoffs() + 1;
	}

	/**
	 * Create the bid of a gate for its first waiter and prepare its first request.
	 */
	Bid open(Gate gate, Waiter waiter, long now) {
		assert gate.isLocked();
		return open(gate, waiter, now, fencesFor(gate));
	}

	private Bid open(Gate gate, Waiter waiter, long now, int fences) {
		Bid bid = new Bid(this, gate, this.core.newToken(), waiter.options.lease().toNanos());
		bid.prepare(now, this.inbox.isOpen() && waiter.waits(), fences);
		gate.bid = bid;
		return bid;
	}

	/**
	 * Prepare the next request of a bid.
	 */
	void prepareAgain(Bid bid, long now) {
		assert bid.gate.isLocked();
		bid.prepare(now, true, fencesFor(bid.gate));
	}

	/**
	 * Return how many fencing tokens are of use: more than one only where the lock can be
	 * handed to another local waiter. The store gives a token for each microsecond of its
	 * time, so what nobody needs must not be reserved.
	 */
	private int fencesFor(Gate gate) {
		return gate.hasSeveralWaiters() ? this.fenceBlock : 1;
	}

	/**
	 * Nobody in this JVM holds the lock any more.
	 * @return a bid for those who wait, to be sent after the gate was unlocked, or
	 * {@code null}
	 */
	@Nullable Bid vacate(Hold hold, long now) {
		assert hold.lease.gate.isLocked();
		Gate gate = hold.lease.gate;
		gate.hold = null;
		this.core.timer().cancel(hold.lease);
		Waiter next = gate.firstWaiter();
		if (next != null) {
			gate.vacatedAt(now);
			// Whoever held comes back soon, if anybody does
			return open(gate, next, now, this.fenceBlock);
		}
		gate.stripe.removeIfIdle(gate);
		return null;
	}

	/**
	 * Send the prepared request. The gate must not be locked.
	 */
	void send(Bid bid) {
		long sentAt = bid.sentAt;
		int attempt = bid.attempts;
		CompletableFuture<AcquireOutcome> answer = this.core.store().acquire(bid.request(this.random));
		answer.whenComplete((outcome, failure) -> answered(bid, sentAt, outcome, failure));
		if (this.leftovers.ofSent(bid, attempt)) {
			this.leftovers.cleanUp(bid);
		}
	}

	/**
	 * Ask again, in the thread for I/O. Called by the timer.
	 */
	void repeat(Bid bid) {
		Gate gate = bid.gate;
		gate.stripe.lock.lock();
		try {
			if (bid.closed || bid.inFlight) {
				return;
			}
			prepareAgain(bid, this.core.now());
		}
		finally {
			gate.stripe.lock.unlock();
		}
		sendLater(bid);
	}

	/**
	 * Send the prepared request in the thread for I/O.
	 * @param bid the bid, or {@code null} if there is nothing to send
	 */
	void sendLater(@Nullable Bid bid) {
		if (bid != null) {
			try {
				this.core.threads().io(() -> sendIfOpen(bid));
			}
			catch (Throwable ex) {
				// There may be no memory for a thread: without an answer the bid would
				// stop
				answered(bid, bid.sentAt, null, ex);
			}
		}
	}

	/**
	 * Send the prepared request unless the bid was overtaken meanwhile: a bid that is
	 * closed stays so. What an earlier request may have left is then still to be cleaned
	 * up, as nobody else knows whether this one was sent.
	 */
	private void sendIfOpen(Bid bid) {
		if (bid.closed) {
			answered(bid, bid.sentAt, null, null);
		}
		else {
			send(bid);
		}
	}

	/**
	 * Give a bid up because nobody waits for it any more.
	 * @return whether the caller has to {@linkplain Leftovers#cleanUp clean up} after
	 * unlocking it
	 */
	boolean abandon(Bid bid) {
		assert bid.gate.isLocked();
		bid.closed = true;
		bid.gate.bid = null;
		this.core.timer().cancel(bid);
		return this.leftovers.ofAbandoned(bid);
	}

	private void answered(Bid bid, long sentAt, @Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
		Gate gate = bid.gate;
		boolean cleanUp = false;
		CompletableFuture<@Nullable Throwable> turn = null;
		gate.stripe.lock.lock();
		try {
			bid.inFlight = false;
			if (bid.closed) {
				boolean renewed = outcome instanceof AcquireOutcome.Granted;
				turn = (bid.granted != null) ? answeredLate(bid.granted, sentAt, bid.lease, renewed) : null;
				cleanUp = this.leftovers.ofAnswered(bid, renewed);
			}
			else if (outcome instanceof AcquireOutcome.Granted granted) {
				cleanUp = granted(bid, new Lease(gate, bid.token.sequence(), sentAt, bid.lease, this.core.now()),
						granted.fencingToken(), granted.fenceBlock());
			}
			else if (outcome instanceof AcquireOutcome.Busy busy) {
				cleanUp = busy(bid, sentAt, busy);
			}
			else {
				cleanUp = failed(bid, Failures.unwrap((failure != null) ? failure
						: new LockUnavailableException(gate.name, "The lock store gave no answer.", null)));
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		if (cleanUp) {
			this.leftovers.cleanUpLater(gate.name, bid.token, bid.lease);
		}
		if (turn != null) {
			turn.complete(null);
		}
	}

	/**
	 * The last request of a bid was answered after the bid had been granted by a push.
	 * @param renewed whether the lease started anew with that request
	 * @return to be completed after the gate was unlocked, or {@code null}
	 */
	private @Nullable CompletableFuture<@Nullable Throwable> answeredLate(Lease lease, long sentAt, long length,
			boolean renewed) {
		assert lease.gate.isLocked();
		CompletableFuture<@Nullable Throwable> turn = lease.answered();
		Hold hold = lease.gate.hold;
		if (hold != null && hold.lease == lease) {
			if (renewed) {
				this.schedule.confirmed(hold, sentAt, length);
			}
			else {
				this.schedule.next(hold);
			}
		}
		return turn;
	}

	/**
	 * The store gave the lock to a bid, be it in an answer or by a push.
	 * @param bid the bid
	 * @param lease what it was granted
	 * @param fencingToken the first fencing token
	 * @param fences how many there are
	 * @return whether the caller has to {@linkplain Leftovers#cleanUpLater clean up}
	 * after unlocking it
	 */
	boolean granted(Bid bid, Lease lease, long fencingToken, int fences) {
		assert bid.gate.isLocked();
		Gate gate = bid.gate;
		long now = lease.grantedAt;
		if (lease.deadline() <= now) {
			return failed(bid, bid.tooLate(now - bid.sentAt));
		}
		bid.closed = true;
		gate.bid = null;
		this.core.timer().cancel(bid);
		lease.nextFencingToken = fencingToken;
		lease.handoffsLeft = (short) Math.min(fences - 1, this.core.settings().localHandoffs());
		lease.underWay = bid.inFlight;
		bid.granted = lease;
		boolean taken = this.handover.handTo(gate.poll(), lease, now);
		if (taken && gate.hold != null && gate.hasWaiters()) {
			gate.settleWaiters(Gate.Which.SINGLE_ATTEMPTS, new Outcome.Busy(this.holders.describe(gate.hold)));
		}
		return this.leftovers.ofGranted(taken);
	}

	private boolean busy(Bid bid, long sentAt, AcquireOutcome.Busy busy) {
		Gate gate = bid.gate;
		LockInfo holder = this.holders.describe(gate.name, busy.holder(), busy.remaining());
		long delay = bid.busy(sentAt, this.core.now(), busy, holder);
		gate.settleWaiters(Gate.Which.SINGLE_ATTEMPTS, new Outcome.Busy(holder));
		if (!gate.hasWaiters()) {
			return abandonIdle(bid);
		}
		if (!this.inbox.isOpen()) {
			this.inbox.open();
		}
		if (!bid.queued) {
			// The queue is entered as soon as grants can arrive
			delay = this.inbox.isOpen() ? 0 : Math.min(delay, UNSUBSCRIBED_POLL);
		}
		this.core.timer().schedule(bid, this.core.now() + delay);
		return false;
	}

	private boolean failed(Bid bid, Throwable failure) {
		Gate gate = bid.gate;
		long delay = bid.failed(failure);
		gate.settleWaiters(
				(failure instanceof LockConfigurationException) ? Gate.Which.ALL : Gate.Which.SINGLE_ATTEMPTS,
				new Outcome.Failed(failure));
		if (!gate.hasWaiters()) {
			return abandonIdle(bid);
		}
		this.core.timer().schedule(bid, this.core.now() + delay);
		return false;
	}

	private boolean abandonIdle(Bid bid) {
		boolean cleanUp = abandon(bid);
		bid.gate.stripe.removeIfIdle(bid.gate);
		return cleanUp;
	}

}
