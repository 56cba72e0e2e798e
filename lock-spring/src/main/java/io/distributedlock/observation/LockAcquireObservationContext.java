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

import io.distributedlock.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of an acquisition, which is made when its outcome is known.
 *
 * @since 0.1.0
 */
public final class LockAcquireObservationContext extends LockObservationContext {

	private final Duration waited;

	private final LockEvent.@Nullable Reason refusal;

	private LockAcquireObservationContext(LockEvent event, Duration waited, Duration elapsed,
			LockEvent.@Nullable Reason refusal) {
		super(event.name(), event.declaredName(), ago(elapsed));
		this.waited = waited;
		this.refusal = refusal;
	}

	/**
	 * Create the context of an acquisition that succeeded.
	 * @param event the event
	 * @param elapsed from the call to this moment
	 * @return the context
	 */
	public static LockAcquireObservationContext of(LockEvent.Acquired event, Duration elapsed) {
		LockAcquireObservationContext context = new LockAcquireObservationContext(event, event.waited(), elapsed, null);
		context.setFencingToken(event.fencingToken());
		return context;
	}

	/**
	 * Create the context of an acquisition that did not succeed.
	 * @param event the event
	 * @return the context
	 */
	public static LockAcquireObservationContext of(LockEvent.NotAcquired event) {
		return new LockAcquireObservationContext(event, event.waited(), event.waited(), event.reason());
	}

	/**
	 * Return the time from the call to the grant, or to the refusal.
	 * @return the time
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return why the lock was not acquired.
	 * @return the reason, or {@code null} if it was acquired
	 */
	public LockEvent.@Nullable Reason getRefusal() {
		return this.refusal;
	}

}
