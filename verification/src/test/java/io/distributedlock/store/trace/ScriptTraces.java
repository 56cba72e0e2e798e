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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Traces of the scripts, for those who change them many times. All calls of a trace are
 * made in one millisecond, so that leases and signs of life end exactly when a call asks:
 * what compares times wrongly by a millisecond is found.
 */
public final class ScriptTraces implements AutoCloseable {

	private static final long SEED = 20261127;

	/** A mutant that publishes nothing must not cost more time than the others. */
	private static final Duration PATIENCE = Duration.ofMillis(1500);

	/** Later with each call, but only by a microsecond. */
	private static final String STANDING_TIME = "{'1800000000', '' .. (5000 + "
			+ "redis.call('INCR', KEYS[1] .. ':clock') % 1000)}";

	private final Subjects subjects = new Subjects(PATIENCE, STANDING_TIME);

	/**
	 * Return the same script with a clock that stands still.
	 */
	public static String withStandingClock(String script) {
		return script.replace(Subjects.TIME, STANDING_TIME);
	}

	/**
	 * Write traces of the scripts that the stores send now, whose clock must stand still.
	 * @return what is wrong with the first that the models do not allow, or {@code null}
	 */
	public @Nullable String check(int traces) {
		try (Subject subject = this.subjects.redis()) {
			return Traces.check(new TraceChecker(), subject, SEED, traces);
		}
	}

	@Override
	public void close() {
		this.subjects.close();
	}

}
