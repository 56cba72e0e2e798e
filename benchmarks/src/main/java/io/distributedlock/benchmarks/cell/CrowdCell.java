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

package io.distributedlock.benchmarks.cell;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * Measures how long it takes to serve many threads of one JVM that wait for a lock, which
 * another JVM releases.
 */
public record CrowdCell(Rig rig, Plan plan) implements Cell<CrowdCell.Figures> {

	public static final int JVMS = 2;

	@Override
	public String title() {
		return "A crowd of " + this.plan.size() + " waiters";
	}

	@Override
	public Set<Contestant> contestants() {
		return Contestant.LOCKS;
	}

	/**
	 * Otherwise, class loading would be measured.
	 */
	public void warmUp(Contestant contestant, Fleet fleet) {
		ContendedShape.of(JVMS, Duration.ZERO).contend(this.rig, fleet, this.plan.warmUp());
	}

	@Override
	public Figures measure(Contestant contestant, Fleet fleet) {
		this.rig.clear();
		List<Crowd.Times> times = fleet.run(JVMS, (index) -> new Crowd(index, this.plan.size(), this.plan.settle(),
				this.plan.limit(), this.rig.boardFile()));
		int served = times.get(1).served();
		return new Figures(served, (served > 0) ? (times.get(1).lastAt() - times.get(0).lastAt()) / 1e9 : Double.NaN);
	}

	@Override
	public List<Column<Figures>> columns() {
		return List.of(Column.median("Waiters served", Figures::served),
				Column.median("Last one after, s", Figures::seconds));
	}

	/**
	 * How many wait, and for how long.
	 *
	 * @param warmUp how long the JVMs contend before
	 * @param settle from the last one that asks to the release
	 * @param limit how long to wait for the last one
	 */
	public record Plan(int size, Duration warmUp, Duration settle, Duration limit) {

	}

	/**
	 * The figures of one contestant.
	 *
	 * @param seconds from the release to the last of them, not a number if there was none
	 */
	public record Figures(int served, double seconds) {

	}

}
