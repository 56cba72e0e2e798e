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

package io.distributedlock.scheduling.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The last fire time of a job for which a run has begun, as the lock store keeps it.
 *
 * @param fence the fencing token of the lock
 * @param call distinguishes calls with the same fencing token, which call themselves
 * @param start when the call for the run came
 * @param end when the run ended, or {@code null} if it has not
 * @param attempt 1, or more if earlier runs for this fire time failed or did not end
 * @param failure the type of the exception, or an empty text
 * @param stopped how many runs for this fire time failed because their application
 * stopped
 */
record JobRecord(Instant fireTime, State state, long fence, long call, Instant start, @Nullable Instant end,
		int attempt, String instance, String failure, int stopped) {

	private static final String VERSION = "job1";

	private static final String SEPARATOR = " ";

	private static final int PARTS = 10;

	/** An application may stop because of its job, and be started again. */
	private static final int MOST_STOPPED = 10;

	/**
	 * Read the text of a record. More parts may follow, from later versions.
	 * @throws IllegalArgumentException if the text is none
	 */
	static JobRecord parse(String text) {
		String[] parts = text.split(SEPARATOR, -1);
		if (parts.length < PARTS || !parts[0].equals(VERSION)) {
			throw new IllegalArgumentException("not the record of a job");
		}
		return new JobRecord(instant(parts[1]), State.valueOf(parts[2].toUpperCase(Locale.ROOT)),
				Long.parseLong(parts[3]), Long.parseLong(parts[4]), instant(parts[5]),
				parts[6].isEmpty() ? null : instant(parts[6]), Integer.parseInt(parts[7]), parts[8], parts[9],
				(parts.length > PARTS) ? Integer.parseInt(parts[PARTS]) : 0);
	}

	private static Instant instant(String millis) {
		return Instant.ofEpochMilli(Long.parseLong(millis));
	}

	String text() {
		String text = String.join(SEPARATOR, VERSION, millis(this.fireTime), this.state.name().toLowerCase(Locale.ROOT),
				String.valueOf(this.fence), String.valueOf(this.call), millis(this.start),
				(this.end != null) ? millis(this.end) : "", String.valueOf(this.attempt), this.instance, this.failure);
		return (this.stopped > 0) ? text + SEPARATOR + this.stopped : text;
	}

	private static String millis(Instant time) {
		return String.valueOf(time.toEpochMilli());
	}

	/**
	 * Return the record of the end.
	 * @param problem why it failed, or {@code null} if it succeeded
	 * @param stopping whether its application stops
	 */
	JobRecord ended(Instant now, @Nullable Throwable problem, boolean stopping) {
		return new JobRecord(this.fireTime, (problem != null) ? State.FAILED : State.SUCCEEDED, this.fence, this.call,
				this.start, now, this.attempt, this.instance, (problem != null) ? problem.getClass().getName() : "",
				this.stopped + ((problem != null && stopping) ? 1 : 0));
	}

	/**
	 * Return the time from start to end, or {@code null} if the run has not ended.
	 */
	@Nullable Duration duration() {
		return (this.end != null) ? Duration.between(this.start, this.end) : null;
	}

	/**
	 * Return whether this did not succeed, and no other run for the fire time came
	 * before. Those that a stop has ended do not count: a deployment stops one instance
	 * after the other.
	 */
	boolean isRepeatable() {
		return this.state != State.SUCCEEDED && this.attempt - Math.min(this.stopped, MOST_STOPPED) < 2;
	}

	boolean isRunning() {
		return this.state == State.RUNNING;
	}

	/**
	 * What is known of a run. One that is running whose lock is free or held by another
	 * was abandoned.
	 */
	enum State {

		RUNNING, SUCCEEDED, FAILED

	}

}
