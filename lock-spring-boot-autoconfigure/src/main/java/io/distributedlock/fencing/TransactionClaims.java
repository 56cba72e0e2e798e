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

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

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
	 * @throws StaleLockException if a later holder has claimed it, or if a suspended
	 * transaction of this thread has claimed it with another token: the database would
	 * wait for that transaction, which waits for this one
	 */
	void claim(DataSource dataSource, FenceTable table, Fence fence) {
		Claim claim = new Claim(dataSource, connection(dataSource), table, fence);
		try {
			if (isCovered(claim)) {
				return;
			}
			table.claim(fence);
		}
		catch (StaleLockException ex) {
			this.refusal = ex;
			throw ex;
		}
		this.claims.add(claim);
	}

	private static ConnectionHolder connection(DataSource dataSource) {
		ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource);
		Assert.state(holder != null, "The transaction has no connection that could claim a fence.");
		return holder;
	}

	private boolean isCovered(Claim claim) {
		for (TransactionClaims each = this; each != null; each = each.outer) {
			for (Claim earlier : each.claims) {
				if (earlier.covers(claim)) {
					return true;
				}
			}
		}
		return false;
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
	 * @param connection the connection of the transaction
	 * @param table the table
	 * @param fence the fence
	 */
	private record Claim(DataSource dataSource, ConnectionHolder connection, FenceTable table, Fence fence) {

		/**
		 * Return whether another claim need not be made because of this one.
		 * @throws StaleLockException if it would wait for this one forever
		 */
		boolean covers(Claim other) {
			if (!this.fence.rowName().equals(other.fence.rowName())) {
				return false;
			}
			if (this.connection == other.connection) {
				return this.fence.token() == other.fence.token();
			}
			if (!isSameTable(other)) {
				return false;
			}
			if (this.fence.token() > other.fence.token()) {
				throw other.table.refused(other.fence, this.fence.token());
			}
			if (this.fence.token() < other.fence.token()) {
				throw StaleLockException.suspended(this.fence, other.fence.token());
			}
			return true;
		}

		/**
		 * A data source may lead to several databases, and several to the same one.
		 */
		private boolean isSameTable(Claim other) {
			boolean sameDataSource = this.dataSource.equals(other.dataSource);
			try {
				Connection mine = this.connection.getConnection();
				Connection others = other.connection.getConnection();
				return Objects.equals(mine.getMetaData().getURL(), others.getMetaData().getURL())
						&& Objects.equals(mine.getCatalog(), others.getCatalog())
						&& (sameDataSource || Objects.equals(mine.getSchema(), others.getSchema()));
			}
			catch (SQLException ex) {
				return sameDataSource;
			}
		}

	}

}
