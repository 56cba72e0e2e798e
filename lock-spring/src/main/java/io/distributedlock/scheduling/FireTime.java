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
import io.distributedlock.internal.FireTimes;

/**
 * Tells a job that is annotated with
 * {@link io.distributedlock.annotation.OncePerFireTime} for which fire time it runs. A
 * late run, or one on an instance whose clock is fast, cannot tell by the time of day.
 * For reactive code and suspend functions see
 * {@code io.distributedlock.reactive.ReactiveLockContext#fireTime}.
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

}
