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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * Measures one contestant while its threads contend for one lock.
 */
public record ContendedCell(Rig rig, ContendedShape shape, Duration length) implements Cell<ContendedFigures> {

	public static final int JVMS = 4;

	/**
	 * Contends in each shape, in each JVM.
	 * @param length for how long, twice as long in one JVM: its threads have more turns,
	 * and reach code that was compiled later
	 */
	public static BiConsumer<Contestant, Fleet> warmUp(Rig rig, List<ContendedShape> shapes, Duration length) {
		List<ContendedShape> empty = shapes.stream().map(ContendedShape::withoutSection).distinct().toList();
		return (contestant, fleet) -> empty.forEach((shape) -> {
			for (int turn = 0; turn < JVMS / shape.jvms(); turn++) {
				shape.contend(rig, fleet, length.multipliedBy((shape.jvms() == 1) ? 2 : 1));
				fleet.rotate();
			}
		});
	}

	@Override
	public String title() {
		return this.shape.label();
	}

	@Override
	public Set<Contestant> contestants() {
		return (this.shape.company() == Company.NONE) ? Contestant.LOCKS : Contestant.WITH_COMPANY;
	}

	/**
	 * One JVM alone is another one in each round: two JVMs of one contestant differ by a
	 * quarter there, as each compiles the same code in its own way.
	 */
	@Override
	public ContendedFigures measure(Contestant contestant, Fleet fleet) {
		fleet.rotate();
		long before = this.rig.executed();
		List<Contend.Tally> tallies = this.shape.contend(this.rig, fleet, this.length);
		long executed = this.rig.executed() - before;
		return ContendedFigures.of(tallies, this.rig.board().get(Turns.COUNTER), this.length, executed);
	}

	@Override
	public List<Column<ContendedFigures>> columns() {
		List<Column<ContendedFigures>> columns = new ArrayList<>(
				List.of(Column.ratio("Ratio", ContendedFigures::perSecond),
						Column.median("Acquisitions/s", ContendedFigures::perSecond),
						Column.median("Executed", ContendedFigures::executed),
						Column.max("Longest wait, ms", ContendedFigures::longestWait),
						Column.median("Fairness, threads", ContendedFigures::threadFairness),
						Column.median("Fairness, JVMs", ContendedFigures::jvmFairness),
						Column.sum("Lost updates", ContendedFigures::lostUpdates),
						Column.sum("Overlaps", ContendedFigures::overlaps),
						Column.sum("Failures", ContendedFigures::failures)));
		if (this.shape.company() != Company.NONE) {
			columns.add(4, Column.max("That of a writer, ms", ContendedFigures::longestWaitAlone));
			columns.add(5, Column.max("Inside", ContendedFigures::mostInside));
		}
		return columns;
	}

	/**
	 * Speed is worth nothing if this project's lock did not exclude.
	 */
	@Override
	public List<String> violations(Rounds<ContendedFigures> rounds) {
		return rounds.figures(Contestant.OURS)
			.stream()
			.filter((figures) -> figures.lostUpdates() + figures.overlaps() > 0)
			.map((figures) -> title() + ": the lock did not exclude, " + figures)
			.toList();
	}

}
