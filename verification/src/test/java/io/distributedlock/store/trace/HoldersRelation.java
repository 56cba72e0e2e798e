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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.trace.HoldersModel.Holder;
import io.distributedlock.store.trace.HoldersModel.Next;
import io.distributedlock.store.trace.HoldersModel.State;
import io.distributedlock.store.trace.HoldersModel.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * {@code Holders.tla}, and where the code may differ from it.
 */
final class HoldersRelation implements Relation<State> {

	/** Of the scripts. */
	static final int SERVE_MAX = 16;

	private final HoldersModel model;

	/** What follows if a script is called again until it has looked at all. */
	private final HoldersModel repeated;

	HoldersRelation(long grace) {
		this.model = new HoldersModel(grace, SERVE_MAX);
		this.repeated = new HoldersModel(grace, Integer.MAX_VALUE);
	}

	@Override
	public String model() {
		return "Holders.tla";
	}

	@Override
	public State init() {
		return HoldersModel.init();
	}

	@Override
	public State lost(State s) {
		return new State(init().holders(), 0, 0, List.of(), s.fence());
	}

	@Override
	public State ticks(State s, long ticks) {
		return this.model.ticks(s, ticks);
	}

	@Override
	public State view(State s) {
		return s;
	}

	@Override
	public State with(State s, List<Waiter> queue, long grace) {
		return s.with(queue).with(s.holders().isEmpty() ? grace : 0);
	}

	@Override
	public List<Allowed<State>> allowed(State s, Command c, boolean redis) {
		return switch (c.op()) {
			case ACQUIRE -> acquired(s, c, redis);
			case EXTEND -> List.of(allowed(this.model.execExtend(s, c), null));
			case RELEASE -> List.of(allowed(released(s, c), null));
			default -> List.of(new Allowed<>(s, false, 0, Map.of(), null));
		};
	}

	/**
	 * A release that says that it must be called again is called again.
	 */
	private Next released(State s, Command c) {
		Next next = this.model.execRelease(s, c);
		Map<String, Long> pushed = new LinkedHashMap<>(next.pushed());
		while (next.yes()) {
			next = this.model.execRelease(next.state(), c);
			pushed.putAll(next.pushed());
		}
		return new Next(next.state(), false, 0, pushed);
	}

	private List<Allowed<State>> acquired(State s, Command c, boolean redis) {
		List<Allowed<State>> all = new ArrayList<>();
		Next next = this.model.execAcquire(s, c, c.waits());
		all.add(allowed(next, null));
		if (c.limit() > 1 && !c.waits()) {
			all.add(allowed(this.model.execAcquire(s, c, true), Difference.SINGLE_ATTEMPT_SERVES));
		}
		if (c.limit() > 1 && s.queue().size() >= SERVE_MAX) {
			all.add(allowed(this.repeated.execAcquire(s, c, true), Difference.CALLED_AGAIN));
		}
		if (c.limit() == 1 && c.waits()) {
			all.add(allowed(this.model.execAcquire(s, c, false), Difference.ALONE_SERVES_NOBODY));
		}
		if (c.limit() == 1 && s.holders().isEmpty() && !s.queue().isEmpty() && !s.queue().get(0).isAlive()
				&& !s.queue().get(0).t().equals(c.token())) {
			all.add(new Allowed<>(s.with(entered(s, c)), false, 0, Map.of(), Difference.STOPS_AT_THE_DEAD));
		}
		Holder mine = s.holder(c.token());
		if (mine != null && (c.limit() == 1 || !redis)) {
			State same = new State(next.state().holders(), next.state().keyTtl(), 0, s.queue(), s.fence());
			List<Holder> holders = new ArrayList<>(same.holders());
			holders.replaceAll(
					(h) -> h.t().equals(mine.t()) ? new Holder(h.t(), h.limit(), h.ttl(), true, mine.fence()) : h);
			same = new State(new LinkedHashSet<>(holders), same.keyTtl(), 0, s.queue(), s.fence());
			all.add(new Allowed<>(same, true, mine.fence(), Map.of(), Difference.SAME_TOKENS_AGAIN));
		}
		for (Allowed<State> each : List.copyOf(all)) {
			State after = each.state();
			if (redis && !each.yes() && c.waits() && c.sign() % 4 == 3) {
				all.add(new Allowed<>(after.with(signed(s.queue(), after.queue(), c.token())), false, 0, each.pushed(),
						Difference.FOURTH_SIGN));
			}
			if (each.yes() && c.limit() == 1 && s.isQueued(c.token()) && (!c.waits() || (redis && c.sign() == 0))) {
				all.add(new Allowed<>(after.with(kept(s.queue(), after.queue(), c.token())), true, each.first(),
						each.pushed(), Difference.PLACE_LEFT_TO_THE_RELEASE));
			}
			if (mine != null && c.waits() && s.isQueued(c.token())) {
				all.add(new Allowed<>(after.with(HoldersModel.without(after.queue(), c.token())), true, each.first(),
						each.pushed(), Difference.PLACE_LEFT_TO_THE_RELEASE));
			}
		}
		return all;
	}

	/** The queue of the model, if the caller enters it. */
	static List<Waiter> entered(State s, Command c) {
		if (!c.waits()) {
			return s.queue();
		}
		List<Waiter> queue = new ArrayList<>();
		s.queue().forEach((w) -> queue.add(w.t().equals(c.token()) ? w.alive(c) : w));
		if (!s.isQueued(c.token())) {
			queue.add(Waiter.of(c));
		}
		return queue;
	}

	/** The queue with the place of a token as it was, or without it. */
	static List<Waiter> signed(List<Waiter> before, List<Waiter> after, String t) {
		List<Waiter> queue = new ArrayList<>();
		for (Waiter waiter : after) {
			if (!waiter.t().equals(t)) {
				queue.add(waiter);
			}
			else {
				before.stream().filter((w) -> w.t().equals(t)).forEach(queue::add);
			}
		}
		return queue;
	}

	/** The queue with the place that a token had before. */
	static List<Waiter> kept(List<Waiter> before, List<Waiter> after, String t) {
		return before.stream().filter((w) -> w.t().equals(t) || after.contains(w)).toList();
	}

	private static Allowed<State> allowed(Next next, @Nullable Difference difference) {
		return new Allowed<>(next.state(), next.yes(), next.first(), next.pushed(), difference);
	}

}
