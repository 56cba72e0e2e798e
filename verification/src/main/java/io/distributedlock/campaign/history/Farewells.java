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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How leaders that resigned have ended their work, and when the next ones began.
 */
final class Farewells {

	/** The callbacks that have not returned. */
	private final Map<Key, Event> open = new HashMap<>();

	private final List<Farewell> farewells = new ArrayList<>();

	private final List<Event> elections = new ArrayList<>();

	void elected(Event event) {
		this.elections.add(event);
	}

	void revoking(Event event) {
		// A leader that has lost its lock keeps nobody from leading
		if (event.amount() == 0) {
			this.open.put(new Key(event), event);
		}
	}

	void revoked(Event event) {
		Event revoking = this.open.remove(new Key(event));
		if (revoking != null) {
			this.farewells.add(new Farewell(revoking, event.at()));
		}
	}

	void forgetBefore(long time) {
		this.farewells.removeIf((farewell) -> farewell.to < time);
		this.elections.removeIf((event) -> event.at() < time);
		this.open.values().removeIf((event) -> event.at() < time);
	}

	/**
	 * Find leaders that began while the callback of the one before was still running.
	 */
	List<Early> early(Span span) {
		List<Early> found = new ArrayList<>();
		for (Farewell farewell : this.farewells) {
			Event revoking = farewell.revoking;
			if (revoking.at() < span.from()) {
				continue;
			}
			this.elections.stream()
				.filter((event) -> event.name() == revoking.name() && event.token() > revoking.token()
						&& event.at() > revoking.at() && event.at() < farewell.to)
				.forEach((event) -> found.add(new Early(revoking, farewell.to, event)));
		}
		return found;
	}

	/** How many leaders have resigned within a span and told somebody. */
	long count(Span span) {
		return this.farewells.stream().filter((farewell) -> farewell.revoking.at() >= span.from()).count();
	}

	private record Key(int worker, int name, long token) {

		Key(Event event) {
			this(event.worker(), event.name(), event.token());
		}

	}

	private record Farewell(Event revoking, long to) {
	}

	/**
	 * A leader that began too early.
	 */
	record Early(Event last, long returned, Event next) {

		String summary() {
			return String.format(Locale.ROOT,
					"worker %d leads lock %d with token %d, while the callback of worker %d, which has resigned with token %d, runs for %.1f ms more",
					this.next.worker(), this.next.name(), this.next.token(), this.last.worker(), this.last.token(),
					(this.returned - this.next.at()) / 1e6);
		}

	}

}
