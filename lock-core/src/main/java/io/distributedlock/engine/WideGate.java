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

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * The gate of callers that accept others beside them, up to a limit that is the same for
 * all callers of this gate. It has several holds and contenders. No event takes longer
 * the more of them there are, or the more waiters.
 */
abstract class WideGate extends Gate {

	private final int limit;

	/** By the sequence number of the token, in the order of their grants. */
	private final Map<Long, Hold> holds = new LinkedHashMap<>();

	/** The latest one of each thread. */
	private final Map<Thread, Hold> owners = new IdentityHashMap<>();

	/** The leases that the store watches, the oldest first. */
	private final Set<Lease> watched = new LinkedHashSet<>(0);

	/** The last question that one of them asks for all, or the next one. */
	private long questionAt = Long.MIN_VALUE / 2;

	private long allAskedAt = Long.MIN_VALUE / 2;

	/** The oldest first. */
	private final Map<LockToken, Contender> contenders = new LinkedHashMap<>();

	/** How many of those in line want no more than one attempt. */
	private int singleAttempts;

	WideGate(String name, int limit, EngineOperations engine) {
		super(name, engine);
		this.limit = limit;
	}

	@Override
	final int limit() {
		return this.limit;
	}

	// Holds

	@Override
	final int holders() {
		return this.holds.size();
	}

	/**
	 * Return the hold that was granted before the others, or {@code null} if there is
	 * none.
	 */
	final @Nullable Hold oldestHold() {
		return this.holds.isEmpty() ? null : this.holds.values().iterator().next();
	}

	@Override
	final @Nullable Hold holdOf(long sequence) {
		return this.holds.get(sequence);
	}

	@Override
	final @Nullable Hold holdOf(Thread owner) {
		return this.owners.get(owner);
	}

	@Override
	final List<Hold> holds() {
		return List.copyOf(this.holds.values());
	}

	@Override
	void hold(Hold hold) {
		Hold before = this.holds.put(hold.lease.sequence, hold);
		if (before != null) {
			disown(before);
		}
		Thread owner = hold.owner();
		if (owner != null) {
			this.owners.put(owner, hold);
		}
		assert this.holds.size() <= this.limit;
	}

	@Override
	void vacate(Hold hold) {
		boolean removed = this.holds.remove(hold.lease.sequence, hold);
		assert removed;
		this.watched.remove(hold.lease);
		disown(hold);
	}

	@Override
	final void watch(Lease lease) {
		this.watched.add(lease);
	}

	@Override
	final @Nullable Hold watched() {
		return this.watched.isEmpty() ? null : holdOf(this.watched.iterator().next().sequence);
	}

	/**
	 * {@inheritDoc} However many holders come and go, one question a second is enough.
	 */
	@Override
	final long nextQuestion(long now) {
		if (this.questionAt <= now) {
			this.questionAt = Math.max(now, this.questionAt + Lease.PAUSE_IN_COMPANY);
		}
		return this.questionAt;
	}

	/**
	 * {@inheritDoc} Thousands may lose the lock at the same time. What happens after the
	 * questions for them is reported again.
	 */
	@Override
	final boolean mayAskAll(long now) {
		boolean may = now - this.allAskedAt >= Lease.PAUSE_IN_COMPANY;
		if (may) {
			this.allAskedAt = now;
		}
		return may;
	}

	@Override
	final void detach(Hold hold) {
		disown(hold);
		super.detach(hold);
	}

	private void disown(Hold hold) {
		Thread owner = hold.owner();
		if (owner != null) {
			this.owners.remove(owner, hold);
		}
	}

	// Contenders

	@Override
	final List<Contender> contenders() {
		return List.copyOf(this.contenders.values());
	}

	final int contending() {
		return this.contenders.size();
	}

	@Override
	final @Nullable Contender contenderOf(LockToken token) {
		return this.contenders.get(token);
	}

	@Override
	void open(Contender contender) {
		this.contenders.put(contender.token, contender);
		assert this.holds.size() + this.contenders.size() <= this.limit;
	}

	@Override
	void close(Contender contender) {
		boolean removed = this.contenders.remove(contender.token, contender);
		assert removed;
	}

	// Waiters

	@Override
	final boolean mayHaveSingleAttempts() {
		return this.singleAttempts > 0;
	}

	@Override
	final void waitNoLonger(Waiter waiter) {
		this.singleAttempts += (waiter.inLine && waiter.waits()) ? 1 : 0;
		super.waitNoLonger(waiter);
	}

	@Override
	void enqueue(Waiter waiter) {
		this.singleAttempts += waiter.waits() ? 0 : 1;
		super.enqueue(waiter);
	}

	@Override
	final void remove(Waiter waiter) {
		this.singleAttempts -= waiter.waits() ? 0 : 1;
		super.remove(waiter);
	}

	@Override
	final boolean isIdle() {
		return this.holds.isEmpty() && this.contenders.isEmpty() && !hasWaiters();
	}

}
