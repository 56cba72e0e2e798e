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

package io.distributedlock.campaign.history;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import io.distributedlock.campaign.history.Event.Place;
import io.distributedlock.campaign.history.Tally.Count;
import org.jspecify.annotations.Nullable;

/**
 * The fenced transactions under all locks.
 * <p>
 * <b>By what they wrote.</b> Each reads a balance and writes one that is larger by one.
 * So no two of them may commit the same balance, and larger balances have larger tokens.
 * Those that begin inside of others write an account of their own.
 * <p>
 * <b>By when they committed.</b> A transaction that was about to commit when that of a
 * later holder had committed must not succeed, whatever the two wrote.
 * <p>
 * <b>What is excused.</b> A transaction inside of another one is covered by the claim of
 * that one. If it commits, and the one around it does not, then the fence has to be
 * claimed anew. Until that is done, an earlier holder whose transaction has begun before
 * may be admitted. Such pairs are counted. They are judged when it is known how the
 * transaction around has ended.
 */
final class Transactions {

	private static final int BALANCES = 10_000;

	private final Findings findings;

	/** The tokens of the latest transactions by the balances that they wrote. */
	private final Map<Account, NavigableMap<Long, Long>> accounts = new HashMap<>();

	private final Map<Integer, List<Commit>> commits = new HashMap<>();

	private final Map<Attempt, Group> groups = new HashMap<>();

	private final List<Pair> pairs = new ArrayList<>();

	/** Those that came too late, which are told once. */
	private final Set<Commit> reported = new HashSet<>();

	private final Tally tally;

	Transactions(Findings findings, Tally tally) {
		this.findings = findings;
		this.tally = tally;
	}

	void beginning(Event event) {
		this.groups.computeIfAbsent(new Attempt(event), (key) -> new Group()).begun.put(Place.values()[event.detail()],
				event.at());
	}

	void committed(Event event) {
		Place place = Place.values()[event.detail()];
		Group group = this.groups.get(new Attempt(event));
		Commit commit = new Commit(event, place, group);
		compareBalance(commit);
		List<Commit> others = this.commits.computeIfAbsent(event.name(), (key) -> new ArrayList<>());
		for (Commit other : others) {
			Commit earlier = (other.token() < commit.token()) ? other : commit;
			Commit later = (earlier == commit) ? other : commit;
			if (earlier.token() < later.token() && earlier.event.until() > later.event.at()) {
				this.pairs.add(new Pair(earlier, later));
			}
		}
		others.add(commit);
		if (place == Place.OUTER && group != null) {
			group.end = End.COMMITTED;
		}
		judge();
	}

	void rolledBack(Event event) {
		Group group = this.groups.get(new Attempt(event));
		if (group != null) {
			group.end = End.ROLLED_BACK;
			group.settled = (event.until() != 0) ? event.until() : Long.MAX_VALUE;
			judge();
		}
	}

	/**
	 * Nobody claims anew what a worker that is dead had claimed.
	 */
	void died(int worker) {
		this.groups.forEach((attempt, group) -> {
			if (attempt.worker == worker && group.end == End.UNKNOWN) {
				group.end = End.ROLLED_BACK;
				group.settled = Long.MAX_VALUE;
			}
		});
		judge();
	}

	void forgetBefore(long time) {
		this.commits.values().forEach((commits) -> commits.removeIf((commit) -> commit.event.at() < time));
		this.reported.removeIf((commit) -> commit.event.at() < time);
		this.groups.values().removeIf((group) -> group.end != End.UNKNOWN && group.begunAt(Place.OUTER, 0) < time);
	}

	private void compareBalance(Commit commit) {
		Event event = commit.event;
		NavigableMap<Long, Long> tokens = this.accounts
			.computeIfAbsent(new Account(event.name(), commit.place != Place.OUTER), (key) -> new TreeMap<>());
		Long same = tokens.putIfAbsent(event.amount(), event.token());
		Map.Entry<Long, Long> before = tokens.lowerEntry(event.amount());
		Map.Entry<Long, Long> after = tokens.higherEntry(event.amount());
		if (same != null) {
			this.findings.violated(Rule.LOST_UPDATE, event.name(), event.at(),
					"worker %d committed the balance %d under lock %d with token %d, and so did another transaction with token %d"
						.formatted(event.worker(), event.amount(), event.name(), event.token(), same));
		}
		else if (commit.place == Place.OUTER && ((before != null && before.getValue() > event.token())
				|| (after != null && after.getValue() < event.token()))) {
			this.findings.violated(Rule.FENCE_ORDER, event.name(), event.at(),
					"worker %d committed the balance %d under lock %d with token %d, between those of the tokens %s"
						.formatted(event.worker(), event.amount(), event.name(), event.token(),
								(before != null ? before.getValue() : "none") + " and "
										+ (after != null ? after.getValue() : "none")));
		}
		if (tokens.size() > BALANCES) {
			tokens.pollFirstEntry();
		}
	}

	private void judge() {
		this.pairs.removeIf((pair) -> {
			if (!pair.later.isDecided()) {
				return false;
			}
			if (pair.earlier.hasBegunBefore(pair.later.bindsFrom())) {
				this.tally.increment(Count.ADMITTED);
			}
			else if (this.reported.add(pair.earlier)) {
				report(pair);
			}
			return true;
		});
	}

	private void report(Pair pair) {
		Event earlier = pair.earlier.event;
		Event later = pair.later.event;
		this.findings.violated(Rule.OLD_HOLDER, earlier.name(), earlier.at(), String.format(Locale.ROOT,
				"worker %d committed a transaction %s under lock %d with token %d, %.1f ms after worker %d had committed one %s with token %d",
				earlier.worker(), pair.earlier.place.text(), earlier.name(), earlier.token(),
				(earlier.until() - later.at()) / 1e6, later.worker(), pair.later.place.text(), later.token()));
	}

	/**
	 * Told of what is violated.
	 */
	interface Findings {

		void violated(Rule rule, int name, long at, String summary);

	}

	private enum End {

		UNKNOWN, COMMITTED, ROLLED_BACK

	}

	private record Account(int lock, boolean inner) {
	}

	private record Attempt(int worker, long number) {

		Attempt(Event event) {
			this(event.worker(), event.attempt());
		}

	}

	/** A transaction, and those in its code and its callbacks. */
	private static final class Group {

		private final Map<Place, Long> begun = new EnumMap<>(Place.class);

		private End end = End.UNKNOWN;

		private long settled;

		private long begunAt(Place place, long unknown) {
			return this.begun.getOrDefault(place, unknown);
		}

	}

	/**
	 * A transaction that has committed.
	 *
	 * @param group those that it belongs to, {@code null} if it is known to be alone
	 */
	private record Commit(Event event, Place place, @Nullable Group group) {

		long token() {
			return this.event.token();
		}

		boolean isDecided() {
			return !this.place.isCovered() || this.group == null || this.group.end != End.UNKNOWN;
		}

		/** From when on the database must admit no earlier holder. */
		long bindsFrom() {
			boolean alone = this.place.isCovered() && this.group != null && this.group.end == End.ROLLED_BACK;
			return (alone && this.group != null) ? this.group.settled : Long.MIN_VALUE;
		}

		/** Whether its claim, or the one that covers it, may be older. */
		boolean hasBegunBefore(long time) {
			Place claimed = this.place.isCovered() ? Place.OUTER : this.place;
			long begun = (this.group != null) ? this.group.begunAt(claimed, this.event.until()) : this.event.until();
			return begun < time;
		}

	}

	private record Pair(Commit earlier, Commit later) {
	}

}
