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

import io.distributedlock.LossCause;
import io.distributedlock.scheduling.JobRun;
import org.jspecify.annotations.Nullable;

/**
 * One line of the history that a worker writes. All times are {@link System#nanoTime()},
 * which on Linux is the same clock for all processes of a machine.
 *
 * @param worker which worker wrote it; one that was killed and started again has another
 * number
 * @param name the number of the lock, or {@link #SEVERAL}
 * @param attempt the attempt to acquire, unique in its worker; all transactions of one
 * attempt belong together
 * @param hold the hold, unique in its worker; zero if the event has none
 * @param token the fencing token of a grant
 * @param until until when the handle said at least that the lock is held; zero if it said
 * that it is not held. For a transaction that has committed, when it was about to; for
 * one that was rolled back, since when no earlier holder may be admitted. For a job, its
 * fire time in milliseconds since 1970
 * @param amount the wait of an attempt, the lease of a grant or the length of an
 * extension or of a stall, in nanoseconds; the balance that a transaction wrote; 1 if a
 * leadership was lost, or a lock that was renewed; how long a job that is called runs at
 * most; by how many milliseconds a run begins too late; how many fire times are reported
 * @param kind the number of the workload
 * @param detail the outcome of an attempt, the minimum hold of a grant in milliseconds,
 * the {@link Place} of a transaction, how often a fire time of a job is run at most, the
 * period of a job that is called in milliseconds, what
 * {@link #detail(JobRun.Outcome, boolean)} makes of what is reported of a job, 1 for a
 * handle that ended without being closed or lost, or what {@link #detail(LossCause)}
 * makes of the cause of a loss
 * @param limit in how large a company, itself included, whoever asks for a lock or has it
 * may be; zero for any. It is 1 if it may not have any, and for events that are neither
 * requests nor grants
 */
public record Event(Type type, int worker, int name, long attempt, long hold, long at, long token, long until,
		long amount, int kind, int detail, int limit) {

	/**
	 * The name of an attempt that asks for several locks.
	 */
	public static final int SEVERAL = -1;

	/**
	 * Creates an event without company.
	 */
	public Event(Type type, int worker, int name, long attempt, long hold, long at, long token, long until, long amount,
			int kind, int detail) {
		this(type, worker, name, attempt, hold, at, token, until, amount, kind, detail, 1);
	}

	/**
	 * Returns a detail that stands for the cause of a loss.
	 */
	public static int detail(LossCause cause) {
		return 1 + cause.ordinal();
	}

	/**
	 * Returns a detail that stands for what a listener is told of a job.
	 */
	public static int detail(JobRun.Outcome outcome, boolean repeated) {
		return 2 * outcome.ordinal() + (repeated ? 1 : 0);
	}

	JobRun.Outcome jobOutcome() {
		return JobRun.Outcome.values()[this.detail / 2];
	}

	boolean isRepeated() {
		return this.detail % 2 == 1;
	}

	/**
	 * Return the cause of a loss of which somebody is told, {@code null} if nothing was
	 * lost.
	 */
	@Nullable LossCause lossCause() {
		return (this.detail != 0) ? LossCause.values()[this.detail - 1] : null;
	}

	/**
	 * Return the limit as a number that can be compared.
	 */
	int largestCompany() {
		return (this.limit != 0) ? this.limit : Integer.MAX_VALUE;
	}

	public enum Type {

		/** Never written: the place of an event that is still empty. */
		NONE,

		/** A caller is about to ask for a lock. */
		ASKED,

		/** It has a handle. */
		GRANTED,

		/** The handle said that the lock is held. */
		CHECKED,

		/** The holder is about to extend its lease. */
		EXTENDING,

		/** The handle said that the lock is not held any more. */
		LOST,

		/** The callback for a loss was called. */
		TOLD,

		/** The holder is about to release. */
		RELEASING,

		/** The release has returned. */
		RELEASED,

		/** The attempt has ended, with or without a lock. */
		ENDED,

		/** A candidate leads: a hold begins that nobody asked for. */
		ELECTED,

		/** A fenced transaction has committed; its amount is the balance it wrote. */
		COMMITTED,

		/** A fenced transaction was refused, since a later holder had begun one. */
		REFUSED,

		/** The worker got no processor, or no answer from Redis, for the amount. */
		STALLED,

		/** A fenced transaction is about to begin. */
		BEGINNING,

		/** A fenced transaction has ended otherwise than by a commit. */
		ROLLED_BACK,

		/** The database ends the connection of a transaction whose holder is paused. */
		CUT,

		/** The callback for the end of a leadership was called. */
		REVOKING,

		/** That callback returns. */
		REVOKED,

		/** A job is about to be called for a fire time, and waits for nothing. */
		CALLED,

		/** The work of a job begins, under its lock. */
		RUNNING,

		/** The work of a job is about to return. */
		SUCCEEDED,

		/** The work of a job is about to throw an exception. */
		FAILED,

		/** A listener was told what happened to fire times of a job. */
		REPORTED

	}

	/**
	 * Where a fenced transaction begins.
	 */
	public enum Place {

		/** Under the lock, and in no other transaction. */
		OUTER("that is in no other one"),

		BODY("in another one"),

		BEFORE_COMMIT("in beforeCommit() of another one"),

		BEFORE_COMPLETION("in beforeCompletion() of another one"),

		AFTER_COMMIT("in afterCommit() of another one"),

		LISTENER("in a listener for the commit of another one"),

		AFTER_COMPLETION("in afterCompletion() of another one");

		private final String text;

		Place(String text) {
			this.text = text;
		}

		public String text() {
			return this.text;
		}

		/**
		 * Tells whether the transaction around it is still open, so that its claim covers
		 * the one that begins here.
		 */
		public boolean isCovered() {
			return this == BODY || this == BEFORE_COMMIT || this == BEFORE_COMPLETION;
		}

	}

	/**
	 * How an attempt ended.
	 */
	public enum Outcome {

		GRANTED,

		/** The lock was held elsewhere. */
		BUSY,

		/** The store gave no answer. */
		UNAVAILABLE,

		INTERRUPTED,

		CANCELLED,

		FAILED

	}
}
