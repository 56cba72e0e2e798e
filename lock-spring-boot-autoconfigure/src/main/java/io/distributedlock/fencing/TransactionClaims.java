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

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What one transaction has claimed. Stays bound to the thread while the transaction is
 * suspended for another one: that one must not claim the same row, which the suspended
 * one keeps locked, and need not, because it ends before.
 */
final class TransactionClaims implements TransactionSynchronization {

	private static final Object KEY = TransactionClaims.class;

	private final @Nullable TransactionClaims outer;

	private final List<Claim> claims = new ArrayList<>();

	/** How many claims there were when each savepoint was created. */
	private final Map<Object, Integer> savepoints = new IdentityHashMap<>();

	private @Nullable StaleLockException refusal;

	private boolean suspended;

	private TransactionClaims(@Nullable TransactionClaims outer) {
		this.outer = outer;
	}

	/**
	 * Return the claims of the transaction of the current thread.
	 * @return the claims, which are kept only if the transaction has synchronizations
	 */
	static TransactionClaims current() {
		TransactionClaims bound = bound();
		if (bound != null && !bound.suspended) {
			return bound;
		}
		TransactionClaims claims = new TransactionClaims(bound);
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			bind(claims);
			TransactionSynchronizationManager.registerSynchronization(claims);
		}
		return claims;
	}

	/**
	 * Return the innermost claims, without those that are left over from a transaction
	 * that never completed.
	 */
	private static @Nullable TransactionClaims bound() {
		TransactionClaims claims = (TransactionClaims) TransactionSynchronizationManager.getResource(KEY);
		while (claims != null && !claims.suspended && !claims.isActive()) {
			claims = claims.outer;
		}
		return claims;
	}

	private boolean isActive() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.getSynchronizations().contains(this);
	}

	private static void bind(@Nullable TransactionClaims claims) {
		TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
		if (claims != null) {
			TransactionSynchronizationManager.bindResource(KEY, claims);
		}
	}

	/**
	 * Claim a fence unless this transaction, or one that is suspended for it, has claimed
	 * it already.
	 */
	void claim(DataSource dataSource, FenceTable table, Fence fence) {
		Claim claim = new Claim(dataSource, fence);
		for (TransactionClaims each = this; each != null; each = each.outer) {
			if (each.claims.contains(claim)) {
				return;
			}
		}
		try {
			table.claim(fence);
		}
		catch (StaleLockException ex) {
			this.refusal = ex;
			throw ex;
		}
		this.claims.add(claim);
	}

	@Override
	public void suspend() {
		this.suspended = true;
	}

	@Override
	public void resume() {
		this.suspended = false;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.claims.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		int kept = this.savepoints.getOrDefault(savepoint, 0);
		this.claims.subList(kept, this.claims.size()).clear();
	}

	/**
	 * Roll back a transaction whose code has caught the exception.
	 */
	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (TransactionSynchronizationManager.getResource(KEY) == this) {
			bind(this.outer);
		}
	}

	/**
	 * One row that is claimed.
	 *
	 * @param dataSource the data source
	 * @param fence the fence
	 */
	private record Claim(DataSource dataSource, Fence fence) {
	}

}
