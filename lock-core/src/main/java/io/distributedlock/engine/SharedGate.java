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
 * The gate of callers that accept any number of others. However many wait, they have one
 * place in the queue of the store: that of the <em>leader</em>. All other contenders are
 * its companions, which ask once and without a place.
 *
 * <p>
 * As long as nothing is known to be in the way, each new caller has a companion ask for
 * it immediately. After a refusal, callers stand in line behind the leader. When the
 * leader is granted the lock, those who stood in line by then follow: their companions
 * ask to be beside a holder of this JVM, whoever waits in the queue. They came before the
 * grant, and so do not keep a caller that waits to be alone from the lock for ever: later
 * callers do not follow, but have a new leader, behind that caller. The number of
 * companions is limited, so that no caller has to wait long for an answer.
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
	 * Only what is in the way keeps callers waiting, and it must not be overtaken.
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
