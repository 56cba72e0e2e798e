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

import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockEvent.Acquired;
import io.distributedlock.LockEvent.Lost;
import io.distributedlock.LockEvent.NotAcquired;
import io.distributedlock.LockEvent.ReleaseFailed;
import io.distributedlock.LockEvent.Released;
import io.distributedlock.LossCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of one declared name. Each is registered when it is first needed and then
 * found in an array, because looking a meter up in the registry costs more than
 * recording. The counters of what should not happen are there from the start: a series
 * that begins with one is no increase to an alert.
 */
final class DeclaredNameMeters {

	private static final LossCause[] CAUSES = LossCause.values();

	private final MeterRegistry registry;

	private final String declaredName;

	private final Slots<Timer> acquired = new Slots<>(1, (index) -> acquire("acquired"));

	private final Slots<Timer> notAcquired = new Slots<>(LockEvent.Reason.values().length,
			(index) -> acquire(tagValue(LockEvent.Reason.values()[index])));

	private final Slots<Timer> released = new Slots<>(1, (index) -> hold("released"));

	private final Slots<Timer> holdLost = new Slots<>(1, (index) -> hold("lost"));

	private final Slots<Counter> lost = new Slots<>(CAUSES.length, (index) -> lost(CAUSES[index]));

	private final Slots<Counter> releaseFailures = new Slots<>(1, (index) -> releaseFailures());

	DeclaredNameMeters(MeterRegistry registry, String declaredName) {
		this.registry = registry;
		this.declaredName = declaredName;
		IntStream.range(0, CAUSES.length).forEach(this.lost::get);
		this.releaseFailures.get(0);
	}

	void record(LockEvent event) {
		if (event instanceof Acquired acquired) {
			this.acquired.get(0).record(acquired.waited());
		}
		else if (event instanceof Released released) {
			this.released.get(0).record(released.held());
		}
		else if (event instanceof NotAcquired notAcquired) {
			this.notAcquired.get(notAcquired.reason().ordinal()).record(notAcquired.waited());
		}
		else if (event instanceof Lost lost) {
			this.holdLost.get(0).record(lost.held());
			this.lost.get(lost.cause().ordinal()).increment();
		}
		else if (event instanceof ReleaseFailed) {
			this.releaseFailures.get(0).increment();
		}
	}

	private Timer acquire(String outcome) {
		return Timer.builder("distributed.lock.acquire")
			.description("Time from the call to its answer")
			.tag("lock.name", this.declaredName)
			.tag("outcome", outcome)
			.register(this.registry);
	}

	private Timer hold(String outcome) {
		return Timer.builder("distributed.lock.hold")
			.description("Time for which a lock was held")
			.tag("lock.name", this.declaredName)
			.tag("outcome", outcome)
			.register(this.registry);
	}

	private Counter lost(LossCause cause) {
		return Counter.builder("distributed.lock.lost")
			.description("Locks that were lost before they were released")
			.tag("lock.name", this.declaredName)
			.tag("cause", tagValue(cause))
			.register(this.registry);
	}

	private Counter releaseFailures() {
		return Counter.builder("distributed.lock.release.failures")
			.description("Releases of which the store could not be told at once")
			.tag("lock.name", this.declaredName)
			.register(this.registry);
	}

	private static String tagValue(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Meters by index. Registering twice gives the same meter, so a race does no harm.
	 *
	 * @param <M> the type of the meters
	 */
	private static final class Slots<M> {

		private final AtomicReferenceArray<M> meters;

		private final Function<Integer, M> registration;

		Slots(int length, Function<Integer, M> registration) {
			this.meters = new AtomicReferenceArray<>(length);
			this.registration = registration;
		}

		M get(int index) {
			M known = this.meters.getAcquire(index);
			if (known != null) {
				return known;
			}
			M registered = this.registration.apply(index);
			this.meters.setRelease(index, registered);
			return registered;
		}

	}

}
