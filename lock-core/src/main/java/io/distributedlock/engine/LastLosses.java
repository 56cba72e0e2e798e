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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockEvent;
import io.distributedlock.internal.KnownLosses;

/**
 * The last loss of each lock, for the names that were lost last.
 */
final class LastLosses {

	static final int MOST_NAMES = 100;

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<String, Known> byName = new LinkedHashMap<>();

	void remember(LockEvent.Lost loss, String holder, long now) {
		this.lock.lock();
		try {
			this.byName.remove(loss.name());
			if (this.byName.size() == MOST_NAMES) {
				this.byName.remove(this.byName.keySet().iterator().next());
			}
			this.byName.put(loss.name(), new Known(loss, holder, now));
		}
		finally {
			this.lock.unlock();
		}
	}

	List<KnownLosses.Loss> latestFirst(long now) {
		List<Known> known;
		this.lock.lock();
		try {
			known = new ArrayList<>(this.byName.values());
		}
		finally {
			this.lock.unlock();
		}
		Collections.reverse(known);
		return known.stream()
			.map((each) -> new KnownLosses.Loss(each.loss(), each.holder(), Duration.ofNanos(now - each.at())))
			.toList();
	}

	private record Known(LockEvent.Lost loss, String holder, long at) {
	}

}
