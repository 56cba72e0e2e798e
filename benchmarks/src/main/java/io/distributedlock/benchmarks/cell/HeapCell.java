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

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;
import io.distributedlock.benchmarks.fleet.WorkerJvm;

/**
 * Measures the heap that a held lock takes.
 */
public record HeapCell(Rig rig, int count) implements Measurement<Double> {

	@Override
	public Double measure(Contestant contestant) {
		this.rig.probe().flush();
		try (Fleet fleet = this.rig.fork(contestant, 1)) {
			WorkerJvm jvm = fleet.worker(0);
			jvm.run(new OpenClient(contestant, this.rig.redis()));
			return jvm.run(new HoldMany(this.count));
		}
		finally {
			this.rig.probe().flush();
		}
	}

}
