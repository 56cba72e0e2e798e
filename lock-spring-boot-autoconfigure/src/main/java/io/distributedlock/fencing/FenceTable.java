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

import java.time.InstantSource;
import java.util.OptionalLong;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The table with the fences in one database.
 */
final class FenceTable {

	private final JdbcTemplate jdbc;

	private final String name;

	private final InstantSource clock;

	private volatile @Nullable FenceDialect dialect;

	FenceTable(DataSource dataSource, String name, InstantSource clock) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.name = name;
		this.clock = clock;
	}

	/**
	 * Claim a fence in the present transaction.
	 * @throws StaleLockException if a later holder has claimed it
	 */
	void claim(Fence fence) {
		FenceDialect dialect = dialect();
		if (dialect.claim(this.jdbc, this.name, fence, this.clock.millis())) {
			return;
		}
		OptionalLong claimed = dialect.claimed(this.jdbc, this.name, fence);
		if (claimed.isPresent() && claimed.getAsLong() > fence.token()) {
			throw refused(fence, claimed.getAsLong());
		}
		throw new CannotAcquireLockException("Fence '" + fence.rowName() + "' in table '" + this.name
				+ "' is claimed by a transaction that this one does not see. Try again.");
	}

	StaleLockException refused(Fence fence, long claimed) {
		return StaleLockException.refused(fence, claimed, this.name);
	}

	private FenceDialect dialect() {
		FenceDialect known = this.dialect;
		if (known == null) {
			known = FenceDialect.of(String.valueOf(this.jdbc.execute(
					(ConnectionCallback<String>) (connection) -> connection.getMetaData().getDatabaseProductName())));
			this.dialect = known;
		}
		return known;
	}

}
