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
import java.util.List;

import io.distributedlock.engine.simulation.Script.Fault;
import io.distributedlock.engine.simulation.Script.Weather;
import org.jspecify.annotations.Nullable;

/**
 * A job that all processes of a history have, and their times of day. All times are in
 * nanoseconds.
 *
 * @param period the time between two fire times
 * @param fixedRate whether each process fires at another moment of the period
 * @param catchUp how late a run may begin, zero for never
 * @param work how long runs take at most
 * @param failing how many runs fail, in percent
 * @param lateTriggers how many calls of the scheduler are late, in percent
 * @param fireTimes how many there are
 * @param offsets how much the time of day of each process is ahead
 * @param setBackAt when the time of day of each process is set back
 * @param setBack by how much
 */
record JobPlan(long period, boolean fixedRate, long catchUp, boolean repeat, long lease, long work, int failing,
		int stopping, int lateTriggers, int fireTimes, List<Long> offsets, List<Long> setBackAt, long setBack) {

	private static final Fault.Type[] FAULTS = { Fault.Type.PAUSED, Fault.Type.PAUSED, Fault.Type.KILLED,
			Fault.Type.KILLED, Fault.Type.CUT, Fault.Type.STALLED, Fault.Type.ANSWERS_STALLED, Fault.Type.SLOW,
			Fault.Type.FROZEN, Fault.Type.REFUSING, Fault.Type.RESTARTED, Fault.Type.RESTARTED_EMPTY,
			Fault.Type.FLUSHED };

	private static final int MOST_PROCESSES = 3;

	/**
	 * Draw a script. Clocks differ by less than half of the period, also after one was
	 * set back. In a calm one, all runs are short, so that each fire time must be run.
	 * Some have a single process: nobody else repeats what it has to.
	 */
	static Script draw(long seed) {
		Chance chance = Chance.of(seed, 3);
		boolean calm = chance.happens(25);
		long period = chance.one(4L, 5L, 8L, 10L, 20L) * World.SECOND;
		long lease = chance.one(300L, 1000L, 3000L) * World.MILLI;
		int processes = (calm && chance.happens(25)) ? 1 : (int) chance.between(2, MOST_PROCESSES);
		Weather weather = new Weather(processes, calm, chance.one(0, 1, 32), lease, calm ? 0 : chance.one(0, 0, 5, 20),
				calm ? 0 : chance.one(0, 10, 40), 0, calm ? 0 : chance.one(0, 0, 20), calm ? 0 : chance.one(0, 0, 20),
				chance.one(0, 1000), 0, calm ? 0 : chance.one(0, 0, 5));
		List<Long> offsets = new ArrayList<>();
		List<Long> setBackAt = new ArrayList<>();
		int fireTimes = (int) chance.between(4, 8);
		for (int i = 0; i < weather.processes(); i++) {
			offsets.add(chance.between(-period / 7, period / 7));
			setBackAt.add(chance.happens(40) ? chance.between(0, fireTimes * period) : Long.MAX_VALUE);
		}
		long work = calm ? chance.magnitude(World.MILLI, period / 8)
				: chance.one(chance.magnitude(World.MILLI, lease), chance.between(lease, period * 3 / 2));
		JobPlan plan = new JobPlan(period, chance.happens(20),
				chance.one(0L, chance.between(period / 2, period), chance.between(period / 5, period * 3)),
				!chance.happens(20), lease, work, chance.one(0, 20, 60), chance.one(0, 50),
				calm ? 0 : chance.one(0, 10), fireTimes, offsets, setBackAt, chance.magnitude(World.MILLI, period / 5));
		return new Script(seed, weather, List.of(), calm ? List.of() : plan.faults(chance, weather), plan);
	}

	/** Most come about when a run begins, and some stop all processes. */
	private List<Fault> faults(Chance chance, Weather weather) {
		List<Fault> faults = new ArrayList<>();
		for (long i = chance.between(0, 5); i > 0; i--) {
			long at = fireTime(chance) + chance.between(-this.period / 7, this.period / 7);
			faults.add(new Fault(Math.max(at, 0), chance.one(FAULTS), (int) chance.between(0, weather.processes() - 1),
					chance.magnitude(World.MILLI, this.period * 3 / 2), chance.happens(50)));
		}
		if (chance.happens(30)) {
			long at = fireTime(chance) + chance.between(0, this.period);
			long length = chance.between(this.period / 2, this.period * 3);
			for (int i = 0; i < weather.processes(); i++) {
				faults.add(new Fault(at + chance.between(0, this.lease), Fault.Type.KILLED, i,
						length + chance.between(0, this.lease), false));
			}
		}
		return faults;
	}

	private long fireTime(Chance chance) {
		return chance.between(1, this.fireTimes) * this.period - World.SECOND;
	}

	/**
	 * Return when the last call has come.
	 */
	long end() {
		return (this.fireTimes + 1) * this.period;
	}

	@Nullable Duration horizon() {
		return (this.catchUp > 0) ? Duration.ofNanos(this.catchUp) : null;
	}

	@Override
	public String toString() {
		return "a job every %s%s, catchUp %s%s, lease %s, works %s at most, %d %% fail, %d %% of them as the application stops, %d %% of the calls are late, times of day ahead by %s, set back by %s at %s"
			.formatted(Script.millis(this.period), this.fixedRate ? " from the start" : "", Script.millis(this.catchUp),
					this.repeat ? "" : " without repetition", Script.millis(this.lease), Script.millis(this.work),
					this.failing, this.stopping, this.lateTriggers, this.offsets.stream().map(Script::millis).toList(),
					Script.millis(this.setBack),
					this.setBackAt.stream().map((at) -> (at != Long.MAX_VALUE) ? Script.millis(at) : "never").toList());
	}

}
