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
import java.time.Instant;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Base class of the contexts of lock observations.
 *
 * @since 0.1.0
 */
public abstract sealed class LockObservationContext extends Observation.Context
		permits LockAcquireObservationContext, LockHoldObservationContext {

	private final String lockName;

	private final String declaredName;

	private final @Nullable Instant startedAt;

	private @Nullable String holder;

	private @Nullable Long fencingToken;

	LockObservationContext(String lockName, String declaredName, @Nullable Instant startedAt) {
		this.lockName = lockName;
		this.declaredName = declaredName;
		this.startedAt = startedAt;
	}

	/**
	 * Return when an operation began that has lasted for the given time. Spans use wall
	 * clock times; nothing else here depends on the wall clock.
	 */
	static Instant ago(Duration duration) {
		return Instant.now().minus(duration);
	}

	/**
	 * Return the name of the lock. High cardinality.
	 * @return the evaluated name
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return the declared name of the lock. Low cardinality.
	 * @return the declared name
	 */
	public String getDeclaredName() {
		return this.declaredName;
	}

	/**
	 * Return when the operation began, if it is observed afterwards.
	 * @return the beginning, or {@code null} if it is the start of the observation
	 */
	public @Nullable Instant getStartedAt() {
		return this.startedAt;
	}

	/**
	 * Return who holds the lock, human-readable. High cardinality.
	 * @return the name of the thread of this instance, {@code "async"}, or a description
	 * of another holder; {@code null} if it is not known
	 */
	public @Nullable String getHolder() {
		return this.holder;
	}

	void setHolder(@Nullable String holder) {
		this.holder = holder;
	}

	/**
	 * Return the fencing token of the hold. High cardinality.
	 * @return the token, or {@code null} if the lock was not acquired
	 */
	public @Nullable Long getFencingToken() {
		return this.fencingToken;
	}

	void setFencingToken(long fencingToken) {
		this.fencingToken = fencingToken;
	}

}
