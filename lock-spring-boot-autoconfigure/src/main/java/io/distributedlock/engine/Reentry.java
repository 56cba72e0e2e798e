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

import org.jspecify.annotations.Nullable;

/**
 * Lets a holder enter his lock again: without the store, with another handle on the same
 * hold. The lease is lengthened in the background if the inner work asks for more than is
 * left of it, and is never shortened.
 */
final class Reentry {

	private final Core core;

	private final LeaseSchedule schedule;

	private final Extensions extensions;

	Reentry(Core core, LeaseSchedule schedule, Extensions extensions) {
		this.core = core;
		this.schedule = schedule;
		this.extensions = extensions;
	}

	/**
	 * Return the handle on the hold that a waiter's thread has already, or {@code null}
	 * if it has none. The gate must be locked.
	 */
	@Nullable Handle enter(@Nullable Hold hold, Waiter waiter) {
		if (hold == null || waiter.owner == null || hold.owner != waiter.owner) {
			return null;
		}
		Handle outer = hold.get();
		return (outer != null) ? enterAgain(hold, outer, waiter) : null;
	}

	private Handle enterAgain(Hold hold, Handle outer, Waiter inner) {
		boolean renewal = inner.options.autoRenew() && !hold.options.autoRenew();
		hold.openAnother(renewal);
		long missing = this.core.now() + inner.options.lease().toNanos() - hold.lease.endsAt();
		boolean renewed = hold.wantsRenewal() && inner.options.lease().compareTo(hold.options.lease()) <= 0;
		if (missing > inner.options.lease().toNanos() / 10 && !renewed) {
			this.core.threads().io(() -> this.extensions.refresh(hold, inner.options.lease()));
		}
		else if (renewal) {
			this.schedule.next(hold);
		}
		return outer.reenter(renewal);
	}

}
