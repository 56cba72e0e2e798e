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

import org.jspecify.annotations.Nullable;

/**
 * A request to take a lock.
 *
 * @param name the name of the lock
 * @param token the token, the same for every repetition of the request
 * @param lease the time to live
 * @param fenceBlock how many fencing tokens to reserve, at least one
 * @param waiting the place in the queue to enter or to confirm, or {@code null} to stay
 * out of it
 * @param limit how many holders the caller accepts, itself included: 1 to be alone,
 * {@link #NO_LIMIT} for any number
 * @param beside a holder of the same instance, or {@code null}. As long as it holds, the
 * request is not queued behind those that wait, because the caller shared the place in
 * the queue with which its instance was granted the lock; the limits of all holders still
 * count. Otherwise it makes no difference. Only for a request without a limit and without
 * a place of its own.
 * @since 0.1.0
 */
public record AcquireRequest(String name, LockToken token, Duration lease, int fenceBlock, @Nullable Waiting waiting,
		int limit, @Nullable LockToken beside) {

	/** Any number of holders. */
	public static final int NO_LIMIT = Integer.MAX_VALUE;

	/**
	 * Check the limit, and who may ask for a place beside a holder.
	 * @throws IllegalArgumentException if the limit is not positive, or a request that
	 * has a limit or a place in the queue names a holder to be beside
	 */
	public AcquireRequest {
		if (limit < 1) {
			throw new IllegalArgumentException("The limit of holders is " + limit + ". It must be at least 1.");
		}
		if (beside != null && (limit != NO_LIMIT || waiting != null)) {
			throw new IllegalArgumentException(
					"Only a request without a limit and without a place in the queue can be beside a holder.");
		}
	}

	/**
	 * Create a request that waits in the queue behind all others, or not at all.
	 * @param name the name of the lock
	 * @param token the token, the same for every repetition of the request
	 * @param lease the time to live
	 * @param fenceBlock how many fencing tokens to reserve, at least one
	 * @param waiting the place in the queue to enter or to confirm, or {@code null} to
	 * stay out of it
	 * @param limit how many holders the caller accepts, itself included
	 */
	public AcquireRequest(String name, LockToken token, Duration lease, int fenceBlock, @Nullable Waiting waiting,
			int limit) {
		this(name, token, lease, fenceBlock, waiting, limit, null);
	}

	/**
	 * Create a request to be the only holder.
	 * @param name the name of the lock
	 * @param token the token, the same for every repetition of the request
	 * @param lease the time to live
	 * @param fenceBlock how many fencing tokens to reserve, at least one
	 * @param waiting the place in the queue to enter or to confirm, or {@code null} to
	 * stay out of it
	 */
	public AcquireRequest(String name, LockToken token, Duration lease, int fenceBlock, @Nullable Waiting waiting) {
		this(name, token, lease, fenceBlock, waiting, 1, null);
	}

	/**
	 * A place in the queue.
	 *
	 * @param life how long the place remains valid without a confirmation
	 * @param sign how many requests with this token entered or confirmed the place
	 * before; zero enters the queue
	 * @param nonce a secret that a grant must carry to be accepted, the same for every
	 * repetition of the request; {@link #NOT_LISTENING} if nobody is to be told
	 * @since 0.1.0
	 */
	public record Waiting(Duration life, int sign, long nonce) {

		/**
		 * The nonce of a waiter that does not listen. Its place remains valid although no
		 * instance listens, and a grant has its whole lease, as no message makes it ask
		 * for that soon.
		 */
		public static final long NOT_LISTENING = 0;

	}

}
