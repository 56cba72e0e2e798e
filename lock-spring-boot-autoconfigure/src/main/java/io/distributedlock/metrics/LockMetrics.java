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

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockService;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
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
 * All but the gauges carry the tag {@code lock.name}: the label of the lock, never its
 * evaluated name. The first labels get a value of their own, the rest share
 * {@code other}.
 *
 * @since 0.1.0
 */
public final class LockMetrics implements LockListener {

	private static final String OTHER = "other";

	private final MeterRegistry registry;

	private final int maxLabels;

	private final ConcurrentMap<String, LabelMeters> metersByLabel = new ConcurrentHashMap<>();

	private final AtomicInteger labels = new AtomicInteger();

	private final LabelMeters otherMeters;

	/**
	 * Create one and register the gauges.
	 * @param registry where to record
	 * @param service the service whose locks the gauges count; asked whenever a gauge is
	 * read, and may have none yet
	 * @param maxLabels how many different labels get meters of their own
	 */
	public LockMetrics(MeterRegistry registry, Supplier<? extends @Nullable LockService> service, int maxLabels) {
		this.registry = registry;
		this.maxLabels = maxLabels;
		this.otherMeters = new LabelMeters(registry, OTHER);
		gauge("distributed.lock.held", "Locks that this instance holds", service, (locks) -> locks.held().size());
		gauge("distributed.lock.waiting", "Callers in this instance that wait for a lock", service,
				(locks) -> locks.waiting().size());
	}

	@Override
	public void onLockEvent(LockEvent event) {
		metersOf(event.label()).record(event);
	}

	private LabelMeters metersOf(String label) {
		LabelMeters known = this.metersByLabel.get(label);
		if (known != null) {
			return known;
		}
		if (this.labels.get() >= this.maxLabels) {
			return this.otherMeters;
		}
		LabelMeters admitted = this.metersByLabel.computeIfAbsent(label, this::admit);
		return (admitted != null) ? admitted : this.otherMeters;
	}

	private @Nullable LabelMeters admit(String label) {
		int before = this.labels.getAndUpdate((count) -> Math.min(count + 1, this.maxLabels));
		return (before < this.maxLabels) ? new LabelMeters(this.registry, label) : null;
	}

	private void gauge(String name, String description, Supplier<? extends @Nullable LockService> service,
			ToIntFunction<LockService> count) {
		Gauge.builder(name, () -> {
			LockService locks = service.get();
			return (locks != null) ? count.applyAsInt(locks) : 0;
		}).description(description).register(this.registry);
	}

}
