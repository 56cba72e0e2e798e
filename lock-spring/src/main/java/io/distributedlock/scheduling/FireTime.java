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
package io.distributedlock.scheduling;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.internal.FireTimes;

/**
 * Tells a job that is annotated with
 * {@link io.distributedlock.annotation.OncePerFireTime} for which fire time it runs. A
 * late run, or one on an instance whose clock is fast, cannot tell by the time of day.
 *
 * @since 0.1.0
 */
public final class FireTime {

	private FireTime() {
	}

	/**
	 * Return the fire time for which the current thread runs a job.
	 * @return the fire time of the nearest job on the call stack; empty if there is none,
	 * for example in a test that calls the method of an object without a proxy
	 */
	public static Optional<Instant> current() {
		return LockContext.all().stream().map(FireTimes::of).filter(Objects::nonNull).findFirst();
	}

	/**
	 * Return the fire time for which a job runs under a lock. For asynchronous and
	 * reactive work, which is not on the call stack of its job.
	 * @param handle the lock of the job
	 * @return the fire time; empty if this is not the lock of a job that runs
	 */
	public static Optional<Instant> of(LockHandle handle) {
		return Optional.ofNullable(FireTimes.of(handle));
	}

}
