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

package io.distributedlock.benchmarks.contestant;

import java.time.Duration;

/**
 * One client of one lock library, as a single JVM would have it.
 */
public interface LockClient extends AutoCloseable {

	/**
	 * Acquires the lock, or fails.
	 * @return the held lock, to be closed by the same thread
	 * @throws java.util.concurrent.TimeoutException if the lock was not free in time
	 */
	Hold acquire(String name, Duration lease, Duration wait) throws Exception;

	/**
	 * Acquires a lock that others may hold at the same time, or fails.
	 * @param limit how many may hold it at most, this holder included: 1 to be alone, the
	 * largest integer for any number
	 * @return the held lock, to be closed by the same thread
	 * @throws UnsupportedOperationException if there is no such lock
	 */
	default Hold join(String name, int limit, Duration lease, Duration wait) throws Exception {
		throw new UnsupportedOperationException("There is no lock with several holders");
	}

	@Override
	void close();

	interface Hold extends AutoCloseable {

		@Override
		void close();

	}

}
