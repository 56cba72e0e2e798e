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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import io.distributedlock.LockOptions;
import io.distributedlock.internal.DeferredInterrupts;

/**
 * The lines at the gates of a map without an engine. All names are of one stripe, because
 * what is done to several stripes is not one step.
 */
public final class GateMapProbe {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(1));

	@SuppressWarnings({ "DataFlowIssue", "NullAway" }) // only needed by what is not used
														// here
	private final GateMap gates = new GateMap(null);

	private final List<String> names = new ArrayList<>();

	private final boolean locked;

	/**
	 * Create the lines.
	 * @param locked {@code false} to leave out the locks, which must not go well
	 */
	public GateMapProbe(int names, boolean locked) {
		this.locked = locked;
		for (int i = 0; this.names.size() < names; i++) {
			if (this.gates.indexOf("n" + i) == 0) {
				this.names.add("n" + i);
			}
		}
	}

	/**
	 * Join the line, which may need a new gate.
	 * @return how many were there before
	 */
	public int join(int name) {
		return locked(name, (stripe) -> {
			Gate gate = stripe.findOrCreate(this.names.get(name), 1);
			int before = gate.waiters().size();
			gate.enqueue(new Waiting(this.names.get(name)));
			return before;
		});
	}

	/**
	 * The first one leaves, and the last one takes the gate away.
	 * @return how many were there before
	 */
	public int leave(int name) {
		return locked(name, (stripe) -> {
			Gate gate = stripe.find(this.names.get(name), 1);
			int before = (gate != null) ? gate.waiters().size() : 0;
			if (gate != null) {
				gate.poll();
			}
			stripe.removeIfIdle(this.names.get(name).hashCode());
			return before;
		});
	}

	/**
	 * Return the numbers of the names that have a gate.
	 */
	public String gates() {
		List<Integer> found = new ArrayList<>();
		this.gates.forEach((gate) -> found.add(this.names.indexOf(gate.name)));
		Collections.sort(found);
		return found.toString();
	}

	private <T> T locked(int name, Function<GateMap.Stripe, T> work) {
		GateMap.Stripe stripe = this.gates.stripe(this.names.get(name));
		if (!this.locked) {
			return work.apply(stripe);
		}
		DeferredInterrupts.lock(stripe.lock);
		try {
			return work.apply(stripe);
		}
		finally {
			stripe.lock.unlock();
		}
	}

	private static final class Waiting extends Waiter {

		Waiting(String name) {
			super(name, OPTIONS, null, 0);
		}

		@Override
		void wake() {
		}

	}

}
