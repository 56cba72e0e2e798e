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

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What happened to a fire time of a job that is annotated with
 * {@link io.distributedlock.annotation.OncePerFireTime}.
 *
 * @since 0.1.0
 */
public interface JobRun {

	/**
	 * Return the name of the job, which is that of its lock.
	 * @return the name
	 */
	String name();

	/**
	 * Return the name in meters.
	 * @return the literal name, or class and method if each call has another name
	 */
	String declaredName();

	/**
	 * Return the fire time; of several that nobody ran, the last one.
	 * @return the fire time
	 */
	Instant fireTime();

	/**
	 * Return what happened.
	 * @return the outcome
	 */
	Outcome outcome();

	/**
	 * Return the instance that ran the job.
	 * @return the name of the instance, or {@code null} if none did
	 */
	@Nullable String instance();

	/**
	 * Return how long the run took.
	 * @return the duration, or {@code null} if the run did not end
	 */
	@Nullable Duration duration();

	/**
	 * Return whether this is the second run for the fire time, after one that failed or
	 * did not end.
	 * @return whether the run was repeated
	 */
	boolean isRepeated();

	/**
	 * Return the number of fire times that this is about: 1, unless nobody ran several in
	 * a row.
	 * @return the number
	 */
	long fireTimes();

	/**
	 * What happened to a fire time. The instance that runs the job tells the end of its
	 * run, even if it has lost the lock by then. That end is not recorded, so the next
	 * run tells the same run once more, as {@link #ABANDONED}: another instance cannot
	 * know more.
	 *
	 * @since 0.1.0
	 */
	enum Outcome {

		/**
		 * This instance ran the job, and it returned normally.
		 */
		SUCCEEDED,

		/**
		 * This instance ran the job, and it failed.
		 */
		FAILED,

		/**
		 * The end of a run that an instance had begun is not recorded: the instance died,
		 * or lost its lock. In the latter case it may go on, or have told its end. Told
		 * by the instance that notices it at its next run of the job.
		 */
		ABANDONED,

		/**
		 * No instance ran the job. Told by the instance that notices it at its next run
		 * of the job.
		 */
		MISSED,

		/**
		 * No instance ran the job, because an operator held its lock. Told in place of
		 * {@link #MISSED} by an instance that the operator has refused.
		 */
		HELD

	}

}
