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
import io.distributedlock.testsupport.DatabaseServer;
import org.h2.tools.Server;

/**
 * A database with accounts that all workers share. Each transaction reads and writes the
 * balance of an account, and counts itself: the two differ if an update was lost.
 */
public final class Accounts implements AutoCloseable {

	private static final AtomicInteger NUMBERS = new AtomicInteger();

	/** Ends the server, if this has started it. */
	private final Runnable stop;

	private final String url;

	private final String user;

	/** A database in memory lives as long as this. */
	private final Connection connection;

	private Accounts(String own, String url, String user, Runnable stop) throws SQLException {
		this.url = url;
		this.user = user;
		this.stop = stop;
		this.connection = DriverManager.getConnection(own, user, "");
		try (Statement statement = this.connection.createStatement()) {
			statement.execute("create table account (id int primary key, balance bigint, deposits bigint)");
			for (int account : LockNames.accounts().toArray()) {
				statement.execute("insert into account values (" + account + ", 0, 0)");
			}
		}
	}

	public static Accounts open(Database database) {
		String name = "campaign_" + NUMBERS.incrementAndGet();
		try {
			return switch (database) {
				case H2 -> openH2(name);
				case POSTGRESQL -> openPostgres(name);
			};
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The database of the campaign does not start", ex);
		}
	}

	private static Accounts openH2(String name) throws SQLException {
		Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
		// A transaction that is stopped is not waited for until the limit of a wait
		return new Accounts("jdbc:h2:mem:" + name,
				"jdbc:h2:tcp://127.0.0.1:%d/mem:%s;LOCK_TIMEOUT=3000".formatted(server.getPort(), name), "sa",
				server::stop);
	}

	private static Accounts openPostgres(String name) throws SQLException {
		DatabaseServer server = DatabaseServer.postgres();
		try (Connection connection = DriverManager.getConnection(server.url(), server.user(), "");
				Statement statement = connection.createStatement()) {
			statement.execute("create database " + name);
		}
		String url = server.url().substring(0, server.url().lastIndexOf('/') + 1) + name;
		// The server ends with this JVM
		return new Accounts(url, url + "?options=-c%20lock_timeout=3000", server.user(), () -> {
		});
	}

	/**
	 * Returns how workers reach the database.
	 */
	public List<String> properties() {
		return List.of("spring.datasource.url=" + this.url, "spring.datasource.username=" + this.user,
				"spring.datasource.password=", "spring.datasource.hikari.minimum-idle=2",
				"spring.datasource.hikari.maximum-pool-size=24", "distributed-lock.fencing.schema=always");
	}

	/**
	 * Returns the accounts whose sum is wrong.
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
		this.stop.run();
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The database of the campaign does not close", ex);
		}
	}

	public enum Database {

		/** In this JVM; workers reach it over TCP. */
		H2,

		/** A server of its own, if it is installed. */
		POSTGRESQL

	}

}
