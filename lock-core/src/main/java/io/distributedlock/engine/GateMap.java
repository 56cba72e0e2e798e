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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.internal.DeferredInterrupts;
import org.jspecify.annotations.Nullable;

/**
 * All gates by name, in stripes. A stripe is a hash table and the lock that guards both
 * the table and the gates in it; it is held for moments only, never during I/O or user
 * code. A gate is in the table only while there is something in it.
 *
 * <p>
 * The gates themselves are the nodes of the table's chains, which saves a third of the
 * memory that the table of a held lock would take, and the table shrinks when they go.
 */
final class GateMap {

	static final int STRIPES = 64;

	private final Stripe[] stripes = new Stripe[STRIPES];

	GateMap(Function<String, Gate> factory) {
		for (int i = 0; i < STRIPES; i++) {
			this.stripes[i] = new Stripe(factory);
		}
	}

	Stripe stripe(String name) {
		return this.stripes[indexOf(name)];
	}

	/**
	 * Return the index of the stripe of a name, below {@link #STRIPES}.
	 */
	int indexOf(String name) {
		int hash = name.hashCode();
		return (hash ^ (hash >>> 16) ^ (hash >>> 7)) & (STRIPES - 1);
	}

	Stripe stripe(int index) {
		return this.stripes[index];
	}

	/**
	 * Visit all gates, one stripe at a time and with its lock held.
	 */
	void forEach(Consumer<Gate> visitor) {
		for (Stripe stripe : this.stripes) {
			DeferredInterrupts.lock(stripe.lock);
			try {
				stripe.snapshot().forEach(visitor);
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

		private static final int SMALLEST = 4;

		final ReentrantLock lock = new ReentrantLock();

		private final Function<String, Gate> factory;

		private @Nullable Gate[] buckets = new Gate[SMALLEST];

		private int size;

		Stripe(Function<String, Gate> factory) {
			this.factory = factory;
		}

		Gate findOrCreate(String name) {
			Gate gate = find(name);
			if (gate == null) {
				gate = this.factory.apply(name);
				add(gate);
			}
			return gate;
		}

		@Nullable Gate find(String name) {
			Gate gate = this.buckets[bucketOf(name.hashCode(), this.buckets.length)];
			while (gate != null && !gate.name.equals(name)) {
				gate = gate.nextInBucket;
			}
			return gate;
		}

		/**
		 * Add a gate whose name is not in the table.
		 */
		private void add(Gate gate) {
			if (this.size == this.buckets.length) {
				resize(this.size * 2);
			}
			insert(this.buckets, gate);
			this.size++;
		}

		/**
		 * Remove the gate that an event has left with nothing in it, if it has. Takes the
		 * hash code of its name: to keep a reference to a new gate in an object that
		 * lives long costs a barrier of the garbage collector.
		 */
		void removeIfIdle(int hash) {
			int bucket = bucketOf(hash, this.buckets.length);
			Gate previous = null;
			for (Gate gate = this.buckets[bucket]; gate != null; gate = gate.nextInBucket) {
				if (gate.isIdle() && gate.name.hashCode() == hash) {
					if (previous == null) {
						this.buckets[bucket] = gate.nextInBucket;
					}
					else {
						previous.nextInBucket = gate.nextInBucket;
					}
					gate.nextInBucket = null;
					this.size--;
					shrink();
					return;
				}
				previous = gate;
			}
		}

		List<Gate> snapshot() {
			List<Gate> gates = new ArrayList<>(this.size);
			for (Gate bucket : this.buckets) {
				for (Gate gate = bucket; gate != null; gate = gate.nextInBucket) {
					gates.add(gate);
				}
			}
			return gates;
		}

		private void shrink() {
			if (this.buckets.length > SMALLEST && this.size < this.buckets.length / 4) {
				resize(this.buckets.length / 2);
			}
		}

		private void resize(int length) {
			@Nullable Gate[] resized = new Gate[length];
			snapshot().forEach((gate) -> insert(resized, gate));
			this.buckets = resized;
		}

		private static void insert(@Nullable Gate[] buckets, Gate gate) {
			int bucket = bucketOf(gate.name.hashCode(), buckets.length);
			gate.nextInBucket = buckets[bucket];
			buckets[bucket] = gate;
		}

		/**
		 * Uses other bits than {@link GateMap#stripe}, as all names of a stripe share the
		 * bits that chose it.
		 */
		private static int bucketOf(int hash, int length) {
			return ((hash * 0x9E3779B9) >>> 8) & (length - 1);
		}

	}

}
