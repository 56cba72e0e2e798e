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

import io.distributedlock.LockState;

/**
 * Says when the timer has to look at a lease: at the earliest of the times at which it
 * has to be extended, is at risk, and is over. Whatever changes one of these times must
 * come here afterwards, with the gate still locked. While a request for a lease is under
 * way no other one becomes due; its answer does come here.
 */
final class LeaseSchedule {

	private static final long NEVER = Long.MAX_VALUE;

	private final Core core;

	LeaseSchedule(Core core) {
		this.core = core;
	}

	/**
	 * A lease has a new holder, who may want another length than it has.
	 */
	void begin(Hold hold) {
		assert hold.lease.gate.isLocked();
		Lease lease = hold.lease;
		long wanted = hold.options().lease().toNanos();
		long left = lease.endsAt() - hold.since;
		// A short section ends before the lease is adjusted, and saves the command: its
		// release is answered with the truth as well
		boolean suits = !lease.unconfirmed && Math.abs(left - wanted) <= wanted / 10;
		if (suits) {
			lease.adjustAt(0);
		}
		else if (lease.adjustAt() == 0) {
			lease.adjustAt(hold.since + Math.min(left / 10, LeaseTimes.nanos(this.core.settings().handoffWindow())));
		}
		next(hold);
	}

	/**
	 * Have the timer look at a lease when something is due.
	 */
	void next(Hold hold) {
		assert hold.lease.gate.isLocked();
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

	/**
	 * Whether it is time to ask the store for more, and nobody does already.
	 */
	boolean isExtensionDue(Hold hold, long now) {
		assert hold.lease.gate.isLocked();
		Lease lease = hold.lease;
		return !lease.renewing && !lease.underWay && now >= extensionDue(hold);
	}

	private static long extensionDue(Hold hold) {
		if (hold.lease.adjustAt() != 0) {
			return hold.lease.adjustAt();
		}
		if (!hold.wantsRenewal()) {
			return NEVER;
		}
		long due = hold.lease.renewAt(hold.options());
		return (due < hold.renewableUntil()) ? due : NEVER;
	}

	/**
	 * The store said yes to a lease that started at the given time.
	 */
	void confirmed(Hold hold, long sentAt, long length) {
		assert hold.lease.gate.isLocked();
		hold.lease.renewed(sentAt, length);
		if (hold.state() == LockState.AT_RISK) {
			hold.state(LockState.HELD);
		}
		next(hold);
	}

}
