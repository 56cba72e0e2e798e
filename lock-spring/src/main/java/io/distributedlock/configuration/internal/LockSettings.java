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

package io.distributedlock.configuration.internal;

import java.time.Duration;
import java.util.function.BiFunction;

import io.distributedlock.engine.EngineSettings;

/**
 * The settings of the application for all configurations: the properties with Spring
 * Boot, otherwise the defaults.
 *
 * @param logging whether the logging context shows the locks
 * @param gracePeriod for how long holders keep their locks when the context closes
 * @param maxMeteredNames how many names of locks get meters of their own
 * @param includeHolder whether HTTP clients are told who holds a lock
 */
public record LockSettings(EngineSettings engine, Start start, boolean logging, Duration gracePeriod,
		int maxMeteredNames, boolean includeHolder) {

	static LockSettings of(EngineSettings engine) {
		return new LockSettings(engine,
				new Start(LockStoreCheck.Reaction.WARN, (problem, instead) -> new IllegalStateException(problem), ""),
				false, Duration.ofSeconds(5), 100, false);
	}

	/**
	 * What happens when the application starts.
	 *
	 * @param reaction what happens if the store cannot work
	 * @param refusal makes the exception of a start that fails from the problem, and the
	 * reaction with which the application starts nevertheless
	 * @param details the details of the store for the log, beside its description
	 */
	public record Start(LockStoreCheck.Reaction reaction,
			BiFunction<String, LockStoreCheck.Reaction, RuntimeException> refusal, String details) {

	}

}
