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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A job that all workers call at its fire times, which are the multiples of its period.
 */
enum Job {

	PROMPT(502, 1000, 1, 20, false, JobWork::prompt),

	FAILING(506, 1000, 1, 20, true, JobWork::failing),

	LASTING(510, 1000, 1, 1500, true, JobWork::lasting),

	/** Some runs take longer than the period and the lease together. */
	OUTLASTING(514, 2000, 1, 5000, true, JobWork::outlasting),

	PROMPT_WITH_CATCH_UP(518, 2000, 2, 20, true, JobWork::promptWithCatchUp),

	LASTING_WITH_CATCH_UP(522, 2000, 2, 3000, true, JobWork::lastingWithCatchUp),

	/** There is time to repeat a run whose worker was killed. */
	SELDOM_WITH_CATCH_UP(526, 5000, 2, 3000, true, JobWork::seldomWithCatchUp),

	/** Most late runs would be too late. */
	HASTY_WITH_CATCH_UP(530, 2000, 2, 20, true, JobWork::hastyWithCatchUp),

	LATE_BUT_NOT_AGAIN(538, 2000, 1, 20, true, JobWork::lateButNotAgain),

	AT_A_FIXED_RATE(534, 2000, 1, 20, true, JobWork::atAFixedRate);

	/** Of runs that may fail. */
	private static final int FAILS_ONE_OF = 3;

	private final int lock;

	private final long period;

	private final int mostRuns;

	private final int longestMillis;

	private final boolean fails;

	private final Consumer<JobWork> method;

	Job(int lock, long period, int mostRuns, int longestMillis, boolean fails, Consumer<JobWork> method) {
		this.lock = lock;
		this.period = period;
		this.mostRuns = mostRuns;
		this.longestMillis = longestMillis;
		this.fails = fails;
		this.method = method;
	}

	/** The number of its lock. */
	int lock() {
		return this.lock;
	}

	/** In milliseconds. */
	long period() {
		return this.period;
	}

	/** How often a fire time is run at most. */
	int mostRuns() {
		return this.mostRuns;
	}

	Duration longest() {
		return Duration.ofMillis(this.longestMillis);
	}

	Duration drawLength(RandomGenerator random) {
		return Duration.ofMillis(random.nextInt(this.longestMillis));
	}

	boolean drawFailure(RandomGenerator random) {
		return this.fails && random.nextInt(FAILS_ONE_OF) == 0;
	}

	void call(JobWork work) {
		this.method.accept(work);
	}

	/**
	 * Whether each worker calls it at its own time of the period, and always at the same.
	 */
	boolean isFixedRate() {
		return this == AT_A_FIXED_RATE;
	}

	/**
	 * Return by how many milliseconds a late run begins too late, zero if it does not.
	 */
	long tooLate(long fireTime, long now) {
		return (this == HASTY_WITH_CATCH_UP) ? Math.max(0, now - fireTime - JobWork.HASTE_MILLIS) : 0;
	}

	long latestFireTime(long millis) {
		return Math.floorDiv(millis, this.period) * this.period;
	}

}
