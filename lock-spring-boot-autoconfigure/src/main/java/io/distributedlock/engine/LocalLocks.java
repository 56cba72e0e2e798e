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
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.HeldLock;
import io.distributedlock.WaitingLock;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what this instance holds and waits for at the moment. Does not ask the store.
 */
final class LocalLocks {

	private final Core core;

	LocalLocks(Core core) {
		this.core = core;
	}

	/**
	 * Return the outermost handle of the calling thread, or {@code null} if it does not
	 * hold the lock.
	 */
	@Nullable Handle current(String name) {
		Gates.Stripe stripe = this.core.gates().stripe(name);
		stripe.lock.lock();
		try {
			Gate gate = stripe.find(name);
			Hold hold = (gate != null) ? gate.hold : null;
			boolean held = hold != null && hold.owner() == Thread.currentThread()
					&& this.core.now() < hold.lease.deadline();
			return held ? hold.get() : null;
		}
		finally {
			stripe.lock.unlock();
		}
	}

	List<HeldLock> held() {
		List<HeldLock> held = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			Hold hold = gate.hold;
			if (hold != null) {
				long now = this.core.now();
				held.add(new HeldLock(gate.name, hold.options().label(), hold.ownerName(),
						Duration.ofNanos(now - hold.since), Duration.ofNanos(Math.max(0, hold.lease.deadline() - now)),
						hold.fencingToken, hold.wantsRenewal()));
			}
		});
		return held;
	}

	List<WaitingLock> waiting() {
		List<WaitingLock> waiting = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			for (Waiter waiter = gate.firstWaiter(); waiter != null; waiter = waiter.next) {
				if (waiter.waits()) {
					waiting.add(new WaitingLock(gate.name, waiter.options.label(),
							(waiter.owner != null) ? waiter.owner.getName() : "async",
							Duration.ofNanos(this.core.now() - waiter.since)));
				}
			}
		});
		return waiting;
	}

}
