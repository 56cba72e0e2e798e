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

/**
 * Where the code differs from the models on purpose: see {@code docs/model/README.md}.
 * None of them gives the lock to anybody to whom the models would not give it at that
 * time or a little later. Traces have to show each of them, so that none outlives its
 * reason.
 */
enum Difference {

	/** A single attempt serves those in front of it, too, and gets in behind them. */
	SINGLE_ATTEMPT_SERVES,

	/** A caller that wants to be alone serves nobody in front of it. */
	ALONE_SERVES_NOBODY,

	/** A script that has looked at as many waiters as it may is called again at once. */
	CALLED_AGAIN,

	/**
	 * While the key of several holders outlives them, a caller that wants to be alone
	 * stops at whoever is first in the queue, dead or alive.
	 */
	STOPS_AT_THE_DEAD,

	/** Those without a sign of life lose their places earlier or later. */
	DEAD_LEAVE_AT_ANOTHER_TIME,

	/**
	 * The keys of a queue end if signs of life come late, with whoever gave one since.
	 */
	QUEUE_ENDS,

	/**
	 * Every fourth sign of life prolongs the keys of the queue instead, and changes
	 * nothing of the place.
	 */
	FOURTH_SIGN,

	/** A lock that is taken without naming the place leaves the place to the release. */
	PLACE_LEFT_TO_THE_RELEASE,

	/** A repeated acquisition is told its fencing tokens again. */
	SAME_TOKENS_AGAIN,

	/** With nobody alive in the queue, the key of ended holders ends earlier or later. */
	GRACE_WITHOUT_WAITERS,

	/** {@code RedisLock.tla} knows no single attempts. */
	SINGLE_ATTEMPT

}
