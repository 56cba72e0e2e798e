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

package io.distributedlock.store.example;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import org.h2.jdbcx.JdbcConnectionPool;

/**
 * A database in memory for the example.
 */
final class TestDatabase implements AutoCloseable {

	private final JdbcConnectionPool pool = JdbcConnectionPool
		.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");

	TestDatabase() {
		this.pool.setMaxConnections(50);
		execute(JdbcLockStore.SCHEMA.toArray(String[]::new));
	}

	DataSource dataSource() {
		return this.pool;
	}

	void execute(String... statements) {
		try (Connection connection = this.pool.getConnection(); Statement statement = connection.createStatement()) {
			for (String each : statements) {
				statement.execute(each);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Instead of waiting, let all leases end earlier. */
	void pass(Duration time) {
		execute("update lock_holder set ends_at = dateadd(millisecond, -" + time.toMillis() + ", ends_at)");
	}

	@Override
	public void close() {
		execute("shutdown");
		this.pool.dispose();
	}

}
