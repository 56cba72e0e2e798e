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

import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * All gates by name, in stripes. A stripe is a hash table and the lock that guards both
 * the table and the gates in it; the lock is held only for moments, never during I/O or
 * user code. A gate is in the table only while there is something in it.
 *
 * <p>
 * The gates themselves are the nodes of the table's chains, which saves a third of the
 * memory that the table of a held lock would take, and the table shrinks when they go.
 */
final class GateMap {

	static final int STRIPES = 64;

	private final Stripe[] stripes = new Stripe[STRIPES];

	GateMap(EngineOperations engine) {
		for (int i = 0; i < STRIPES; i++) {
			this.stripes[i] = new Stripe(engine);
		}
	}

	Stripe stripe(String name) {
		return this.stripes[indexOf(name)];
	}

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

		private final EngineOperations engine;

		private @Nullable Gate[] buckets = new Gate[SMALLEST];

		private int size;

		private int wideGates;

		Stripe(EngineOperations engine) {
			this.engine = engine;
		}

		/**
		 * Return the single gate of a name and a limit.
		 */
		Gate findOrCreate(String name, int limit) {
			Gate gate = find(name, limit);
			if (gate == null) {
				gate = create(name, limit);
				add(gate);
			}
			return gate;
		}

		private Gate create(String name, int limit) {
			return switch (limit) {
				case 1 -> new Gate(name, this.engine);
				case AcquireRequest.NO_LIMIT -> new SharedGate(name, this.engine);
				default -> new PermitGate(name, limit, this.engine);
			};
		}

		@Nullable Gate find(String name, int limit) {
			Gate gate = first(name);
			while (gate != null && gate.limit() != limit) {
				gate = next(gate);
			}
			return gate;
		}

		boolean hasWideGates() {
			return this.wideGates > 0;
		}

		@Nullable Hold holdOf(String name, Thread owner) {
			Hold hold = null;
			for (Gate gate = first(name); gate != null && hold == null; gate = next(gate)) {
				hold = gate.holdOf(owner);
			}
			return hold;
		}

		@Nullable Hold holdOf(String name, long sequence) {
			Hold hold = null;
			for (Gate gate = first(name); gate != null && hold == null; gate = next(gate)) {
				hold = gate.holdOf(sequence);
			}
			return hold;
		}

		/**
		 * Visit the gates of a name: one for each limit.
		 */
		void forEach(String name, Consumer<Gate> visitor) {
			for (Gate gate = first(name); gate != null; gate = next(gate)) {
				visitor.accept(gate);
			}
		}

		@Nullable Gate gateOf(String name, LockToken token) {
			Gate gate = first(name);
			while (gate != null && gate.contenderOf(token) == null) {
				gate = next(gate);
			}
			return gate;
		}

		private @Nullable Gate first(String name) {
			return named(name, this.buckets[bucketOf(name.hashCode(), this.buckets.length)]);
		}

		private static @Nullable Gate next(Gate gate) {
			return named(gate.name, gate.nextInBucket);
		}

		private static @Nullable Gate named(String name, @Nullable Gate chain) {
			Gate gate = chain;
			while (gate != null && !gate.name.equals(name)) {
				gate = gate.nextInBucket;
			}
			return gate;
		}

		private void add(Gate gate) {
			if (this.size == this.buckets.length) {
				resize(this.size * 2);
			}
			insert(this.buckets, gate);
			this.size++;
			this.wideGates += (gate.limit() != 1) ? 1 : 0;
		}

		/**
		 * Remove the gates that an event has left empty, if any. Takes the hash code of
		 * the name, because a reference to a new gate in a long-lived object costs a
		 * barrier of the garbage collector.
		 */
		void removeIfIdle(int hash) {
			int bucket = bucketOf(hash, this.buckets.length);
			int before = this.size;
			Gate previous = null;
			Gate gate = this.buckets[bucket];
			while (gate != null) {
				Gate following = gate.nextInBucket;
				if (!gate.isIdle() || gate.name.hashCode() != hash) {
					previous = gate;
				}
				else {
					if (previous == null) {
						this.buckets[bucket] = following;
					}
					else {
						previous.nextInBucket = following;
					}
					gate.nextInBucket = null;
					this.size--;
					this.wideGates -= (gate.limit() != 1) ? 1 : 0;
				}
				gate = following;
			}
			if (this.size < before) {
				shrink();
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
