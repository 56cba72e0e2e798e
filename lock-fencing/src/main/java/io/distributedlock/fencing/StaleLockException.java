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

package io.distributedlock.fencing;

import io.distributedlock.internal.Printable;

import org.springframework.dao.OptimisticLockingFailureException;

/**
 * Thrown when a transaction cannot claim the fence of its lock, because a transaction of
 * a later holder has claimed it already: this holder has lost the lock, even if it has
 * not noticed. The transaction is rolled back.
 *
 * @since 0.1.0
 */
public final class StaleLockException extends OptimisticLockingFailureException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	private final long fencingToken;

	private final long fence;

	private StaleLockException(String message, Fence stale, long fence) {
		super(Printable.of(message));
		this.lockName = stale.lockName();
		this.fencingToken = stale.token();
		this.fence = fence;
	}

	static StaleLockException refused(Fence stale, long fence, String table) {
		return new StaleLockException(
				("Lock '%s' is stale: its fencing token is %d, and a later holder has claimed fence %d "
						+ "in table '%s'. The transaction is rolled back. If there was no later holder, because the fencing "
						+ "tokens start again below those of the past, delete the row with the name '%s'.")
					.formatted(stale.lockName(), stale.token(), fence, table, stale.rowName()),
				stale, fence);
	}

	/**
	 * The thread that has suspended a transaction has acquired its lock again.
	 */
	static StaleLockException suspended(Fence stale, long token) {
		return new StaleLockException(
				("Lock '%s' is stale: its lease ended while a transaction with fencing token %d was suspended, and a "
						+ "transaction inside of that one, which has acquired the lock anew with token %d, would wait for "
						+ "it forever. The inner transaction is rolled back. Let the exception roll back the outer one as "
						+ "well, and use a longer lease, or 'autoRenew'.")
					.formatted(stale.lockName(), stale.token(), token),
				stale, token);
	}

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return the rejected fencing token.
	 * @return the token of the holder that is too late
	 */
	public long getFencingToken() {
		return this.fencingToken;
	}

	/**
	 * Return the fencing token of the later holder.
	 * @return the largest token that has claimed the fence in the database, or that was
	 * about to claim it in place of a suspended transaction; larger than
	 * {@link #getFencingToken()}
	 */
	public long getFence() {
		return this.fence;
	}

}
