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

package io.distributedlock.leadership;

import java.time.Duration;

/**
 * A snapshot of a candidacy of this instance. Applications do not implement it.
 *
 * @since 0.1.0
 */
public interface Candidacy {

	/**
	 * Return the name of the leadership.
	 * @return the name
	 */
	String name();

	/**
	 * Return the low-cardinality name for meters.
	 * @return the declared name
	 */
	String declaredName();

	/**
	 * Return whether it leads.
	 * @return whether it leads
	 */
	boolean leader();

	/**
	 * Return the fencing token of the term.
	 * @return the fencing token, zero if it does not lead
	 */
	long fencingToken();

	/**
	 * Return how long it is certain to lead without a renewal.
	 * @return the time until the deadline, zero if it does not lead
	 */
	Duration remaining();

}
