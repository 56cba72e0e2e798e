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

package io.distributedlock;

import java.time.Duration;

/**
 * A snapshot of a lock that this instance holds. Applications do not implement it.
 *
 * @since 0.1.0
 */
public interface HeldLock {

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	String name();

	/**
	 * Return the declared name of its options.
	 * @return the declared name
	 */
	String declaredName();

	/**
	 * Return who acquired it.
	 * @return the name of the thread, or {@code "async"}
	 */
	String owner();

	/**
	 * Return how long it has been held.
	 * @return the time since the acquisition
	 */
	Duration heldFor();

	/**
	 * Return how long it is certain to be held without a renewal.
	 * @return the time until the deadline, never negative
	 */
	Duration remaining();

	/**
	 * Return the fencing token.
	 * @return the fencing token
	 */
	long fencingToken();

	/**
	 * Return whether its lease is renewed.
	 * @return whether it is renewed
	 */
	boolean autoRenew();

	/**
	 * Return how many callers the holder allows to hold it at the same time.
	 * @return the permits, at least 1; 1 also for a {@linkplain #mode() shared} lock,
	 * which has no limit
	 */
	int permits();

	/**
	 * Return whether the holder allows others to hold it at the same time.
	 * @return the mode
	 */
	LockMode mode();

}
