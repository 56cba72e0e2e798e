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
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Receives the callers. A waiter who comes to a gate enters at once again, is refused,
 * stands in line, or is the reason for a bid; one who goes away again takes the bid with
 * him if nobody else needs it.
 */
final class Admission {

	private final Core core;

	private final Reentry reentry;

	private final Bidding bidding;

	private final Leftovers leftovers;

	private final Losses losses;

	private final Holders holders;

	private volatile boolean closed;

	Admission(Core core, Reentry reentry, Bidding bidding, Leftovers leftovers, Losses losses, Holders holders) {
		this.core = core;
		this.reentry = reentry;
		this.bidding = bidding;
		this.leftovers = leftovers;
		this.losses = losses;
		this.holders = holders;
	}

	/**
	 * Let nobody in any more but those who hold the lock already. Whoever locks a gate
	 * after this finds no new waiter in it.
	 */
	void close() {
		this.closed = true;
	}

	/**
	 * Let a waiter in, have it wait, or refuse it. It is settled now or later.
	 */
	void submit(Waiter waiter) {
		Bid bid = null;
		Gates.Stripe stripe = this.core.gates().stripe(waiter.name);
		stripe.lock.lock();
		try {
			Gate gate = stripe.findOrCreate(waiter.name);
			long now = waiter.since;
			if (gate.hold != null && now >= gate.hold.lease.deadline()) {
				this.losses.expire(gate.hold, now);
				gate = stripe.findOrCreate(waiter.name);
			}
			Hold hold = gate.hold;
			Handle again = this.reentry.enter(hold, waiter);
			if (again != null) {
				waiter.settle(again);
			}
			else if (this.closed) {
				waiter.settle(new Outcome.Failed(closed(waiter.name)));
				stripe.removeIfIdle(gate);
			}
			else if (hold != null && !waiter.waits()) {
				waiter.settle(new Outcome.Busy(this.holders.describe(hold)));
			}
			else if (hold != null || (gate.bid != null && (waiter.waits() || gate.bid.inFlight))) {
				// The answer that is on its way is that for single attempts as well
				gate.enqueue(waiter);
			}
			else if (gate.bid != null) {
				waiter.settle(gate.bid.known());
			}
			else {
				gate.enqueue(waiter);
				bid = this.bidding.open(gate, waiter, now);
			}
		}
		finally {
			stripe.lock.unlock();
		}
		if (bid != null) {
			this.bidding.send(bid);
		}
	}

	/**
	 * Return another handle on the hold of a given one, or {@code null} if it is not held
	 * any more.
	 */
	@Nullable Handle reenter(Handle held, LockOptions options) {
		return this.reentry.enter(held, options);
	}

	/**
	 * End the wait of a caller that does not want to wait any longer. If its time is up
	 * before the store has answered at all, nobody knows yet what to say: then it gets
	 * the time that a single attempt has.
	 * @return the outcome: why there is no lock, or the lock, if it was granted just now;
	 * {@code null} if the caller must await the first answer of the store
	 */
	@Nullable Outcome giveUp(Waiter waiter, Outcome.GivenUp why) {
		Bid abandoned = null;
		Outcome outcome;
		Gates.Stripe stripe = this.core.gates().stripe(waiter.name);
		stripe.lock.lock();
		try {
			Gate gate = waiter.gate;
			outcome = waiter.outcome();
			if (outcome != null) {
				return outcome;
			}
			outcome = (why == Outcome.GivenUp.TIMED_OUT && gate != null) ? refusal(gate, waiter) : why;
			if (outcome == null) {
				waiter.waitNoLonger();
				return null;
			}
			if (gate != null) {
				gate.remove(waiter);
				Bid bid = gate.bid;
				if (bid != null && !gate.hasWaiters()) {
					abandoned = this.bidding.abandon(bid) ? bid : null;
					gate.stripe.removeIfIdle(gate);
				}
			}
			waiter.settle(outcome);
		}
		finally {
			stripe.lock.unlock();
		}
		if (abandoned != null) {
			CompletableFuture<Void> cleanUp = this.leftovers.cleanUp(abandoned);
			if (waiter instanceof BlockingWaiter) {
				this.leftovers.awaitBriefly(cleanUp);
			}
		}
		return outcome;
	}

	/**
	 * Return what to tell a waiter whose time is up. It was refused if it waited behind a
	 * local holder, or if the store ever said "busy"; a store that fails meanwhile does
	 * not change that. Only who got no answer at all is left in the dark.
	 * @return {@code null} if the first request is still to be answered
	 */
	private @Nullable Outcome refusal(Gate gate, Waiter waiter) {
		if (gate.hold != null) {
			return new Outcome.Busy(this.holders.describe(gate.hold));
		}
		Bid bid = gate.bid;
		if (bid == null || bid.wasAnswered() || gate.hasWaitedBehindHolder(waiter)) {
			return new Outcome.Busy((bid != null) ? bid.holder : null);
		}
		return (bid.failure != null) ? new Outcome.Failed(bid.failure) : null;
	}

	/**
	 * Return what callers are told who come, or still wait, after the close.
	 */
	static LockUnavailableException closed(String name) {
		return new LockUnavailableException(name,
				"Lock '" + name + "' cannot be acquired: the lock service is shutting down.", null);
	}

}
