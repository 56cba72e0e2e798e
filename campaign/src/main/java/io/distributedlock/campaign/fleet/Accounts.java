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

package io.distributedlock.campaign.fleet;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.campaign.worker.LockNames;
import org.h2.tools.Server;

/**
 * A database with accounts that all workers share. Each transaction reads and writes the
 * balance of an account, and counts itself: the two differ if an update was lost.
 */
public final class Accounts implements AutoCloseable {

	private static final AtomicInteger NUMBERS = new AtomicInteger();

	private final Server server;

	private final String database = "mem:campaign-" + NUMBERS.incrementAndGet();

	/** The database lives as long as this. */
	private final Connection connection;

	/**
	 * Starts the database and opens the accounts.
	 */
	public Accounts() {
		try {
			this.connection = DriverManager.getConnection("jdbc:h2:" + this.database, "sa", "");
			try (Statement statement = this.connection.createStatement()) {
				statement.execute("create table account (id int primary key, balance bigint, deposits bigint)");
				for (int account : LockNames.accounts().toArray()) {
					statement.execute("insert into account values (" + account + ", 0, 0)");
				}
			}
			this.server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The database of the campaign does not start", ex);
		}
	}

	/**
	 * Returns how workers reach the database.
	 * @return assignments of Spring Boot properties
	 */
	public List<String> properties() {
		// A transaction that is stopped is not waited for until the limit of a wait
		return List.of(
				"spring.datasource.url=jdbc:h2:tcp://127.0.0.1:%d/%s;LOCK_TIMEOUT=3000".formatted(this.server.getPort(),
						this.database),
				"spring.datasource.username=sa", "spring.datasource.password=",
				"spring.datasource.hikari.minimum-idle=2", "spring.datasource.hikari.maximum-pool-size=16",
				"distributed-lock.fencing.schema=always");
	}

	/**
	 * Returns the accounts whose sum is wrong.
	 * @return one line for each
	 */
	public List<String> wrong() {
		List<String> wrong = new ArrayList<>();
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery("select id, balance, deposits from account")) {
			while (rows.next()) {
				if (rows.getLong("balance") != rows.getLong("deposits")) {
					wrong.add("account %d has a balance of %d after %d deposits".formatted(rows.getInt("id"),
							rows.getLong("balance"), rows.getLong("deposits")));
				}
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The accounts cannot be read", ex);
		}
		return wrong;
	}

	@Override
	public void close() {
		this.server.stop();
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The database of the campaign does not close", ex);
		}
	}

}
