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
 * The local gate of one name: who holds the lock in this JVM, the one bid for it in the
 * store, and the local waiters, first come first served. Everything is guarded by the
 * lock of its {@link Gates.Stripe stripe}. Exists only while there is something in it.
 */
final class Gate {

	final String name;

	final Gates.Stripe stripe;

	@Nullable Hold hold;

	@Nullable Bid bid;

	private @Nullable Waiter first;

	private @Nullable Waiter last;

	Gate(String name, Gates.Stripe stripe) {
		this.name = name;
		this.stripe = stripe;
	}

	boolean isIdle() {
		return this.hold == null && this.bid == null && this.first == null;
	}

	boolean hasWaiters() {
		return this.first != null;
	}

	@Nullable Waiter firstWaiter() {
		return this.first;
	}

	void enqueue(Waiter waiter) {
		waiter.gate = this;
		waiter.previous = this.last;
		if (this.last != null) {
			this.last.next = waiter;
		}
		else {
			this.first = waiter;
		}
		this.last = waiter;
	}

	void remove(Waiter waiter) {
		if (waiter.previous != null) {
			waiter.previous.next = waiter.next;
		}
		else {
			this.first = waiter.next;
		}
		if (waiter.next != null) {
			waiter.next.previous = waiter.previous;
		}
		else {
			this.last = waiter.previous;
		}
		waiter.next = null;
		waiter.previous = null;
		waiter.gate = null;
	}

	/**
	 * Take the first waiter out of the queue.
	 */
	@Nullable Waiter poll() {
		Waiter waiter = this.first;
		if (waiter != null) {
			remove(waiter);
		}
		return waiter;
	}

	/**
	 * Settle all waiters, or only those that want no more than one attempt.
	 */
	void settleWaiters(Which which, Object outcome) {
		Waiter waiter = this.first;
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
