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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

import javax.sql.DataSource;

import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * The table with the fences in the databases of one data source.
 */
final class FenceTable {

	private static final Log logger = LogFactory.getLog(FenceTable.class);

	private static final List<String> PLATFORMS = List.of("postgresql", "mariadb", "mysql", "h2", "hsqldb", "derby",
			"oracle", "sqlserver");

	private final SQLExceptionTranslator translator;

	private final String name;

	FenceTable(DataSource dataSource, String name) {
		this.translator = new JdbcTemplate(dataSource).getExceptionTranslator();
		this.name = name;
	}

	/**
	 * Claim a fence in the transaction of a connection.
	 * @param seconds how long to wait for its row at most
	 * @throws StaleLockException if a later holder has claimed it
	 */
	void claim(Connection connection, Fence fence, int seconds) {
		FenceDialect dialect = dialect(connection);
		FenceStatements statements = new FenceStatements(connection, this.translator, seconds);
		long start = System.nanoTime();
		try {
			if (dialect.claim(statements, this.name, fence, Instant.now().toEpochMilli())) {
				return;
			}
			OptionalLong claimed = dialect.claimed(statements, this.name, fence);
			if (claimed.isPresent() && claimed.getAsLong() > fence.token()) {
				throw refused(fence, claimed.getAsLong());
			}
		}
		catch (QueryTimeoutException ex) {
			throw timedOut(fence, seconds, since(start), ex);
		}
		catch (PessimisticLockingFailureException ex) {
			Duration waited = since(start);
			throw (waited.toSeconds() >= seconds) ? timedOut(fence, seconds, waited, ex) : ex;
		}
		catch (BadSqlGrammarException ex) {
			throw new BadSqlGrammarException(
					"The fence of lock '" + fence.lockName() + "' cannot be claimed. " + howToCreate(connection),
					Objects.requireNonNullElse(ex.getSql(), ""), Objects.requireNonNull(ex.getSQLException()));
		}
		throw new CannotAcquireLockException("Fence '" + fence.rowName() + "' in table '" + this.name
				+ "' is claimed by a transaction that this one does not see. Try again.");
	}

	private static Duration since(long start) {
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/** Timers of drivers are not exact, so this counts in whole seconds. */
	private QueryTimeoutException timedOut(Fence fence, int seconds, Duration waited, DataAccessException cause) {
		boolean ownTimeout = waited.plusMillis(500).toSeconds() < seconds;
		String limit = Printable.of(Duration.ofSeconds(seconds));
		String reason = ownTimeout
				? "when a timeout of the database ended the wait. The lock, or the transaction, had %s left"
					.formatted(limit)
				: "which is as long as the lock is held, or the transaction may take";
		return new QueryTimeoutException(
				("The fence of lock '%s' could not be claimed within %s, %s. Another transaction keeps the row '%s' of table '%s' "
						+ "locked. The transaction is rolled back. End the other one, and give transactions under a lock a timeout."
						+ (ownTimeout ? " To wait for longer, raise that timeout." : ""))
					.formatted(fence.lockName(), ownTimeout ? Printable.elapsed(waited) : limit, reason,
							fence.rowName(), this.name),
				cause);
	}

	/**
	 * Try statements that change nothing, within a transaction, which they do not affect.
	 */
	boolean isUsable(Connection connection) throws SQLException {
		Savepoint before = connection.setSavepoint();
		try {
			tryStatements(connection);
			return true;
		}
		catch (DataAccessException ex) {
			logger.debug("The table of the fences cannot be used yet", ex);
			return false;
		}
		finally {
			connection.rollback(before);
		}
	}

	/**
	 * Try statements that change nothing, outside of any transaction.
	 * @param creation why the table could not be created, if that was tried
	 */
	Finding check(DataSource database, @Nullable RuntimeException creation) {
		try (Connection connection = database.getConnection()) {
			return check(connection, creation);
		}
		catch (DataAccessResourceFailureException | TransientDataAccessException | SQLException ex) {
			logger.warn("The table of the fences could not be checked: its database cannot be used now.", ex);
			return new Unknown();
		}
	}

	private Finding check(Connection connection, @Nullable RuntimeException creation) throws SQLException {
		try {
			try {
				tryStatements(connection);
			}
			finally {
				if (!connection.getAutoCommit()) {
					connection.rollback();
				}
			}
			return new Usable();
		}
		catch (DataAccessResourceFailureException | TransientDataAccessException ex) {
			throw ex;
		}
		catch (DataAccessException ex) {
			Throwable reason = NestedExceptionUtils.getMostSpecificCause((creation != null) ? creation : ex);
			return new Unusable(
					"The database says \"%s\""
						.formatted(String.valueOf(reason.getMessage()).lines().findFirst().orElse("")),
					howToCreate(connection));
		}
	}

	private void tryStatements(Connection connection) {
		FenceStatements statements = new FenceStatements(connection, this.translator, 0);
		statements.update("update " + this.name + " set fence = fence, claimed_at = claimed_at where 1 = 0");
		statements.update("insert into " + this.name + " (name, fence, claimed_at) select name, fence, claimed_at from "
				+ this.name + " where 1 = 0");
	}

	String howToCreate(Connection connection) {
		String script = script(connection).map((sql) -> "'" + sql + "'")
			.orElse("a script of 'io/distributedlock/fencing/' in the jar");
		return ("Create table '%s' with %s, or with Spring Boot set 'distributed-lock.fencing.schema=always'. Let the user of "
				+ "the data source insert and update rows.")
			.formatted(this.name, script);
	}

	private Optional<String> script(Connection connection) {
		try {
			String product = connection.getMetaData()
				.getDatabaseProductName()
				.toLowerCase(Locale.ROOT)
				.replace(" ", "");
			for (String platform : PLATFORMS) {
				if (product.contains(platform.replace("hsqldb", "hsql"))) {
					Resource script = new ClassPathResource("schema-" + platform + ".sql", FenceTable.class);
					return Optional.of(script.getContentAsString(StandardCharsets.UTF_8)
						.replace(JdbcFences.DEFAULT_TABLE + "_claimed",
								this.name.substring(this.name.lastIndexOf('.') + 1) + "_claimed")
						.replace(JdbcFences.DEFAULT_TABLE, this.name)
						.strip()
						.replaceAll("\\s+", " "));
				}
			}
		}
		catch (SQLException | IOException ex) {
			logger.debug("There is no script for a database", ex);
		}
		return Optional.empty();
	}

	StaleLockException refused(Fence fence, long claimed) {
		return StaleLockException.refused(fence, claimed, this.name);
	}

	/**
	 * Return whether two transactions of one thread claim in the same table; empty if
	 * unknown. A data source may lead to several databases and schemas, and several data
	 * sources to the same one.
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

	/**
	 * What is known of a table.
	 */
	sealed interface Finding {

	}

	record Usable() implements Finding {

	}

	/**
	 * @param problem a sentence without its period
	 * @param action sentences
	 */
	record Unusable(String problem, String action) implements Finding {

	}

	/** Its database could not be asked, and may come back. */
	record Unknown() implements Finding {

	}

}
