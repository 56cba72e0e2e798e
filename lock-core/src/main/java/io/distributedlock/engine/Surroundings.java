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

package io.distributedlock.engine;

import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What an engine does not decide itself: time, threads, and chance. All of it can be
 * replaced, so that the same seed leads to the same history.
 *
 * @param timer calls what is due
 * @param threads run what no caller does
 * @param instance the identity of the instance in the store
 * @param secrets for what a publisher of messages must not guess
 * @param jitter numbers from zero to one, so that instances do not act in step
 */
record Surroundings(LongSupplier clock, LeaseTimer timer, EngineThreads threads, String instance, Random secrets,
		DoubleSupplier jitter) {

	/**
	 * Return the surroundings of an engine in production.
	 * @param instance the identity of the instance in the store
	 */
	static Surroundings system(LongSupplier clock, String instance) {
		return new Surroundings(clock, new LeaseTimer(clock), new EngineThreads(), instance, new SecureRandom(),
				() -> ThreadLocalRandom.current().nextDouble());
	}

}
