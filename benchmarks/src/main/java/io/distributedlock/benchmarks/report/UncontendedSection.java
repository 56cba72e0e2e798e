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
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The uncontended pair.
 */
final class UncontendedSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.uncontended().contestants().isEmpty()) {
			return "";
		}
		Rounds<Double> pair = results.uncontended();
		Table table = new Table("Lock", "Ratio", "µs per pair", "Commands", "Executed");
		double yardstick = pair.median(Contestant.BARE_LOOP, Double::doubleValue);
		for (Contestant contestant : pair.contestants()) {
			if (pair.figures(contestant).isEmpty()) {
				table.remark(contestant.label(), "failed: " + pair.failure(contestant));
				continue;
			}
			double micros = pair.median(contestant, Double::doubleValue);
			table.row(contestant.label(), Table.number(micros / yardstick), Table.number(micros),
					Table.number(results.alone().median(contestant, ContendedFigures::sent)),
					Table.number(results.alone().median(contestant, ContendedFigures::executed)));
		}
		return """
				## The uncontended pair

				One thread acquires and releases, nobody else wants the lock (JMH, average time). *Ratio* is time \
				against the bare loop: smaller is better.

				""" + table;
	}

}
