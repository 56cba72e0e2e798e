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
 * The local gate of one name: who holds the lock in this JVM, the one contender for it in
 * the store, and the local waiters, first come first served. Everything is guarded by the
 * lock of its {@linkplain GateMap.Stripe stripe}. Exists only while it is not empty.
 */
final class Gate {

	final String name;

	final EngineOperations engine;

	@Nullable Hold hold;

	@Nullable Contender contender;

	/** The next gate in the same bucket of the table of {@link GateMap}. */
	@Nullable Gate nextInBucket;

	/** The line of waiters: both ends, or null if there are none. */
	private @Nullable Waiter firstWaiter;

	private @Nullable Waiter lastWaiter;

	Gate(String name, EngineOperations engine) {
		this.name = name;
		this.engine = engine;
	}

	/**
	 * Whether the current thread may look at this and change it.
	 */
	boolean isLocked() {
		return this.engine.isLocked(this.name);
	}

	boolean isIdle() {
		return this.hold == null && this.contender == null && this.firstWaiter == null;
	}

	boolean hasWaiters() {
		return this.firstWaiter != null;
	}

	boolean hasSeveralWaiters() {
		return this.firstWaiter != this.lastWaiter;
	}

	@Nullable Waiter firstWaiter() {
		return this.firstWaiter;
	}

	void enqueue(Waiter waiter) {
		waiter.inLine = true;
		Waiter last = this.lastWaiter;
		if (last == null) {
			this.firstWaiter = waiter;
		}
		else {
			waiter.previous = last;
			last.next = waiter;
		}
		this.lastWaiter = waiter;
	}

	void remove(Waiter waiter) {
		Waiter next = waiter.next;
		Waiter previous = waiter.previous;
		if (previous != null) {
			previous.next = next;
		}
		else {
			this.firstWaiter = next;
		}
		if (next != null) {
			next.previous = previous;
		}
		else {
			this.lastWaiter = previous;
		}
		waiter.next = null;
		waiter.previous = null;
		waiter.inLine = false;
	}

	/**
	 * Take the first waiter out of the line.
	 */
	@Nullable Waiter poll() {
		Waiter waiter = firstWaiter();
		if (waiter != null) {
			remove(waiter);
		}
		return waiter;
	}

	/**
	 * Settle all waiters, or only those that want no more than one attempt.
	 */
	void settleWaiters(Which which, Outcome outcome) {
		Waiter waiter = firstWaiter();
		while (waiter != null) {
			Waiter following = waiter.next;
			if (which == Which.ALL || !waiter.waits()) {
				remove(waiter);
				waiter.settle(outcome);
			}
			waiter = following;
		}
	}

	/**
	 * Which waiters.
	 */
	enum Which {

		ALL, SINGLE_ATTEMPTS

	}

}
