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

package io.distributedlock.benchmarks.report;

import io.distributedlock.benchmarks.cell.ContendedFigures;
import io.distributedlock.benchmarks.cell.ContendedShape;
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * What a contestant is to reach against Redis, as rows of a table.
 *
 * @param slack by what factor each goal may be missed, 1 for not at all
 */
record Goals(Table table, Contestant contestant, String who, double slack) {

	void contended(ContendedShape shape, Rounds<ContendedFigures> rounds) {
		String where = shape.label() + ": ";
		double ratio = rounds.median(this.contestant, ContendedFigures::perSecond)
				/ rounds.median(Contestant.BARE_LOOP, ContendedFigures::perSecond);
		if (shape.section().isZero()) {
			atLeast(where + "throughput / bare loop", 8, ratio);
			atMost(where + "commands per acquisition", 0.1, rounds.median(this.contestant, ContendedFigures::sent));
		}
		else {
			double wait = rounds.max(this.contestant, ContendedFigures::longestWait)
					/ rounds.max(Contestant.BARE_LOOP, ContendedFigures::longestWait);
			atLeast(where + "throughput / bare loop", 1, ratio);
			atMost(where + "longest wait / bare loop", 1 / 3.0, wait);
		}
		atLeast(where + "fairness of threads", 0.9, rounds.median(this.contestant, ContendedFigures::threadFairness));
		if (shape.jvms() > 1) {
			atLeast(where + "fairness of JVMs", 0.9, rounds.median(this.contestant, ContendedFigures::jvmFairness));
		}
		atMost(where + "lost updates and overlaps", 0,
				rounds.max(this.contestant, (figures) -> figures.lostUpdates() + figures.overlaps()));
	}

	void handOff(Results results) {
		if (results.handOff().contestants().isEmpty()) {
			return;
		}
		HandOffTimes times = HandOffTimes.of(results.handOff(), this.contestant);
		HandOffTimes floor = HandOffTimes.of(results.handOff(), Contestant.BLOCKING_POP);
		atMost("Hand-off between two JVMs: p50 / floor", 1.15, times.millis(0.5) / floor.millis(0.5));
		atMost("Hand-off between two JVMs: p99 / floor", 1.5, times.millis(0.99) / floor.millis(0.99));
	}

	void uncontended(Results results) {
		if (results.uncontended().contestants().isEmpty()) {
			return;
		}
		Rounds<PairCell.Figures> pair = results.uncontended();
		atMost("Uncontended pair / bare loop", 1.05,
				pair.ratio(this.contestant, Contestant.BARE_LOOP, PairCell.Figures::micros));
		atMost("Uncontended pair, 64 threads on as many names / bare loop", 1.05,
				pair.ratio(this.contestant, Contestant.BARE_LOOP, PairCell.Figures::microsOfMany));
		atMost("Uncontended pair / the same scripts through a bare template", 1.1,
				pair.ratio(this.contestant, Contestant.STORE_SCRIPTS, PairCell.Figures::micros));
		atMost("Uncontended pair: processor time of Redis / bare loop", 1.3,
				pair.ratio(this.contestant, Contestant.BARE_LOOP, PairCell.Figures::processorMicros));
		atMost("Uncontended pair: commands", 2, pair.median(this.contestant, (figures) -> figures.commands().sent()));
		atMost("Uncontended pair: commands, those inside scripts included", 8,
				pair.median(this.contestant, (figures) -> figures.commands().executed()));
	}

	void atLeast(String figure, double goal, double measured) {
		double least = goal / this.slack;
		row(figure, "≥ " + Table.number(least), measured, measured >= least);
	}

	void atMost(String figure, double goal, double measured) {
		double most = goal * this.slack;
		row(figure, "≤ " + Table.number(most), measured, measured <= most);
	}

	private void row(String figure, String goal, double measured, boolean reached) {
		String answer = Double.isNaN(measured) ? "not measured" : reached ? "yes" : "**no**";
		this.table.row(this.who + figure, goal, Table.number(measured), answer);
	}

}
