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
import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The most important figures on one server.
 */
public record ServerFigures(String version, Rounds<PairCell.Figures> uncontended, Rounds<ContendedFigures> contended,
		Rounds<HandOffCell.Latencies> handOff) {

	public static final List<Contestant> CONTESTANTS = List.of(Contestant.BARE_LOOP, Contestant.REDISSON,
			Contestant.DISTRIBUTED_LOCK);

	public static final List<Contestant> MEASURED = List.of(Contestant.BARE_LOOP, Contestant.REDISSON,
			Contestant.DISTRIBUTED_LOCK, Contestant.BLOCKING_POP);

}
