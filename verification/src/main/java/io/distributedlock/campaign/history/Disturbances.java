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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * When workers stood still, were slow, or could not reach the store.
 */
final class Disturbances {

	/** A command that was under way is given up after this. */
	private static final long COMMAND_TIMEOUT = TimeUnit.MILLISECONDS.toNanos(500);

	/** So much longer than a pulse a command may take. */
	private static final long BUSY = TimeUnit.MILLISECONDS.toNanos(100);

	/** When commands were given up, a client may make a new connection. */
	private static final long RECONNECTION = TimeUnit.MILLISECONDS.toNanos(2000);

	private final Map<Integer, Integer> slots = new HashMap<>();

	/** When workers stood still, or were slow. */
	private final Map<Integer, List<Span>> delays = new HashMap<>();

	/** When one of them was slow, and nobody had stopped it. */
	private final List<Span> slow = new ArrayList<>();

	private final List<Outage> outages = new ArrayList<>();

	/** When the store refused to write, but not to renew. */
	private final List<Outage> refusals = new ArrayList<>();

	void started(int worker, int slot) {
		this.slots.put(worker, slot);
	}

	void delayed(int worker, Span span) {
		this.delays.computeIfAbsent(worker, (key) -> new ArrayList<>()).add(span);
	}

	/**
	 * A worker was slow, and nobody had stopped it. Nothing, if that was short.
	 */
	void slow(Span span) {
		if (isLong(span.length())) {
			this.slow.add(span);
		}
	}

	void began(Outage outage) {
		this.outages.add(outage);
	}

	void beganToRefuse(Outage refusal) {
		this.refusals.add(refusal);
	}

	/** Nothing, if it did not begin. */
	void ended(Outage outage, long at) {
		for (List<Outage> each : List.of(this.outages, this.refusals)) {
			if (each.remove(outage)) {
				each.add(outage.until(at));
			}
		}
	}

	/**
	 * Whether something may have kept a worker from writing to the store at any time of a
	 * span.
	 */
	boolean mayPreventWriting(int worker, Span span) {
		return longestCalm(worker, span) < span.to() - span.from()
				|| this.refusals.stream().anyMatch((refusal) -> refusal.span().overlap(span.from(), span.to()) > 0);
	}

	/**
	 * Whether a worker stood still in a span, or was so slow that all of its locks
	 * suffer.
	 */
	boolean isDelayed(int worker, Span span) {
		return isDelayed(worker, span, COMMAND_TIMEOUT / 2);
	}

	/**
	 * Whether a worker may have given up commands in a span, and repeated them.
	 */
	boolean mayHaveRepeated(int worker, Span span) {
		return isDelayed(worker, span, COMMAND_TIMEOUT - BUSY);
	}

	private boolean isDelayed(int worker, Span span, long longerThan) {
		return delaysOf(worker).filter((delay) -> delay.to() - delay.from() > longerThan)
			.anyMatch((delay) -> delay.overlap(span.from(), span.to()) > 0);
	}

	static boolean isLong(long delay) {
		return delay > COMMAND_TIMEOUT / 2;
	}

	/**
	 * Return the longest time within a span in which nothing stood between a worker and
	 * the store.
	 */
	long longestCalm(int worker, Span span) {
		int slot = this.slots.getOrDefault(worker, worker);
		Stream<Span> delays = delaysOf(worker).map(Disturbances::withAftermath);
		Stream<Span> outages = this.outages.stream()
			.filter((outage) -> outage.slot() == Outage.ALL || outage.slot() == slot)
			.map(Outage::span);
		return span.without(Stream.concat(delays, outages)).stream().mapToLong(Span::length).max().orElse(0);
	}

	/**
	 * Return how much of a span is left without the times in which any worker was slow,
	 * and in which it may have been late for that reason.
	 */
	long withoutSlowness(Span span) {
		return span.without(this.slow.stream().map(Disturbances::withAftermath)).stream().mapToLong(Span::length).sum();
	}

	private static Span withAftermath(Span delay) {
		return new Span(delay.from(),
				delay.to() + ((delay.length() < COMMAND_TIMEOUT) ? COMMAND_TIMEOUT : RECONNECTION));
	}

	void forgetBefore(long time) {
		this.delays.values().forEach((spans) -> spans.removeIf((span) -> span.to() < time));
		this.slow.removeIf((span) -> span.to() < time);
		this.outages.removeIf((outage) -> outage.span().to() < time);
		this.refusals.removeIf((refusal) -> refusal.span().to() < time);
	}

	private Stream<Span> delaysOf(int worker) {
		return this.delays.getOrDefault(worker, List.of()).stream();
	}

}
