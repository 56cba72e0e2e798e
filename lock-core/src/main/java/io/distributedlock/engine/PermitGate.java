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

import java.util.Comparator;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * The gate of callers with permits. Each of its contenders has a place of its own in the
 * queue of the store. There are as many as there are waiters, as long as holds and
 * contenders do not exceed the permits, but no more than a few; other waiters queue
 * locally.
 */
final class PermitGate extends WideGate {

	/**
	 * The most contenders. Each costs a request a second while it waits, and more of them
	 * would hardly be granted the lock sooner.
	 */
	static final int MOST_CONTENDERS = 16;

	/** Times of the monotonic clock are compared by their difference. */
	private static final Comparator<Lease> ENDS_FIRST = (one, other) -> {
		int order = Long.signum(one.endsAt() - other.endsAt());
		return (order != 0) ? order : Long.compare(one.sequence, other.sequence);
	};

	/** Those of the holds. */
	private final TreeSet<Lease> leases = new TreeSet<>(ENDS_FIRST);

	/** How many waiters have come. */
	private int arrivals;

	PermitGate(String name, int limit, EngineOperations engine) {
		super(name, limit, engine);
	}

	@Override
	@Nullable Hold holder() {
		return (holders() < limit()) ? null : holdOf(this.leases.first().sequence);
	}

	@Override
	void hold(Hold hold) {
		super.hold(hold);
		this.leases.add(hold.lease);
	}

	@Override
	void vacate(Hold hold) {
		super.vacate(hold);
		this.leases.remove(hold.lease);
	}

	@Override
	boolean unrank(Lease lease) {
		return this.leases.remove(lease);
	}

	@Override
	void rank(Lease lease) {
		this.leases.add(lease);
	}

	@Override
	boolean mayAsk(Waiter waiter) {
		return contending() < MOST_CONTENDERS && holders() + contending() < limit();
	}

	@Override
	@Nullable Contender resting() {
		for (Contender contender : contenders()) {
			if (!contender.isInFlight()) {
				return contender;
			}
		}
		return null;
	}

	@Override
	boolean isAsking() {
		return contenders().stream().anyMatch(Contender::isInFlight);
	}

	@Override
	void open(Contender contender) {
		number(contender.waiter());
		super.open(contender);
	}

	@Override
	void enqueue(Waiter waiter) {
		number(waiter);
		super.enqueue(waiter);
	}

	private void number(Waiter waiter) {
		if (waiter.order == Waiter.NONE) {
			waiter.order = this.arrivals++;
		}
	}

	@Override
	@Nullable Waiter firstToCome() {
		Waiter first = firstWaiter();
		for (Contender contender : contenders()) {
			Waiter waiter = contender.waiter();
			// The numbers may begin again
			first = (first == null || waiter.order - first.order < 0) ? waiter : first;
		}
		return first;
	}

}
