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

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * The local gate of one name: who holds the lock in this JVM, the contenders for it in
 * the store, each with the waiter for whom it asks, and the line of the other local
 * waiters, first come first served. Everything is guarded by the lock of its
 * {@linkplain GateMap.Stripe stripe}. Exists only while it is not empty.
 *
 * <p>
 * This is the gate of callers that want to be alone: it has one hold, or one contender,
 * at most. Callers that accept others use a {@link WideGate}, even for the same name.
 * Only the gates know how many holds and contenders there can be: other code asks for the
 * hold of a token or of a thread, and whether a contender may be opened.
 */
class Gate {

	final String name;

	final EngineOperations engine;

	private @Nullable Hold hold;

	private @Nullable Contender contender;

	/** The next gate in the same bucket of the table of {@link GateMap}. */
	@Nullable Gate nextInBucket;

	/**
	 * The line of those for whom no contender asks: both ends, or null if there are none.
	 */
	private @Nullable Waiter firstWaiter;

	private @Nullable Waiter lastWaiter;

	Gate(String name, EngineOperations engine) {
		this.name = name;
		this.engine = engine;
	}

	/**
	 * Return how many holders, in all instances together, the callers of this gate
	 * accept.
	 */
	int limit() {
		return 1;
	}

	final boolean isLocked() {
		return this.engine.isLocked(this.name);
	}

	/**
	 * Read or change what this guards, if no action results from it.
	 */
	final <T extends @Nullable Object> T locked(Supplier<T> work) {
		return this.engine.locked(this.name, work);
	}

	// Holds

	int holders() {
		return (this.hold != null) ? 1 : 0;
	}

	/**
	 * Return the hold that keeps others from the lock until its lease ends, or
	 * {@code null} if there is none.
	 */
	@Nullable Hold holder() {
		return this.hold;
	}

	/**
	 * Return the hold of the grant to the token with a sequence number, or {@code null}.
	 */
	@Nullable Hold holdOf(long sequence) {
		Hold hold = this.hold;
		return (hold != null && hold.lease.sequence == sequence) ? hold : null;
	}

	@Nullable Hold holdOf(Thread owner) {
		Hold hold = this.hold;
		return (hold != null && hold.owner() == owner) ? hold : null;
	}

	final boolean isHeld(Hold hold) {
		return holdOf(hold.lease.sequence) == hold;
	}

	List<Hold> holds() {
		return (this.hold != null) ? List.of(this.hold) : List.of();
	}

	void hold(Hold hold) {
		assert this.hold == null || this.hold.lease == hold.lease;
		this.hold = hold;
	}

	void vacate(Hold hold) {
		assert isHeld(hold);
		this.hold = null;
	}

	/**
	 * The thread that acquired the lock no longer enters it again.
	 */
	void detach(Hold hold) {
		hold.detach();
	}

	/**
	 * The end of a lease is about to change.
	 * @return whether to {@linkplain #rank} it afterwards
	 */
	boolean unrank(Lease lease) {
		return false;
	}

	void rank(Lease lease) {
	}

	/**
	 * The store is asked to watch a lease.
	 */
	void watch(Lease lease) {
	}

	/**
	 * Return the hold of a lease that the store may have ceased to watch, as this
	 * instance itself changed the lock for others; {@code null} if there is none.
	 */
	@Nullable Hold watched() {
		return null;
	}

	/**
	 * Return when to ask for it.
	 */
	long nextQuestion(long now) {
		return now;
	}

	/**
	 * Whether to ask for all holds, as one that was asked for is lost.
	 */
	boolean mayAskAll(long now) {
		return false;
	}

	// Contenders

	/**
	 * Whether a contender may ask for a waiter now, beside the present holds and
	 * contenders.
	 */
	boolean mayAsk(Waiter waiter) {
		return this.hold == null && this.contender == null;
	}

	/**
	 * Return all contenders, the oldest first.
	 */
	List<Contender> contenders() {
		return (this.contender != null) ? List.of(this.contender) : List.of();
	}

	@Nullable Contender contenderOf(LockToken token) {
		Contender contender = this.contender;
		return (contender != null && contender.token.equals(token)) ? contender : null;
	}

	/**
	 * Return a contender that was refused and asks again later, or {@code null}.
	 */
	@Nullable Contender resting() {
		Contender contender = this.contender;
		return (contender != null && !contender.isInFlight()) ? contender : null;
	}

	/**
	 * Whether the store is about to answer a contender.
	 */
	boolean isAsking() {
		return this.contender != null && this.contender.isInFlight();
	}

	/**
	 * Return the contenders that have a place in the queue of the store, or may get one.
	 */
	List<Contender> candidates() {
		return contenders();
	}

	void open(Contender contender) {
		assert this.contender == null;
		this.contender = contender;
	}

	void close(Contender contender) {
		assert this.contender == contender;
		this.contender = null;
	}

	/**
	 * The store refused a contender, or did not answer.
	 */
	void refused(Contender contender) {
	}

	/**
	 * The store granted the lock to a contender, which is closed now.
	 * @return whether those in line may follow it at once
	 */
	boolean granted(Contender contender) {
		return false;
	}

	// Waiters

	/**
	 * Whether a holder hands its lease on to the next waiter here.
	 */
	boolean handsOn() {
		return true;
	}

	/**
	 * Return the waiter that came before the others, if this has several contenders, or
	 * else the first in line.
	 */
	@Nullable Waiter firstToCome() {
		return this.firstWaiter;
	}

	/**
	 * Return all waiters: those for whom a contender asks, and those in line.
	 */
	final List<Waiter> waiters() {
		List<Waiter> waiters = new ArrayList<>();
		contenders().forEach((contender) -> waiters.add(contender.waiter()));
		for (Waiter waiter = this.firstWaiter; waiter != null; waiter = waiter.next) {
			waiters.add(waiter);
		}
		return waiters;
	}

	boolean isIdle() {
		return this.hold == null && this.contender == null && this.firstWaiter == null;
	}

	final boolean hasWaiters() {
		return this.firstWaiter != null;
	}

	final @Nullable Waiter firstWaiter() {
		return this.firstWaiter;
	}

	/**
	 * Whether some of those in line may want no more than one attempt.
	 */
	boolean mayHaveSingleAttempts() {
		return hasWaiters();
	}

	/**
	 * A waiter wants the next answer of the store only.
	 */
	void waitNoLonger(Waiter waiter) {
		waiter.waitNoLonger();
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

	/**
	 * Put a waiter at the head of the line again.
	 */
	void enqueueFirst(Waiter waiter) {
		waiter.inLine = true;
		Waiter first = this.firstWaiter;
		if (first == null) {
			this.lastWaiter = waiter;
		}
		else {
			waiter.next = first;
			first.previous = waiter;
		}
		this.firstWaiter = waiter;
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

	final @Nullable Waiter poll() {
		Waiter waiter = firstWaiter();
		if (waiter != null) {
			remove(waiter);
		}
		return waiter;
	}

}
