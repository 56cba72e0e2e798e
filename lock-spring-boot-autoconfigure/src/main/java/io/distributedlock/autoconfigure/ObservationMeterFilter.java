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

package io.distributedlock.autoconfigure;

import java.util.Set;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;

/**
 * Keeps observations of locks from writing meters.
 * {@link io.distributedlock.metrics.LockMetrics} times all acquisitions and holds, under
 * the same names; those that are observed are a part of them, and most are observed when
 * they are over, so that their observations last for no time. The timers of Micrometer's
 * handler of observations are known by their tag {@code error}.
 */
final class ObservationMeterFilter implements MeterFilter {

	private static final Set<String> TIMERS = Set.of("distributed.lock.acquire", "distributed.lock.hold");

	private static final Set<String> LONG_TASK_TIMERS = Set.of("distributed.lock.acquire.active",
			"distributed.lock.hold.active");

	@Override
	public MeterFilterReply accept(Meter.Id id) {
		String name = id.getName();
		boolean ofObservation = LONG_TASK_TIMERS.contains(name)
				|| (TIMERS.contains(name) && id.getTag("error") != null);
		return ofObservation ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
	}

}
