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

import io.distributedlock.benchmarks.cell.ContendedFigures;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The contended cells in which several may hold the lock.
 */
final class CompanySection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.company().isEmpty()) {
			return "";
		}
		StringBuilder text = new StringBuilder("""
				## One lock with several holders

				Every thread takes the same lock as often as it can, for the same time. *Ratio* is throughput against \
				the bare loop, a script that counts the holders in a sorted set. *Inside* is the largest number of \
				threads that were inside at the same time; an *overlap* is one thread too many, or company of a \
				writer, and must be 0. The longest waits and *inside* are those of all rounds, the other figures are \
				medians. The columns of the uncontended pairs are those of [the exclusive one](#the-uncontended-pair).

				""");
		results.company().forEach((shape, rounds) -> {
			text.append("### ").append(shape.label()).append("\n\n");
			text.append(table(rounds)).append('\n');
		});
		results.companyPairs().forEach((holders, pair) -> {
			text.append("### Uncontended pair, ");
			text.append((holders == Integer.MAX_VALUE) ? "shared" : holders + " permits").append("\n\n");
			text.append(UncontendedSection.table(pair, Contestant.BARE_COMPANY)).append('\n');
		});
		return text.toString();
	}

	private static Table table(Rounds<ContendedFigures> rounds) {
		Table table = new Table("Lock", "Ratio", "Acquisitions/s", "Commands", "Executed", "Longest wait, ms",
				"Longest wait of a writer, ms", "Fairness, JVMs", "Inside", "Overlaps", "Failures");
		double yardstick = rounds.median(Contestant.BARE_COMPANY, ContendedFigures::perSecond);
		table.rows(rounds, (contestant) -> {
			double throughput = rounds.median(contestant, ContendedFigures::perSecond);
			return List.of(Table.number(throughput / yardstick), Table.number(throughput),
					Table.number(rounds.median(contestant, ContendedFigures::sent)),
					Table.number(rounds.median(contestant, ContendedFigures::executed)),
					Table.number(rounds.max(contestant, ContendedFigures::longestWait)),
					Table.number(rounds.max(contestant, ContendedFigures::longestWaitAlone)),
					Table.number(rounds.median(contestant, ContendedFigures::jvmFairness)),
					Table.number(rounds.max(contestant, ContendedFigures::mostInside)),
					Table.number(rounds.figures(contestant).stream().mapToLong(ContendedFigures::overlaps).sum()),
					Table.number(rounds.figures(contestant).stream().mapToLong(ContendedFigures::failures).sum()));
		});
		return table;
	}

}
