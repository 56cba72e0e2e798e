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

package io.distributedlock.campaign.history;

/**
 * What every history must satisfy.
 */
public enum Rule {

	/**
	 * Two holders of one lock were both told at the same instant that they hold it, or
	 * one of several was in larger company than it asked for.
	 */
	EXCLUSION("too many valid holders at one instant"),

	/**
	 * A later grant has a fencing token that is not larger; or, beside the earlier one,
	 * the same.
	 */
	TOKEN_ORDER("fencing tokens in the order of the grants"),

	/** A holder was told that it holds a lock long after the store had lost it. */
	RESURRECTION("a lock that the store lost is never created again behind the back of its holder"),

	WAIT_LIMIT("every wait ends within its limit"),

	/** A waiter was not woken although the lock was free, or others passed it. */
	FORGOTTEN_WAITER("no waiter is forgotten"),

	/** Waiters get free locks, but only when they look for themselves. */
	SLOW_HANDOVER("waiters are woken by a message"),

	MINIMUM_HOLD("a minimum hold is kept"),

	/** No fault was long enough for it, or none could bring about its cause. */
	UNEXPLAINED_LOSS("a lock is lost only by something that explains it"),

	/** A second, and what a busy machine needs. */
	TOLD_LATE("a loss in the store is told as soon as the store can be reached again"),

	LEADERLESS("the next leader follows within the lease and a limit"),

	/** Two transactions wrote the same balance, or the sum is wrong at the end. */
	LOST_UPDATE("fenced transactions lose no update"),

	FENCE_ORDER("fenced transactions commit in the order of the tokens"),

	/**
	 * A transaction committed after another one of a later holder had, whatever the two
	 * wrote.
	 */
	OLD_HOLDER("the database admits no earlier holder after a later one"),

	EARLY_SUCCESSION("the next leader begins when the one that resigned has stopped"),

	UNCLOSED_END("a hold ends by its release or by a loss"),

	UNEXPECTED_FAILURE("calls fail only with the exceptions that are documented"),

	/** It is run once, and twice at most by a job that repeats a run that failed. */
	FIRE_TIME("a fire time of a job is run no more often than it may be"),

	/** Nobody would be told of a fire time that nobody ran. */
	OUTCOME("each fire time of a job is run or reported as missed, and what is reported is true"),

	CATCH_UP("a late run begins within the time of catchUp"),

	/** Nothing kept it from writing down its end. */
	REPEATED_SUCCESS("a run that succeeded is not repeated"),

	/** At least half of those of each job whose runs are short. */
	MISSED("fire times are run while nothing is broken"),

	/** It has one place in the queue of a lock, and at most 16 for permits. */
	WAITING_COST("a worker asks once a second for each of its places in queues"),

	RENEWAL_COST("many locks of a worker are renewed with few scripts"),

	LEFTOVER("nothing is left"),

	PROGRESS("everything drains after the storm"),

	/** A fault could not be carried out, or a worker could not be started. */
	CAMPAIGN("the campaign itself works");

	private final String text;

	Rule(String text) {
		this.text = text;
	}

	public String text() {
		return this.text;
	}

}
