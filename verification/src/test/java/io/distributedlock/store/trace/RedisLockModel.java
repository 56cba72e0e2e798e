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

package io.distributedlock.store.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.store.trace.HoldersModel.Holder;
import io.distributedlock.store.trace.HoldersModel.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * What the server does in {@code RedisLock.tla}, with all rules in force: the actions
 * {@code ExecAcquire}, {@code ExecExtend}, {@code ExecRelease} and {@code Tick} under the
 * same names. {@link ModelsAreThoseOfTlcTests} compares each step with those of TLC.
 */
final class RedisLockModel {

	static State init() {
		return new State(null, 0, List.of(), 0, 0);
	}

	Next execAcquire(State s, Command c) {
		if (c.token().equals(s.key)) {
			return new Next(s.with(s.key, Math.max(c.lease(), s.ttl)), true, s.firstOfStored(), Map.of());
		}
		if (s.key == null) {
			State taken = new State(c.token(), c.lease(), HoldersModel.without(s.queue, c.token()), s.fence + c.block(),
					c.block());
			return new Next(taken, true, s.fence + 1, Map.of());
		}
		List<Waiter> queue = new ArrayList<>();
		s.queue.forEach((w) -> queue.add(w.t().equals(c.token()) ? w.alive(c) : w));
		if (s.queue.stream().noneMatch((w) -> w.t().equals(c.token()))) {
			queue.add(Waiter.of(c));
		}
		return new Next(s.with(queue), false, 0, Map.of());
	}

	Next execExtend(State s, Command c) {
		if (!c.token().equals(s.key)) {
			return new Next(s, false, 0, Map.of());
		}
		return new Next(s.with(s.key, c.exact() ? c.lease() : Math.max(c.lease(), s.ttl)), true, 0, Map.of());
	}

	/**
	 * Return what follows from a release, which says yes if the token held the lock.
	 */
	Next execRelease(State s, Command c) {
		List<Waiter> q = HoldersModel.without(s.queue, c.token());
		if (!c.token().equals(s.key)) {
			return new Next(s.with(q), false, 0, Map.of());
		}
		int j = 0;
		while (j < q.size() && !q.get(j).isAlive()) {
			j++;
		}
		if (j == q.size()) {
			return new Next(new State(null, 0, List.of(), s.fence, s.block), true, 0, Map.of());
		}
		Waiter next = q.get(j);
		State given = new State(next.t(), next.grantLease(), List.copyOf(q.subList(j + 1, q.size())),
				s.fence + next.block(), next.block());
		return new Next(given, true, 0, Map.of(next.t(), s.fence + 1));
	}

	State tick(State s) {
		return ticks(s, 1);
	}

	State ticks(State s, long n) {
		return s.with(HoldersModel.later(s.queue, n)).with((s.ttl <= n) ? null : s.key, HoldersModel.down(s.ttl, n));
	}

	/**
	 * What a script leads to.
	 *
	 * @param yes whether it was granted, extended or released
	 * @param first the first fencing token
	 * @param pushed the grant that is pushed, and its first fencing token
	 */
	record Next(State state, boolean yes, long first, Map<String, Long> pushed) {
	}

	/**
	 * What is in Redis: the variables of the model that are the server's.
	 *
	 * @param block how many fencing tokens the last grant has reserved
	 */
	record State(@Nullable String key, long ttl, List<Waiter> queue, long fence, int block) {

		long firstOfStored() {
			return this.fence + 1 - this.block;
		}

		State with(@Nullable String key, long ttl) {
			return new State(key, ttl, this.queue, this.fence, this.block);
		}

		State with(List<Waiter> queue) {
			return new State(this.key, this.ttl, List.copyOf(queue), this.fence, this.block);
		}

		/**
		 * Return the same state as the model of several holders has it.
		 */
		HoldersModel.State view() {
			Set<Holder> holders = (this.key != null) ? Set.of(new Holder(this.key, 1, this.ttl, true, firstOfStored()))
					: Set.of();
			return new HoldersModel.State(holders, this.ttl, 0, this.queue, this.fence);
		}

	}

}
