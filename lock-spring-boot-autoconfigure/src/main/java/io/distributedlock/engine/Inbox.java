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

import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;

/**
 * Takes the grants that the store pushes to this instance: one inbox for all names,
 * opened when the first bid finds its lock busy.
 *
 * <p>
 * A grant comes on another way than the answers to requests, so it may come late, twice,
 * or for a bid that exists no more. It is taken at its word only if
 * {@link Bid#canTake(long, long)} says that it must be good still; otherwise the store is
 * asked again with the same token, which is answered with the truth. A grant for a token
 * that nobody here bids or holds with is given back, which harms nobody if it is old.
 */
final class Inbox implements GrantListener {

	private final Core core;

	private final Bidding bidding;

	private final Leftovers leftovers;

	private volatile boolean open;

	Inbox(Core core, Bidding bidding, Leftovers leftovers) {
		this.core = core;
		this.bidding = bidding;
		this.leftovers = leftovers;
	}

	/**
	 * Whether grants can arrive, so that it makes sense to enter the queue.
	 */
	boolean isOpen() {
		return this.open;
	}

	/**
	 * Have the store push grants from now on, which it confirms by {@link #subscribed}.
	 */
	void open() {
		this.core.threads().io(() -> this.core.store().listen(this.core.instance(), this));
	}

	@Override
	public void subscribed() {
		this.open = true;
		this.core.gates().forEach((gate) -> {
			if (gate.bid != null && !gate.bid.inFlight) {
				this.core.timer().schedule(gate.bid, this.core.now());
			}
		});
	}

	@Override
	public void granted(Grant grant) {
		Gates.Stripe stripe = this.core.gates().stripe(grant.name());
		boolean giveBack = false;
		Bid again = null;
		stripe.lock.lock();
		try {
			Gate gate = stripe.find(grant.name());
			Bid bid = (gate != null) ? gate.bid : null;
			if (bid == null || !bid.token.equals(grant.token())) {
				giveBack = this.leftovers.ofUnexpected(gate, grant.token());
			}
			else {
				long lease = Math.min(LeaseTimes.nanos(grant.lease()), bid.lease);
				long now = this.core.now();
				if (bid.canTake(lease, now)) {
					giveBack = this.bidding.granted(bid, bid.grantAfter, lease, grant.fencingToken());
				}
				else if (bid.inFlight) {
					bid.hinted = true;
				}
				else {
					bid.prepare(now, true);
					again = bid;
				}
			}
		}
		finally {
			stripe.lock.unlock();
		}
		if (giveBack) {
			this.leftovers.cleanUpLater(grant.name(), grant.token(), LeaseTimes.nanos(grant.lease()));
		}
		this.bidding.sendLater(again);
	}

}
