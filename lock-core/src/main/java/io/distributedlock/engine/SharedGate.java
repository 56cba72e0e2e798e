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

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * The gate of callers that accept any number of other holders. All waiters share one
 * place in the queue of the store, the place of the <em>leader</em>. All other contenders
 * are companions of the leader; they ask once and without a place.
 *
 * <p>
 * As long as nothing is known to be in the way, each new caller has a companion ask for
 * it immediately. After a refusal, callers queue behind the leader. When the leader is
 * granted the lock, the queued callers follow: their companions ask to hold the lock
 * beside a holder of this JVM, ahead of the queue of the store. They arrived before the
 * grant, and therefore cannot starve a writer: later callers do not follow, but get a new
 * leader behind that writer. The number of companions is limited, so that no caller has
 * to wait long for an answer.
 */
final class SharedGate extends WideGate {

	/** The most requests that are under way at a time. */
	static final int MOST_COMPANIONS = 256;

	private @Nullable Contender leader;

	/** Something is in the way, so only the leader asks. */
	private boolean obstructed;

	/** How many leaders were granted the lock. */
	private int round;

	/** Whether callers of earlier rounds follow the last leader. */
	private boolean followed;

	SharedGate(String name, EngineOperations engine) {
		super(name, AcquireRequest.NO_LIMIT, engine);
	}

	/**
	 * There is always room for another holder.
	 */
	@Override
	@Nullable Hold holder() {
		return null;
	}

	@Override
	boolean mayAsk(Waiter waiter) {
		return contending() <= MOST_COMPANIONS && (isFollower(waiter) || this.leader == null || !this.obstructed);
	}

	private boolean isFollower(Waiter waiter) {
		return this.followed && waiter.order < this.round && holders() > 0;
	}

	@Override
	List<Contender> candidates() {
		return (this.leader != null) ? List.of(this.leader) : List.of();
	}

	@Override
	@Nullable Contender resting() {
		return (this.leader != null && !this.leader.isInFlight()) ? this.leader : null;
	}

	@Override
	boolean isAsking() {
		return contending() > ((resting() != null) ? 1 : 0);
	}

	@Override
	void open(Contender contender) {
		super.open(contender);
		Waiter waiter = contender.waiter();
		if (isFollower(waiter)) {
			Hold holder = oldestHold();
			contender
				.accompany((holder != null) ? new LockToken(contender.token.instance(), holder.lease.sequence) : null);
		}
		else if (this.leader != null || !waiter.waits()) {
			contender.accompany(null);
		}
		else {
			this.leader = contender;
		}
	}

	@Override
	void close(Contender contender) {
		super.close(contender);
		if (contender == this.leader) {
			this.leader = null;
			this.obstructed = false;
		}
	}

	@Override
	void refused(Contender contender) {
		this.obstructed |= contender.waiter().waits();
		this.followed &= !contender.isFollower();
	}

	@Override
	boolean granted(Contender contender) {
		if (!contender.isCompanion()) {
			this.round++;
			this.followed = true;
		}
		return !contender.isCompanion();
	}

	/**
	 * Callers wait only for a holder or waiter in the store, and must not overtake it.
	 */
	@Override
	boolean handsOn() {
		return false;
	}

	@Override
	void enqueue(Waiter waiter) {
		waiter.order = this.round;
		super.enqueue(waiter);
	}

	@Override
	void enqueueFirst(Waiter waiter) {
		waiter.order = this.round;
		super.enqueueFirst(waiter);
	}

}
