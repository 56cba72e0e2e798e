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

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.distributedlock.campaign.history.Tally.Count;
import org.jspecify.annotations.Nullable;

/**
 * The fire times of jobs, and their runs.
 * <p>
 * <b>How often.</b> A fire time is run once, or by a job with {@code catchUp} at most
 * twice. Runs on two sides of a {@linkplain DataLoss loss of data} are excused, and
 * counted.
 * <p>
 * <b>What is repeated.</b> Of two runs, the first is the one with the smaller fencing
 * token: a holder that stood still may begin after the next one. The second may begin if
 * the first has failed. It may also begin if the first did not end, or lost its lock;
 * that nobody believes then that it still holds the lock is a matter of exclusion. If the
 * first has succeeded, something must have kept it from writing that down.
 * <p>
 * <b>Whether anything is run.</b> In a calm, at least half of the fire times of each job
 * whose runs are short are run.
 */
final class FireTimes {

	/** A run that takes longer may keep the next fire time from being run. */
	private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(100);

	/** Fewer fire times of a job in a calm say nothing. */
	private static final int FEWEST = 4;

	/** Within this, the end of a run is written down, and its lock released. */
	private static final long WRITTEN = TimeUnit.MILLISECONDS.toNanos(500);

	private final Transactions.Findings findings;

	private final Tally tally;

	private final Map<Key, List<Run>> runs = new HashMap<>();

	private final List<Run> unjudged = new ArrayList<>();

	private final List<Event> calls = new ArrayList<>();

	FireTimes(Transactions.Findings findings, Tally tally) {
		this.findings = findings;
		this.tally = tally;
	}

	void called(Event event) {
		this.calls.add(event);
	}

	void began(Event event, Hold hold) {
		this.tally.increment(Count.RUNS);
		this.unjudged.add(new Run(event, hold));
	}

	void ended(Event event) {
		for (List<Run> each : List.of(this.unjudged, this.runs.getOrDefault(new Key(event), List.of()))) {
			each.stream()
				.filter((run) -> run.began.worker() == event.worker() && run.began.hold() == event.hold())
				.forEach((run) -> run.ended = event);
		}
	}

	/**
	 * Judge the runs that began before a time, when all is known that happened then.
	 */
	void judgeBefore(long time, Collection<DataLoss> dataLosses, Disturbances disturbances) {
		List<Run> due = this.unjudged.stream().filter((run) -> run.began.at() < time).toList();
		this.unjudged.removeAll(due);
		for (Run run : due) {
			List<Run> same = this.runs.computeIfAbsent(new Key(run.began), (key) -> new ArrayList<>(1));
			judge(run, same, dataLosses, disturbances);
			same.add(run);
		}
	}

	private void judge(Run run, List<Run> earlier, Collection<DataLoss> dataLosses, Disturbances disturbances) {
		List<Run> others = earlier.stream()
			.filter((other) -> dataLosses.stream().noneMatch((loss) -> loss.excuses(other.hold, run.hold)))
			.toList();
		this.tally.add(Count.RUNS_EXCUSED, earlier.size() - others.size());
		if (others.isEmpty()) {
			return;
		}
		this.tally.increment(Count.REPEATED_RUNS);
		int most = run.began.detail();
		if (others.size() >= most) {
			this.findings.violated(Rule.FIRE_TIME, run.began.name(), run.began.at(),
					"Fire time %d of job %d is run %d times, which is to be run %s: %s".formatted(run.began.until(),
							run.began.name(), others.size() + 1, (most == 1) ? "once" : "twice at most",
							describe(others, run)));
			return;
		}
		Run other = others.get(0);
		Run first = (other.hold.token < run.hold.token) ? other : run;
		Run second = (first == run) ? other : run;
		if (first.hasSucceededBefore(second) && !disturbances.mayPreventWriting(first.hold.worker,
				new Span(first.endedAt(), first.endedAt() + WRITTEN))) {
			this.findings.violated(Rule.REPEATED_SUCCESS, run.began.name(), second.began.at(),
					"Fire time %d of job %d is run again, although its run has succeeded: %s"
						.formatted(run.began.until(), run.began.name(), describe(List.of(first), second)));
		}
	}

	private static String describe(List<Run> others, Run run) {
		List<String> texts = new ArrayList<>();
		others.forEach((other) -> texts.add(other.describe(run)));
		texts.add(run.describe(run));
		return String.join(", ", texts);
	}

	/**
	 * A calm is over, and all calls that were made in it have returned.
	 */
	void endCalm(long since) {
		Map<Integer, Set<Key>> called = new TreeMap<>();
		this.calls.stream()
			.filter((call) -> call.at() > since && call.amount() <= SHORT)
			.forEach((call) -> called.computeIfAbsent(call.name(), (name) -> new HashSet<>()).add(new Key(call)));
		Set<Key> run = new HashSet<>(this.runs.keySet());
		this.unjudged.forEach((each) -> run.add(new Key(each.began)));
		called.forEach((name, fireTimes) -> {
			long count = fireTimes.stream().filter(run::contains).count();
			this.tally.add(Count.CALM_FIRE_TIMES, fireTimes.size());
			this.tally.add(Count.CALM_FIRE_TIMES_RUN, count);
			if (fireTimes.size() >= FEWEST && 2 * count < fireTimes.size()) {
				this.findings.violated(Rule.MISSED, name, since,
						"Of %d fire times of job %d in a calm, only %d were run".formatted(fireTimes.size(), name,
								count));
			}
		});
	}

	void forgetBefore(long time) {
		this.calls.removeIf((call) -> call.at() < time);
		this.runs.values().forEach((each) -> each.removeIf((run) -> run.began.at() < time));
		this.runs.values().removeIf(List::isEmpty);
	}

	private record Key(int name, long fireTime) {

		Key(Event event) {
			this(event.name(), event.until());
		}

	}

	private static final class Run {

		final Event began;

		final Hold hold;

		@Nullable Event ended;

		Run(Event began, Hold hold) {
			this.began = began;
			this.hold = hold;
		}

		long endedAt() {
			return (this.ended != null) ? this.ended.at() : Long.MAX_VALUE;
		}

		/**
		 * Whether it had succeeded and released its lock, which it had not lost, when
		 * another one began. One that has not released it may have been killed before its
		 * end was written.
		 */
		boolean hasSucceededBefore(Run other) {
			return this.ended != null && this.ended.type() == Event.Type.SUCCEEDED && !this.hold.wasLost()
					&& this.hold.released < other.began.at();
		}

		String describe(Run reference) {
			String end = (this.ended == null) ? "did not end" : "%s after %.1f ms".formatted(
					this.ended.type().name().toLowerCase(Locale.ROOT), (this.ended.at() - this.began.at()) / 1e6);
			return String.format(Locale.ROOT, "by worker %d (token %d, %+.1f ms), which %s", this.hold.worker,
					this.hold.token, (this.began.at() - reference.began.at()) / 1e6, end);
		}

	}

}
