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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import javax.sql.DataSource;

import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

/**
 * The claims of one transaction. They stay bound to the thread while the transaction is
 * suspended for an inner one. The inner one must not claim the same row, which the
 * suspended one keeps locked; that claim covers it instead, and is repeated for it in
 * case the suspended transaction has ended in the database unnoticed.
 */
final class TransactionClaims implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(TransactionClaims.class);

	private static final Object KEY = TransactionClaims.class;

	/** In seconds, where this thread itself may have locked the row, or it is late. */
	private static final int SHORT_WAIT = 3;

	private final @Nullable TransactionClaims outer;

	private final List<Claim> claims = new ArrayList<>();

	/** The claims of suspended transactions that cover this one. */
	private final Set<Claim> cover = new LinkedHashSet<>();

	/** How many claims had been made when each savepoint was created. */
	private final Map<Object, Integer> savepoints = new IdentityHashMap<>();

	private int made;

	private @Nullable StaleLockException refusal;

	private boolean suspended;

	private TransactionClaims(@Nullable TransactionClaims outer) {
		this.outer = outer;
	}

	/**
	 * Return the claims of the transaction of the current thread. They are kept only if
	 * the transaction has synchronizations.
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
	 * Ensure that the claims which the transaction of the current thread relies on still
	 * stand. Called as the last thing before it is committed.
	 */
	static void confirm() {
		TransactionClaims bound = bound();
		if (bound != null && !bound.suspended) {
			bound.cover.forEach(Claim::confirm);
			bound.claims.stream().filter((claim) -> claim.undone && claim.needed).forEach(Claim::repeat);
		}
	}

	/**
	 * Return the innermost claims, without leftovers of a transaction that never
	 * completed.
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
	 * Claim a fence unless this transaction has claimed it already, or one that is
	 * suspended for it has, and still holds it.
	 * @throws StaleLockException if a later holder has claimed it, or if a suspended
	 * transaction of this thread has claimed it with another token: the database would
	 * wait for that transaction, which waits for this one
	 */
	void claim(DataSource dataSource, FenceTable table, Fence fence) {
		Claim claim = new Claim(dataSource, connection(dataSource), table, fence);
		try {
			if (this.claims.stream().noneMatch((made) -> made.isSameAs(claim) && !made.undone)) {
				claimAnew(claim);
			}
		}
		catch (StaleLockException ex) {
			this.refusal = ex;
			throw ex;
		}
	}

	private static ConnectionHolder connection(DataSource dataSource) {
		ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource);
		Assert.state(holder != null, "The transaction has no connection that could claim a fence.");
		return holder;
	}

	private void claimAnew(Claim claim) {
		boolean doubtful = false;
		for (TransactionClaims each = this; each != null; each = each.outer) {
			for (Claim earlier : List.copyOf(each.claims)) {
				if (earlier.holder == claim.holder || !earlier.isOfRow(claim)) {
					continue;
				}
				Optional<Boolean> covers = earlier.covers(claim, each);
				if (covers.orElse(false)) {
					this.cover.add(earlier);
					return;
				}
				doubtful |= covers.isEmpty();
			}
		}
		if (doubtful) {
			claim.makeOrDoubt();
		}
		else {
			claim.make(claim.maxWait());
		}
		// One that was undone with a savepoint is made again
		this.claims.removeIf((undone) -> undone.isSameAs(claim) && claim.inherit(undone));
		claim.number = ++this.made;
		this.claims.add(claim);
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
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
		this.savepoints.put(savepoint, this.made);
	}

	/** Called before the database undoes the claims. MySQL may keep the rows locked. */
	@Override
	public void savepointRollback(Object savepoint) {
		int kept = this.savepoints.getOrDefault(savepoint, 0);
		this.claims.stream().filter((claim) -> claim.number > kept).forEach((claim) -> claim.undone = true);
	}

	/** Roll back a transaction whose code has caught the exception. */
	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

	/**
	 * The rows are no longer locked, so the claims do not cover the callbacks after the
	 * commit, which all come later.
	 */
	@Override
	public void afterCommit() {
		this.claims.clear();
	}

	@Override
	public void afterCompletion(int status) {
		if (TransactionSynchronizationManager.getResource(KEY) == this) {
			bind(this.outer);
		}
		if (status != STATUS_ROLLED_BACK) {
			this.cover.forEach((claim) -> claim.needed = true);
		}
		if (status != STATUS_COMMITTED) {
			this.claims.stream().filter((claim) -> claim.needed).forEach(Claim::restore);
		}
	}

	private static final class Claim {

		private final DataSource dataSource;

		private final ConnectionHolder holder;

		private final FenceTable table;

		private final Fence fence;

		/** Tells whether it was made before a savepoint or after it. */
		private int number;

		/** Whether a rollback to a savepoint has undone it. */
		private boolean undone;

		/** Whether a transaction that it has covered is committed. */
		private boolean needed;

		Claim(DataSource dataSource, ConnectionHolder holder, FenceTable table, Fence fence) {
			this.dataSource = dataSource;
			this.holder = holder;
			this.table = table;
			this.fence = fence;
		}

		boolean isOfRow(Claim other) {
			return this.fence.rowName().equals(other.fence.rowName());
		}

		boolean isSameAs(Claim other) {
			return this.holder == other.holder && isOfRow(other) && this.fence.token() == other.fence.token();
		}

		int maxWait() {
			int wait = this.fence.maxWait();
			return this.holder.hasTimeout() ? Math.max(1, Math.min(wait, this.holder.getTimeToLiveInSeconds())) : wait;
		}

		void make(int wait) {
			this.table.claim(this.holder.getConnection(), this.fence, wait);
		}

		/** It may have to wait for one of the same thread. */
		void makeOrDoubt() {
			try {
				make(Math.min(SHORT_WAIT, maxWait()));
			}
			catch (QueryTimeoutException ex) {
				throw new QueryTimeoutException(
						("The fence of lock '%s' is locked by another transaction, perhaps by one "
								+ "of this thread that is suspended: if both are of one database, they would wait for each other. "
								+ "This one is rolled back. Use one data source for both, with one schema.")
							.formatted(Printable.of(this.fence.lockName())),
						ex);
			}
		}

		/** Its transaction may be a suspended one. */
		void repeat() {
			make(this.fence.maxWait());
			this.undone = false;
		}

		boolean inherit(Claim undone) {
			this.needed = undone.needed;
			return true;
		}

		/**
		 * Return whether another claim need not be made because of this one; empty if it
		 * might wait for this one.
		 * @param owner the claims of the transaction of this one
		 * @throws StaleLockException if it would wait for this one forever
		 */
		Optional<Boolean> covers(Claim other, TransactionClaims owner) {
			try {
				Connection mine = this.holder.getConnection();
				if (mine.getAutoCommit()) {
					// It is committed, and its connection not given back yet
					return Optional.of(false);
				}
				Optional<Boolean> same = this.table.isSame(mine, other.holder.getConnection());
				if (!same.orElse(false)) {
					return same;
				}
				long token = this.fence.token();
				long wanted = other.fence.token();
				if (token != wanted) {
					if (this.undone) {
						return Optional.empty();
					}
					throw (token > wanted) ? other.table.refused(other.fence, token)
							: StaleLockException.suspended(this.fence, wanted);
				}
				if (this.undone) {
					// Savepoints that were made meanwhile undo it again
					this.number = ++owner.made;
				}
				repeat();
				return Optional.of(true);
			}
			catch (StaleLockException ex) {
				if (this.fence.token() == other.fence.token()) {
					owner.refusal = ex;
				}
				throw ex;
			}
			catch (SQLException | RuntimeException ex) {
				// It has ended in the database, and with it what it had locked
				logger.debug("A transaction has ended in the database, and those inside claim for themselves", ex);
				return Optional.of(false);
			}
		}

		/** Ensure that this claim has covered the transaction inside, up to now. */
		void confirm() {
			try {
				Assert.state(!this.holder.getConnection().getAutoCommit(), "It is committed");
				repeat();
			}
			catch (StaleLockException ex) {
				throw ex;
			}
			catch (SQLException | RuntimeException ex) {
				throw new CannotAcquireLockException("The fence of lock '" + Printable.of(this.fence.lockName())
						+ "' is not claimed any more: the transaction around this one, whose claim it relies on, has "
						+ "ended in the database. This one is rolled back.", ex);
			}
		}

		/**
		 * Repeat this claim after the rollback of its transaction has undone it, because
		 * the covered transaction is committed.
		 */
		void restore() {
			try {
				try {
					commit(this.holder.getConnection());
				}
				catch (SQLException | RuntimeException ex) {
					if (ex instanceof StaleLockException) {
						throw ex;
					}
					// The transaction may have been rolled back for the same reason
					try (Connection another = this.dataSource.getConnection()) {
						commit(another);
					}
				}
			}
			catch (StaleLockException ex) {
				// A later holder has claimed it
			}
			catch (SQLException | RuntimeException ex) {
				logger
					.warn(("The fence of lock '%s' could not be claimed again after the rollback of a transaction, although "
							+ "one inside of it is committed. Until the next claim, the database does not refuse earlier holders.")
						.formatted(Printable.of(this.fence.lockName())), ex);
			}
		}

		private void commit(Connection connection) throws SQLException {
			boolean transactional = !connection.getAutoCommit();
			try {
				this.table.claim(connection, this.fence, SHORT_WAIT);
				if (transactional) {
					connection.commit();
				}
			}
			catch (SQLException | RuntimeException ex) {
				if (transactional) {
					connection.rollback();
				}
				throw ex;
			}
		}

	}

}
