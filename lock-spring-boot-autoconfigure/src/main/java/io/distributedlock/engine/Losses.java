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
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.OnLost;
import io.distributedlock.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Takes lost locks from their holders: finds the likely cause, interrupts the holder if
 * he wants that, makes way for the next one, and tells everybody. Foreign code is called
 * in other threads, so that the news can be told with the gate locked and by the timer.
 *
 * <p>
 * The holder is interrupted with the gate locked, while he still has the lock. A release
 * takes the same lock and sees that it happened, so the interrupt never hits what the
 * thread does next.
 */
final class Losses {

	private static final Log logger = LogFactory.getLog(Losses.class);

	private final Core core;

	private final Bidding bidding;

	Losses(Core core, Bidding bidding) {
		this.core = core;
		this.bidding = bidding;
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
	 * The deadline has passed.
	 */
	void expire(Hold hold, long now) {
		assert hold.lease.gate.isLocked();
		Lease lease = hold.lease;
		long late = now - lease.deadline();
		String took = Duration.ofNanos(now - hold.since).toMillis() + " ms";
		if (late > Math.max(100 * LeaseTimes.MILLI, hold.options().lease().toNanos() / 10)) {
			lose(hold, LossCause.PROCESS_PAUSED, "This JVM stood still for at least " + late / LeaseTimes.MILLI
					+ " ms and could not renew the lease: look for long garbage collections, a suspended machine or an overloaded host.",
					now);
		}
		else if (!hold.wantsRenewal() && lease.lastFailure() == null
				&& !lease.isShorterThan(hold.options().lease().toNanos())) {
			lose(hold, LossCause.LEASE_EXPIRED,
					"Its lease of " + hold.options().lease().toMillis()
							+ " ms ended and was not to be renewed, and the work was not done after " + took
							+ ": use a longer timeout, or autoRenew.",
					now);
		}
		else if (now >= hold.renewableUntil() - hold.options().effectiveRenewInterval().toNanos()) {
			lose(hold, LossCause.MAX_HOLD_REACHED,
					"It was not renewed any more because its maximum hold of "
							+ ((hold.options().maxHold() != null) ? Printable.of(hold.options().maxHold()) : "none")
							+ " was reached: look why the work takes so long.",
					now);
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
	 * The store says that somebody else, or nobody, has the lock.
	 */
	void vanished(Hold hold, boolean taken, long now) {
		lose(hold, taken ? LossCause.TAKEN_BY_OTHER : LossCause.KEY_VANISHED, explain(taken), now);
	}

	private static String explain(boolean taken) {
		return taken ? "Somebody else has it now: it was deleted or expired in the store, and taken again."
				: "It was gone from the store before its time: deleted, flushed, evicted for lack of memory, or not replicated before a failover or restart.";
	}

	/**
	 * The answer to a release told that the lock had been lost before.
	 */
	LockEvent.Lost atRelease(Hold hold, boolean taken, long now) {
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
		return new LockEvent.Lost(hold.lease.gate.name, hold.options().label(), Duration.ofNanos(now - hold.since),
				hold.fencingToken, cause, explanation);
	}

	/**
	 * The hold is lost.
	 */
	void lose(Hold hold, LossCause cause, String explanation, long now) {
		assert hold.lease.gate.isLocked();
		// The holder may ask for the state as soon as it is interrupted
		tell(hold, loss(hold, cause, explanation, now));
		Thread owner = hold.owner();
		if (hold.options().onLost() == OnLost.INTERRUPT && owner != null && !owner.isInterrupted()) {
			hold.incidents().ownerInterrupted = true;
			owner.interrupt();
		}
		this.bidding.sendLater(this.bidding.vacate(hold, now));
	}

	/**
	 * The hold is lost, and whoever holds finds out from the handle only.
	 */
	void loseSilently(Hold hold, LossCause cause, String explanation, long now) {
		assert hold.lease.gate.isLocked();
		Hold.Incidents incidents = hold.incidents();
		incidents.loss = loss(hold, cause, explanation, now);
		hold.state(LockState.LOST);
		incidents.takeCallbacks();
		this.bidding.sendLater(this.bidding.vacate(hold, now));
	}

	/**
	 * Mark a hold as lost and tell everybody.
	 */
	private void tell(Hold hold, LockEvent.Lost loss) {
		assert hold.lease.gate.isLocked();
		Hold.Incidents incidents = hold.incidents();
		incidents.loss = loss;
		hold.state(LockState.LOST);
		List<Consumer<LockEvent.Lost>> callbacks = incidents.takeCallbacks();
		this.core.threads().callback(() -> {
			logger.warn("Lock '" + Printable.of(loss.name()) + "' was lost " + loss.held().toMillis()
					+ " ms after it was acquired by '" + hold.ownerName() + "'. " + loss.explanation());
			this.core.announcer().tell(loss);
		});
		if (!callbacks.isEmpty()) {
			callBack(callbacks, loss);
		}
	}

	/**
	 * Call what holders gave, in threads of their own: a callback may block, for example
	 * until it has the lock again, and must not keep the news from others meanwhile.
	 */
	private void callBack(List<Consumer<LockEvent.Lost>> callbacks, LockEvent.Lost loss) {
		this.core.threads().complete(() -> callbacks.forEach((callback) -> Announcer.guard(callback, loss)));
	}

	/**
	 * Call back when a lock is lost, at once if it was.
	 */
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
		callBack(List.of(callback), loss);
	}

}
