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

import io.distributedlock.LockInfo;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an {@link AcquireRequest}.
 *
 * @since 0.1.0
 */
public sealed interface AcquireOutcome {

	/**
	 * The lock is held with the token of the request, at least for the whole lease from
	 * now.
	 *
	 * @param fencingToken the first fencing token of the reserved block
	 * @param fenceBlock how many tokens were reserved with the first grant to this token
	 */
	record Granted(long fencingToken, int fenceBlock) implements AcquireOutcome {
	}

	/**
	 * The lock is held with another token, or others that wait are in front.
	 *
	 * @param holder the text of the token that blocks the request, or the value that a
	 * foreign client wrote. Of several holders, the token with the earliest end of its
	 * lease; the token of the first waiter if the request is refused behind waiters
	 * @param remaining how long the store keeps the holder whose lease ends first, or
	 * {@code null} if without limit
	 * @param holders how many hold the lock; 0 if their leases have just ended, and those
	 * that wait come first
	 * @param permits the smallest number of permits that one of them asked for, 1 if it
	 * is alone, or {@link AcquireRequest#NO_LIMIT}
	 * @param behindWaiters whether all holders would accept the caller, and it accepts
	 * them, but others wait in front of it
	 * @param fencingToken the last fencing token that the store had given when it
	 * answered, so that a grant with this token, or a smaller one, is known to be older;
	 * 0 if the store does not say
	 */
	record Busy(String holder, @Nullable Duration remaining, int holders, int permits, boolean behindWaiters,
			long fencingToken) implements AcquireOutcome {

		/**
		 * Create an answer for a lock with one holder, without a fencing token.
		 * @param holder the text of its token, or what a foreign client wrote
		 * @param remaining how long the store keeps it, or {@code null} if without limit
		 */
		public Busy(String holder, @Nullable Duration remaining) {
			this(holder, remaining, 1, 1, false, 0);
		}

		/**
		 * Describe who is in the way, without the token that releases the lock.
		 * @param name the name of the lock
		 * @param instance the instance part of the tokens of this instance, or
		 * {@code null} if that is unknown
		 * @return the description
		 */
		public LockInfo describe(String name, @Nullable String instance) {
			LockInfo info = new StoredLock(this.holder, this.remaining, this.holders, this.permits).describe(name,
					instance);
			return this.behindWaiters ? info.withOthersWaiting() : info;
		}

	}

}
