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

package io.distributedlock.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Everything that the store knows about a lock that is held, for operators.
 *
 * @param name the name of the lock
 * @param lock who holds it, and for how long
 * @param age how long ago the store granted it, or {@code null} if that is unknown, for
 * example because it is longer than the store remembers
 * @param waiting how many instances wait for it, or {@code null} if that is unknown
 * @param queue the first of those that wait, in their order
 * @since 0.1.0
 */
public record StoredLockDetails(String name, StoredLock lock, @Nullable Duration age, @Nullable Long waiting,
		List<Waiter> queue) {

	/**
	 * Copy the queue.
	 */
	public StoredLockDetails {
		queue = List.copyOf(queue);
	}

	/**
	 * An instance that waits.
	 *
	 * @param token the text of its token; not to be shown
	 * @param waited for how long it has waited
	 * @since 0.1.0
	 */
	public record Waiter(String token, Duration waited) {

		/** Without the token. */
		@Override
		public String toString() {
			return "Waiter[instance=" + StoredLock.instanceNameIn(this.token) + ", waited=" + this.waited + "]";
		}

	}

}
