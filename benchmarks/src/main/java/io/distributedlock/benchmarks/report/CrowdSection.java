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

import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.Rounds;

/**
 * Many waiters on one lock.
 */
final class CrowdSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.crowds().isEmpty()) {
			return "";
		}
		StringBuilder text = new StringBuilder("""
				## A crowd of waiters

				The threads of one JVM wait for one lock that another JVM holds. *Commands/s* and *connections* are \
				those of the waiting JVM while nothing happens. Then the lock is released, and each waiter releases \
				it as soon as it has it.

				""");
		results.crowds()
			.forEach((kind, rounds) -> text.append("### On ")
				.append(kind.label())
				.append("\n\n")
				.append(table(rounds))
				.append('\n'));
		return text.toString();
	}

	private static Table table(Rounds<CrowdCell.Figures> rounds) {
		Table table = new Table("Lock", "Commands/s", "Connections", "Waiters served", "Last one after, s");
		table.rows(rounds,
				(contestant) -> List.of(Table.number(rounds.median(contestant, CrowdCell.Figures::sentPerSecond)),
						Table.number(rounds.median(contestant, CrowdCell.Figures::connections)),
						Table.number(rounds.median(contestant, CrowdCell.Figures::served)),
						Table.number(rounds.median(contestant, CrowdCell.Figures::millis) / 1_000)));
		return table;
	}

}
