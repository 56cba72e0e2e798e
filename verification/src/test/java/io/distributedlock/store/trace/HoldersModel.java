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
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What the server does in {@code Holders.tla}, with all rules in force: the actions
 * {@code ExecAcquire}, {@code ExecExtend}, {@code ExecRelease} and {@code Tick}, and what
 * they use, under the same names. {@link ModelsAreThoseOfTlcTests} compares each step
 * with those of TLC.
 *
 * <p>
 * What clients do between the scripts is not restated: they may call any script at any
 * time. Life, grant lease and block of fencing tokens, which are constants of the model,
 * are those of each request here.
 */
final class HoldersModel {

	private final long grace;

	private final int serveMax;

	/**
	 * Create the model with its constants.
	 */
	HoldersModel(long grace, int serveMax) {
		this.grace = grace;
		this.serveMax = serveMax;
	}

	static State init() {
		return new State(new LinkedHashSet<>(), 0, 0, List.of(), 0);
	}

	/**
	 * Return what follows from an acquisition.
	 * @param helps whether it serves those in front of it, in the model whoever waits
	 */
	Next execAcquire(State s, Command c, boolean helps) {
		String t = c.token();
		Holder mine = s.holder(t);
		List<Waiter> q = new ArrayList<>();
		s.queue.forEach((w) -> q.add(w.t.equals(t) ? w.alive(c) : w));
		if (c.waits() && !s.isQueued(t)) {
			q.add(Waiter.of(c));
		}
		int place = 0;
		while (place < q.size() && !q.get(place).t.equals(t)) {
			place++;
		}
		boolean front = q.subList(0, place).stream().anyMatch(Waiter::isAlive);
		boolean plain = c.limit() == 1 && s.holders.isEmpty() && s.grace == 0;
		boolean passes = c.by() != null && s.holder(c.by()) != null;
		if (mine != null) {
			Set<Holder> hs = without(s.holders, t);
			hs.add(new Holder(t, c.limit(), Math.max(c.lease(), mine.ttl), true, s.fence + 1));
			return new Next(write(s, hs, s.queue, s.fence + c.block()), true, s.fence + 1, Map.of());
		}
		if (plain || (fits(s.holders, c.limit()) && (!front || passes))) {
			Set<Holder> hs = new LinkedHashSet<>(s.holders);
			hs.add(new Holder(t, c.limit(), c.lease(), true, s.fence + 1));
			return new Next(write(s, hs, without(s.queue, t), s.fence + c.block()), true, s.fence + 1, Map.of());
		}
		Served served = serve(s.holders, q.subList(0, place), s.fence);
		if (!helps || passes || served.granted.isEmpty()) {
			return new Next(write(s, s.holders, q, s.fence), false, 0, Map.of());
		}
		List<Waiter> behind = q.subList(place, q.size());
		boolean in = !served.more && served.q.isEmpty() && fits(served.hs, c.limit());
		List<Waiter> rest = new ArrayList<>(served.q);
		rest.addAll(in ? without(behind, t) : behind);
		Set<Holder> hs = new LinkedHashSet<>(served.hs);
		if (in) {
			hs.add(new Holder(t, c.limit(), c.lease(), true, served.fence + 1));
		}
		return new Next(write(s, hs, rest, served.fence + (in ? c.block() : 0)), in, in ? served.fence + 1 : 0,
				served.granted);
	}

	Next execExtend(State s, Command c) {
		Holder mine = s.holder(c.token());
		if (mine == null) {
			return new Next(write(s, s.holders, s.queue, s.fence), false, 0, Map.of());
		}
		Set<Holder> hs = without(s.holders, c.token());
		long ttl = c.exact() ? c.lease() : Math.max(c.lease(), mine.ttl);
		hs.add(new Holder(mine.t, mine.limit, ttl, true, mine.fence));
		return new Next(write(s, hs, s.queue, s.fence), true, 0, Map.of());
	}

	/**
	 * Return what follows from a release, which says yes if it must be called again.
	 */
	Next execRelease(State s, Command c) {
		Set<Holder> hs = without(s.holders, c.token());
		List<Waiter> q = without(s.queue, c.token());
		boolean serves = !s.holders.isEmpty() || s.grace > 0;
		Served served = serves ? serve(hs, q, s.fence) : new Served(hs, q, Map.of(), false, s.fence);
		boolean stays = served.more && served.hs.isEmpty() && s.holder(c.token()) != null;
		Set<Holder> left = stays ? s.holders : served.hs;
		return new Next(write(s, left, served.q, served.fence), served.more, 0, served.granted);
	}

	State tick(State s) {
		Set<Holder> ticked = new LinkedHashSet<>();
		s.holders.stream().filter((h) -> h.ttl > 1).forEach((h) -> ticked.add(h.in(1)));
		boolean several = s.holders.stream().anyMatch((h) -> h.limit > 1);
		long left = !ticked.isEmpty() ? 0 : several ? this.grace : down(s.grace, 1);
		return new State(ticked, down(s.keyTtl, 1), left, later(s.queue, 1), s.fence);
	}

	/**
	 * Let time pass: as many ticks, without those in which nothing ends.
	 */
	State ticks(State s, long n) {
		State state = s;
		for (long left = n; left > 0;) {
			long quiet = Math.min(left - 1, state.quiet() - 1);
			if (quiet > 0) {
				Set<Holder> hs = new LinkedHashSet<>();
				state.holders.forEach((h) -> hs.add(h.in(quiet)));
				state = new State(hs, down(state.keyTtl, quiet), down(state.grace, quiet), later(state.queue, quiet),
						state.fence);
				left -= quiet;
			}
			state = tick(state);
			left--;
			if (state.quiet() == Long.MAX_VALUE) {
				return state;
			}
		}
		return state;
	}

	private Served serve(Set<Holder> holders, List<Waiter> queue, long before) {
		Set<Holder> hs = new LinkedHashSet<>(holders);
		Map<String, Long> granted = new LinkedHashMap<>();
		long fence = before;
		int i = 0;
		boolean stopped = false;
		while (i < queue.size() && i < this.serveMax && !stopped) {
			Waiter w = queue.get(i);
			stopped = w.isAlive() && !fits(hs, w.limit);
			if (w.isAlive() && !stopped) {
				hs.add(new Holder(w.t, w.limit, w.grantLease, false, fence + 1));
				granted.put(w.t, fence + 1);
				fence += w.block;
			}
			i += stopped ? 0 : 1;
		}
		return new Served(hs, List.copyOf(queue.subList(i, queue.size())), granted, !stopped && i < queue.size(),
				fence);
	}

	static boolean fits(Set<Holder> hs, int n) {
		return hs.size() < n && hs.stream().allMatch((h) -> hs.size() < h.limit);
	}

	private static State write(State s, Set<Holder> hs, List<Waiter> queue, long fence) {
		return new State(hs, hs.stream().mapToLong(Holder::ttl).max().orElse(0),
				(hs.isEmpty() && s.holders.isEmpty()) ? s.grace : 0, List.copyOf(queue), fence);
	}

	static Set<Holder> without(Set<Holder> holders, String t) {
		Set<Holder> hs = new LinkedHashSet<>(holders);
		hs.removeIf((h) -> h.t.equals(t));
		return hs;
	}

	static List<Waiter> without(List<Waiter> queue, String t) {
		return queue.stream().filter(Predicate.not((w) -> w.t.equals(t))).toList();
	}

	static long down(long n, long by) {
		return Math.max(0, n - by);
	}

	static List<Waiter> later(List<Waiter> queue, long n) {
		return queue.stream().map((w) -> w.in(n)).toList();
	}

	private record Served(Set<Holder> hs, List<Waiter> q, Map<String, Long> granted, boolean more, long fence) {
	}

	/**
	 * What a script leads to.
	 *
	 * @param yes whether it was granted, or must be called again if it is a release
	 * @param first the first fencing token
	 * @param pushed the grants that are pushed, and the first fencing token of each
	 */
	record Next(State state, boolean yes, long first, Map<String, Long> pushed) {
	}

	/**
	 * What is in Redis: the variables of the model that are the server's.
	 */
	record State(Set<Holder> holders, long keyTtl, long grace, List<Waiter> queue, long fence) {

		@Nullable Holder holder(String t) {
			return this.holders.stream().filter((h) -> h.t.equals(t)).findFirst().orElse(null);
		}

		boolean isQueued(String t) {
			return this.queue.stream().anyMatch((w) -> w.t.equals(t));
		}

		boolean isAwaited() {
			return this.queue.stream().anyMatch(Waiter::isAlive);
		}

		State with(List<Waiter> queue) {
			return new State(this.holders, this.keyTtl, this.grace, List.copyOf(queue), this.fence);
		}

		State with(long grace) {
			return new State(this.holders, this.keyTtl, grace, this.queue, this.fence);
		}

		/**
		 * Return after how many ticks something ends, at the earliest.
		 */
		private long quiet() {
			long quiet = (this.grace > 0) ? this.grace : Long.MAX_VALUE;
			for (Holder holder : this.holders) {
				quiet = Math.min(quiet, holder.ttl);
			}
			for (Waiter waiter : this.queue) {
				quiet = Math.min(quiet, waiter.isAlive() ? waiter.life : quiet);
			}
			return quiet;
		}

	}

	/**
	 * Who holds the lock.
	 *
	 * @param sure whether it has confirmed its grant
	 * @param fence the first fencing token of its last grant, which the model does not
	 * keep
	 */
	record Holder(String t, int limit, long ttl, boolean sure, long fence) {

		Holder in(long ticks) {
			return new Holder(this.t, this.limit, this.ttl - ticks, this.sure, this.fence);
		}

	}

	/**
	 * Who waits for the lock.
	 */
	record Waiter(String t, int limit, long life, long grantLease, int block) {

		static Waiter of(Command c) {
			return new Waiter(c.token(), c.limit(), c.life(), c.grantLease(), c.block());
		}

		/**
		 * Renew the sign of life. Clients of the model make no single attempt while they
		 * wait. If they do, the code keeps the sign as it was: such a request has none.
		 */
		Waiter alive(Command c) {
			return (c.life() > 0) ? new Waiter(this.t, this.limit, c.life(), c.grantLease(), c.block()) : this;
		}

		boolean isAlive() {
			return this.life > 0;
		}

		Waiter in(long ticks) {
			return new Waiter(this.t, this.limit, down(this.life, ticks), this.grantLease, this.block);
		}

		Waiter lives(long ticks) {
			return new Waiter(this.t, this.limit, ticks, this.grantLease, this.block);
		}

	}

}
