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

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.TaskFailedException;

/**
 * The JVMs of each contestant, forked and warmed up when they are first needed, and then
 * kept until one of them fails.
 */
final class KeptFleets implements AutoCloseable {

	private final Rig rig;

	private final int size;

	private final WarmUp warmUp;

	private final Map<Contestant, Fleet> fleets = new EnumMap<>(Contestant.class);

	KeptFleets(Rig rig, int size, WarmUp warmUp) {
		this.rig = rig;
		this.size = size;
		this.warmUp = warmUp;
	}

	/**
	 * Warms up all contestants, so that none is measured earlier after its warm-up than
	 * another.
	 */
	void warmUp(List<Contestant> contestants) throws InterruptedException {
		for (Contestant contestant : contestants) {
			try {
				measure(contestant, (fleet) -> fleet);
			}
			catch (TaskFailedException ex) {
				// The rounds say so, as they try again
			}
		}
	}

	<F> F measure(Contestant contestant, Work<F> work) throws InterruptedException {
		try {
			return work.with(of(contestant));
		}
		catch (TaskFailedException ex) {
			Fleet broken = this.fleets.remove(contestant);
			if (broken != null) {
				broken.close();
			}
			throw ex;
		}
	}

	private Fleet of(Contestant contestant) throws InterruptedException {
		Fleet fleet = this.fleets.get(contestant);
		if (fleet == null) {
			fleet = this.rig.fork(contestant, this.size);
			this.fleets.put(contestant, fleet);
			this.warmUp.warmUp(contestant, fleet);
		}
		return fleet;
	}

	@Override
	public void close() {
		this.fleets.values().forEach(Fleet::close);
		this.fleets.clear();
	}

	interface WarmUp {

		void warmUp(Contestant contestant, Fleet fleet) throws InterruptedException;

	}

	interface Work<F> {

		F with(Fleet fleet) throws InterruptedException;

	}

}
