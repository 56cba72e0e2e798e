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

import io.distributedlock.LockEvent;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;

/**
 * Looks at the leases that are held whenever something is due: has them renewed, and
 * finds out that they are at risk, lost, or forgotten. Runs in the thread of the timer
 * and only looks at the clock, so a store that hangs cannot delay the news of a loss.
 */
final class LeaseWatch {

	private final Core core;

	private final LeaseSchedule schedule;

	private final Renewals renewals;

	private final Losses losses;

	private final Releasing releasing;

	LeaseWatch(Core core, LeaseSchedule schedule, Renewals renewals, Losses losses, Releasing releasing) {
		this.core = core;
		this.schedule = schedule;
		this.renewals = renewals;
		this.losses = losses;
		this.releasing = releasing;
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
				this.losses.expire(hold, now);
				return;
			}
			if (isOwnerDead(hold)) {
				this.losses.lose(hold, LossCause.OWNER_DIED,
						"The thread '" + hold.ownerName() + "' died without unlocking it. Unlock in a finally block.",
						now);
				this.releasing.giveBackLater(hold);
				return;
			}
			if (hold.get() == null) {
				this.core.threads().io(() -> this.releasing.releaseForgotten(hold));
			}
			if (hold.state() == LockState.HELD && now >= lease.riskAt()) {
				hold.state(LockState.AT_RISK);
				tellAtRisk(hold, lease.deadline() - now);
			}
			if (this.schedule.isExtensionDue(hold, now)) {
				lease.renewing = true;
				lease.beginAdjustment(lease.adjustAt() != 0);
				this.renewals.add(lease, hold.options().effectiveRenewInterval().toNanos());
			}
			this.schedule.next(hold);
		}
		finally {
			gate.stripe.lock.unlock();
		}
	}

	private static boolean isOwnerDead(Hold hold) {
		Thread owner = hold.owner();
		return hold.boundToOwner && owner != null && !owner.isAlive();
	}

	private void tellAtRisk(Hold hold, long left) {
		LockEvent.AtRisk event = new LockEvent.AtRisk(hold.lease.gate.name, hold.options().label(),
				Duration.ofNanos(left));
		this.core.threads().callback(() -> this.core.announcer().tell(event));
	}

}
