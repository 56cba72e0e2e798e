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

import io.distributedlock.Printable;

import org.springframework.dao.OptimisticLockingFailureException;

/**
 * Thrown when a transaction cannot claim the fence of its lock, because a transaction of
 * a later holder has claimed it already: this holder has lost the lock, whether it knows
 * or not. The transaction is rolled back.
 *
 * @since 0.1.0
 */
public final class StaleLockException extends OptimisticLockingFailureException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	private final long fencingToken;

	private final long fence;

	StaleLockException(Fence claimed, long fence, String table) {
		super(Printable.of(("Lock '%s' is stale: its fencing token is %d, and a later holder has claimed fence %d "
				+ "in table '%s'. The transaction is rolled back. If there was no later holder, because the fencing "
				+ "tokens start again below those of the past, delete the row with the name '%s'.")
			.formatted(claimed.lockName(), claimed.token(), fence, table, claimed.rowName())));
		this.lockName = claimed.lockName();
		this.fencingToken = claimed.token();
		this.fence = fence;
	}

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return the fencing token that was refused.
	 * @return the token of the holder that is too late
	 */
	public long getFencingToken() {
		return this.fencingToken;
	}

	/**
	 * Return the fence in the database.
	 * @return the largest fencing token that has claimed it, larger than
	 * {@link #getFencingToken()}
	 */
	public long getFence() {
		return this.fence;
	}

}
