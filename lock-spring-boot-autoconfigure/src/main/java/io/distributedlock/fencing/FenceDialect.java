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

import java.util.Locale;
import java.util.OptionalLong;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * How a database claims a fence: in one statement if the row is there, without an error
 * that would abort the transaction, and without locks on rows that are not there yet.
 */
enum FenceDialect {

	/**
	 * An error would abort the transaction, so the row is inserted or updated in one
	 * statement.
	 */
	POSTGRESQL {

		@Override
		boolean claim(JdbcOperations jdbc, String table, Fence fence, long now) {
			return jdbc.update("insert into " + table + " as held (name, fence, claimed_at) values (?, ?, ?)"
					+ " on conflict (name) do update set fence = excluded.fence, claimed_at = excluded.claimed_at"
					+ " where held.fence <= excluded.fence", fence.rowName(), fence.token(), now) == 1;
		}

	},

	/**
	 * An update that finds no row would lock the gap between its neighbours, in which
	 * others insert theirs, so the row is inserted or updated in one statement. It counts
	 * 2 if it has changed a row. Otherwise, it has inserted one, or the row has been
	 * claimed: by this holder, or by a later one.
	 */
	MYSQL {

		@Override
		boolean claim(JdbcOperations jdbc, String table, Fence fence, long now) {
			int count = jdbc.update(
					"insert into " + table + " (name, fence, claimed_at) values (?, ?, ?)"
							+ " on duplicate key update claimed_at = if(fence <= ?, ?, claimed_at),"
							+ " fence = greatest(fence, ?)",
					fence.rowName(), fence.token(), now, fence.token(), now, fence.token());
			return count == 2 || claimed(jdbc, table, fence).orElseThrow() == fence.token();
		}

		@Override
		String query(String table) {
			return super.query(table) + " for update";
		}

	},

	/**
	 * H2, Oracle, SQL Server and others, in which a statement that fails leaves the
	 * transaction as it was.
	 */
	STANDARD {

		@Override
		boolean claim(JdbcOperations jdbc, String table, Fence fence, long now) {
			if (update(jdbc, table, fence, now)) {
				return true;
			}
			try {
				return jdbc.update("insert into " + table + " (name, fence, claimed_at) values (?, ?, ?)",
						fence.rowName(), fence.token(), now) == 1;
			}
			catch (DuplicateKeyException ex) {
				// A later holder has claimed it, or another transaction was faster
				return update(jdbc, table, fence, now);
			}
		}

		private boolean update(JdbcOperations jdbc, String table, Fence fence, long now) {
			return jdbc.update("update " + table + " set fence = ?, claimed_at = ? where name = ? and fence <= ?",
					fence.token(), now, fence.rowName(), fence.token()) == 1;
		}

	};

	/**
	 * Return the dialect of a database.
	 * @param product the name of the database, as its driver says
	 * @return the dialect
	 */
	static FenceDialect of(String product) {
		String name = product.toLowerCase(Locale.ROOT);
		if (name.contains("postgresql")) {
			return POSTGRESQL;
		}
		return (name.contains("mysql") || name.contains("mariadb")) ? MYSQL : STANDARD;
	}

	/**
	 * Claim a fence in the present transaction.
	 * @param jdbc runs statements in the transaction
	 * @param table the name of the table
	 * @param fence the fence
	 * @param now the time of day in milliseconds
	 * @return whether it is claimed; otherwise a later holder has it
	 */
	abstract boolean claim(JdbcOperations jdbc, String table, Fence fence, long now);

	/**
	 * Return the token that has claimed a fence.
	 */
	OptionalLong claimed(JdbcOperations jdbc, String table, Fence fence) {
		return jdbc.queryForList(query(table), Long.class, fence.rowName())
			.stream()
			.mapToLong(Long::longValue)
			.findFirst();
	}

	String query(String table) {
		return "select fence from " + table + " where name = ?";
	}

}
