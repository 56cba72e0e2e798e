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

import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.dao.DuplicateKeyException;

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
		boolean claim(FenceStatements statements, String table, Fence fence, long now) {
			return statements.update("insert into " + table + " as held (name, fence, claimed_at) values (?, ?, ?)"
					+ " on conflict (name) do update set fence = excluded.fence, claimed_at = excluded.claimed_at"
					+ " where held.fence <= excluded.fence", fence.rowName(), fence.token(), now) == 1;
		}

		/**
		 * The session of one takes a lock, which is refused to the other session only in
		 * the same database. There, tables have numbers.
		 */
		@Override
		Optional<Boolean> isSameTable(FenceStatements one, FenceStatements other, String table) {
			long random = ThreadLocalRandom.current().nextLong();
			OptionalLong number = one.query("select to_regclass(?)::oid::bigint where pg_try_advisory_lock(?)", table,
					random);
			try {
				OptionalLong same = other
					.query("select to_regclass(?)::oid::bigint where not pg_try_advisory_xact_lock(?)", table, random);
				return Optional.of(same.isPresent() && same.equals(number));
			}
			finally {
				one.query("select 1 where pg_advisory_unlock(?)", random);
			}
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
		boolean claim(FenceStatements statements, String table, Fence fence, long now) {
			int count = statements.update(
					"insert into " + table + " (name, fence, claimed_at) values (?, ?, ?)"
							+ " on duplicate key update claimed_at = if(fence <= ?, ?, claimed_at),"
							+ " fence = greatest(fence, ?)",
					fence.rowName(), fence.token(), now, fence.token(), now, fence.token());
			return count == 2 || claimed(statements, table, fence).orElseThrow() == fence.token();
		}

		@Override
		OptionalLong claimed(FenceStatements statements, String table, Fence fence) {
			return statements.query("select fence from " + table + " where name = ? for update", fence.rowName());
		}

		/**
		 * One session takes a lock, which the other sees only on the same server. There,
		 * the table is the same if the default database is the same, or is not needed.
		 */
		@Override
		Optional<Boolean> isSameTable(FenceStatements one, FenceStatements other, String table) throws SQLException {
			String random = "distributed-lock:" + ThreadLocalRandom.current().nextLong();
			one.query("select get_lock(?, 0)", random);
			try {
				return Optional.of(other.query("select is_used_lock(?)", random).isPresent() && (table.contains(".")
						|| one.connection().getCatalog().equals(other.connection().getCatalog())));
			}
			finally {
				one.query("select release_lock(?)", random);
			}
		}

	},

	/**
	 * The time limit of a statement does not limit how long it waits for a row, and stays
	 * with the connection. The limit for rows can be set without ending the transaction.
	 */
	H2 {

		@Override
		boolean claim(FenceStatements statements, String table, Fence fence, long now) {
			FenceStatements unlimited = statements.unlimited();
			long usual = unlimited.query("call lock_timeout()").orElse(0);
			long limit = statements.seconds() * 1000L;
			if (usual <= limit) {
				return super.claim(unlimited, table, fence, now);
			}
			unlimited.update("set lock_timeout " + limit);
			try {
				return super.claim(unlimited, table, fence, now);
			}
			finally {
				unlimited.update("set lock_timeout " + usual);
			}
		}

	},

	/**
	 * Oracle, SQL Server and others, where a failed statement leaves the transaction
	 * unchanged.
	 */
	STANDARD;

	/**
	 * Return the dialect for the product name that the driver reports.
	 */
	static FenceDialect of(String product) {
		String name = product.toLowerCase(Locale.ROOT);
		if (name.contains("postgresql")) {
			return POSTGRESQL;
		}
		if (name.contains("mysql") || name.contains("mariadb")) {
			return MYSQL;
		}
		return name.equals("h2") ? H2 : STANDARD;
	}

	/**
	 * Claim a fence in the present transaction, unless a later holder has it.
	 * @param now the time of day in milliseconds
	 */
	boolean claim(FenceStatements statements, String table, Fence fence, long now) {
		if (update(statements, table, fence, now)) {
			return true;
		}
		try {
			return statements.update("insert into " + table + " (name, fence, claimed_at) values (?, ?, ?)",
					fence.rowName(), fence.token(), now) == 1;
		}
		catch (DuplicateKeyException ex) {
			// A later holder has claimed it, or another transaction was faster
			return update(statements, table, fence, now);
		}
	}

	private static boolean update(FenceStatements statements, String table, Fence fence, long now) {
		return statements.update("update " + table + " set fence = ?, claimed_at = ? where name = ? and fence <= ?",
				fence.token(), now, fence.rowName(), fence.token()) == 1;
	}

	/**
	 * Return the token that has claimed a fence.
	 */
	OptionalLong claimed(FenceStatements statements, String table, Fence fence) {
		return statements.query("select fence from " + table + " where name = ?", fence.rowName());
	}

	/**
	 * Ask the database whether two transactions of one thread would claim in the same
	 * table, although their connections say different things of themselves. Empty if the
	 * database cannot tell.
	 */
	Optional<Boolean> isSameTable(FenceStatements one, FenceStatements other, String table) throws SQLException {
		return Optional.empty();
	}

}
