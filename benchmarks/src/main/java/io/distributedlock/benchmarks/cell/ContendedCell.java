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
import java.util.List;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.redis.CommandCounts;
import io.distributedlock.benchmarks.redis.CommandOrigins;

/**
 * Measures one contestant while its threads contend for one lock.
 */
public record ContendedCell(Rig rig, Fleets fleets, ContendedShape shape,
		Duration length) implements Measurement<ContendedFigures> {

	@Override
	public ContendedFigures measure(Contestant contestant) throws InterruptedException {
		return this.fleets.measure(contestant, (fleet) -> {
			fleet.rotate();
			return contend(fleet, this.fleets.origins(contestant));
		});
	}

	private ContendedFigures contend(Fleet fleet, CommandOrigins origins) {
		this.rig.probe().flush();
		CommandCounts before = this.rig.probe().commandCounts();
		List<Contend.Tally> tallies = new ContentionStart(this.rig, this.shape, this.length).run(fleet);
		CommandCounts during = this.rig.probe().commandCounts().since(before);
		long counter = Board.open(this.rig.boardFile()).get(Turns.COUNTER);
		return ContendedFigures.of(tallies, counter, this.length,
				new ContendedFigures.Commands(during.sent(origins), during.executed()));
	}

}
