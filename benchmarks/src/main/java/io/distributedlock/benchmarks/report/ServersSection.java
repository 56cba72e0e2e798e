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
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The most important figures on several servers.
 */
final class ServersSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.servers().isEmpty()) {
			return "";
		}
		Table table = new Table("Server and lock", "Uncontended pair, µs", "/ bare loop", "Acquisitions/s, contended",
				"/ bare loop", "Hand-off p50, ms", "/ floor");
		for (ServerFigures server : results.servers()) {
			for (Contestant contestant : ServerFigures.CONTESTANTS) {
				HandOffTimes handOff = HandOffTimes.of(server.handOff(), contestant);
				HandOffTimes floor = HandOffTimes.of(server.handOff(), Contestant.BLOCKING_POP);
				table.row(server.version() + ": " + contestant.label(),
						Table.number(server.uncontended().median(contestant, PairCell.Figures::micros)),
						Table.number(
								server.uncontended().ratio(contestant, Contestant.BARE_LOOP, PairCell.Figures::micros)),
						Table.number(server.contended().median(contestant, ContendedFigures::perSecond)),
						Table.number(server.contended()
							.ratio(contestant, Contestant.BARE_LOOP, ContendedFigures::perSecond)),
						Table.number(handOff.millis(0.5)), Table.number(handOff.millis(0.5) / floor.millis(0.5)));
			}
		}
		return """
				## Other servers

				The same on other servers, in fewer rounds: the uncontended pair of one thread, 4 JVMs x 16 threads \
				that contend for one lock with an empty section, and the hand-off.

				""" + table;
	}

}
