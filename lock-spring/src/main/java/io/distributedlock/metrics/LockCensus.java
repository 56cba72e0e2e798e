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

package io.distributedlock.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.HeldLock;
import io.distributedlock.LockInspector;
import io.distributedlock.WaitingLock;
import io.micrometer.core.instrument.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Counts holds and waiters by name. One count serves all gauges that are read together. A
 * gauge that is read again gets a new count, so that no reader sees stale values.
 */
final class LockCensus {

	private static final long VALID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final Tally NOTHING = new Tally();

	private final Supplier<? extends @Nullable LockInspector> inspector;

	private final UnaryOperator<String> meteredName;

	private final Clock clock;

	/** A race only counts twice. */
	private volatile @Nullable Result latest;

	/**
	 * Create a new instance.
	 * @param meteredName maps a declared name to the name under which it is counted
	 */
	LockCensus(Supplier<? extends @Nullable LockInspector> inspector, UnaryOperator<String> meteredName, Clock clock) {
		this.inspector = inspector;
		this.meteredName = meteredName;
		this.clock = clock;
	}

	private Result newerThan(@Nullable Result known) {
		Result result = this.latest;
		long now = this.clock.monotonicTime();
		if (result == null || result == known || now - result.takenAt >= VALID_NANOS) {
			result = new Result(now, count());
			this.latest = result;
		}
		return result;
	}

	private Map<String, Tally> count() {
		LockInspector locks = this.inspector.get();
		if (locks == null) {
			return Map.of();
		}
		Map<String, Tally> tallies = new HashMap<>();
		for (HeldLock lock : locks.held()) {
			Tally tally = tally(tallies, lock.declaredName());
			tally.held++;
			tally.oldest = Math.max(tally.oldest, lock.heldFor().toNanos());
		}
		for (WaitingLock lock : locks.waiting()) {
			tally(tallies, lock.declaredName()).waiting++;
		}
		return tallies;
	}

	private Tally tally(Map<String, Tally> tallies, String declaredName) {
		return tallies.computeIfAbsent(this.meteredName.apply(declaredName), (name) -> new Tally());
	}

	/**
	 * The value of one gauge.
	 */
	final class Reader implements Supplier<Number> {

		private final String name;

		private final Function<Tally, Number> figure;

		private volatile @Nullable Result read;

		Reader(String name, Function<Tally, Number> figure) {
			this.name = name;
			this.figure = figure;
		}

		@Override
		public Number get() {
			Result result = newerThan(this.read);
			this.read = result;
			return this.figure.apply(result.tallies.getOrDefault(this.name, NOTHING));
		}

	}

	private record Result(long takenAt, Map<String, Tally> tallies) {

	}

	static final class Tally {

		int held;

		int waiting;

		/** In nanoseconds. */
		long oldest;

	}

}
