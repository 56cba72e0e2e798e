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
import java.sql.SQLFeatureNotSupportedException;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * The table with the fences in the databases of one data source.
 */
final class FenceTable {

	private final SQLExceptionTranslator translator;

	private final String name;

	private final InstantSource clock;

	/** The usual one of a connection in milliseconds, once it is known. */
	private volatile long rowTimeout = -1;

	FenceTable(DataSource dataSource, String name, InstantSource clock) {
		this.translator = new JdbcTemplate(dataSource).getExceptionTranslator();
		this.name = name;
		this.clock = clock;
	}

	/**
	 * Claim a fence in the transaction of a connection.
	 * @param connection the connection
	 * @param fence the fence
	 * @param seconds how long to wait for its row at most
	 * @throws StaleLockException if a later holder has claimed it
	 * @throws QueryTimeoutException if the row was locked for as long
	 */
	void claim(Connection connection, Fence fence, int seconds) {
		FenceDialect dialect = dialect(connection);
		FenceStatements statements = new FenceStatements(connection, this.translator, seconds);
		long start = System.nanoTime();
		try {
			if (claimWithin(dialect, statements, fence)) {
				return;
			}
			OptionalLong claimed = dialect.claimed(statements, this.name, fence);
			if (claimed.isPresent() && claimed.getAsLong() > fence.token()) {
				throw refused(fence, claimed.getAsLong());
			}
		}
		catch (QueryTimeoutException ex) {
			throw timedOut(fence, seconds, ex);
		}
		catch (PessimisticLockingFailureException ex) {
			throw (System.nanoTime() - start >= seconds * 1_000_000_000L) ? timedOut(fence, seconds, ex) : ex;
		}
		catch (BadSqlGrammarException ex) {
			throw new BadSqlGrammarException(
					"The fence of lock '" + fence.lockName() + "' cannot be claimed. " + FenceTable.missing(this.name),
					Objects.requireNonNullElse(ex.getSql(), ""), ex.getSQLException());
		}
		throw new CannotAcquireLockException("Fence '" + fence.rowName() + "' in table '" + this.name
				+ "' is claimed by a transaction that this one does not see. Try again.");
	}

	private boolean claimWithin(FenceDialect dialect, FenceStatements statements, Fence fence) {
		long now = this.clock.millis();
		if (dialect != FenceDialect.H2) {
			return dialect.claim(statements, this.name, fence, now);
		}
		FenceStatements unlimited = new FenceStatements(statements.connection(), this.translator, 0);
		long usual = this.rowTimeout;
		if (usual < 0) {
			usual = dialect.rowTimeout(unlimited);
			this.rowTimeout = usual;
		}
		long limit = statements.seconds() * 1000L;
		if (usual <= limit) {
			return dialect.claim(unlimited, this.name, fence, now);
		}
		long own = dialect.rowTimeout(unlimited);
		dialect.setRowTimeout(unlimited, Math.min(own, limit));
		try {
			return dialect.claim(unlimited, this.name, fence, now);
		}
		finally {
			dialect.setRowTimeout(unlimited, own);
		}
	}

	private QueryTimeoutException timedOut(Fence fence, int seconds, DataAccessException cause) {
		return new QueryTimeoutException(
				("The fence of lock '%s' could not be claimed within %d s, which is as long as "
						+ "the lock is held, or the transaction may take. Another transaction keeps the row '%s' of table '%s' "
						+ "locked. The transaction is rolled back. End the other one, and give transactions under a lock a timeout.")
					.formatted(fence.lockName(), seconds, fence.rowName(), this.name),
				cause);
	}

	/**
	 * Return what to do if statements for the table fail.
	 */
	static String missing(String table) {
		return ("Table '%s' must be there, with the columns name, fence and claimed_at, and its rows be read, inserted, "
				+ "updated and deleted by the user of the data source. Create it with the script for the database in "
				+ "'io/distributedlock/fencing/' of the jar, or set 'distributed-lock.fencing.schema=always'.")
			.formatted(table);
	}

	StaleLockException refused(Fence fence, long claimed) {
		return StaleLockException.refused(fence, claimed, this.name);
	}

	/**
	 * Return whether two transactions of one thread claim in the same table. A data
	 * source may lead to several databases and schemas, and several to the same one.
	 * @param one the connection of a suspended transaction
	 * @param other the connection of the one that wants to claim
	 * @return whether it is the same; empty if nobody can tell
	 */
	Optional<Boolean> isSame(Connection one, Connection other) {
		try {
			FenceDialect dialect = dialect(one);
			if (dialect != dialect(other)) {
				return Optional.of(false);
			}
			if (Objects.equals(one.getMetaData().getURL(), other.getMetaData().getURL())
					&& Objects.equals(one.getCatalog(), other.getCatalog())
					&& Objects.equals(schema(one), schema(other))) {
				return Optional.of(true);
			}
			return dialect.isSameTable(new FenceStatements(one, this.translator, 0),
					new FenceStatements(other, this.translator, 0), this.name);
		}
		catch (SQLException ex) {
			throw unusable(ex);
		}
	}

	private static @Nullable String schema(Connection connection) throws SQLException {
		try {
			return connection.getSchema();
		}
		catch (SQLFeatureNotSupportedException ex) {
			return null;
		}
	}

	private static FenceDialect dialect(Connection connection) {
		try {
			return FenceDialect.of(connection.getMetaData().getDatabaseProductName());
		}
		catch (SQLException ex) {
			throw unusable(ex);
		}
	}

	private static DataAccessResourceFailureException unusable(SQLException ex) {
		return new DataAccessResourceFailureException(
				"The connection of the transaction cannot be used: " + ex.getMessage(), ex);
	}

}
