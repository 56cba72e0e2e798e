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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a history, apart from chance on the way: who wants which lock when, and
 * which faults come. All times are in nanoseconds.
 *
 * @param weather what holds for the whole history
 * @param job what all processes run at fire times, if anything
 */
record Script(long seed, Weather weather, List<Call> calls, List<Fault> faults, @Nullable JobPlan job) {

	private static final Integer[] ALONE = { 1 };

	/**
	 * Those who want to be alone, those who accept some, and those who accept any number.
	 */
	private static final Integer[] COMPANY = { 1, 2, 3, Call.SHARED, Call.SHARED };

	Script(long seed, Weather weather, List<Call> calls, List<Fault> faults) {
		this(seed, weather, calls, faults, null);
	}

	/**
	 * Draw a script: every second one is built around what seldom comes together.
	 */
	static Script draw(long seed) {
		Chance chance = Chance.of(seed, 1);
		if (seed % 2 != 0) {
			return draw(seed, chance);
		}
		return chance.happens(50) ? besideARelease(seed, chance) : chance.one(Focus.ALL).draw(seed, chance);
	}

	/**
	 * A lock is handed to a process whose commands and messages are late at that time,
	 * while another one waits. The first holder may be in the same process, and ask for
	 * more.
	 */
	private static Script besideARelease(long seed, Chance chance) {
		long scale = chance.one(100L, 300L) * World.MILLI;
		Weather weather = new Weather(3, false, chance.one(0, 1, 32), scale, 0, 0, 0, 0, chance.one(0, 20),
				chance.one(0, 1000), 0, 0);
		long release = chance.between(scale / 2, scale * 9 / 10);
		List<Call> calls = new ArrayList<>();
		calls.add(contender(chance, chance.one(0, 0, 1), 0, scale * chance.one(1, 1, 4), release));
		calls
			.add(contender(chance, 1, chance.between(1, release * 2 / 3), scale, chance.between(scale / 5, scale * 2)));
		calls.add(contender(chance, 2, chance.between(1, scale), scale, chance.between(scale / 5, scale)));
		if (chance.happens(50)) {
			calls.add(call(chance, weather, 1, 1).of(chance.one(Call.Kind.ONE, Call.Kind.FORCE),
					release + chance.between(0, scale / 2), 2));
		}
		List<Fault> faults = new ArrayList<>();
		for (Fault.Type type : List.of(Fault.Type.INBOX_STALLED, Fault.Type.ANSWERS_STALLED, Fault.Type.STALLED)) {
			if (chance.happens(80)) {
				boolean later = type == Fault.Type.STALLED;
				long at = later ? release + chance.between(0, scale / 2) : release - chance.between(0, scale * 3 / 10);
				long end = release + chance.between(later ? scale / 2 : 0, scale * 7 / 5);
				faults.add(new Fault(at, type, 1, end - at, false));
			}
		}
		return new Script(seed, weather, calls, faults);
	}

	/**
	 * Somebody who waits as long as it takes.
	 */
	private static Call contender(Chance chance, int process, long at, long lease, long hold) {
		return new Call(at, process, Call.Kind.ONE, Checker.NAMES.subList(0, 1), lease, 3600 * World.SECOND,
				chance.happens(30), 0, 0, hold, -1, chance.happens(25) ? chance.magnitude(1000, hold) : -1,
				chance.magnitude(World.MILLI, lease * 2), -1, chance.happens(40), 1);
	}

	private static Script draw(long seed, Chance chance) {
		long scale = chance.one(100L, 300L, 1000L, 3000L, 10_000L) * World.MILLI;
		boolean calm = chance.happens(10);
		int processes = (int) chance.between(2, 3);
		int names = (int) chance.between(1, Checker.NAMES.size());
		Weather weather = new Weather(processes, calm, chance.one(0, 1, 32), scale,
				calm ? 0 : chance.one(0, 0, 2, 15, 40), calm ? 0 : chance.one(0, 10, 40),
				calm ? 0 : chance.one(0, 0, 5), calm ? 0 : chance.one(0, 0, 20, 50), calm ? 0 : chance.one(0, 0, 20),
				(int) chance.one(0L, 1000L, 4000L).longValue(), 0, 0);
		List<Call> calls = new ArrayList<>();
		Integer[] limits = chance.happens(40) ? COMPANY : ALONE;
		int count = (int) chance.between(3, 14);
		for (int i = 0; i < count; i++) {
			calls.add(call(chance, weather, names, chance.one(limits)));
		}
		if (limits == COMPANY && chance.happens(40)) {
			addReaders(calls, chance, weather);
		}
		List<Fault> faults = new ArrayList<>();
		if (!calm) {
			boolean setBack = chance.happens(50);
			for (int i = (int) chance.between(0, 5); i > 0; i--) {
				Fault fault = fault(chance, weather, Fault.Type.values());
				// Together, tokens may go down
				if (setBack ? !fault.type.losesData : fault.type != Fault.Type.CLOCK_SET_BACK) {
					faults.add(fault);
				}
			}
		}
		return new Script(seed, weather, calls, faults);
	}

	private static Call call(Chance chance, Weather weather, int names, int limit) {
		long scale = weather.scale;
		Call.Kind kind = chance.happens(70) ? Call.Kind.ONE
				: chance.one(Call.Kind.ALL, Call.Kind.ALL, Call.Kind.EXECUTE, Call.Kind.EXECUTE, Call.Kind.FORCE);
		List<String> wanted = new ArrayList<>();
		wanted.add(Checker.NAMES.get((int) chance.between(0, names - 1)));
		if (kind == Call.Kind.ALL) {
			for (String name : Checker.NAMES.subList(0, names)) {
				if (!wanted.contains(name) && chance.happens(70)) {
					wanted.add(name);
				}
			}
		}
		long lease = chance.happens(70) ? scale : chance.magnitude(scale / 2, scale * 5);
		long wait = chance.one(0L, chance.magnitude(World.MILLI, scale * 3), 3600 * World.SECOND, 3600 * World.SECOND);
		boolean renewed = chance.happens(40);
		long minHold = chance.happens(15) ? chance.magnitude(World.MILLI, lease) : 0;
		long maxHold = (renewed && chance.happens(15)) ? lease * chance.between(1, 3) : 0;
		long hold = chance.happens(60) ? chance.magnitude(10_000, scale / 2) : chance.magnitude(scale / 4, scale * 4);
		return new Call(chance.between(0, 3 * scale), (int) chance.between(0, weather.processes - 1), kind, wanted,
				lease, wait, renewed, minHold, maxHold, hold, chance.happens(20) ? chance.magnitude(1000, scale) : -1,
				chance.happens(15) ? chance.magnitude(1000, hold) : -1, chance.magnitude(World.MILLI, scale * 2),
				chance.happens(15) ? chance.magnitude(1000, hold) : -1, chance.happens(40), limit);
	}

	/**
	 * Many callers of one process that accept any number of others, at about the same
	 * time.
	 */
	private static void addReaders(List<Call> calls, Chance chance, Weather weather) {
		int process = (int) chance.between(0, weather.processes - 1);
		long at = chance.between(0, 2 * weather.scale);
		for (long i = chance.between(3, 10); i > 0; i--) {
			Call reader = call(chance, weather, 1, Call.SHARED);
			calls.add(reader.of(reader.kind, at + chance.magnitude(1000, weather.scale / 4), process));
		}
	}

	private static Fault fault(Chance chance, Weather weather, Fault.Type... types) {
		Fault.Type type = chance.one(types);
		return new Fault(chance.between(0, 4 * weather.scale), type, (int) chance.between(0, weather.processes - 1),
				chance.magnitude(World.MILLI, 2 * weather.scale), chance.happens(50));
	}

	/**
	 * Return when the last call or fault happens.
	 */
	long end() {
		long end = (this.job != null) ? this.job.end() : 0;
		for (Call call : this.calls) {
			end = Math.max(end, call.at);
		}
		for (Fault fault : this.faults) {
			end = Math.max(end, fault.at);
		}
		return end;
	}

	Script withCalls(List<Call> calls) {
		return new Script(this.seed, this.weather, calls, this.faults, this.job);
	}

	Script withFaults(List<Fault> faults) {
		return new Script(this.seed, this.weather, this.calls, faults, this.job);
	}

	Script withWeather(Weather weather) {
		return new Script(this.seed, weather, this.calls, this.faults, this.job);
	}

	static String millis(long nanos) {
		return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
	}

	@Override
	public String toString() {
		record Line(long at, String text) {
		}
		List<Line> lines = new ArrayList<>();
		this.calls.forEach((call) -> lines.add(new Line(call.at, call.toString())));
		this.faults.forEach((fault) -> lines.add(new Line(fault.at, fault.toString())));
		lines.sort(Comparator.comparingLong(Line::at));
		StringBuilder text = new StringBuilder("seed " + this.seed + ", " + this.weather + "\n");
		text.append((this.job != null) ? "  " + this.job + "\n" : "");
		lines.forEach((line) -> text.append("  ").append(millis(line.at)).append("  ").append(line.text).append('\n'));
		return text.toString();
	}

	/**
	 * What a history is built around: few callers who want the same within a lease, and
	 * more of what together makes some bugs show. Likelihoods are in percent.
	 *
	 * @param millis the usual leases
	 * @param names how many locks there are at most
	 * @param company how often several may hold a lock
	 * @param faults come at about the same time
	 */
	private record Focus(Long[] millis, int names, int lateMessages, int lateCommands, int lateTimers, int preempted,
			int company, Fault.Type... faults) {

		static final Focus[] ALL = { new Focus(new Long[] { 100L, 300L }, 1, 60, 40, 50, 0, 20),
				new Focus(new Long[] { 300L, 10_000L }, 1, 0, 0, 0, 40, 40, Fault.Type.CUT, Fault.Type.KILLED),
				new Focus(new Long[] { 3000L, 10_000L }, 3, 0, 0, 0, 0, 20, Fault.Type.CUT, Fault.Type.REFUSING,
						Fault.Type.REFUSING, Fault.Type.FLUSHED, Fault.Type.RESTARTED_EMPTY) };

		Script draw(long seed, Chance chance) {
			Weather weather = new Weather((int) chance.between(2, 3), false, chance.one(0, 1),
					chance.one(this.millis) * World.MILLI, 0, this.preempted, chance.one(0, 0, 20), chance.one(0, 10),
					this.lateTimers, chance.one(0, 1000), this.lateMessages, this.lateCommands);
			int names = (int) chance.between(1, this.names);
			Integer[] limits = chance.happens(this.company) ? COMPANY : ALONE;
			List<Call> calls = new ArrayList<>();
			for (long i = chance.between(3, 7); i > 0; i--) {
				int process = (int) chance.between(0, weather.processes - 1);
				calls.add((this.lateCommands > 0 && chance.happens(70))
						? contender(chance, process, chance.between(0, weather.scale), weather.scale,
								chance.between(weather.scale / 5, weather.scale * 2))
						: call(chance, weather, names, chance.one(limits)));
			}
			// The history goes on until then
			Call last = call(chance, weather, names, chance.one(limits));
			calls.add(last.of(last.kind, chance.between(2 * weather.scale, 4 * weather.scale), last.process));
			List<Fault> faults = new ArrayList<>();
			long together = chance.between(0, weather.scale);
			for (long i = (this.faults.length > 0) ? chance.between(1, 4) : 0; i > 0; i--) {
				Fault fault = fault(chance, weather, this.faults);
				faults.add(new Fault(together + chance.magnitude(World.MILLI, World.SECOND), fault.type, fault.process,
						chance.magnitude(World.MILLI, weather.scale), fault.other));
			}
			return new Script(seed, weather, calls, faults);
		}

	}

	/**
	 * What holds for a whole history. Likelihoods are in percent.
	 *
	 * @param processes how many there are
	 * @param calm nothing goes wrong and nothing is slow
	 * @param handoffs how many local hand-offs in a row are allowed
	 * @param scale the usual lease
	 * @param spikes how many messages, commands and threads are slow
	 * @param preempted how many calls of the store are interrupted by other threads
	 * @param doubled how many messages arrive twice
	 * @param lost how many messages get lost
	 * @param lateTimers how often the watchdog is late
	 * @param drift how much faster or slower clocks are at most, in millionths
	 * @param lateMessages how many messages take a good part of a lease
	 * @param lateCommands how many requests, and how many answers, take a good part of a
	 * lease
	 */
	record Weather(int processes, boolean calm, int handoffs, long scale, int spikes, int preempted, int doubled,
			int lost, int lateTimers, int drift, int lateMessages, int lateCommands) {

		Weather without(Trait trait) {
			return new Weather(this.processes, this.calm, this.handoffs, this.scale,
					(trait != Trait.SPIKES) ? this.spikes : 0, (trait != Trait.PREEMPTED) ? this.preempted : 0,
					(trait != Trait.DOUBLED) ? this.doubled : 0, (trait != Trait.LOST) ? this.lost : 0,
					(trait != Trait.LATE_TIMERS) ? this.lateTimers : 0, (trait != Trait.DRIFT) ? this.drift : 0,
					(trait != Trait.LATE_MESSAGES) ? this.lateMessages : 0,
					(trait != Trait.LATE_COMMANDS) ? this.lateCommands : 0);
		}

		enum Trait {

			SPIKES, PREEMPTED, DOUBLED, LOST, LATE_TIMERS, DRIFT, LATE_MESSAGES, LATE_COMMANDS

		}

		@Override
		public String toString() {
			return "%d processes, usual lease %s, %d local hand-offs%s"
				.formatted(this.processes, millis(this.scale), this.handoffs, this.calm ? ", calm"
						: "; slow %d %%, pre-empted %d %%, messages doubled %d %% and lost %d %%, late timers %d %%, drift %d ppm, late messages %d %%, late commands %d %%"
							.formatted(this.spikes, this.preempted, this.doubled, this.lost, this.lateTimers,
									this.drift, this.lateMessages, this.lateCommands));
		}

	}

	/**
	 * A call of the lock service, and what the caller does with the lock.
	 *
	 * @param at when
	 * @param kind what
	 * @param names which locks
	 * @param lease the lease
	 * @param renewed whether the lease is renewed
	 * @param minHold the minimum hold, zero for none
	 * @param maxHold the maximum hold, zero for none
	 * @param hold for how long the work takes
	 * @param cancelAfter when the caller gives up, or -1
	 * @param extendAfter when the holder extends the lease, or -1
	 * @param extendBy by how much
	 * @param reenterAfter when the holder enters again, or -1
	 * @param heedless goes on after a loss
	 * @param limit how many may hold the lock at a time
	 */
	record Call(long at, int process, Kind kind, List<String> names, long lease, long waitTime, boolean renewed,
			long minHold, long maxHold, long hold, long cancelAfter, long extendAfter, long extendBy, long reenterAfter,
			boolean heedless, int limit) {

		static final int SHARED = Integer.MAX_VALUE;

		LockOptions options() {
			LockOptions options = LockOptions.ofLease(Duration.ofNanos(this.lease))
				.withWaitTime(Duration.ofNanos(this.waitTime));
			options = (this.limit == SHARED) ? options.withShared() : options.withPermits(this.limit);
			if (this.renewed) {
				options = options.withAutoRenew();
			}
			if (this.minHold > 0) {
				options = options.withMinHold(Duration.ofNanos(this.minHold));
			}
			return (this.maxHold > 0) ? options.withMaxHold(Duration.ofNanos(this.maxHold)) : options;
		}

		@Nullable Call simpler(int trait) {
			return switch (trait) {
				case 0 -> (this.minHold == 0) ? null : with(this.renewed, 0, this.maxHold, -2, -2, -2);
				case 1 -> (this.maxHold == 0) ? null : with(this.renewed, this.minHold, 0, -2, -2, -2);
				case 2 -> (this.cancelAfter < 0) ? null : with(this.renewed, this.minHold, this.maxHold, -1, -2, -2);
				case 3 -> (this.extendAfter < 0) ? null : with(this.renewed, this.minHold, this.maxHold, -2, -1, -2);
				case 4 -> (this.reenterAfter < 0) ? null : with(this.renewed, this.minHold, this.maxHold, -2, -2, -1);
				case 5 -> !this.renewed ? null : with(false, this.minHold, 0, -2, -2, -2);
				case 6 -> (this.names.size() == 1) ? null
						: new Call(this.at, this.process, Kind.ONE, this.names.subList(0, 1), this.lease, this.waitTime,
								this.renewed, this.minHold, this.maxHold, this.hold, this.cancelAfter, this.extendAfter,
								this.extendBy, this.reenterAfter, this.heedless, this.limit);
				default -> null;
			};
		}

		Call of(Kind kind, long at, int process) {
			return new Call(at, process, kind, this.names, this.lease, this.waitTime, this.renewed, this.minHold,
					this.maxHold, this.hold, this.cancelAfter, this.extendAfter, this.extendBy, this.reenterAfter,
					this.heedless, this.limit);
		}

		static final int TRAITS = 7;

		private Call with(boolean renewed, long minHold, long maxHold, long cancel, long extend, long reenter) {
			return new Call(this.at, this.process, this.kind, this.names, this.lease, this.waitTime, renewed, minHold,
					maxHold, this.hold, (cancel == -2) ? this.cancelAfter : cancel,
					(extend == -2) ? this.extendAfter : extend, this.extendBy,
					(reenter == -2) ? this.reenterAfter : reenter, this.heedless, this.limit);
		}

		@Override
		public String toString() {
			if (this.kind == Kind.FORCE) {
				return "an operator takes %s by force, at process %d".formatted(this.names.get(0), this.process);
			}
			StringBuilder text = new StringBuilder("process %d: %s %s, lease %s".formatted(this.process, this.kind.text,
					String.join(", ", this.names), millis(this.lease)));
			text.append((this.waitTime == 0) ? ", no wait"
					: (this.waitTime >= 3600 * World.SECOND) ? ", waits for ever" : ", waits " + millis(this.waitTime));
			text.append((this.limit == 1) ? "" : (this.limit == SHARED) ? ", shared" : ", permits " + this.limit);
			append(text, this.renewed ? 0 : -1, ", renewed");
			append(text, (this.minHold > 0) ? this.minHold : -1, ", minimum hold ");
			append(text, (this.maxHold > 0) ? this.maxHold : -1, ", maximum hold ");
			append(text, this.hold, ", works ");
			append(text, this.cancelAfter, ", cancels after ");
			append(text, this.extendAfter, ", extends by " + millis(this.extendBy) + " after ");
			append(text, this.reenterAfter, ", enters again after ");
			return text.append(this.heedless ? ", goes on after a loss" : "").toString();
		}

		private static void append(StringBuilder text, long value, String before) {
			if (value >= 0) {
				text.append(before).append((value > 0) ? millis(value) : "");
			}
		}

		enum Kind {

			ONE("acquireAsync"), ALL("acquireAllAsync"), EXECUTE("executeAsync"), FORCE("force");

			private final String text;

			Kind(String text) {
				this.text = text;
			}

		}

	}

	/**
	 * A fault.
	 *
	 * @param process where, if it is that of a process
	 * @param length for how long
	 * @param other which one of two variants
	 */
	record Fault(long at, Type type, int process, long length, boolean other) {

		@Override
		public String toString() {
			return this.type.text.formatted(this.process, millis(this.length), this.other ? "" : "not ");
		}

		enum Type {

			PAUSED("process %1$d stands still for %2$s", false),

			KILLED("process %1$d is killed, and replaced after %2$s", false),

			CUT("the connection of process %1$d is cut for %2$s; calls do %3$sfail at once", false),

			STALLED("requests of process %1$d are under way for %2$s", false),

			ANSWERS_STALLED("answers to process %1$d are under way for %2$s", false),

			INBOX_CUT("the subscription of process %1$d is cut for %2$s; the server does %3$snotice", false),

			INBOX_STALLED("messages to process %1$d are under way for %2$s", false),

			SLOW("the threads of process %1$d are slow for %2$s", false),

			FROZEN("the server hangs for %2$s", false),

			REFUSING("the server refuses commands for %2$s", false),

			RESTARTED("the server restarts within %2$s and has its data", false),

			RESTARTED_EMPTY("the server restarts within %2$s without its data", true),

			FLUSHED("the server loses its data", true),

			CLOCK_SET_BACK("the clock of the server is set back by %2$s", false),

			FORGED("messages to process %1$d are forged", false);

			private final String text;

			private final boolean losesData;

			Type(String text, boolean losesData) {
				this.text = text;
				this.losesData = losesData;
			}

		}

	}

}
