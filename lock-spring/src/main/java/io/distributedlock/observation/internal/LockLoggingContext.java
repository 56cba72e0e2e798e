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

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockObserver;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Adds the lock to the logging context ({@link MDC}) of threads that work under it, and
 * delegates to another observer.
 */
public final class LockLoggingContext implements LockObserver {

	private static final String NAME = "lock.name";

	private static final String FENCING_TOKEN = "lock.fencing-token";

	private final LockObserver observer;

	/**
	 * Create a new instance.
	 * @param observer does the rest, or {@code null} if there is nothing else to do
	 */
	public LockLoggingContext(@Nullable LockObserver observer) {
		this.observer = (observer != null) ? observer : new LockObserver() {
		};
	}

	@Override
	public @Nullable Object onRequest() {
		return this.observer.onRequest();
	}

	@Override
	public @Nullable Object onAcquired(@Nullable Object request, LockEvent.Acquired event, String holder,
			Duration elapsed) {
		return this.observer.onAcquired(request, event, holder, elapsed);
	}

	@Override
	public void onNotAcquired(@Nullable Object request, LockEvent.NotAcquired event, @Nullable LockInfo holder,
			@Nullable Throwable failure) {
		this.observer.onNotAcquired(request, event, holder, failure);
	}

	@Override
	public void onEnded(@Nullable Object hold, LockEvent event, String holder) {
		this.observer.onEnded(hold, event, holder);
	}

	@Override
	public Scope openScope(@Nullable Object hold, LockHandle handle) {
		Scope observed = this.observer.openScope(hold, handle);
		String outerName = MDC.get(NAME);
		String outerToken = MDC.get(FENCING_TOKEN);
		MDC.put(NAME, Printable.of(handle.name()));
		MDC.put(FENCING_TOKEN, Long.toString(handle.fencingToken()));
		return () -> {
			restore(NAME, outerName);
			restore(FENCING_TOKEN, outerToken);
			if (observed != null) {
				observed.close();
			}
		};
	}

	private static void restore(String key, @Nullable String value) {
		if (value != null) {
			MDC.put(key, value);
		}
		else {
			MDC.remove(key);
		}
	}

	@Override
	public Map<String, Object> contextValues(@Nullable Object hold) {
		return this.observer.contextValues(hold);
	}

}
