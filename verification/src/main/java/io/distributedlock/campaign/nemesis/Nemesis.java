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

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Breaks something for a while, and mends it.
 *
 * @param target what it breaks; only one strikes a target at a time
 * @param harm what it may do to holders whose locks are renewed
 */
public record Nemesis(String label, int weight, Target target, Harm harm, Blow blow) {

	public Nemesis withWeight(int weight) {
		return new Nemesis(this.label, weight, this.target, this.harm, this.blow);
	}

	public enum Target {

		WORKER,

		/** The network between a worker and Redis. */
		LINK,

		SERVER

	}

	/**
	 * What a fault may do to holders whose locks are renewed.
	 */
	public enum Harm {

		/** They keep their locks, however long it lasts. */
		NONE(Duration.ZERO),

		/** They keep their locks, but nothing new is written. */
		NO_WRITES(Duration.ZERO),

		/** Renewals fail, and clients know it at once. */
		REFUSAL(Duration.ZERO),

		/**
		 * Renewals fail, and a client has to give up its connection and to make another.
		 */
		OUTAGE(Duration.ofMillis(2000)),

		/** Clients also have to find the new master. */
		FAILOVER(Duration.ofMillis(4000));

		private final Duration aftermath;

		Harm(Duration aftermath) {
			this.aftermath = aftermath;
		}

		/**
		 * Returns for how long renewals may still fail when all is mended.
		 */
		public Duration aftermath() {
			return this.aftermath;
		}

	}

	@FunctionalInterface
	public interface Blow {

		/**
		 * Breaks something and returns when it is mended. All random numbers that are
		 * needed are drawn at the beginning.
		 * @param slot the slot of the worker that is meant, if any
		 */
		void strike(int slot, RandomGenerator random) throws Exception;

	}

}
