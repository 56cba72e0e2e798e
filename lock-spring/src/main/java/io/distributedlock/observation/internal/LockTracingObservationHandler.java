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

package io.distributedlock.observation.internal;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.distributedlock.observation.LockObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;

/**
 * Creates spans for observations that are made afterwards, with the time at which the
 * observed operation began.
 */
public final class LockTracingObservationHandler extends DefaultTracingObservationHandler {

	public LockTracingObservationHandler(Tracer tracer) {
		super(tracer);
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext lock && lock.getStartedAt() != null;
	}

	@Override
	public void onStart(Observation.Context context) {
		Instant startedAt = ((LockObservationContext) context).getStartedAt();
		Span.Builder builder = getTracer().spanBuilder();
		Span parent = getParentSpan(context);
		if (parent != null) {
			builder.setParent(parent.context());
		}
		else {
			builder.setNoParent();
		}
		if (startedAt != null) {
			builder.startTimestamp(TimeUnit.SECONDS.toNanos(startedAt.getEpochSecond()) + startedAt.getNano(),
					TimeUnit.NANOSECONDS);
		}
		getTracingContext(context).setSpan(builder.start());
	}

}
