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

import java.util.List;
import java.util.Set;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * Measures the heap that a held lock takes.
 */
public record HeapCell(Rig rig, int count) implements Cell<Double> {

	@Override
	public String title() {
		return "Heap of " + this.count + " held locks";
	}

	@Override
	public Set<Contestant> contestants() {
		return Contestant.LOCKS;
	}

	@Override
	public Double measure(Contestant contestant, Fleet fleet) {
		this.rig.clear();
		return fleet.run(new HoldMany(this.count));
	}

	@Override
	public List<Column<Double>> columns() {
		return List.of(Column.max("Bytes per held lock", (bytes) -> Math.rint(bytes)));
	}

}
