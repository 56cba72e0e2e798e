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

import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.cell.SignCell;
import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.jmh.OwnCosts.Cost;
import io.distributedlock.benchmarks.report.StartUpSection.Addition;
import io.distributedlock.benchmarks.scale.ScaleFigures;
import io.distributedlock.benchmarks.startup.Start;

/**
 * This project's figures beside what it set out to reach. Methods that return a
 * {@code Mono} may stay behind by a fifth.
 */
final class TargetSection implements Section {

	private static final Contestant OURS = Contestant.DISTRIBUTED_LOCK;

	@Override
	public String markdown(Results results) {
		Table table = new Table("Figure", "Target", "Measured", "Reached");
		Goals goals = new Goals(table, OURS, "", 1);
		redis(goals, results);
		if (results.uncontended().contestants().contains(Contestant.RELEASE_AHEAD)) {
			goals.atMost("Uncontended pair with `release.await=false` / the same scripts through a bare template", 0.6,
					results.uncontended()
						.ratio(Contestant.RELEASE_AHEAD, Contestant.STORE_SCRIPTS, PairCell.Figures::micros));
		}
		if (!results.signs().contestants().isEmpty()) {
			goals.atMost("Sign of life of a waiter: commands, those inside the script included", 5,
					results.signs().max(OURS, SignCell.Signs::most));
		}
		if (!results.ownCosts().scores().isEmpty()) {
			ownCosts(goals, results);
		}
		results.crowds().forEach((kind, rounds) -> crowd(goals, kind.label(), rounds));
		if (!results.heap().contestants().isEmpty()) {
			goals.atMost("Heap per held lock, bytes", 320, results.heap().max(OURS, Double::doubleValue));
		}
		if (!results.startUps().starts().isEmpty()) {
			goals.atMost("Start-up: added by the starter, nothing annotated, ms", 100,
					Addition.STARTER.of(results.startUps(), Start::readyMillis));
			goals.atMost("Start-up: validation of an annotated bean, ms", 0.5,
					Addition.VALIDATION.of(results.startUps(), Start::readyMillis));
			goals.atMost("Start-up: a bean above one with `@Transactional` or `@Cacheable`, whichever is dearer, ms",
					0.5,
					Addition.LOCKED_BEAN.of(results.startUps(), Start::readyMillis)
							- Math.max(Addition.TRANSACTIONAL_BEAN.of(results.startUps(), Start::readyMillis),
									Addition.CACHED_BEAN.of(results.startUps(), Start::readyMillis)));
		}
		if (results.scale() != null) {
			scale(goals, results.scale());
		}
		if (results.handOff().contestants().contains(Contestant.ANNOTATED_MONO)) {
			redis(new Goals(table, Contestant.ANNOTATED_MONO, "Annotated `Mono`, ", 1.2), results);
		}
		return """
				## What this project set out to reach

				A method that returns a `Mono` may stay behind each target by a fifth.

				""" + table;
	}

	private static void redis(Goals goals, Results results) {
		results.contended().forEach(goals::contended);
		goals.handOff(results);
		goals.uncontended(results);
	}

	private static void ownCosts(Goals goals, Results results) {
		double direct = results.ownCosts().nanos(Cost.DIRECT_CALL);
		goals.atMost("Annotated call above a direct one, with the engine, the store stubbed, µs", 1,
				(results.ownCosts().nanos(Cost.ANNOTATION_AND_ENGINE) - direct) / 1_000);
		goals.atMost("Allocated per pair, the store stubbed, bytes", 500, results.ownCosts().bytes(Cost.GATE_ALONE));
	}

	private static void scale(Goals goals, ScaleFigures scale) {
		goals.atMost("Locks held and renewed, leases of 15 s: commands/s for 500 of them", 1,
				scale.held().commandsPerSecond() * 500 / scale.held().count());
		goals.atMost("Locks held and renewed: threads", 1, scale.held().threads());
		goals.atMost("Names contended by 8 instances, then idle: objects left", 0, scale.names().objects());
		goals.atMost("Names contended by 8 instances, then idle: keys left", 0, scale.names().keys());
		goals.atMost("Instances waiting for one lock: commands/s for each", 1, scale.instances().commandsPerInstance());
		goals.atMost("Instances waiting for one lock: served out of order", 0, scale.instances().outOfOrder());
	}

	private static void crowd(Goals goals, String threads, Rounds<CrowdCell.Figures> rounds) {
		String where = "Waiters on " + threads + ": ";
		goals.atMost(where + "commands/s", 2, rounds.median(OURS, CrowdCell.Figures::sentPerSecond));
		goals.atMost(where + "connections", 2, rounds.median(OURS, CrowdCell.Figures::connections));
		goals.atMost(where + "last one served after, s", 0.3, rounds.median(OURS, CrowdCell.Figures::millis) / 1_000);
	}

}
