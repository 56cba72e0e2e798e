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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The latest holds of one lock, in the order of their grants, and the latest events.
 */
final class Timeline {

	private static final int EVENTS = 200;

	private final NavigableMap<Place, Hold> holds = new TreeMap<>(Place.ORDER);

	/** Those of them that exclude all others. */
	private final NavigableMap<Place, Hold> alone = new TreeMap<>(Place.ORDER);

	private final Map<Long, List<Hold>> byToken = new HashMap<>();

	/** Within this, each of the holds had ended, also in the store. */
	private long longest;

	private final Deque<Event> events = new ArrayDeque<>();

	/** As long as fewer hold the lock, each of those who want it may have it. */
	private int places = Integer.MAX_VALUE;

	void remember(Event event) {
		if (this.events.size() == EVENTS) {
			this.events.removeFirst();
		}
		this.events.add(event);
		if (event.type() == Event.Type.ASKED || event.type() == Event.Type.GRANTED) {
			this.places = Math.min(this.places, event.largestCompany());
		}
	}

	List<Event> events() {
		return this.events.stream().sorted(Comparator.comparingLong(Event::at)).toList();
	}

	/**
	 * Add a hold that has ended.
	 * @return the holds that it must be compared with: those that it overlaps, those with
	 * the same token, and in both directions the neighbours that it excludes, up to the
	 * first that excludes all
	 */
	Collection<Hold> add(Hold hold) {
		Place place = Place.of(hold);
		Set<Hold> others = new LinkedHashSet<>();
		beginningWithin(hold.start - this.longest, hold.end).stream().filter(hold::overlaps).forEach(others::add);
		Entry<Place, Hold> before = this.alone.lowerEntry(place);
		Entry<Place, Hold> after = this.alone.higherEntry(place);
		if (hold.isAlone()) {
			Place from = (before != null) ? before.getKey() : Place.at(Long.MIN_VALUE);
			Place to = (after != null) ? after.getKey() : Place.at(Long.MAX_VALUE);
			others.addAll(this.holds.subMap(from, true, to, true).values());
			this.alone.put(place, hold);
		}
		else {
			Stream.of(before, after).filter(Objects::nonNull).map(Entry::getValue).forEach(others::add);
		}
		List<Hold> sameToken = this.byToken.computeIfAbsent(hold.token, (key) -> new ArrayList<>(1));
		others.addAll(sameToken);
		sameToken.add(hold);
		this.holds.put(place, hold);
		this.longest = Math.max(this.longest, Math.max(hold.end, hold.occupiedUntil()) - hold.start);
		return others;
	}

	void forgetBefore(long time) {
		// A term may be long, and is compared with those that began after it
		while (!this.holds.isEmpty() && this.holds.firstEntry().getValue().end < time) {
			Entry<Place, Hold> forgotten = this.holds.pollFirstEntry();
			this.alone.remove(forgotten.getKey());
			this.byToken.remove(forgotten.getValue().token);
		}
	}

	private Collection<Hold> beginningWithin(long from, long to) {
		return (from < to) ? this.holds.subMap(Place.at(from), Place.at(to)).values() : List.of();
	}

	/**
	 * Return the longest time within a span in which whoever was first in line could have
	 * had the lock: nobody had it, or fewer than the smallest number that anybody
	 * accepts.
	 */
	long longestGap(long from, long to) {
		// The ends of those who stay longest
		Queue<Long> taken = new PriorityQueue<>();
		long covered = from;
		long gap = 0;
		for (Hold hold : beginningWithin(from - this.longest, to)) {
			gap = Math.max(gap, hold.start - covered);
			taken.removeIf((end) -> end <= hold.start);
			taken.add(hold.occupiedUntil());
			if (taken.size() > this.places) {
				taken.remove();
			}
			if (taken.size() == this.places) {
				covered = Math.max(covered, taken.element());
			}
		}
		return Math.max(gap, to - covered);
	}

	/**
	 * Return the times within a span in which nobody said that it leads.
	 */
	List<Span> absences(Span span) {
		return span.without(beginningWithin(span.from() - this.longest, span.to()).stream()
			.map((hold) -> new Span(hold.start, hold.end)));
	}

	/**
	 * Return how many callers got the lock within a span who asked for it later than its
	 * beginning.
	 */
	long grantedToLater(long from, long to) {
		return beginningWithin(from, to).stream().filter((hold) -> hold.asked > from).count();
	}

	/**
	 * Where a hold stands among the others.
	 */
	private record Place(long start, int worker, long id) {

		static final Comparator<Place> ORDER = Comparator.comparingLong(Place::start)
			.thenComparingInt(Place::worker)
			.thenComparingLong(Place::id);

		static Place of(Hold hold) {
			return new Place(hold.start, hold.worker, hold.id);
		}

		/** Before all holds that begin then. */
		static Place at(long instant) {
			return new Place(instant, Integer.MIN_VALUE, Long.MIN_VALUE);
		}

	}

}
