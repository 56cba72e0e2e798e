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
package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

import io.distributedlock.LockHandle;
import io.distributedlock.internal.FireTimes;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.scheduling.JobRun.Outcome;
import io.distributedlock.scheduling.internal.JobProbe;
import io.distributedlock.scheduling.internal.JobProbe.Written;
import org.jspecify.annotations.Nullable;

/**
 * Checks what is promised of a job.
 * <ul>
 * <li>How often: a fire time is run once, with catchUp twice at most, and then the first
 * run has failed or did not end, and the second one is told as repeated.</li>
 * <li>Which: the call of a scheduler is for the fire time for which it comes, a late run
 * for the newest one, and none begins beyond the horizon.</li>
 * <li>The record: fire times never go back; only the call that has claimed a fire time
 * writes how its run ended, which is true; and no end is forgotten if the store answers
 * one of six requests while the lock is held.</li>
 * <li>What is told: before a claim, the fire times that nobody ran since the last one,
 * and the run that did not end; nothing is told that is not so.</li>
 * <li>If nothing goes wrong, each fire time is run, and one that failed is repeated.</li>
 * </ul>
 * When the server loses its data, the job is a new one. What is told and run on both
 * sides of that is not compared.
 */
final class JobChecker {

	/** How often a job asks for its end to be recorded. */
	private static final int REQUESTS = 6;

	/**
	 * How many runs of a fire time may fail by a stop, beside the first and the second.
	 */
	private static final int STOPS = 10;

	private final World world;

	private final JobPlan plan;

	private final Duration period;

	/** How often the server has lost its data. */
	private int losses;

	/** Claims that the server has carried out, since it lost its data. */
	private final Map<Instant, List<Claim>> claims = new HashMap<>();

	private final Map<JobProbe.Call, Claim> claimOf = new HashMap<>();

	private final Set<Instant> missed = new HashSet<>();

	private final Set<Instant> abandoned = new HashSet<>();

	/** For which the scheduler of a process has called. */
	private final Set<Instant> called = new TreeSet<>();

	private final NavigableSet<Instant> run = new TreeSet<>();

	JobChecker(World world, JobPlan plan) {
		this.world = world;
		this.plan = plan;
		this.period = Duration.ofNanos(plan.period());
	}

	void dataLost() {
		this.losses++;
		this.claims.clear();
		this.abandoned.clear();
	}

	private Claim claimOf(Process process, LockHandle handle) {
		Claim last = null;
		for (Claim claim : this.claimOf.values()) {
			JobProbe.Call call = claim.written.call();
			if (call.instance().equals(process.instance) && call.fence() == handle.fencingToken()) {
				last = claim;
			}
		}
		return (last != null) ? last : new Claim(new Written(Instant.MIN, true, false, 0, 0,
				new JobProbe.Call(process.instance, handle.fencingToken(), 0)), -1, 0);
	}

	// What the processes do

	void came(JobScheduler.Run run) {
		if (!run.late && !this.plan.fixedRate()) {
			this.called.add(time(run.due));
		}
	}

	void began(JobScheduler.Run run, LockHandle handle) {
		Instant fireTime = FireTimes.of(handle);
		Claim claim = claimOf(run.process, handle);
		this.world.note((fireTime != null) ? fireTime.hashCode() : 0);
		this.world.tell(() -> "process " + run.process.number + " runs the job for " + fireTime
				+ (run.late ? " late" : "") + ", attempt " + claim.written.attempt());
		if (fireTime == null || !fireTime.equals(claim.written.fireTime())) {
			fail("not claimed", "a run for " + fireTime + ", which the server has not given to it");
			return;
		}
		if (claim.run != null) {
			fail("claimed twice", "two runs for " + fireTime + " with one claim");
		}
		claim.run = run;
		this.run.add(fireTime);
		List<Claim> all = this.claims.getOrDefault(fireTime, List.of());
		long runs = all.stream().filter((each) -> each.run != null).count();
		long stops = all.stream().filter((each) -> each.isOfStop() && each.ended).count();
		if (runs > (isRepeating() ? 2 + Math.min(stops, STOPS) : 1)) {
			fail("run too often", fireTime + " is run " + runs + " times");
		}
		Instant came = time(run.called);
		Duration horizon = this.plan.horizon();
		if ((run.late || claim.written.attempt() > 1)
				&& (horizon == null || came.minusNanos(this.plan.setBack()).isAfter(fireTime.plus(horizon))
						|| (run.late && came.isAfter(fireTime.plus(horizon))))) {
			fail("beyond the horizon", fireTime + " is run by a call that came at " + came);
		}
		long early = run.due - run.called;
		Instant due = run.late ? time(Math.floorDiv(run.called, this.plan.period()) * this.plan.period())
				: time(run.due);
		boolean near = run.late || (!this.plan.fixedRate() && Math.abs(early) < this.plan.period() / 2);
		if (near && !due.equals(fireTime)) {
			fail("another fire time", "a call at " + came + " for " + due + " runs " + fireTime);
		}
	}

	/**
	 * The work has ended.
	 * @return what to call when the end should be in the record
	 */
	Runnable ending(JobScheduler.Run run, LockHandle handle) {
		Claim claim = claimOf(run.process, handle);
		int disturbances = run.process.disturbances();
		int failures = run.process.failures;
		boolean held = isHolder(run.process) && handle.isHeld() && this.world.isServing();
		return () -> {
			// An earlier request may still have been on its way
			boolean recordable = held && isHolder(run.process) && handle.isHeld()
					&& run.process.disturbances() == disturbances && run.process.failures < failures + REQUESTS;
			if (recordable && claim.losses == this.losses && !claim.ended) {
				fail("end not recorded", "the run for " + claim.written.fireTime() + " has ended");
			}
		};
	}

	private boolean isRepeating() {
		return this.plan.catchUp() > 0 && this.plan.repeat();
	}

	private boolean isHolder(Process process) {
		return this.world.server.holders(JobScheduler.NAME)
			.keySet()
			.stream()
			.anyMatch((holder) -> holder.startsWith(process.instance + ":"));
	}

	// What the server does

	/**
	 * The record was replaced by another one.
	 */
	void replaced(@Nullable String before, String after) {
		Written last = (before != null) ? JobProbe.read(before) : null;
		Written next = JobProbe.read(after);
		if (next.isRunning()) {
			claimed(last, next);
		}
		else {
			ended(last, next);
		}
	}

	private void claimed(@Nullable Written last, Written next) {
		Instant fireTime = next.fireTime();
		List<Claim> same = this.claims.computeIfAbsent(fireTime, (absent) -> new ArrayList<>(1));
		Claim claim = new Claim(next, this.losses, same.size() + 1);
		same.add(claim);
		this.claimOf.put(next.call(), claim);
		if (last == null) {
			if (next.attempt() != 1 || same.size() > 1) {
				fail("forgotten", "the record is gone before " + fireTime + " is claimed");
			}
			return;
		}
		if (fireTime.isBefore(last.fireTime())) {
			fail("back", fireTime + " is claimed after " + last.fireTime());
		}
		else if (fireTime.equals(last.fireTime())) {
			if (!isRepeating() || last.hasSucceeded() || last.attempt() - Math.min(last.stopped(), STOPS) > 1
					|| next.attempt() != last.attempt() + 1 || next.stopped() != last.stopped()) {
				fail("repeated", fireTime + " is claimed again after " + last);
			}
		}
		else if (!this.plan.fixedRate()) {
			for (Instant time = last.fireTime().plus(this.period); time
				.isBefore(fireTime); time = time.plus(this.period)) {
				if (!this.missed.contains(time)) {
					fail("not told", time + " was not run, and " + fireTime + " is claimed");
				}
			}
		}
		if (last.isRunning() && !this.abandoned.contains(last.fireTime())) {
			fail("not told", "the run for " + last.fireTime() + " did not end, and " + fireTime + " is claimed");
		}
	}

	private void ended(@Nullable Written last, Written next) {
		Claim claim = this.claimOf.get(next.call());
		if (claim == null || claim.run == null || claim.run.succeeded == null) {
			fail("ended early", "the record says that a run has ended: " + next);
			return;
		}
		boolean forgotten = last == null && claim.losses < this.losses;
		if (!forgotten && !claim.written.equals(last)) {
			fail("overwritten", next + " takes the place of " + last);
		}
		if (next.hasSucceeded() != claim.run.succeeded) {
			fail("wrong end", next + " of a run that has " + (claim.run.succeeded ? "succeeded" : "failed"));
		}
		if (next.stopped() != claim.written.stopped() + (claim.run.ofStop ? 1 : 0)) {
			fail("wrong end", next + " of a run that has ended " + (claim.run.ofStop ? "with" : "without") + " a stop");
		}
		claim.ended = true;
	}

	// What is told

	void told(Process process, JobRun told) {
		this.world.tell(() -> "process " + process.number + " tells " + told.outcome() + " " + told.fireTime()
				+ (told.isRepeated() ? ", repeated" : "") + ", fire times: " + told.fireTimes());
		switch (told.outcome()) {
			case SUCCEEDED, FAILED -> toldEnd(process, told);
			case ABANDONED -> this.abandoned.add(told.fireTime());
			case MISSED -> toldMissed(process, told);
			case HELD -> fail("wrongly told", "no operator holds the job");
		}
	}

	private void toldEnd(Process process, JobRun told) {
		boolean succeeded = told.outcome() == Outcome.SUCCEEDED;
		boolean known = this.claimOf.values()
			.stream()
			.anyMatch((claim) -> claim.run != null && claim.run.process == process
					&& claim.written.fireTime().equals(told.fireTime()) && (claim.number > 1) == told.isRepeated()
					&& Boolean.valueOf(succeeded).equals(claim.run.succeeded));
		if (!known) {
			fail("wrongly told", told.outcome() + (told.isRepeated() ? ", repeated" : "") + " of " + told.fireTime());
		}
	}

	/** Who has lost its lock may not know the newest run. */
	private void toldMissed(Process process, JobRun told) {
		for (long i = 0; i < told.fireTimes(); i++) {
			Instant time = told.fireTime().minus(this.period.multipliedBy(i));
			this.missed.add(time);
			if (this.claims.containsKey(time) && isHolder(process)) {
				fail("wrongly told", time + " is told as missed, and was claimed");
			}
		}
	}

	// At the end

	/**
	 * If nothing went wrong, each fire time after the first run has been run, and one
	 * whose run failed once more.
	 */
	void checkNothingIsMissing() {
		if (!this.world.script.weather().calm() || this.plan.fixedRate()) {
			return;
		}
		Instant last = time(this.plan.end() - this.plan.period());
		boolean repeats = this.plan.repeat() && this.plan.catchUp() >= this.plan.period() / 2
				&& this.plan.period() >= 8 * World.SECOND;
		for (Instant time : this.called) {
			// A new job is not run late after a call that only looks has refused it
			if (!time.isBefore(last) || this.run.lower(time) == null) {
				continue;
			}
			if (!this.run.contains(time)) {
				fail("not run", time + " although processes were up, and called for it");
			}
			List<Claim> runs = this.claims.getOrDefault(time, List.of());
			long counting = runs.stream().filter((claim) -> !claim.isOfStop()).count();
			boolean inTime = runs.size() == 1 || (runs.size() == 2 && this.plan.period() >= 20 * World.SECOND);
			if (repeats && inTime && counting < 2 && runs.stream().allMatch(Claim::hasFailed)) {
				fail("not repeated", time + " although " + ((runs.size() == 1) ? "its run has" : "both runs have")
						+ " failed, " + (runs.size() - counting) + " of them by a stop");
			}
		}
	}

	private static Instant time(long sinceEpoch) {
		return JobScheduler.EPOCH.plusNanos(sinceEpoch);
	}

	private void fail(String kind, String what) {
		this.world.fail("job, " + kind + ": " + what);
	}

	/**
	 * A fire time was given to a call.
	 */
	private static final class Claim {

		private final Written written;

		/** How often the server had lost its data. */
		private final int losses;

		/** Which one for the fire time this is. */
		private final int number;

		private JobScheduler.@Nullable Run run;

		private boolean ended;

		Claim(Written written, int losses, int number) {
			this.written = written;
			this.losses = losses;
			this.number = number;
		}

		boolean hasFailed() {
			return this.run != null && Boolean.FALSE.equals(this.run.succeeded);
		}

		boolean isOfStop() {
			return this.run != null && this.run.ofStop;
		}

	}

}
