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

package io.distributedlock.campaign.nemesis;

import java.util.random.RandomGenerator;

/**
 * Breaks something for a while, and mends it.
 *
 * @param label what it is called in reports
 * @param weight how often it is drawn
 * @param target what it breaks; only one strikes a target at a time
 * @param blow what it does
 */
public record Nemesis(String label, int weight, Target target, Blow blow) {

	/**
	 * Returns the same, drawn more or less often.
	 * @param weight how often it is drawn
	 */
	Nemesis withWeight(int weight) {
		return new Nemesis(this.label, weight, this.target, this.blow);
	}

	/**
	 * What is broken.
	 */
	public enum Target {

		/** The process of a worker. */
		WORKER,

		/** The network between a worker and Redis. */
		LINK,

		/** Redis. */
		SERVER

	}

	/**
	 * What is done.
	 */
	@FunctionalInterface
	public interface Blow {

		/**
		 * Breaks something and returns when it is mended. All random numbers that are
		 * needed are drawn at the beginning.
		 * @param slot the slot of the worker that is meant, if any
		 * @param random the source of random numbers
		 * @throws Exception if that is not possible
		 */
		void strike(int slot, RandomGenerator random) throws Exception;

	}

}
