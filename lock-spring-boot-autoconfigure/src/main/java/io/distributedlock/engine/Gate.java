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

	/** The line of waiters, or null if there are none. */
	private @Nullable Line line;

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
		return this.hold == null && this.contender == null && this.line == null;
	}

	boolean hasWaiters() {
		return this.line != null;
	}

	boolean hasSeveralWaiters() {
		return this.line != null && this.line.first != this.line.last;
	}

	/**
	 * A local holder is gone, and others wait.
	 */
	void vacatedAt(long now) {
		if (this.line != null) {
			this.line.vacatedAt = now;
		}
	}

	/**
	 * Whether a waiter found the lock held in this JVM when it came.
	 */
	boolean hasWaitedBehindHolder(Waiter waiter) {
		return this.line != null && waiter.since <= this.line.vacatedAt;
	}

	@Nullable Waiter firstWaiter() {
		return (this.line != null) ? this.line.first : null;
	}

	void enqueue(Waiter waiter) {
		waiter.inLine = true;
		Line line = this.line;
		if (line == null) {
			this.line = new Line(waiter);
			return;
		}
		waiter.previous = line.last;
		line.last.next = waiter;
		line.last = waiter;
	}

	void remove(Waiter waiter) {
		Line line = this.line;
		Waiter next = waiter.next;
		Waiter previous = waiter.previous;
		if (previous != null) {
			previous.next = next;
		}
		if (next != null) {
			next.previous = previous;
		}
		if (line != null && line.first == waiter) {
			if (next == null) {
				this.line = null;
			}
			else {
				line.first = next;
			}
		}
		else if (line != null && line.last == waiter && previous != null) {
			line.last = previous;
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
	 * The first and the last waiter, and what concerns only those who wait.
	 */
	private static final class Line {

		private Waiter first;

		private Waiter last;

		/** When a local holder last made way for them. */
		private long vacatedAt = Long.MIN_VALUE;

		Line(Waiter only) {
			this.first = only;
			this.last = only;
		}

	}

	/**
	 * Which waiters.
	 */
	enum Which {

		ALL, SINGLE_ATTEMPTS

	}

}
