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

package io.distributedlock.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Knows the jobs of the application that run once per fire time, for operators.
 */
@FunctionalInterface
public interface DeclaredJobs {

	/**
	 * Return the jobs that have one name, in the order of their names.
	 */
	List<DeclaredJob> jobs();

	/**
	 * Return the names of all jobs in meters, also of those whose calls have different
	 * names.
	 */
	default Collection<String> declaredNames() {
		return jobs().stream().map(DeclaredJob::name).toList();
	}

	/**
	 * A job.
	 */
	interface DeclaredJob {

		/**
		 * Return the name of the job, which is that of its lock.
		 */
		String name();

		/**
		 * Return where it was declared, such as {@code com.example.Reports.write()}.
		 */
		String location();

		/**
		 * Return the next fire time, or {@code null} if it is unknown.
		 */
		@Nullable Instant next();

		/**
		 * Return how late a run may be, or {@code null} for never.
		 */
		@Nullable Duration catchUp();

		/**
		 * Return what the record of the lock says.
		 * @throws IllegalArgumentException if it is not the record of a job
		 */
		Run read(String record);

		/**
		 * Return how many fire times have passed since the one of the last run. Those for
		 * which a call may still come do not count.
		 */
		long missedSince(Instant fireTime);

	}

	/**
	 * The last run of a job, as its record has it.
	 *
	 * @param state {@code running}, {@code succeeded} or {@code failed}
	 * @param end when it ended, or {@code null} if it has not
	 * @param failure the type of the exception, or {@code null} if there is none
	 */
	record Run(Instant fireTime, String state, String instance, Instant start, @Nullable Instant end, boolean repeated,
			@Nullable String failure) {
	}

}
