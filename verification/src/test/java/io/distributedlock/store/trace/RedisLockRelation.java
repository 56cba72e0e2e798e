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

import io.distributedlock.store.trace.HoldersModel.Waiter;
import io.distributedlock.store.trace.RedisLockModel.Next;
import io.distributedlock.store.trace.RedisLockModel.State;
import org.jspecify.annotations.Nullable;

/**
 * {@code RedisLock.tla}, and where the code may differ from it.
 */
final class RedisLockRelation implements Relation<State> {

	private final RedisLockModel model = new RedisLockModel();

	@Override
	public String model() {
		return "RedisLock.tla";
	}

	@Override
	public State init() {
		return RedisLockModel.init();
	}

	@Override
	public State lost(State s) {
		return new State(null, 0, List.of(), s.fence(), s.block());
	}

	@Override
	public State ticks(State s, long ticks) {
		return this.model.ticks(s, ticks);
	}

	@Override
	public HoldersModel.State view(State s) {
		return s.view();
	}

	@Override
	public State with(State s, List<Waiter> queue, long grace) {
		return s.with(queue);
	}

	@Override
	public List<Allowed<State>> allowed(State s, Command c, boolean redis) {
		return switch (c.op()) {
			case ACQUIRE -> acquired(s, c, redis);
			case EXTEND -> List.of(allowed(this.model.execExtend(s, c), null));
			case RELEASE -> List.of(allowed(this.model.execRelease(s, c), null));
			default -> List.of(new Allowed<>(s, false, 0, Map.of(), null));
		};
	}

	private List<Allowed<State>> acquired(State s, Command c, boolean redis) {
		List<Allowed<State>> all = new ArrayList<>();
		Next next = this.model.execAcquire(s, c);
		if (next.yes() || c.waits()) {
			all.add(allowed(next, null));
		}
		else {
			all.add(new Allowed<>(s, false, 0, Map.of(), Difference.SINGLE_ATTEMPT));
		}
		List<Waiter> queue = next.state().queue();
		boolean queued = s.queue().stream().anyMatch((w) -> w.t().equals(c.token()));
		if (redis && !next.yes() && c.waits() && c.sign() % 4 == 3) {
			all.add(new Allowed<>(next.state().with(HoldersRelation.signed(s.queue(), queue, c.token())), false, 0,
					Map.of(), Difference.FOURTH_SIGN));
		}
		if (next.yes() && queued && (!c.waits() || (redis && c.sign() == 0))) {
			all.add(new Allowed<>(next.state().with(HoldersRelation.kept(s.queue(), queue, c.token())), true,
					next.first(), Map.of(), Difference.PLACE_LEFT_TO_THE_RELEASE));
		}
		if (c.token().equals(s.key()) && c.waits() && queued) {
			all.add(new Allowed<>(next.state().with(HoldersModel.without(queue, c.token())), true, next.first(),
					Map.of(), Difference.PLACE_LEFT_TO_THE_RELEASE));
		}
		return all;
	}

	private static Allowed<State> allowed(Next next, @Nullable Difference difference) {
		return new Allowed<>(next.state(), next.yes(), next.first(), next.pushed(), difference);
	}

}
