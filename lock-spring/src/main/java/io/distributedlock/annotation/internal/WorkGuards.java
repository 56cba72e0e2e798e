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

package io.distributedlock.annotation.internal;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.LockFinding;
import org.jspecify.annotations.Nullable;

/**
 * Makes the guards of methods that run once per fire time.
 */
@FunctionalInterface
public interface WorkGuards {

	/** How to correct an expression for the fire time. */
	String FIRE_TIME_ACTION = "Write an expression that is a java.time.Instant, a java.util.Date, or a date and time with a zone or an offset, for all arguments, as in #context.scheduledFireTime.";

	/**
	 * Return what makes a guard for each call of a method that is about to ask for its
	 * lock. Called when the bean of the method is created, before most other beans.
	 * @throws io.distributedlock.annotation.InvalidLockDefinitionException if the fire
	 * times of the method are unknown
	 */
	Guarded of(AnnotatedMethod method, Attributes attributes);

	/**
	 * A method that runs once per fire time.
	 */
	interface Guarded {

		WorkGuard guard(LockedCall call);

		/**
		 * Return what works, but perhaps not as the author of the schedule expects.
		 * @param options those of the lock
		 */
		List<LockFinding> warnings(LockOptions options);

	}

	/**
	 * What the annotation says.
	 *
	 * @param declaredName the name in meters and events
	 * @param name the name of the lock, or {@code null} if each call has another one
	 * @param catchUp how late a job may be run, or {@code null} for never
	 * @param repeat whether a run that failed or did not end is run once more
	 * @param fireTime evaluates the fire time of a call, or {@code null} if it is that of
	 * the schedule
	 */
	record Attributes(String declaredName, @Nullable String name, @Nullable Duration catchUp, boolean repeat,
			@Nullable Function<LockedCall, @Nullable Object> fireTime) {
	}

}
