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
import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.jmh.OwnCosts.Cost;

/**
 * This project's figures beside what it set out to reach.
 */
final class TargetSection implements Section {

	private static final Contestant OURS = Contestant.DISTRIBUTED_LOCK;

	private static final String REACTIVE = "Annotated `Mono` / blocking: ";

	@Override
	public String markdown(Results results) {
		Table table = new Table("Figure", "Target", "Measured", "Reached");
		results.contended().forEach((shape, rounds) -> contended(table, shape, rounds));
		handOff(table, results);
		uncontended(table, results);
		results.crowds().forEach((kind, rounds) -> crowd(table, kind.label(), rounds));
		atMost(table, "Heap per held lock, bytes", 320, results.heap().max(OURS, Double::doubleValue));
		reactive(table, results);
		return """
				## What this project set out to reach

				""" + table;
	}

	private static void contended(Table table, ContendedShape shape, Rounds<ContendedFigures> rounds) {
		String where = shape.label() + ": ";
		double ratio = rounds.median(OURS, ContendedFigures::perSecond)
				/ rounds.median(Contestant.BARE_LOOP, ContendedFigures::perSecond);
		if (shape.section().isZero()) {
			atLeast(table, where + "throughput / bare loop", 8, ratio);
			atMost(table, where + "commands per acquisition", 0.1, rounds.median(OURS, ContendedFigures::sent));
		}
		else {
			double wait = rounds.max(OURS, ContendedFigures::longestWait)
					/ rounds.max(Contestant.BARE_LOOP, ContendedFigures::longestWait);
			atLeast(table, where + "throughput / bare loop", 1, ratio);
			atMost(table, where + "longest wait / bare loop", 1 / 3.0, wait);
		}
		atLeast(table, where + "fairness of threads", 0.9, rounds.median(OURS, ContendedFigures::threadFairness));
		if (shape.jvms() > 1) {
			atLeast(table, where + "fairness of JVMs", 0.9, rounds.median(OURS, ContendedFigures::jvmFairness));
		}
		atMost(table, where + "lost updates and overlaps", 0,
				rounds.max(OURS, (figures) -> figures.lostUpdates() + figures.overlaps()));
	}

	private static void handOff(Table table, Results results) {
		HandOffTimes ours = HandOffTimes.of(results.handOff(), OURS);
		HandOffTimes floor = HandOffTimes.of(results.handOff(), Contestant.BLOCKING_POP);
		atMost(table, "Hand-off between two JVMs: p50 / floor", 1.3, ours.millis(0.5) / floor.millis(0.5));
		atMost(table, "Hand-off between two JVMs: p99 / floor", 3, ours.millis(0.99) / floor.millis(0.99));
	}

	private static void uncontended(Table table, Results results) {
		Rounds<Double> pair = results.uncontended();
		atMost(table, "Uncontended pair / the same scripts through a bare template", 1.1,
				pair.median(OURS, Double::doubleValue) / pair.median(Contestant.STORE_SCRIPTS, Double::doubleValue));
		atMost(table, "Uncontended pair: commands", 2, Math.rint(results.alone().median(OURS, ContendedFigures::sent)));
		double direct = results.ownCosts().nanos(Cost.DIRECT_CALL);
		atMost(table, "Annotated call above a direct one, without the engine, µs", 0.3,
				(results.ownCosts().nanos(Cost.ANNOTATION) - direct) / 1_000);
		atMost(table, "Annotated call above a direct one, with the engine, the store stubbed, µs", 0.3,
				(results.ownCosts().nanos(Cost.ANNOTATION_AND_ENGINE) - direct) / 1_000);
	}

	private static void reactive(Table table, Results results) {
		results.contended()
			.forEach((shape, rounds) -> atLeast(table, REACTIVE + shape.label() + ", throughput", 0.8,
					rounds.median(Contestant.ANNOTATED_MONO, ContendedFigures::perSecond)
							/ rounds.median(OURS, ContendedFigures::perSecond)));
		atMost(table, REACTIVE + "hand-off, p50", 1.2,
				HandOffTimes.of(results.handOff(), Contestant.ANNOTATED_MONO).millis(0.5)
						/ HandOffTimes.of(results.handOff(), OURS).millis(0.5));
		Rounds<Double> pair = results.uncontended();
		atMost(table, REACTIVE + "uncontended", 1.2,
				pair.median(Contestant.ANNOTATED_MONO, Double::doubleValue) / pair.median(OURS, Double::doubleValue));
	}

	private static void crowd(Table table, String threads, Rounds<CrowdCell.Figures> rounds) {
		String where = "Waiters on " + threads + ": ";
		atMost(table, where + "commands/s", 2, rounds.median(OURS, CrowdCell.Figures::sentPerSecond));
		atMost(table, where + "connections", 2, rounds.median(OURS, CrowdCell.Figures::connections));
		atMost(table, where + "last one served after, s", 0.3, rounds.median(OURS, CrowdCell.Figures::millis) / 1_000);
	}

	private static void atLeast(Table table, String figure, double target, double measured) {
		row(table, figure, "≥ " + Table.number(target), measured, measured >= target);
	}

	private static void atMost(Table table, String figure, double target, double measured) {
		row(table, figure, "≤ " + Table.number(target), measured, measured <= target);
	}

	private static void row(Table table, String figure, String target, double measured, boolean reached) {
		String answer = Double.isNaN(measured) ? "not measured" : reached ? "yes" : "**no**";
		table.row(figure, target, Table.number(measured), answer);
	}

}
