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
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The latest holds of one lock, in the order of their grants, and the latest events.
 */
final class Timeline {

	private static final int EVENTS = 200;

	private final NavigableSet<Hold> holds = new TreeSet<>(Comparator.<Hold>comparingLong((hold) -> hold.start)
		.thenComparingLong((hold) -> hold.worker)
		.thenComparingLong((hold) -> hold.id));

	private final Deque<Event> events = new ArrayDeque<>();

	void remember(Event event) {
		if (this.events.size() == EVENTS) {
			this.events.removeFirst();
		}
		this.events.add(event);
	}

	/**
	 * Return the latest events, in the order of their times.
	 */
	List<Event> events() {
		return this.events.stream().sorted(Comparator.comparingLong(Event::at)).toList();
	}

	/**
	 * Add a hold that has ended.
	 * @return the holds that it must be compared with: those that it overlaps, and the
	 * neighbours
	 */
	List<Hold> add(Hold hold) {
		List<Hold> others = new ArrayList<>();
		boolean neighbour = true;
		for (Hold earlier : this.holds.headSet(hold, false).descendingSet()) {
			if (!neighbour && hold.start - earlier.start > Checker.MEMORY) {
				break;
			}
			if (neighbour || earlier.end > hold.start) {
				others.add(earlier);
			}
			neighbour = false;
			if (others.size() > 8) {
				break;
			}
		}
		neighbour = true;
		for (Hold later : this.holds.tailSet(hold, false)) {
			if (!neighbour && later.start >= hold.end) {
				break;
			}
			others.add(later);
			neighbour = false;
		}
		this.holds.add(hold);
		return others;
	}

	void forgetBefore(long time) {
		// A term may be long, and is compared with those that began after it
		while (!this.holds.isEmpty() && this.holds.first().end < time) {
			this.holds.pollFirst();
		}
	}

	/**
	 * Return the longest time within a span in which nobody had the lock.
	 */
	long longestGap(long from, long to) {
		long covered = from;
		long gap = 0;
		for (Hold hold : this.holds) {
			if (hold.start >= to) {
				break;
			}
			gap = Math.max(gap, hold.start - covered);
			covered = Math.max(covered, hold.occupiedUntil());
		}
		return Math.max(gap, to - covered);
	}

	/**
	 * Return the longest time within a span in which nobody said that it leads.
	 */
	long longestAbsence(Span span) {
		long covered = span.from();
		long gap = 0;
		for (Hold hold : this.holds) {
			if (hold.start >= span.to()) {
				break;
			}
			gap = Math.max(gap, hold.start - covered);
			covered = Math.max(covered, hold.end);
		}
		return Math.max(gap, span.to() - covered);
	}

	/**
	 * Return how many callers got the lock within a span who asked for it later than its
	 * beginning.
	 */
	long grantedToLater(long from, long to) {
		return this.holds.stream().filter((hold) -> hold.asked > from && hold.start < to).count();
	}

}
