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

import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.campaign.history.Event.Outcome;

/**
 * What was counted.
 */
public final class Tally {

	private final long[] counts = new long[Count.values().length];

	private final Map<Outcome, Long> outcomes = new TreeMap<>();

	private final Map<String, Long> grantsByWorkload = new TreeMap<>();

	private final Map<Rule, Long> violations = new TreeMap<>();

	private long longestAbsence;

	private long longestUntold;

	void add(Count count, long more) {
		this.counts[count.ordinal()] += more;
	}

	void increment(Count count) {
		add(count, 1);
	}

	void ended(Outcome outcome) {
		increment(Count.ATTEMPTS);
		this.outcomes.merge(outcome, 1L, Long::sum);
	}

	void granted(String workload) {
		increment(Count.GRANTS);
		this.grantsByWorkload.merge(workload, 1L, Long::sum);
	}

	void violated(Rule rule) {
		this.violations.merge(rule, 1L, Long::sum);
	}

	/**
	 * A loss that the store could have told was told so much later.
	 */
	void told(long untold) {
		if (untold > 0) {
			increment(Count.NEWS);
			this.longestUntold = Math.max(this.longestUntold, untold);
		}
	}

	void succeeded(long absence) {
		increment(Count.SUCCESSIONS);
		this.longestAbsence = Math.max(this.longestAbsence, absence);
	}

	public long get(Count count) {
		return this.counts[count.ordinal()];
	}

	public Map<Outcome, Long> outcomes() {
		return this.outcomes;
	}

	public Map<String, Long> grantsByWorkload() {
		return this.grantsByWorkload;
	}

	public Map<Rule, Long> violations() {
		return this.violations;
	}

	/**
	 * Returns the longest time without a leader after a stop or a kill, in nanoseconds.
	 */
	public long longestAbsence() {
		return this.longestAbsence;
	}

	/**
	 * Returns the longest time that the store could have told a loss, and its holder did
	 * not know it, in nanoseconds.
	 */
	public long longestUntold() {
		return this.longestUntold;
	}

	/**
	 * What is counted, in the order of the report.
	 */
	public enum Count {

		GRANTS("acquisitions"),

		/** Those that have ended. */
		ATTEMPTS("attempts"),

		CHECKS("answers of handles checked"),

		LOSSES_TOLD("losses told"),

		LOSSES_OF_RENEWED("… of locks that were renewed"),

		/** After connections broke, too. */
		NEWS("… after the store had lost data and could be reached again"),

		KILLED_HOLDERS("holders killed"),

		KILLED_WAITERS("waiters killed"),

		/** Their handle had expired at the first look. */
		GRANTED_TOO_LATE("granted too late to be of use"),

		/** Or holders in company, that a loss of data excuses. */
		EXCUSED("pairs of holders excused"),

		TERMS("terms of leaders"),

		/** One for each leadership after each storm. */
		SUCCESSIONS("successions checked"),

		RESIGNATIONS("leaders that resigned while nothing was broken"),

		/** As far as workers lived to tell. */
		COMMITTED("fenced transactions"),

		COMMITTED_INSIDE("… that began in others, or in their callbacks"),

		REFUSED("… that were refused"),

		CUT("… whose connection the database ended"),

		/**
		 * Pairs in the wrong order: the one around the later one was rolled back, and its
		 * fence not claimed anew yet.
		 */
		ADMITTED("… out of order and excused"),

		RUNS("runs of jobs"),

		/** After one that failed, or did not end. */
		REPEATED_RUNS("… that were repeated"),

		/** Of one fire time, on two sides of a loss of data. */
		RUNS_EXCUSED("pairs of runs excused"),

		CALM_FIRE_TIMES("fire times in calm, of jobs with short runs"),

		CALM_FIRE_TIMES_RUN("… that were run"),

		SUSPENSIONS("times that the machine stood still"),

		STALLED_CALMS("calms that do not count because a worker was slow"),

		COSTS("times that scripts were counted"),

		CALM_ATTEMPTS("attempts in calm"),

		CALM_CONTENDED("… that waited"),

		CALM_LATE("… and got a free lock late");

		private final String text;

		Count(String text) {
			this.text = text;
		}

		public String text() {
			return this.text;
		}

	}

}
