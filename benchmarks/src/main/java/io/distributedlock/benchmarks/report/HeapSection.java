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

import io.distributedlock.benchmarks.cell.Rounds;

/**
 * The heap of held locks.
 */
final class HeapSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.heap().contestants().isEmpty()) {
			return "";
		}
		Rounds<Double> heap = results.heap();
		Table table = new Table("Lock", "Bytes per held lock");
		table.rows(heap, (contestant) -> List.of(Long.toString(Math.round(heap.max(contestant, Double::doubleValue)))));
		return """
				## Heap of held locks

				Used heap after garbage collection, with many locks held and before, divided by their number. The \
				string of the name counts (about 56 bytes), the reference to the handle does not.

				""" + table;
	}

}
