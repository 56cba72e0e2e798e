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

package io.distributedlock.store.trace;

import java.util.List;

/**
 * All that happened to one lock, in its order.
 *
 * @param name what it is a trace of
 * @param redis whether the scripts were called, rather than the store in memory
 * @param tick how many nanoseconds a tick has
 */
public record Trace(String name, boolean redis, long tick, List<Step> steps) {

	private static final long GRACE = 1_000_000_000;

	/**
	 * How many ticks the key of several holders outlives them.
	 */
	long grace() {
		return GRACE / this.tick;
	}

	/** No caller ever accepts company. */
	boolean isExclusive() {
		return this.steps.stream().allMatch((step) -> step.command().limit() == 1);
	}

}
