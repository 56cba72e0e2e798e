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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockEvent.Acquired;
import io.distributedlock.LockEvent.Lost;
import io.distributedlock.LockEvent.NotAcquired;
import io.distributedlock.LockEvent.ReleaseFailed;
import io.distributedlock.LockEvent.Released;
import io.distributedlock.LockListener;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LossCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Records what happens to the locks of this instance:
 * <ul>
 * <li>timer {@code distributed.lock.acquire}, from the call to its answer, by
 * {@code outcome}: {@code acquired}, {@code busy}, {@code interrupted} or
 * {@code unavailable};</li>
 * <li>timer {@code distributed.lock.hold}, from the grant to its end, by {@code outcome}:
 * {@code released} or {@code lost};</li>
 * <li>counter {@code distributed.lock.lost}, by {@code cause};</li>
 * <li>counter {@code distributed.lock.release.failures};</li>
 * <li>gauges {@code distributed.lock.held} and {@code distributed.lock.waiting}.</li>
 * </ul>
 * All but the gauges carry the tag {@code lock.name}: the declared name of the lock,
 * never its evaluated name. The first names get a value of their own, the rest share
 * {@code other}.
 *
 * @since 0.1.0
 */
public final class LockMetrics implements LockListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockMetrics.class);

	private static final String OTHER = "other";

	private final MeterRegistry registry;

	private final int maxNames;

	private final ConcurrentMap<String, DeclaredNameMeters> metersByName = new ConcurrentHashMap<>();

	private final AtomicInteger names = new AtomicInteger();

	private final DeclaredNameMeters otherMeters;

	private final List<Meter> gauges = new ArrayList<>();

	private final AtomicBoolean undeclaredTold = new AtomicBoolean();

	private final AtomicBoolean limitTold = new AtomicBoolean();

	/**
	 * Create one and register the gauges.
	 * @param registry where to record
	 * @param service the service whose locks the gauges count; asked whenever a gauge is
	 * read, and may have none yet
	 * @param maxNames how many different names get meters of their own
	 */
	public LockMetrics(MeterRegistry registry, Supplier<? extends @Nullable LockService> service, int maxNames) {
		this.registry = registry;
		this.maxNames = maxNames;
		this.otherMeters = new DeclaredNameMeters(registry, OTHER);
		gauge("distributed.lock.held", "Locks that this instance holds", service, (locks) -> locks.held().size());
		gauge("distributed.lock.waiting", "Callers in this instance that wait for a lock", service,
				(locks) -> locks.waiting().size());
	}

	@Override
	public void onLockEvent(LockEvent event) {
		metersOf(event.declaredName()).record(event);
	}

	/**
	 * Have the counters of losses and failed releases exist, at zero, before anything
	 * happens.
	 * @param names the declared names of the locks that are known
	 */
	public void declare(Collection<String> names) {
		names.forEach(this::metersOf);
	}

	/**
	 * Remove the gauges from a registry that may outlive the service. Counters and timers
	 * are sums over the life of the registry, and stay.
	 */
	@Override
	public void close() {
		this.gauges.forEach(this.registry::remove);
	}

	private DeclaredNameMeters metersOf(String declaredName) {
		DeclaredNameMeters known = this.metersByName.get(declaredName);
		if (known != null) {
			return known;
		}
		if (declaredName.equals(LockOptions.UNDECLARED) && this.undeclaredTold.compareAndSet(false, true)) {
			logger.info("Locks that are taken with options without a declared name are metered together, as '"
					+ declaredName + "'. Give them one that tells the uses apart, with LockOptions.withDeclaredName.");
		}
		DeclaredNameMeters admitted = (this.names.get() < this.maxNames)
				? this.metersByName.computeIfAbsent(declaredName, this::admit) : null;
		return (admitted != null) ? admitted : beyondTheLimit();
	}

	private DeclaredNameMeters beyondTheLimit() {
		if (this.limitTold.compareAndSet(false, true)) {
			logger.info("There are more than " + this.maxNames + " names of locks: the rest is metered together, as '"
					+ OTHER + "'. Raise distributed-lock.metrics.max-names, or declare fewer names.");
		}
		return this.otherMeters;
	}

	private @Nullable DeclaredNameMeters admit(String declaredName) {
		int before = this.names.getAndUpdate((count) -> Math.min(count + 1, this.maxNames));
		return (before < this.maxNames) ? new DeclaredNameMeters(this.registry, declaredName) : null;
	}

	private void gauge(String name, String description, Supplier<? extends @Nullable LockService> service,
			ToIntFunction<LockService> count) {
		boolean exists = this.registry.find(name).gauge() != null;
		Gauge gauge = Gauge.builder(name, () -> {
			LockService locks = service.get();
			return (locks != null) ? count.applyAsInt(locks) : 0;
		}).description(description).register(this.registry);
		if (!exists) {
			this.gauges.add(gauge);
		}
	}

	/**
	 * The meters of one declared name. Each is registered when it is first needed and
	 * then found in an array, because looking a meter up in the registry costs more than
	 * recording. The counters of what should not happen are there from the start: a
	 * series that begins with one is no increase to an alert.
	 */
	private static final class DeclaredNameMeters {

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
		 * Meters by index. Registering twice gives the same meter, so a race does no
		 * harm.
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

}
