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

package io.distributedlock.store.trace;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A step of a trace: what a store was asked, and all that could be seen of what it did.
 *
 * @param ticks how much time passed before
 * @param lost whether all data was lost before, which begins a new trace of the model
 * @param answer the outcome as the store returns it, or for a record whether the token
 * holds the lock alone
 * @param pushed the grants that were pushed
 * @param after what is in the store afterwards, as far as it shows
 * @param deaf the instances to which nothing can be pushed
 */
record Step(long ticks, boolean lost, Command command, Object answer, List<Pushed> pushed, @Nullable Observed after,
		Set<String> deaf) {

	@Override
	public String toString() {
		return ((this.ticks > 0) ? this.ticks + " ticks, " : "") + (this.lost ? "loss of data, " : "") + this.command
				+ " -> " + this.answer + (this.pushed.isEmpty() ? "" : ", pushed " + this.pushed)
				+ ((this.after != null) ? ", then " + this.after : "");
	}

	/**
	 * A grant that was pushed.
	 *
	 * @param first its first fencing token
	 * @param block how many of them there are
	 */
	record Pushed(String token, long first, int block, long lease) {
	}

	/**
	 * What is in the store.
	 *
	 * @param holders those whose leases have not ended
	 * @param keyLeft how many ticks the main key has left, 0 if there is none; or
	 * {@code null} if the store has no keys
	 * @param queue those that wait
	 * @param whole whether the queue shows how long they live, and the dead ones
	 */
	record Observed(List<Held> holders, @Nullable Long keyLeft, List<Place> queue, boolean whole) {

		@Override
		public String toString() {
			return "held by " + this.holders + ((this.keyLeft != null) ? " key " + this.keyLeft : "") + " queue "
					+ this.queue;
		}

	}

	/**
	 * A holder.
	 *
	 * @param limit how many it accepts, 0 for any number
	 */
	record Held(String token, int limit, long left) {
	}

	/**
	 * A place in the queue.
	 *
	 * @param life how many ticks it is still good
	 */
	record Place(String token, long life) {
	}

}
