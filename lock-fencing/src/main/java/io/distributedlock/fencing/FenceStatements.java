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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ArgumentPreparedStatementSetter;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * Runs statements on one connection. The connection may belong to a suspended
 * transaction, where {@code JdbcTemplate} would not find it.
 *
 * @param seconds how long a statement may take; 0 for as long as it takes
 */
record FenceStatements(Connection connection, SQLExceptionTranslator translator, int seconds) {

	FenceStatements unlimited() {
		return new FenceStatements(this.connection, this.translator, 0);
	}

	/**
	 * Return how many rows were changed, as the database counts them.
	 */
	int update(String sql, Object... values) {
		try (PreparedStatement statement = prepare(sql, values)) {
			return statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw translate(sql, ex);
		}
	}

	/**
	 * Return the number in the first row, if there is one that is not null.
	 */
	OptionalLong query(String sql, Object... values) {
		try (PreparedStatement statement = prepare(sql, values); ResultSet rows = statement.executeQuery()) {
			if (!rows.next()) {
				return OptionalLong.empty();
			}
			long number = rows.getLong(1);
			return rows.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
		}
		catch (SQLException ex) {
			throw translate(sql, ex);
		}
	}

	private PreparedStatement prepare(String sql, Object... values) throws SQLException {
		PreparedStatement statement = this.connection.prepareStatement(sql);
		try {
			if (this.seconds > 0) {
				statement.setQueryTimeout(this.seconds);
			}
			new ArgumentPreparedStatementSetter(values).setValues(statement);
			return statement;
		}
		catch (SQLException | RuntimeException ex) {
			statement.close();
			throw ex;
		}
	}

	private DataAccessException translate(String sql, SQLException ex) {
		DataAccessException translated = this.translator.translate("Fence", sql, ex);
		return (translated != null) ? translated : new UncategorizedSQLException("Fence", sql, ex);
	}

}
