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

import java.util.List;
import java.util.function.ToLongFunction;

import io.distributedlock.benchmarks.cell.ContendedFigures;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The contended cells.
 */
final class ContendedSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.contended().isEmpty()) {
			return "";
		}
		StringBuilder text = new StringBuilder("""
				## One contended lock

				Every thread takes the same lock as often as it can. *Ratio* is throughput against the bare loop. \
				*Commands* are those that clients sent per acquisition; *executed* adds those inside scripts. \
				*Fairness* is the fewest acquisitions of a thread (of a JVM) divided by the most. Inside, an \
				unprotected counter is read and written back: *lost updates* and *overlaps* (somebody else was \
				inside) must be 0. Throughput, commands and fairness are medians of the rounds, the longest wait \
				is that of all rounds.

				""");
		results.contended().forEach((shape, rounds) -> {
			text.append("### ").append(shape.label()).append("\n\n");
			text.append(table(rounds)).append('\n');
		});
		return text.toString();
	}

	private static Table table(Rounds<ContendedFigures> rounds) {
		Table table = new Table("Lock", "Ratio", "Acquisitions/s", "Commands", "Executed", "Longest wait, ms",
				"Fairness, threads", "Fairness, JVMs", "Lost updates", "Overlaps", "Failures");
		double yardstick = rounds.median(Contestant.BARE_LOOP, ContendedFigures::perSecond);
		table.rows(rounds, (contestant) -> {
			double throughput = rounds.median(contestant, ContendedFigures::perSecond);
			return List.of(Table.number(throughput / yardstick), Table.number(throughput),
					Table.number(rounds.median(contestant, ContendedFigures::sent)),
					Table.number(rounds.median(contestant, ContendedFigures::executed)),
					Table.number(rounds.max(contestant, ContendedFigures::longestWait)),
					Table.number(rounds.median(contestant, ContendedFigures::threadFairness)),
					Table.number(rounds.median(contestant, ContendedFigures::jvmFairness)),
					count(rounds, contestant, ContendedFigures::lostUpdates),
					count(rounds, contestant, ContendedFigures::overlaps),
					count(rounds, contestant, ContendedFigures::failures));
		});
		return table;
	}

	private static String count(Rounds<ContendedFigures> rounds, Contestant contestant,
			ToLongFunction<ContendedFigures> figure) {
		return Long.toString(rounds.figures(contestant).stream().mapToLong(figure).sum());
	}

}
