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
package io.distributedlock.engine.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Runs many histories with jobs that run once per fire time.
 */
public final class JobSimulation {

	private JobSimulation() {
	}

	/**
	 * Run histories with seeds that follow from one.
	 * @return a report of the first failure, shrunk, or {@code null} if there is none
	 */
	static @Nullable String run(long seed, long from, long to) {
		return Simulation.run(JobPlan::draw, seed, from, to);
	}

	/**
	 * Run histories until one fails.
	 * @return the number of the first one that fails, or -1 if none does
	 */
	public static long firstFailure(long seed, long from, long to) {
		return Simulation.firstFailure(JobPlan::draw, seed, from, to);
	}

	public static String finding(long seed, long number) {
		return Simulation.play(JobPlan.draw(Simulation.seedOf(seed, number))).kind().orElseThrow();
	}

	/**
	 * Describe a failure: the shortest script that was found, and what happened in it.
	 */
	public static String report(long seed, long number) {
		return Simulation.report(JobPlan::draw, seed, number);
	}

}
