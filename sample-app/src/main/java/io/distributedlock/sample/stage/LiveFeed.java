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

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The events for the page: the latest ones of both instances and of the stage, and future
 * ones.
 *
 * <p>
 * Publishers never wait. Only the latest events are kept, and a subscriber that does not
 * consume its events is dropped.
 */
final class LiveFeed {

	static final int CAPACITY = 2000;

	private static final JsonMapper json = new JsonMapper();

	private final String run = UUID.randomUUID().toString().substring(0, 8);

	private final LongSupplier nanoseconds;

	private final long start;

	private final long startedAt = System.currentTimeMillis();

	private final Deque<Message> latest = new ArrayDeque<>();

	private final Map<String, Message> states = new HashMap<>();

	private final Set<Subscription> subscriptions = new LinkedHashSet<>();

	private long published;

	LiveFeed() {
		this(System::nanoTime);
	}

	LiveFeed(LongSupplier nanoseconds) {
		this.nanoseconds = nanoseconds;
		this.start = nanoseconds.getAsLong();
	}

	void publish(String type, Map<String, ?> fields) {
		publish(type, null, fields);
	}

	/**
	 * Publish the state of something. Later subscribers receive the latest state of each
	 * thing, even if it is older than the events that are kept.
	 */
	void publishState(String type, String thing, Map<String, ?> fields) {
		publish(type, type + ' ' + thing, fields);
	}

	private void publish(String type, @Nullable String state, Map<String, ?> fields) {
		double now = now();
		Map<String, Object> all = new LinkedHashMap<>(fields);
		all.put("at", now);
		String data = json.writeValueAsString(all);
		synchronized (this) {
			Message message = new Message(++this.published, type, this.run + '-' + this.published, data);
			if (state != null) {
				this.states.put(state, message);
			}
			this.latest.addLast(message);
			if (this.latest.size() > CAPACITY) {
				this.latest.removeFirst();
			}
			this.subscriptions.removeIf((subscription) -> !subscription.offer(message));
		}
	}

	/**
	 * Subscribe to the events that are kept and to future events.
	 * @param lastId the last event that the subscriber has seen, or {@code null}
	 */
	synchronized Subscription subscribe(@Nullable String lastId) {
		long seen = number(lastId);
		Map<Long, Message> missed = new TreeMap<>();
		for (Collection<Message> kept : List.of(this.states.values(), this.latest)) {
			kept.stream()
				.filter((message) -> message.number > seen)
				.forEach((message) -> missed.put(message.number, message));
		}
		Subscription subscription = new Subscription(missed.values());
		this.subscriptions.add(subscription);
		return subscription;
	}

	/** Events of an earlier run of the sample are no reason to leave out any. */
	private long number(@Nullable String lastId) {
		String prefix = this.run + '-';
		return (lastId != null && lastId.matches(prefix + "\\d{1,18}"))
				? Long.parseLong(lastId.substring(prefix.length())) : 0;
	}

	synchronized int subscribers() {
		return this.subscriptions.size();
	}

	/** What a subscriber has to know to make sense of times. */
	Map<String, Object> clock() {
		return Map.of("run", this.run, "startedAt", this.startedAt, "now", now());
	}

	/** Seconds since this feed began, on the clock that both instances share. */
	double now() {
		return TimeUnit.NANOSECONDS.toMicros(this.nanoseconds.getAsLong() - this.start) / 1_000_000d;
	}

	/**
	 * One event.
	 *
	 * @param data the event as JSON
	 */
	record Message(long number, String type, String id, String data) {

	}

	/**
	 * The events for one subscriber.
	 */
	final class Subscription implements AutoCloseable {

		private final BlockingQueue<Message> queue;

		private final Thread subscriber = Thread.currentThread();

		private Subscription(Collection<Message> missed) {
			this.queue = new ArrayBlockingQueue<>(missed.size() + CAPACITY, false, missed);
		}

		private boolean offer(Message message) {
			if (this.queue.offer(message)) {
				return true;
			}
			// It may hang in a write to a client that does not read
			this.subscriber.interrupt();
			return false;
		}

		/**
		 * Return the next event.
		 * @return the event, or {@code null} if there was none in that time
		 * @throws InterruptedException if this subscriber is dropped
		 */
		@Nullable Message next(long time, TimeUnit unit) throws InterruptedException {
			return this.queue.poll(time, unit);
		}

		boolean isEmpty() {
			return this.queue.isEmpty();
		}

		@Override
		public void close() {
			synchronized (LiveFeed.this) {
				LiveFeed.this.subscriptions.remove(this);
			}
		}

	}

}
