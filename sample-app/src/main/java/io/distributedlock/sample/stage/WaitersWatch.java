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

package io.distributedlock.sample.stage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Polls who waits in an instance, because a wait is an event only when it ends.
 */
final class WaitersWatch implements AutoCloseable {

	private static final Duration PERIOD = Duration.ofMillis(200);

	private static final int MOST_SHOWN = 50;

	private final List<Insider> instances;

	private final LiveFeed feed;

	private final List<Map<String, Double>> before = new ArrayList<>();

	private final Thread thread;

	private WaitersWatch(List<Insider> instances, LiveFeed feed) {
		this.instances = instances;
		this.feed = feed;
		instances.forEach((instance) -> this.before.add(Map.of()));
		this.thread = new Thread(null, this::run, "waiters-watch", 0, false);
		this.thread.setDaemon(true);
	}

	static WaitersWatch start(List<Insider> instances, LiveFeed feed) {
		WaitersWatch watch = new WaitersWatch(instances, feed);
		watch.thread.start();
		return watch;
	}

	private void run() {
		try {
			while (!this.thread.isInterrupted()) {
				for (int i = 0; i < this.instances.size(); i++) {
					look(i);
				}
				Pause.of(PERIOD);
			}
		}
		catch (IllegalStateException ex) {
			// The sample ends
		}
	}

	private void look(int index) {
		Map<String, Double> longest = new TreeMap<>();
		this.instances.get(index)
			.inspector()
			.waiting()
			.stream()
			.limit(MOST_SHOWN)
			.forEach((lock) -> longest.merge(lock.name(), lock.waitedFor().toNanos() / 1_000_000_000d, Math::max));
		// How long they wait changes all the time, and the page knows that by itself
		if (!longest.keySet().equals(this.before.set(index, longest).keySet())) {
			String instance = "instance-" + (index + 1);
			this.feed.publishState("waiting", instance, Map.of("instance", instance, "locks", longest));
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
	}

}
