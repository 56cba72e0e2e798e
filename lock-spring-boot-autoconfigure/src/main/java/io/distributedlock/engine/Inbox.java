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
 * A grant comes on another way than the answers to requests, so it may come late or
 * twice, and whoever has access to the messages of the store can forge one. So a message
 * is a hint and no authority. One that does not carry the nonce of a bid that waits now
 * is ignored; no message makes this instance release anything else. One that does is
 * taken at its word only if {@link Bid#canTake(long, long)} says that it must be good
 * still, for no longer than the short lease of a grant, and the lease is confirmed by an
 * extension soon after; otherwise the store is asked again with the same token, which is
 * answered with the truth.
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
		Bid unwanted = null;
		Bid again = null;
		stripe.lock.lock();
		try {
			Gate gate = stripe.find(grant.name());
			Bid bid = (gate != null) ? gate.bid : null;
			if (bid == null || !bid.isNotified(grant)) {
				return;
			}
			long length = Math.min(LeaseTimes.nanos(grant.lease()), bid.lease);
			long now = this.core.now();
			if (bid.canTake(length, now)) {
				Lease lease = Lease.pushed(bid.gate, bid.token.sequence(), bid.grantAfter, length, now);
				if (this.bidding.granted(bid, lease, grant.fencingToken(), grant.fenceBlock())) {
					unwanted = bid;
				}
			}
			else if (bid.inFlight) {
				bid.hinted = true;
			}
			else {
				this.bidding.prepareAgain(bid, now);
				again = bid;
			}
		}
		finally {
			stripe.lock.unlock();
		}
		if (unwanted != null) {
			this.leftovers.cleanUpLater(unwanted.gate.name, unwanted.token, unwanted.lease);
		}
		this.bidding.sendLater(again);
	}

}
