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
import java.util.Map;

import io.distributedlock.benchmarks.cell.ContendedFigures;
import io.distributedlock.benchmarks.cell.ContendedShape;
import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.cell.SignCell;
import io.distributedlock.benchmarks.cell.ThreadKind;
import io.distributedlock.benchmarks.jmh.OwnCosts;
import io.distributedlock.benchmarks.scale.ScaleFigures;
import io.distributedlock.benchmarks.startup.StartUps;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was measured.
 *
 * @param contended the contended cells, in the order of the report
 * @param companyPairs uncontended pairs of locks with several holders, by their number
 * @param crowds many waiters, by the kind of their threads
 * @param heap bytes per held lock
 * @param scale how locks scale, or {@code null} if that was not measured
 */
public record Results(Map<ContendedShape, Rounds<ContendedFigures>> contended,
		Map<ContendedShape, Rounds<ContendedFigures>> company, Map<Integer, Rounds<PairCell.Figures>> companyPairs,
		Rounds<PairCell.Figures> uncontended, Rounds<SignCell.Signs> signs, OwnCosts ownCosts,
		Rounds<HandOffCell.Latencies> handOff, Map<ThreadKind, Rounds<CrowdCell.Figures>> crowds, Rounds<Double> heap,
		StartUps startUps, @Nullable ScaleFigures scale, List<ServerFigures> servers) {

}
