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

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * What became of each fire time of the jobs, from the first that was run to the last: it
 * was run, or a listener was told that nobody ran it, and not both. Nothing is excused.
 * <p>
 * Fire times that were missed are told before the next claim. A worker that dies between
 * the two leaves them to the next one, which tells them again: that they are told twice
 * is no fault. One that dies between its claim and its work is told as abandoned.
 */
public final class Outcomes {

	private final Map<Integer, Job> jobs = new TreeMap<>();

	/** The fire times of runs whose calls have not returned. */
	private final Map<Long, FireTime> running = new HashMap<>();

	void accept(Event event) {
		switch (event.type()) {
			case CALLED -> job(event).period = event.detail();
			case RUNNING -> {
				FireTime fireTime = job(event).at(event.until());
				fireTime.runs++;
				this.running.put(key(event), fireTime);
			}
			case RELEASED -> {
				FireTime fireTime = this.running.remove(key(event));
				if (fireTime != null) {
					fireTime.returned++;
				}
			}
			case REPORTED -> reported(job(event), event);
			default -> {
			}
		}
	}

	private static long key(Event event) {
		return ((long) event.worker() << 40) + event.hold();
	}

	private Job job(Event event) {
		return this.jobs.computeIfAbsent(event.name(), (name) -> new Job());
	}

	private static void reported(Job job, Event event) {
		switch (event.jobOutcome()) {
			case SUCCEEDED, FAILED -> job.at(event.until()).ended(event.isRepeated());
			case ABANDONED -> job.at(event.until()).abandoned = true;
			case MISSED, HELD -> job.missed.merge(event.until(), event.amount(), Math::max);
		}
	}

	/**
	 * Judge all fire times.
	 * @param violations is told the number of a job, and what is wrong with it
	 */
	Map<Fate, Long> check(BiConsumer<Integer, String> violations) {
		Map<Fate, Long> fates = new EnumMap<>(Fate.class);
		this.jobs.forEach((name, job) -> job.fates().forEach((time, fate) -> {
			fates.merge(fate, 1L, Long::sum);
			if (fate.isWrong()) {
				violations.accept(name, "Fire time %d of job %d %s: %s".formatted(time, name, fate.text(),
						job.fireTimes.getOrDefault(time, new FireTime())));
			}
		}));
		return fates;
	}

	/**
	 * What became of a fire time.
	 */
	public enum Fate {

		RUN("is run once"),

		/** By a job with catchUp. */
		REPEATED("is run, and repeated"),

		MISSED("is reported as missed"),

		/** A worker died, or lost its lock, between its claim and its work. */
		ABANDONED("is reported as abandoned, before its run began"),

		FORGOTTEN("is neither run nor reported"),

		CONTRADICTED("is not what is reported");

		private final String text;

		Fate(String text) {
			this.text = text;
		}

		public String text() {
			return this.text;
		}

		boolean isWrong() {
			return this == FORGOTTEN || this == CONTRADICTED;
		}

	}

	private static final class Job {

		/** In milliseconds. */
		long period;

		final NavigableMap<Long, FireTime> fireTimes = new TreeMap<>();

		/** The last one of some in a row, and how many they are. */
		final NavigableMap<Long, Long> missed = new TreeMap<>();

		FireTime at(long time) {
			return this.fireTimes.computeIfAbsent(time, (key) -> new FireTime());
		}

		Map<Long, Fate> fates() {
			Map<Long, Fate> fates = new TreeMap<>();
			if (!this.fireTimes.isEmpty()) {
				for (long time = this.fireTimes.firstKey(); time <= this.fireTimes.lastKey(); time += this.period) {
					fates.put(time, fate(time));
				}
			}
			return fates;
		}

		private Fate fate(long time) {
			FireTime found = this.fireTimes.getOrDefault(time, new FireTime());
			if (found.isContradicted() || (isMissed(time) && (found.runs > 0 || found.abandoned))) {
				return Fate.CONTRADICTED;
			}
			if (found.runs > 0) {
				return (found.runs == 1) ? Fate.RUN : Fate.REPEATED;
			}
			if (isMissed(time)) {
				return Fate.MISSED;
			}
			return found.abandoned ? Fate.ABANDONED : Fate.FORGOTTEN;
		}

		private boolean isMissed(long time) {
			Map.Entry<Long, Long> next = this.missed.ceilingEntry(time);
			return next != null && next.getKey() - (next.getValue() - 1) * this.period <= time;
		}

	}

	private static final class FireTime {

		int runs;

		/** The runs whose calls have returned. */
		int returned;

		/** The runs whose end is reported, as the first one and as a repeated one. */
		int ends;

		int repetitions;

		boolean abandoned;

		void ended(boolean repeated) {
			this.ends += repeated ? 0 : 1;
			this.repetitions += repeated ? 1 : 0;
		}

		boolean isContradicted() {
			int reported = this.ends + this.repetitions;
			return this.ends > 1 || this.repetitions > 1 || reported > this.runs || reported < this.returned;
		}

		@Override
		public String toString() {
			return "%d runs, of which %d returned; reported %d times, as repeated %d times, abandoned %s"
				.formatted(this.runs, this.returned, this.ends, this.repetitions, this.abandoned);
		}

	}

}
