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
import java.time.Instant;
import java.util.random.RandomGenerator;

import io.distributedlock.internal.WallClock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;

/**
 * The time of day as a worker has it, whose clock is fast: by as much as the property
 * {@code campaign.clock} says, or by chance. A thread can set its own: then it is known
 * for which fire time a call is, even if the worker is stopped meanwhile.
 */
final class JobClock implements WallClock {

	/** By so much the clocks of two workers differ. */
	private static final int LARGEST_OFFSET_MILLIS = 1900;

	private final ThreadLocal<@Nullable Instant> ofThread = new ThreadLocal<>();

	private final @Nullable Duration given;

	private volatile long offsetMillis;

	JobClock(Environment environment) {
		this.given = environment.getProperty("campaign.clock", Duration.class);
	}

	void draw(RandomGenerator random) {
		long drawn = random.nextInt(LARGEST_OFFSET_MILLIS);
		this.offsetMillis = (this.given != null) ? this.given.toMillis() : drawn;
	}

	@Override
	public Instant now() {
		Instant set = this.ofThread.get();
		return (set != null) ? set : Instant.now().plusMillis(this.offsetMillis);
	}

	/**
	 * Do something at a time of this thread.
	 */
	void at(Instant time, Runnable work) {
		this.ofThread.set(time);
		try {
			work.run();
		}
		finally {
			this.ofThread.remove();
		}
	}

}
