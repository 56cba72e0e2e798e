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

import java.util.List;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * Lets a holder enter its lock again: without the store, with another handle on the same
 * hold. The lease is lengthened in the background if the inner work asks for more than is
 * left of it, and is never shortened.
 *
 * <p>
 * A thread is the holder if it acquired the lock and has not detached it, or if its
 * {@link LockContext} has a handle on it: then it runs code that was called under the
 * lock, even if that was acquired asynchronously. Others enter again by a handle.
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
	 * Return a handle on the hold that a waiter's thread has already, or {@code null} if
	 * it has none. The gate must be locked.
	 */
	@Nullable Handle enter(@Nullable Hold hold, Waiter waiter) {
		if (hold == null || waiter.owner == null || (hold.owner() != waiter.owner && !isInContext(hold))) {
			return null;
		}
		return enterAgain(hold, waiter.options);
	}

	/**
	 * Return another handle on the hold of a given one, or {@code null} if it is not held
	 * any more.
	 */
	@Nullable Handle enter(Handle held, LockOptions options) {
		Hold hold = held.hold();
		Gates.Stripe stripe = hold.lease.gate.stripe;
		stripe.lock.lock();
		try {
			return held.isHeld() ? enterAgain(hold, options) : null;
		}
		finally {
			stripe.lock.unlock();
		}
	}

	private static boolean isInContext(Hold hold) {
		List<LockHandle> context = LockContext.all();
		for (LockHandle handle : context) {
			for (LockHandle part : handle.parts()) {
				if (part instanceof Handle own && own.hold() == hold && own.isHeld()) {
					return true;
				}
			}
		}
		return false;
	}

	private @Nullable Handle enterAgain(Hold hold, LockOptions options) {
		Handle outer = hold.get();
		if (outer == null) {
			return null;
		}
		boolean renewal = options.autoRenew() && !hold.options().autoRenew();
		hold.openAnother(renewal);
		long missing = this.core.now() + options.lease().toNanos() - hold.lease.endsAt();
		boolean renewed = hold.wantsRenewal() && options.lease().compareTo(hold.options().lease()) <= 0;
		if (missing > options.lease().toNanos() / 10 && !renewed) {
			this.core.threads().io(() -> this.extensions.refresh(hold, options.lease()));
		}
		else if (renewal) {
			this.schedule.next(hold);
		}
		return outer.reenter(renewal);
	}

}
