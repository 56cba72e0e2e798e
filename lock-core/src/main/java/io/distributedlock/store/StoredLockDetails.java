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
 * @param lock who holds it, and for how long; of several holders, the one whose lease
 * ends first
 * @param age how long ago the store granted it, or {@code null} if that is unknown, for
 * example because it is longer than the store remembers
 * @param waiting how many places in the queue are taken, or {@code null} if that is
 * unknown. All shared waiters of an instance have one place, and so have its exclusive
 * ones; those with permits have one each, as far as the permits go
 * @param queue the first of these places, in their order
 * @param company the holders, if several hold it or may, or {@code null} if the only
 * holder accepts no others
 * @since 0.1.0
 */
public record StoredLockDetails(String name, StoredLock lock, @Nullable Duration age, @Nullable Long waiting,
		List<Waiter> queue, @Nullable Company company) {

	/**
	 * Copy the queue.
	 */
	public StoredLockDetails {
		queue = List.copyOf(queue);
	}

	/**
	 * Create the details of a lock with one holder.
	 * @param name the name of the lock
	 * @param lock who holds it, and for how long
	 * @param age how long ago the store granted it, or {@code null} if that is unknown
	 * @param waiting how many places in the queue are taken, or {@code null} if that is
	 * unknown
	 * @param queue the first of these places, in their order
	 */
	public StoredLockDetails(String name, StoredLock lock, @Nullable Duration age, @Nullable Long waiting,
			List<Waiter> queue) {
		this(name, lock, age, waiting, queue, null);
	}

	/**
	 * Return every hold that is known: of several holders, those whose leases end first.
	 * @return the holds, at least one
	 */
	public List<StoredLock> holds() {
		return (this.company != null) ? this.company.nearest() : List.of(this.lock);
	}

	/**
	 * The holders of a lock that several may hold at the same time.
	 *
	 * @param holders how many there are
	 * @param smallestLimit the smallest number of holders that one of them accepts, or
	 * {@code null} if all accept any number
	 * @param largestLimit the largest number that one of them names, or {@code null} if
	 * none names any; if it differs from the smallest one, the same lock is used with
	 * different permits
	 * @param nearest those whose leases end first, in this order
	 * @since 0.1.0
	 */
	public record Company(long holders, @Nullable Integer smallestLimit, @Nullable Integer largestLimit,
			List<StoredLock> nearest) {

		/**
		 * Copy the holders.
		 */
		public Company {
			nearest = List.copyOf(nearest);
		}

	}

	/**
	 * A place in the queue.
	 *
	 * @param token the text of its token; must never be shown
	 * @param waited how long ago it was entered
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
