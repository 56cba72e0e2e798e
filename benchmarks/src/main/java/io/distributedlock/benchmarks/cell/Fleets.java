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
import java.util.function.BiConsumer;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * The JVMs of each contestant, forked and warmed up when they are first needed, and then
 * kept until one of them fails: no contestant runs on code that was compiled for another,
 * and none is measured while it connects.
 */
public final class Fleets implements AutoCloseable {

	private final Rig rig;

	private final int size;

	private final BiConsumer<Contestant, Fleet> warmUp;

	private final Map<Contestant, Fleet> fleets = new EnumMap<>(Contestant.class);

	public Fleets(Rig rig, int size, BiConsumer<Contestant, Fleet> warmUp) {
		this.rig = rig;
		this.size = size;
		this.warmUp = warmUp;
	}

	/**
	 * Warms up all contestants, so that none is measured earlier after its warm-up than
	 * another.
	 */
	public void warmUp(List<Contestant> contestants) {
		for (Contestant contestant : contestants) {
			try {
				of(contestant);
			}
			catch (RuntimeException ex) {
				// The rounds say so, as they try again
				close(contestant);
			}
		}
	}

	public <F> F measure(Cell<F> cell, Contestant contestant) {
		try {
			return cell.measure(contestant, of(contestant));
		}
		catch (RuntimeException ex) {
			// Its JVMs may not be warm, or still at work
			close(contestant);
			throw ex;
		}
	}

	/**
	 * The same with JVMs that end with it, and whatever they hold.
	 */
	public <F> F measureOnce(Cell<F> cell, Contestant contestant) {
		try {
			return measure(cell, contestant);
		}
		finally {
			close(contestant);
		}
	}

	private Fleet of(Contestant contestant) {
		Fleet fleet = this.fleets.get(contestant);
		if (fleet == null) {
			fleet = this.rig.fork(contestant, this.size);
			this.fleets.put(contestant, fleet);
			fleet.open();
			this.warmUp.accept(contestant, fleet);
		}
		return fleet;
	}

	private void close(Contestant contestant) {
		Fleet fleet = this.fleets.remove(contestant);
		if (fleet != null) {
			fleet.close();
		}
	}

	@Override
	public void close() {
		this.fleets.values().forEach(Fleet::close);
		this.fleets.clear();
	}

}
