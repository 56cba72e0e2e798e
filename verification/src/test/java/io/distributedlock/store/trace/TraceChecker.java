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
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.trace.HoldersModel.Holder;
import io.distributedlock.store.trace.HoldersModel.State;
import io.distributedlock.store.trace.HoldersModel.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Follows a trace through a model. After each step it knows all states in which the model
 * can be, given everything that was seen so far; a step after which there is none is one
 * that the model does not allow. Where the store shows all, there is one state at a time.
 *
 * <p>
 * Fencing tokens are compared by their order: what is a new token for the model must be
 * larger than all before, and what is none must be the same as before.
 */
final class TraceChecker {

	/** More states than this are not followed, which no trace has come near to. */
	private static final int MOST_STATES = 5000;

	/** Seconds for which the keys of a queue are kept. */
	private static final long KEPT_AT_LEAST = 10;

	private final Map<Difference, Long> differences = new EnumMap<>(Difference.class);

	private long steps;

	/**
	 * Check a trace against the model of several holders, and against that of an
	 * exclusive lock if nobody accepts company.
	 * @return what is wrong, with the number of the step, or {@code null}
	 */
	@Nullable String check(Trace trace) {
		String problem = check(trace, new HoldersRelation(trace.grace()));
		return (problem == null && trace.isExclusive()) ? check(trace, new RedisLockRelation()) : problem;
	}

	/** How many steps were checked, for each model. */
	long steps() {
		return this.steps;
	}

	/** How often the code differed from the models on purpose. */
	Map<Difference, Long> differences() {
		return this.differences;
	}

	private <S> @Nullable String check(Trace trace, Relation<S> relation) {
		List<Suspect<S>> suspects = List.of(new Suspect<>(relation.init(), new TreeMap<>(), 0));
		for (int i = 0; i < trace.steps().size(); i++) {
			Step step = trace.steps().get(i);
			Set<Difference> used = new HashSet<>();
			List<Suspect<S>> before = suspects.stream()
				.map((suspect) -> later(relation, suspect, step, trace, used))
				.toList();
			Set<Suspect<S>> after = new LinkedHashSet<>();
			List<String> refused = new ArrayList<>();
			for (Suspect<S> suspect : before) {
				after.addAll(follow(relation, suspect, step, trace, refused, used));
			}
			if (after.isEmpty()) {
				return "%s does not allow step %d of %s:%n  %s%nbefore: %s%n%s%nThe steps before:%n%s".formatted(
						relation.model(), i + 1, trace.name(), step,
						before.stream().map((each) -> relation.view(each.state)).toList(),
						refused.stream().distinct().collect(Collectors.joining("\n")), told(trace, i));
			}
			if (after.size() > MOST_STATES) {
				throw new IllegalStateException("Too many states in " + trace.name());
			}
			used.forEach((each) -> this.differences.merge(each, 1L, Long::sum));
			this.steps++;
			suspects = List.copyOf(after);
		}
		return null;
	}

	private static <S> Suspect<S> later(Relation<S> relation, Suspect<S> suspect, Step step, Trace trace,
			Set<Difference> used) {
		S state = relation.ticks(suspect.state, step.ticks());
		state = step.lost() ? relation.lost(state) : state;
		State view = relation.view(state);
		long keys = suspect.keys - step.ticks();
		if (trace.redis() && keys <= 0 && !view.queue().isEmpty()) {
			state = relation.with(state, List.of(), view.grace());
			used.add(view.isAwaited() ? Difference.QUEUE_ENDS : Difference.DEAD_LEAVE_AT_ANOTHER_TIME);
		}
		return new Suspect<>(state, suspect.fences, keys);
	}

	/** Whoever enters the queue, and every fourth sign of life, prolongs its keys. */
	private static long keys(long before, State state, Step step) {
		Command command = step.command();
		boolean prolongs = command.waits() && step.answer() instanceof AcquireOutcome.Busy
				&& (!state.isQueued(command.token()) || command.sign() == 0 || command.sign() % 4 == 3);
		return prolongs ? Math.max(KEPT_AT_LEAST, 5 * command.life()) : before;
	}

	private static String told(Trace trace, int until) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < until; i++) {
			text.append("  ").append(i + 1).append(": ").append(trace.steps().get(i)).append('\n');
		}
		return text.toString();
	}

	/**
	 * Return the states after a step: that of the model itself comes first. The others
	 * may look the same and be different in what does not show, such as the lease that a
	 * waiter will be granted.
	 */
	private static <S> Set<Suspect<S>> follow(Relation<S> relation, Suspect<S> suspect, Step step, Trace trace,
			List<String> refused, Set<Difference> used) {
		State before = relation.view(suspect.state);
		S deaf = relation.with(suspect.state, deafened(before, step), before.grace());
		Set<Suspect<S>> after = new LinkedHashSet<>();
		boolean explained = false;
		for (Relation.Allowed<S> each : relation.allowed(deaf, step.command(), trace.redis())) {
			Set<Difference> differences = new HashSet<>();
			int known = after.size();
			TreeMap<Long, Tokens> fences = new TreeMap<>(suspect.fences);
			State view = relation.view(each.state());
			String problem = unexpected(before, view, each, step, fences, trace.redis());
			if (problem == null) {
				for (State state : statesThatMatch(before, view, step, trace, differences)) {
					after.add(new Suspect<>(relation.with(each.state(), state.queue(), state.grace()), fences,
							keys(suspect.keys, before, step)));
				}
				problem = (after.size() == known) ? "leaves " + view : null;
			}
			if (problem == null && !explained) {
				explained = true;
				used.addAll(differences);
				if (each.difference() != null) {
					used.add(each.difference());
				}
			}
			if (problem != null) {
				refused.add(
						"  allowed" + ((each.difference() != null) ? " by " + each.difference() : "") + ": " + problem);
			}
		}
		return after;
	}

	/**
	 * A waiter to which nothing can be pushed is served as if it were dead.
	 */
	private static List<Waiter> deafened(State state, Step step) {
		return state.queue().stream().map((w) -> isDeaf(w.t(), step) ? w.lives(0) : w).toList();
	}

	private static boolean isDeaf(String token, Step step) {
		return !step.deaf().isEmpty() && step.deaf().contains(LockToken.parse(token).instance())
				&& !token.equals(step.command().token());
	}

	// The answer and the messages

	private static @Nullable String unexpected(State before, State after, Relation.Allowed<?> allowed, Step step,
			TreeMap<Long, Tokens> fences, boolean redis) {
		if (step.answer() instanceof Throwable) {
			return "does not fail";
		}
		Command command = step.command();
		String pushes = pushes(before, allowed, step, fences);
		if (pushes != null) {
			return pushes;
		}
		return switch (command.op()) {
			case ACQUIRE -> acquired(before, after, allowed, step, fences, redis);
			case EXTEND -> expect(allowed.yes() ? ExtendOutcome.EXTENDED
					: before.holders().isEmpty() ? ExtendOutcome.ABSENT : ExtendOutcome.OTHER, step.answer());
			case RELEASE -> released(before, after, step);
			case RECORD -> expect(holdsAlone(before, command.token()), step.answer());
			case FIND -> found(before, (Optional<?>) step.answer());
			case DESCRIBE -> described(before, (Optional<?>) step.answer());
		};
	}

	private static @Nullable String expect(Object expected, Object actual) {
		return expected.equals(actual) ? null : "answers " + expected;
	}

	/**
	 * If the queue is so long that the script was called again, the answer may be that of
	 * the last call, which finds those whom the others have served.
	 */
	private static @Nullable String released(State before, State after, Step step) {
		ReleaseOutcome expected = (before.holder(step.command().token()) != null) ? ReleaseOutcome.RELEASED
				: before.holders().isEmpty() ? ReleaseOutcome.ABSENT : ReleaseOutcome.OTHER;
		boolean repeated = before.queue().size() >= HoldersRelation.SERVE_MAX && !after.holders().isEmpty();
		return (repeated && expected == ReleaseOutcome.ABSENT && step.answer() == ReleaseOutcome.OTHER) ? null
				: expect(expected, step.answer());
	}

	private static boolean holdsAlone(State before, String token) {
		Holder holder = before.holder(token);
		return holder != null && holder.limit() == 1;
	}

	private static @Nullable String pushes(State before, Relation.Allowed<?> allowed, Step step,
			TreeMap<Long, Tokens> fences) {
		Map<String, Step.Pushed> pushed = step.pushed()
			.stream()
			.collect(Collectors.toMap(Step.Pushed::token, (each) -> each, (one, other) -> one));
		if (pushed.size() != step.pushed().size() || !pushed.keySet().equals(allowed.pushed().keySet())) {
			return "pushes grants to " + allowed.pushed().keySet();
		}
		for (Waiter waiter : before.queue()) {
			Step.Pushed grant = pushed.get(waiter.t());
			if (grant == null) {
				continue;
			}
			if (grant.lease() != waiter.grantLease() || grant.block() != waiter.block()) {
				return "pushes a grant of " + waiter;
			}
			String problem = tokens(allowed.pushed().getOrDefault(waiter.t(), 0L), grant.first(), grant.block(),
					fences);
			if (problem != null) {
				return problem;
			}
		}
		return null;
	}

	private static @Nullable String acquired(State before, State after, Relation.Allowed<?> allowed, Step step,
			TreeMap<Long, Tokens> fences, boolean redis) {
		Command command = step.command();
		if (step.answer() instanceof AcquireOutcome.Granted granted) {
			if (!allowed.yes()) {
				return "answers busy";
			}
			if (before.holder(command.token()) == null && granted.fenceBlock() != command.block()) {
				return "reserves " + command.block() + " fencing tokens";
			}
			return tokens(allowed.first(), granted.fencingToken(), granted.fenceBlock(), fences);
		}
		AcquireOutcome.Busy busy = (AcquireOutcome.Busy) step.answer();
		if (allowed.yes()) {
			return "grants the lock";
		}
		if (busy.holders() != after.holders().size()) {
			return "answers that " + after.holders().size() + " hold the lock";
		}
		boolean behind = HoldersModel.fits(after.holders(), command.limit());
		if (busy.behindWaiters() != behind
				|| (behind ? !before.isQueued(busy.holder()) : after.holder(busy.holder()) == null)) {
			return "answers that " + (behind ? "a waiter" : "one of " + after.holders()) + " is in the way";
		}
		if (redis && command.waits() && !fences.isEmpty()
				&& busy.fencingToken() != fences.lastEntry().getValue().last()) {
			return "answers that the last fencing token was " + fences.lastEntry().getValue().last();
		}
		return null;
	}

	private static @Nullable String tokens(long first, long actual, int block, TreeMap<Long, Tokens> fences) {
		Tokens known = fences.get(first);
		if (known != null) {
			return (known.first == actual) ? null : "gives the fencing token " + known.first;
		}
		if (!fences.isEmpty() && fences.lastEntry().getValue().last() >= actual) {
			return "gives a fencing token larger than " + fences.lastEntry().getValue().last();
		}
		fences.put(first, new Tokens(actual, block));
		return null;
	}

	private static @Nullable String found(State before, Optional<?> answer) {
		if (answer.isEmpty() || before.holders().isEmpty()) {
			return (answer.isEmpty() == before.holders().isEmpty()) ? null : "finds " + before.holders();
		}
		StoredLock lock = (StoredLock) answer.get();
		Holder holder = before.holder(lock.holder());
		long nearest = before.holders().stream().mapToLong(Holder::ttl).min().orElseThrow();
		return (holder != null && holder.ttl() == nearest && lock.holders() == before.holders().size()
				&& lock.limit() == holder.limit()) ? null : "finds the first to end of " + before.holders();
	}

	private static @Nullable String described(State before, Optional<?> answer) {
		if (answer.isEmpty() || before.holders().isEmpty()) {
			return (answer.isEmpty() == before.holders().isEmpty()) ? null : "describes " + before.holders();
		}
		StoredLockDetails lock = (StoredLockDetails) answer.get();
		Set<String> holders = before.holders().stream().map(Holder::t).collect(Collectors.toSet());
		List<String> queue = before.queue().stream().filter(Waiter::isAlive).map(Waiter::t).toList();
		return (lock.holds().stream().map(StoredLock::holder).collect(Collectors.toSet()).equals(holders)
				&& lock.queue().stream().map(StoredLockDetails.Waiter::token).toList().equals(queue)) ? null
						: "describes " + before;
	}

	// What is left

	/**
	 * Return the states that do not differ from that of the model but in who is dead in
	 * the queue, and look as they were seen.
	 */
	private static List<State> statesThatMatch(State before, State view, Step step, Trace trace, Set<Difference> used) {
		Step.Observed seen = step.after();
		List<State> states = new ArrayList<>();
		for (List<Waiter> queue : queues(before, view, step)) {
			if (seen == null || (holdersMatch(view, seen, trace) && queueMatches(queue, view, seen))) {
				if (seen != null && seen.whole() && !queue.equals(hearing(before, view.queue(), step))) {
					used.add(Difference.DEAD_LEAVE_AT_ANOTHER_TIME);
				}
				State state = view.with(queue);
				long grace = graceSeen(state, step, trace);
				if (grace != view.grace()) {
					if (state.isAwaited() && !isStopped(state, step)) {
						continue;
					}
					used.add(Difference.GRACE_WITHOUT_WAITERS);
				}
				states.add(state.with(grace));
			}
		}
		return states;
	}

	/** Whoever was stopped by the dead waits behind them until the grace is over. */
	private static boolean isStopped(State state, Step step) {
		return state.holders().isEmpty() && step.answer() instanceof AcquireOutcome.Busy;
	}

	private static long graceSeen(State state, Step step, Trace trace) {
		if (!state.holders().isEmpty()) {
			return 0;
		}
		if (step.after() != null && step.after().keyLeft() != null) {
			return step.after().keyLeft();
		}
		if (step.answer() instanceof AcquireOutcome.Busy busy && busy.remaining() != null && step.after() != null) {
			return busy.remaining().toNanos() / trace.tick();
		}
		return state.grace();
	}

	/** Those to which nothing could be pushed are as alive as before. */
	private static List<Waiter> hearing(State before, List<Waiter> queue, Step step) {
		return queue.stream().map((w) -> isDeaf(w.t(), step) ? lives(before, w) : w).toList();
	}

	private static Waiter lives(State before, Waiter waiter) {
		return before.queue()
			.stream()
			.filter((each) -> each.t().equals(waiter.t()))
			.findFirst()
			.map((each) -> waiter.lives(each.life()))
			.orElse(waiter);
	}

	/**
	 * The dead may have left the queue already, or still be there.
	 */
	private static List<List<Waiter>> queues(State before, State view, Step step) {
		List<Waiter> queue = hearing(before, view.queue(), step);
		List<Waiter> dead = before.queue()
			.stream()
			.filter((w) -> !w.isAlive() || isDeaf(w.t(), step))
			.filter((w) -> !w.t().equals(step.command().token()) || !namesPlace(step.command()))
			.toList();
		if (dead.isEmpty()) {
			return List.of(queue);
		}
		List<List<Waiter>> queues = new ArrayList<>();
		Step.Observed seen = step.after();
		if (seen != null && seen.whole()) {
			Set<String> left = seen.queue().stream().map(Step.Place::token).collect(Collectors.toSet());
			return List.of(queue(before, queue, dead.stream().filter((w) -> left.contains(w.t())).toList(), dead));
		}
		queues.add(queue);
		for (int chosen = 0; chosen < 1 << dead.size(); chosen++) {
			List<Waiter> left = new ArrayList<>();
			for (int i = 0; i < dead.size(); i++) {
				if ((chosen & (1 << i)) != 0) {
					left.add(dead.get(i));
				}
			}
			List<Waiter> each = queue(before, queue, left, dead);
			if (!queues.contains(each)) {
				queues.add(each);
			}
		}
		return queues;
	}

	/**
	 * Return the queue with those of the dead that are left.
	 */
	private static List<Waiter> queue(State before, List<Waiter> queue, List<Waiter> left, List<Waiter> dead) {
		List<Waiter> all = new ArrayList<>();
		for (Waiter waiter : before.queue()) {
			if (left.contains(waiter)) {
				all.add(waiter);
			}
			else if (!dead.contains(waiter)) {
				queue.stream().filter((w) -> w.t().equals(waiter.t())).forEach(all::add);
			}
		}
		queue.stream().filter((w) -> !before.isQueued(w.t())).forEach(all::add);
		return all;
	}

	private static boolean namesPlace(Command command) {
		return command.waits() || command.op() == Command.Op.RELEASE;
	}

	private static boolean holdersMatch(State view, Step.Observed seen, Trace trace) {
		Set<Step.Held> held = view.holders()
			.stream()
			.map((h) -> new Step.Held(h.t(), (h.limit() == AcquireRequest.NO_LIMIT) ? 0 : h.limit(), h.ttl()))
			.collect(Collectors.toSet());
		if (!held.equals(Set.copyOf(seen.holders()))) {
			return false;
		}
		boolean alone = view.holders().stream().anyMatch((h) -> h.limit() == 1);
		return seen.keyLeft() == null || view.holders().isEmpty()
				|| seen.keyLeft() == view.keyTtl() + (alone ? 0 : trace.grace());
	}

	private static boolean queueMatches(List<Waiter> queue, State view, Step.Observed seen) {
		if (!seen.whole()) {
			return view.holders().isEmpty() || queue.stream()
				.filter(Waiter::isAlive)
				.map(Waiter::t)
				.toList()
				.equals(seen.queue().stream().map(Step.Place::token).toList());
		}
		return queue.stream().map((w) -> new Step.Place(w.t(), w.life())).toList().equals(seen.queue());
	}

	/**
	 * A state in which the model may be.
	 *
	 * @param fences what was given, by the first tokens of the model
	 * @param keys how many ticks the keys of the queue have left in Redis
	 */
	private record Suspect<S>(S state, TreeMap<Long, Tokens> fences, long keys) {
	}

	private record Tokens(long first, int block) {

		long last() {
			return this.first + this.block - 1;
		}

	}

}
