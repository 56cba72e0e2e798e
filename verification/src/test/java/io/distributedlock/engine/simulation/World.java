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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.store.trace.HistoryRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One history: runs a {@link Script}, event by event, and has everything checked after
 * each. Time is what the next event says. Nothing depends on anything but the script.
 *
 * <p>
 * A call of the store may be {@linkplain #preempt pre-empted}: before it, or before its
 * return, other events happen, also of other threads of the same process. So a thread
 * stands still at the places where others can overtake it.
 */
final class World {

	static final long MILLI = 1_000_000;

	static final long SECOND = 1000 * MILLI;

	private static final int MOST_EVENTS = 200_000;

	private static final int DEEPEST_PREEMPTION = 3;

	final Script script;

	final SimulatedServer server;

	final Checker checker;

	final List<Process> everyProcess = new ArrayList<>();

	final Process[] processes;

	private final @Nullable JobChecker jobs;

	private final List<JobScheduler> schedulers = new ArrayList<>();

	private final List<Caller> callers = new ArrayList<>();

	private final PriorityQueue<Event> events = new PriorityQueue<>(64);

	private final Chance chance;

	private final @Nullable List<String> trace;

	private final double serverRate;

	private long hash;

	/** What really is the time. */
	long now = SECOND;

	private long nextNumber;

	private int eventsSoFar;

	private int preemptions;

	/** Whether the server reports changes of locks that it is asked to watch. */
	final boolean reports;

	/** Who has a lock watched, by its name. */
	private final Map<String, Set<Process>> watched = new HashMap<>();

	/** No more faults come, and nothing is slow. */
	boolean healed;

	long serverDownUntil;

	private long serverFrozenUntil;

	long serverRefusesUntil;

	private long setBack;

	private @Nullable String violation;

	World(Script script, boolean traced) {
		this(script, traced, null);
	}

	/**
	 * Create a world whose server writes down what it does, if a recorder is given.
	 */
	World(Script script, boolean traced, @Nullable HistoryRecorder recorder) {
		this.script = script;
		this.trace = traced ? new ArrayList<>() : null;
		this.chance = Chance.of(script.seed(), 2);
		this.reports = Chance.of(script.seed(), 4).happens(50);
		this.serverRate = 1 + this.chance.between(-script.weather().drift(), script.weather().drift()) * 1e-6;
		this.server = new SimulatedServer(this::serverTime, recorder);
		this.checker = new Checker(this);
		this.jobs = (script.job() != null) ? new JobChecker(this, script.job()) : null;
		this.processes = new Process[script.weather().processes()];
		for (int i = 0; i < this.processes.length; i++) {
			start(i);
		}
	}

	History run() {
		for (Script.Call call : this.script.calls()) {
			Caller caller = new Caller(this, call, this.callers.size());
			this.callers.add(caller);
			at(SECOND + call.at(), Event.Kind.CALL, null, null, caller::start);
		}
		for (Script.Fault fault : this.script.faults()) {
			at(SECOND + fault.at(), Event.Kind.FAULT, null, null, () -> begin(fault));
		}
		try {
			runUntil(SECOND + this.script.end());
			heal();
			awaitCallers();
			awaitJobs();
			awaitCleanups();
			this.checker.checkNothingIsLeft("after all callers were done");
			shutDown();
			this.checker.checkNothingIsLeft("after the shutdown");
		}
		catch (RuntimeException | Error ex) {
			StackTraceElement[] stack = ex.getStackTrace();
			fail("unexpected " + ex + ((stack.length > 0) ? " at " + stack[0] : ""));
		}
		return new History(this.violation, this.hash, this.eventsSoFar, this.trace);
	}

	// Time and events

	void at(long time, Event.Kind kind, @Nullable Process process, @Nullable SimulatedThread thread, Runnable action) {
		this.events.add(new Event(Math.max(time, this.now), this.nextNumber++, kind, process, thread, action));
	}

	private void runUntil(long time) {
		while (this.violation == null) {
			Event next = this.events.peek();
			if (next == null || next.time > time) {
				this.now = Math.max(this.now, time);
				return;
			}
			step();
		}
	}

	private void step() {
		Event event = this.events.remove();
		this.now = Math.max(this.now, event.time);
		Process process = event.process;
		if (process != null) {
			if (process.dead) {
				return;
			}
			if (process.pausedUntil > this.now) {
				putOff(event, process.pausedUntil);
				return;
			}
			if (event.thread != null && event.thread.busy) {
				event.thread.backlog.add(event);
				return;
			}
		}
		else if (event.kind == Event.Kind.SERVER && this.serverFrozenUntil > this.now) {
			putOff(event, this.serverFrozenUntil);
			return;
		}
		if (++this.eventsSoFar > MOST_EVENTS) {
			fail("endless: more than " + MOST_EVENTS + " events");
			return;
		}
		note(event.kind.ordinal() * 31L + ((process != null) ? process.number : -1));
		run(event);
		if (process != null && !process.dead) {
			process.rearm();
		}
		this.checker.check();
	}

	private void run(Event event) {
		SimulatedThread thread = event.thread;
		if (thread == null) {
			event.action.run();
			return;
		}
		thread.busy = true;
		event.action.run();
		thread.busy = false;
		for (Event waiting : thread.backlog) {
			putOff(waiting, this.now);
		}
		thread.backlog.clear();
	}

	private void putOff(Event event, long time) {
		event.time = time;
		this.events.add(event);
	}

	/**
	 * The thread that is running may stand still for a while, and other events come.
	 */
	void preempt(Process process) {
		if (this.healed || this.preemptions == DEEPEST_PREEMPTION
				|| !process.chance.happens(this.script.weather().preempted())) {
			return;
		}
		this.preemptions++;
		process.disturbed();
		runUntil(this.now + process.chance.magnitude(1000, 50 * MILLI));
		while (process.pausedUntil > this.now && !process.dead && this.violation == null) {
			runUntil(process.pausedUntil);
		}
		this.preemptions--;
	}

	long serverTime() {
		return (long) (this.now * this.serverRate) - this.setBack;
	}

	void recordReplaced(@Nullable String before, String after) {
		if (this.jobs != null && !after.equals(before)) {
			this.jobs.replaced(before, after);
		}
	}

	/**
	 * Return when the server ends the lease of a holder.
	 */
	long endOfLease(String name, String holder) {
		return this.now + (long) (this.server.holders(name).getOrDefault(holder, 0L) / this.serverRate);
	}

	// The course of a history

	private void start(int number) {
		Process process = new Process(this, number, this.everyProcess.size());
		this.everyProcess.add(process);
		this.processes[number] = process;
		if (this.script.job() != null && this.jobs != null) {
			JobScheduler scheduler = new JobScheduler(this, process, this.script.job(), this.jobs);
			this.schedulers.add(scheduler);
			scheduler.start();
		}
	}

	private void begin(Script.Fault fault) {
		tell(fault::toString);
		Process process = this.processes[fault.process()];
		long until = this.now + fault.length();
		switch (fault.type()) {
			case PAUSED -> {
				process.pausedUntil = Math.max(process.pausedUntil, until);
				process.disturbed();
			}
			case KILLED -> {
				if (!process.dead) {
					process.die();
					at(until, Event.Kind.FAULT, null, null, () -> start(fault.process()));
				}
			}
			case CUT -> process.cut(fault.length(), fault.other());
			case STALLED -> process.stall(until, true);
			case ANSWERS_STALLED -> process.stall(until, false);
			case INBOX_CUT -> process.cutInbox(fault.length(), fault.other());
			case INBOX_STALLED -> process.stallInbox(until);
			case SLOW -> process.slowUntil = until;
			case FROZEN -> {
				this.serverFrozenUntil = Math.max(this.serverFrozenUntil, until);
				disturbAll();
			}
			case REFUSING -> {
				this.serverRefusesUntil = until;
				disturbAll();
			}
			case RESTARTED -> restart(until);
			case RESTARTED_EMPTY -> {
				loseData();
				restart(until);
			}
			case FLUSHED -> loseData();
			case CLOCK_SET_BACK -> this.setBack += fault.length();
			case FORGED -> process.forge();
		}
	}

	private void disturbAll() {
		for (Process process : this.processes) {
			process.disturbed();
		}
	}

	/** A lease that has ended may come to life again. */
	boolean isSetBack() {
		return this.setBack > 0;
	}

	/** Whether commands are answered now. */
	boolean isServing() {
		return this.serverDownUntil <= this.now && this.serverFrozenUntil <= this.now
				&& this.serverRefusesUntil <= this.now;
	}

	private void restart(long until) {
		this.serverDownUntil = Math.max(this.serverDownUntil, until);
		for (Process process : this.processes) {
			if (!process.dead) {
				process.cut(until - this.now, process.chance.happens(50));
				process.cutInbox(until - this.now, true);
			}
		}
	}

	/** The next change that is not by this process is reported to it. */
	void watch(String name, Process process) {
		this.watched.computeIfAbsent(name, (absent) -> new LinkedHashSet<>()).add(process);
	}

	/**
	 * A lock has changed, and is no longer watched.
	 * @param by whose command that was
	 */
	void changed(String name, Process by) {
		Set<Process> told = this.watched.remove(name);
		if (told != null) {
			told.stream().filter((process) -> process != by).forEach((process) -> process.report(name));
		}
	}

	private void loseData() {
		this.checker.dataLost();
		Set<Process> told = new LinkedHashSet<>();
		this.watched.values().forEach(told::addAll);
		this.watched.clear();
		told.forEach(Process::reportFlush);
		if (this.jobs != null) {
			this.jobs.dataLost();
		}
		this.server.flush();
	}

	/**
	 * From now on nothing fails and nothing is slow, and all work is done soon.
	 */
	private void heal() {
		tell(() -> "no more faults");
		long end = this.now;
		for (Script.Fault fault : this.script.faults()) {
			end = Math.max(end, SECOND + fault.at() + fault.length());
		}
		runUntil(end + MILLI);
		this.healed = true;
		// What is slow arrives
		for (Process process : this.processes) {
			process.beOnTime();
			end = Math.max(end, process.busyUntil());
		}
		runUntil(end + MILLI);
		for (Process process : this.processes) {
			if (!process.dead && this.chance.happens(30)) {
				at(this.now, Event.Kind.CALL, process, null, process::closeEarly);
			}
		}
		for (Caller caller : this.callers) {
			caller.endSoon();
		}
		this.schedulers.forEach(JobScheduler::stop);
	}

	/**
	 * All calls end: leases of processes that are dead do, and lost messages are made up
	 * for.
	 */
	private void awaitCallers() {
		long limit = this.now + this.checker.longestLeaseLeft() + 20 * SECOND;
		for (Caller caller : this.callers) {
			limit += caller.isDone() ? 0 : 4 * SECOND + caller.minHold();
		}
		while (this.violation == null) {
			Caller open = firstNotDone();
			if (open == null) {
				return;
			}
			if (this.events.isEmpty() || this.events.peek().time > limit) {
				fail("forgotten: " + open + " is not done, although nothing stands in its way");
				return;
			}
			step();
		}
	}

	private @Nullable Caller firstNotDone() {
		for (Caller caller : this.callers) {
			if (!caller.isDone()) {
				return caller;
			}
		}
		return null;
	}

	/**
	 * All runs of jobs end, and no request of theirs is answered late.
	 */
	private void awaitJobs() {
		if (this.jobs == null) {
			return;
		}
		this.jobs.checkNothingIsMissing();
		long limit = this.now + 20 * SECOND;
		while (this.violation == null && !this.schedulers.stream().allMatch(JobScheduler::isIdle)) {
			if (this.events.isEmpty() || this.events.peek().time > limit) {
				fail("forgotten: a run of the job is not done, although nothing stands in its way");
				return;
			}
			step();
		}
	}

	/**
	 * Releases that were not answered are repeated, and minimum holds end.
	 */
	private void awaitCleanups() {
		if (this.setBack > 0) {
			// Leases are longer than those who gave up to release them know
			runUntil(this.now + this.checker.longestLeaseLeft());
		}
		// A store that is asked late counts the rest of a minimum hold from then on
		runUntil(Math.max(this.now + 4 * SECOND, this.checker.longestMinHold() + this.setBack + 2 * SECOND));
	}

	private void shutDown() {
		for (Process process : this.processes) {
			if (!process.dead) {
				at(this.now, Event.Kind.CALL, process, null, process::close);
			}
		}
		runUntil(this.now + 2 * SECOND);
		for (Process process : this.processes) {
			if (!process.dead && !process.isClosed()) {
				fail("not closed: process " + process.number + " does not end its shutdown");
			}
		}
	}

	// What is told

	boolean isTraced() {
		return this.trace != null;
	}

	void note(long what) {
		this.hash = Chance.mix(this.hash * 31 + what + this.now);
	}

	void tell(Supplier<String> what) {
		if (this.trace != null) {
			this.trace.add(Script.millis(this.now - SECOND) + "  " + what.get());
		}
	}

	void fail(String violation) {
		if (this.violation == null) {
			this.violation = violation;
			tell(() -> "VIOLATION " + violation);
		}
	}

	record History(@Nullable String violation, long hash, int events, @Nullable List<String> trace) {

		Optional<String> kind() {
			return Optional.ofNullable(this.violation).map((text) -> text.substring(0, text.indexOf(':')));
		}

	}

	static final class Event implements Comparable<Event> {

		private long time;

		private final long number;

		private final Kind kind;

		private final @Nullable Process process;

		private final @Nullable SimulatedThread thread;

		private final Runnable action;

		Event(long time, long number, Kind kind, @Nullable Process process, @Nullable SimulatedThread thread,
				Runnable action) {
			this.time = time;
			this.number = number;
			this.kind = kind;
			this.process = process;
			this.thread = thread;
			this.action = action;
		}

		@Override
		public int compareTo(Event other) {
			int order = Long.compare(this.time, other.time);
			return (order != 0) ? order : Long.compare(this.number, other.number);
		}

		enum Kind {

			CALL, FAULT, TASK, TIMER, SERVER, ANSWER, TIMEOUT, CONNECTION, MESSAGE

		}

	}

	/**
	 * A thread of a process: does one thing at a time, in order.
	 */
	static final class SimulatedThread {

		private boolean busy;

		private final List<Event> backlog = new ArrayList<>();

		/** No earlier than this does the next task begin. */
		long last;

	}

}
