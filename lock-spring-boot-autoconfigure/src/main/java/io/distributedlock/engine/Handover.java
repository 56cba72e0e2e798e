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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Hands leases to the local waiters: a new one to the first in line, and one whose holder
 * is done to the next, without the store being asked.
 *
 * <p>
 * The store sees one holder, this JVM, and each hold has a fencing token of its own from
 * the block that came with the grant. How often a lease may be passed on, and for how
 * long after the grant, is bounded, so that other instances get their turn.
 */
final class Handover {

	/** Named as the log message about forgotten handles says. */
	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private final Core core;

	private final LeaseSchedule schedule;

	Handover(Core core, LeaseSchedule schedule) {
		this.core = core;
		this.schedule = schedule;
	}

	/**
	 * Give the lock to a waiter.
	 * @return whether there was a waiter; if not, the lease is of no use
	 */
	boolean handTo(@Nullable Waiter waiter, Lease lease, long now) {
		assert lease.gate.isLocked();
		Gate gate = lease.gate;
		if (waiter == null) {
			gate.stripe.removeIfIdle(gate);
			return false;
		}
		Handle handle = Hold.create(lease, waiter, now);
		Hold hold = handle.hold();
		if (logger.isDebugEnabled()) {
			hold.incidents().acquiredAt = new Throwable("Acquired here by '" + hold.ownerName() + "'");
		}
		gate.hold = hold;
		this.schedule.begin(hold);
		waiter.settle(handle);
		return true;
	}

	/**
	 * Hand the lease to the next local waiter, if that is fair to other instances and
	 * enough of the lease is left.
	 */
	boolean passOn(Lease lease, long now) {
		assert lease.gate.isLocked();
		Gate gate = lease.gate;
		Waiter next = gate.firstWaiter();
		if (next == null || lease.handoffsLeft == 0
				|| now - lease.grantedAt >= LeaseTimes.nanos(this.core.settings().handoffWindow())) {
			return false;
		}
		long enough = Math.min(next.options.lease().toNanos() / 2, 1000 * LeaseTimes.MILLI);
		if (lease.deadline() - now < enough) {
			return false;
		}
		lease.handoffsLeft--;
		return handTo(gate.poll(), lease, now);
	}

}
