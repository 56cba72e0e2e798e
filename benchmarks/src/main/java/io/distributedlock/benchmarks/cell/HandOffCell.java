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

package io.distributedlock.benchmarks.cell;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.TaskFailedException;

/**
 * Measures how long a lock takes from one JVM to the next.
 *
 * @param rig what every measurement needs
 * @param fleets the JVMs
 * @param length for how long
 */
public record HandOffCell(Rig rig, Fleets fleets, Duration length) implements Measurement<HandOffCell.Latencies> {

	private static final int JVMS = 2;

	private static final String LOCK = "hand-off";

	@Override
	public Latencies measure(Contestant contestant) throws InterruptedException {
		try {
			return handOver(contestant, this.fleets.of(contestant));
		}
		catch (TaskFailedException ex) {
			this.fleets.discard(contestant);
			throw ex;
		}
	}

	private Latencies handOver(Contestant contestant, Fleet fleet) {
		this.rig.probe().flush();
		this.rig.clearBoard();
		if (contestant == Contestant.BLOCKING_POP) {
			this.rig.probe().layDownBaton(LOCK);
		}
		List<HandOff.Latencies> both = fleet.run(JVMS,
				(index) -> new HandOff(LOCK, index, contestant.pollInterval(), this.length, this.rig.boardFile()));
		return new Latencies(both.stream().map(HandOff.Latencies::nanos).flatMap(Collection::stream).toList());
	}

	/**
	 * The samples of one round.
	 *
	 * @param nanos from a release to the other JVM's acquisition, in nanoseconds
	 */
	public record Latencies(List<Long> nanos) {

	}

}
