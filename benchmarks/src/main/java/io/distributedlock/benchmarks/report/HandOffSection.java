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

import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The hand-off between two JVMs.
 */
final class HandOffSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.handOff().contestants().isEmpty()) {
			return "";
		}
		Rounds<HandOffCell.Latencies> handOff = results.handOff();
		Table table = new Table("Lock", "p50, ms", "p50 / floor", "p99, ms", "p99 / floor", "Samples");
		HandOffTimes floor = HandOffTimes.of(handOff, Contestant.BLOCKING_POP);
		table.rows(handOff, (contestant) -> {
			HandOffTimes times = HandOffTimes.of(handOff, contestant);
			return List.of(Table.number(times.millis(0.5)), Table.number(times.millis(0.5) / floor.millis(0.5)),
					Table.number(times.millis(0.99)), Table.number(times.millis(0.99) / floor.millis(0.99)),
					Integer.toString(times.count()));
		});
		return """
				## Hand-off between two JVMs

				One JVM holds the lock while a thread of the other waits; the time runs from just before the release \
				to just after the acquisition. The floor is the least that Redis allows: `RPUSH` here, a blocked \
				`BLPOP` there. All contestants are warmed up by the same number of hand-offs, in JVMs that do nothing \
				else, and take turns in short rounds. The holder sleeps before it releases and as soon as it has \
				released, so that nobody spins or polls beside a hand-off. The figures are medians of the rounds. A run in which a contestant undercuts the \
				floor by more than noise fails.

				A list pops in one command. Our hand-off executes a script that takes the first waiter that is \
				alive, reserves its fencing token, and sends a message. A Redis that has slept for milliseconds \
				takes several times as long for it as a busy one. And Redis answers the JVM that releases \
				before it sends the message, whereas whoever waits for a list comes first. The bare prototype does \
				the same without store and engine: its distance to the floor is that of the protocol, ours to it \
				that of our code.

				"""
				+ table + String.join("\n", new FloorCheck(handOff).violations());
	}

}
