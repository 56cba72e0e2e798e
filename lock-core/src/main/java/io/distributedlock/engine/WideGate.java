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
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * The gate of callers that accept others beside them, up to a limit that is the same for
 * all callers of this gate. It has as many contenders as it has waiters, as long as holds
 * and contenders do not exceed the limit; later waiters wait for one of these holds to
 * end. A contender is not bound to a waiter: each grant is for the first one in line.
 */
final class WideGate extends Gate {

	/** Times of the monotonic clock are compared by their difference. */
	private static final Comparator<Hold> ENDS_FIRST = (one, other) -> Long
		.signum(one.lease.endsAt() - other.lease.endsAt());

	private final int limit;

	/** By the sequence number of the token. */
	private final Map<Long, Hold> holds = new LinkedHashMap<>();

	/** The oldest first. */
	private final Map<LockToken, Contender> contenders = new LinkedHashMap<>();

	WideGate(String name, int limit, EngineOperations engine) {
		super(name, engine);
		this.limit = limit;
	}

	@Override
	int limit() {
		return this.limit;
	}

	@Override
	@Nullable Hold holder() {
		if (this.holds.size() < this.limit) {
			return null;
		}
		return this.holds.values().stream().min(ENDS_FIRST).orElse(null);
	}

	@Override
	int holders() {
		return this.holds.size();
	}

	@Override
	@Nullable Hold holdOf(long sequence) {
		return this.holds.get(sequence);
	}

	@Override
	@Nullable Hold holdOf(Thread owner) {
		for (Hold hold : this.holds.values()) {
			if (hold.owner() == owner) {
				return hold;
			}
		}
		return null;
	}

	@Override
	List<Hold> holds() {
		return List.copyOf(this.holds.values());
	}

	@Override
	void hold(Hold hold) {
		this.holds.put(hold.lease.sequence, hold);
		assert this.holds.size() <= this.limit;
	}

	@Override
	void vacate(Hold hold) {
		boolean removed = this.holds.remove(hold.lease.sequence, hold);
		assert removed;
	}

	@Override
	boolean hasRoom() {
		return this.holds.size() + this.contenders.size() < this.limit;
	}

	@Override
	List<Contender> contenders() {
		return List.copyOf(this.contenders.values());
	}

	@Override
	@Nullable Contender contenderOf(LockToken token) {
		return this.contenders.get(token);
	}

	@Override
	@Nullable Contender resting() {
		for (Contender contender : this.contenders.values()) {
			if (!contender.isInFlight()) {
				return contender;
			}
		}
		return null;
	}

	@Override
	boolean isAsking() {
		return this.contenders.values().stream().anyMatch(Contender::isInFlight);
	}

	@Override
	@Nullable Contender surplus() {
		return (!this.contenders.isEmpty() && waiterAt(this.contenders.size() - 1) == null) ? youngest() : null;
	}

	private Contender youngest() {
		return new ArrayList<>(this.contenders.values()).get(this.contenders.size() - 1);
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

	@Override
	@Nullable Waiter firstWithoutContender() {
		return waiterAt(this.contenders.size());
	}

	private @Nullable Waiter waiterAt(int place) {
		Waiter waiter = firstWaiter();
		for (int i = 0; i < place && waiter != null; i++) {
			waiter = waiter.next;
		}
		return waiter;
	}

	@Override
	boolean isIdle() {
		return this.holds.isEmpty() && this.contenders.isEmpty() && !hasWaiters();
	}

}
