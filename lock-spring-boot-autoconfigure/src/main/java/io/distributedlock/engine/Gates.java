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

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * All gates, in stripes. A stripe is a map and the lock that guards both the map and the
 * gates in it; it is held for moments only, never during I/O or foreign code.
 */
final class Gates {

	private static final int STRIPES = 64;

	private final Stripe[] stripes = new Stripe[STRIPES];

	Gates(LockEngine engine) {
		for (int i = 0; i < STRIPES; i++) {
			this.stripes[i] = new Stripe(engine);
		}
	}

	Stripe stripe(String name) {
		int hash = name.hashCode();
		return this.stripes[(hash ^ (hash >>> 16) ^ (hash >>> 7)) & (STRIPES - 1)];
	}

	/**
	 * Visit all gates, one stripe at a time and with its lock held.
	 */
	void forEach(Consumer<Gate> visitor) {
		for (Stripe stripe : this.stripes) {
			stripe.lock.lock();
			try {
				stripe.gates.snapshot().forEach(visitor);
			}
			finally {
				stripe.lock.unlock();
			}
		}
	}

	/**
	 * Some of the gates, and the lock that guards them.
	 */
	static final class Stripe {

		final LockEngine engine;

		final ReentrantLock lock = new ReentrantLock();

		private final GateTable gates = new GateTable();

		Stripe(LockEngine engine) {
			this.engine = engine;
		}

		@Nullable Gate find(String name) {
			return this.gates.find(name);
		}

		Gate findOrCreate(String name) {
			Gate gate = this.gates.find(name);
			if (gate == null) {
				gate = new Gate(name, this);
				this.gates.add(gate);
			}
			return gate;
		}

		/**
		 * Remove a gate if there is nothing in it.
		 */
		void removeIfIdle(Gate gate) {
			if (gate.isIdle()) {
				this.gates.remove(gate);
			}
		}

	}

}
