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

package io.distributedlock.observation;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockLostException;
import io.distributedlock.LockObserver;
import io.distributedlock.observation.internal.LockTracingObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes locks: acquisitions when their outcome is known, holds while they last.
 *
 * <p>
 * An acquisition is not observed from its beginning, because only its outcome reveals
 * whether it is worth observing and whether it is an acquisition at all: a re-entry is
 * not, and an observation that was started cannot be abandoned. Its span nevertheless has
 * the true times, see {@link LockTracingObservationHandler}. The parent is the
 * observation that was current in the thread of the caller.
 *
 * <p>
 * A hold that begins without contention is not observed, unless all are, but its parent
 * is remembered in case it is lost.
 *
 * @since 0.1.0
 */
public final class LockObservations implements LockObserver {

	/** Where Reactor's context and Micrometer's context propagation look for it. */
	private static final String CONTEXT_KEY = "micrometer.observation";

	private final Supplier<ObservationRegistry> registry;

	private final Spans spans;

	private final Conventions conventions;

	/**
	 * Create a new instance.
	 * @param registry supplies the registry; a no-op one until there is another
	 * @param spans which acquisitions and holds are observed
	 * @param conventions the conventions
	 */
	public LockObservations(Supplier<ObservationRegistry> registry, Spans spans, Conventions conventions) {
		this.registry = registry;
		this.spans = spans;
		this.conventions = conventions;
	}

	@Override
	public @Nullable Object onRequest() {
		return this.registry.get().getCurrentObservation();
	}

	@Override
	public @Nullable Object onAcquired(@Nullable Object request, LockEvent.Acquired event, String holder,
			Duration elapsed) {
		ObservationRegistry registry = this.registry.get();
		if (registry.isNoop() || !isObserved(event)) {
			return request;
		}
		LockAcquireObservationContext acquisition = LockAcquireObservationContext.of(event, elapsed);
		acquisition.setHolder(holder);
		observe(acquisition, request, null);
		LockHoldObservationContext hold = new LockHoldObservationContext(event);
		hold.setHolder(holder);
		Observation observation = start(hold, request);
		// The application may have switched it off: the caller's stays the current one
		return observation.isNoop() ? request : new LiveHold(observation, hold);
	}

	private boolean isObserved(LockEvent.Acquired event) {
		return this.spans == Spans.ALL || (this.spans == Spans.CONTENDED && event.contended());
	}

	@Override
	public void onNotAcquired(@Nullable Object request, LockEvent.NotAcquired event, @Nullable LockInfo holder,
			@Nullable Throwable failure) {
		if (this.spans != Spans.OFF) {
			LockAcquireObservationContext context = LockAcquireObservationContext.of(event);
			context.setHolder((holder != null) ? holder.describeHolder() : null);
			observe(context, request, failure);
		}
	}

	@Override
	public void onEnded(@Nullable Object hold, LockEvent event, String holder) {
		if (hold instanceof LiveHold live) {
			live.context().end(event);
			stop(live.observation(), failureOf(event));
		}
		else if (event instanceof LockEvent.Lost lost && this.spans != Spans.OFF) {
			LockHoldObservationContext context = new LockHoldObservationContext(lost);
			context.setHolder(holder);
			stop(start(context, hold), failureOf(event));
		}
	}

	private static @Nullable Throwable failureOf(LockEvent event) {
		if (event instanceof LockEvent.Lost lost) {
			return new LockLostException(lost);
		}
		return (event instanceof LockEvent.ReleaseFailed failed) ? failed.cause() : null;
	}

	@Override
	public @Nullable Scope openScope(@Nullable Object hold, LockHandle handle) {
		return (hold instanceof LiveHold live) ? live.observation().openScope()::close : null;
	}

	@Override
	public Map<String, Object> contextValues(@Nullable Object hold) {
		return (hold instanceof LiveHold live) ? Map.of(CONTEXT_KEY, live.observation()) : Map.of();
	}

	private void observe(LockAcquireObservationContext context, @Nullable Object parent, @Nullable Throwable failure) {
		stop(start(context, parent, LockObservationDocumentation.ACQUIRE.observation(this.conventions.customAcquire(),
				this.conventions.acquire(), () -> context, this.registry.get())), failure);
	}

	private Observation start(LockHoldObservationContext context, @Nullable Object parent) {
		return start(context, parent, LockObservationDocumentation.HOLD.observation(this.conventions.customHold(),
				this.conventions.hold(), () -> context, this.registry.get()));
	}

	/**
	 * An observation may start in another thread than the caller's.
	 */
	private static Observation start(LockObservationContext context, @Nullable Object parent, Observation observation) {
		context.setParentObservation((Observation) parent);
		return observation.start();
	}

	private static void stop(Observation observation, @Nullable Throwable failure) {
		if (failure != null) {
			observation.error(failure);
		}
		observation.stop();
	}

	/**
	 * The conventions of observations.
	 *
	 * @param acquire the default for acquisitions
	 * @param hold the default for holds
	 * @param customAcquire used for acquisitions instead, or {@code null}
	 * @param customHold used for holds instead, or {@code null}
	 */
	public record Conventions(LockAcquireObservationConvention acquire, LockHoldObservationConvention hold,
			@Nullable LockAcquireObservationConvention customAcquire,
			@Nullable LockHoldObservationConvention customHold) {
	}

	/**
	 * A hold that is observed while it lasts.
	 */
	private record LiveHold(Observation observation, LockHoldObservationContext context) {

	}

	/**
	 * Which acquisitions and holds are observed.
	 */
	public enum Spans {

		/**
		 * Acquisitions that had to wait or were refused, the holds that followed, and all
		 * losses.
		 */
		CONTENDED,

		/**
		 * All.
		 */
		ALL,

		/**
		 * None.
		 */
		OFF

	}

}
