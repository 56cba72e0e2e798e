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
import java.util.function.ToDoubleFunction;

import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The uncontended pair.
 */
final class UncontendedSection implements Section {

	@Override
	public String markdown(Results results) {
		Rounds<PairCell.Figures> pair = results.uncontended();
		if (pair.contestants().isEmpty()) {
			return "";
		}
		return """
				## The uncontended pair

				A thread acquires and releases, nobody else wants the lock. *Ratio* is time against the bare loop, \
				`SET NX` and a script that compares and deletes: smaller is better. Then 64 threads of one JVM take \
				locks of different names; their time is divided by the pairs of all. *Redis CPU* is what the server \
				spent on a pair of the one thread. *Executed* adds the commands inside scripts to those that clients \
				sent. Each contestant has a JVM of its own, all are warmed up by the same number of pairs and take \
				turns in short rounds; the figures are medians of the rounds.

				With one thread, the two round trips are nearly all of the time. With many, Redis itself is the \
				limit: by `INFO commandstats` (Redis 7.0) it spends 2 µs on executing a pair of the bare loop, and \
				7 µs on one of ours. A reservation of fencing tokens is most of the difference: it reads the clock \
				of the server, and writes the last token with a time to live.

				""" + table(pair, Contestant.BARE_LOOP);
	}

	static Table table(Rounds<PairCell.Figures> pair, Contestant yardstick) {
		Table table = new Table("Lock", "Ratio", "µs per pair", "Ratio, 64 threads", "µs per pair, 64 threads",
				"Redis CPU ratio", "Redis CPU, µs", "Commands", "Executed");
		table.rows(pair,
				(contestant) -> List.of(ratio(pair, contestant, yardstick, PairCell.Figures::micros),
						number(pair, contestant, PairCell.Figures::micros),
						ratio(pair, contestant, yardstick, PairCell.Figures::microsOfMany),
						number(pair, contestant, PairCell.Figures::microsOfMany),
						ratio(pair, contestant, yardstick, PairCell.Figures::processorMicros),
						number(pair, contestant, PairCell.Figures::processorMicros),
						number(pair, contestant, (figures) -> figures.commands().sent()),
						number(pair, contestant, (figures) -> figures.commands().executed())));
		return table;
	}

	private static String ratio(Rounds<PairCell.Figures> pair, Contestant contestant, Contestant yardstick,
			ToDoubleFunction<PairCell.Figures> figure) {
		return Table.number(pair.ratio(contestant, yardstick, figure));
	}

	private static String number(Rounds<PairCell.Figures> pair, Contestant contestant,
			ToDoubleFunction<PairCell.Figures> figure) {
		return Table.number(pair.median(contestant, figure));
	}

}
