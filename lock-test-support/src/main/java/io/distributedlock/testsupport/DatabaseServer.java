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

package io.distributedlock.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A database server for tests, from the packages that are installed on this machine:
 * PostgreSQL or MariaDB. One of each for this JVM, started when it is first needed, with
 * an empty directory of data that goes with it.
 */
public final class DatabaseServer {

	private static final Duration START = Duration.ofSeconds(120);

	private static @Nullable DatabaseServer postgres;

	private static @Nullable DatabaseServer mariaDb;

	private final String url;

	private final String user;

	private DatabaseServer(String url, String user) {
		this.url = url;
		this.user = user;
	}

	/**
	 * Returns the URL for JDBC.
	 */
	public String url() {
		return this.url;
	}

	/**
	 * Returns the name of the user, who has no password.
	 */
	public String user() {
		return this.user;
	}

	/**
	 * Returns the PostgreSQL server of this JVM.
	 * @throws IllegalStateException if {@link OptionalPackage#POSTGRESQL} is not
	 * installed
	 */
	public static synchronized DatabaseServer postgres() {
		if (postgres == null) {
			postgres = startPostgres();
		}
		return postgres;
	}

	/**
	 * Returns the MariaDB server of this JVM.
	 * @throws IllegalStateException if {@link OptionalPackage#MARIADB} is not installed
	 */
	public static synchronized DatabaseServer mariaDb() {
		if (mariaDb == null) {
			mariaDb = startMariaDb();
		}
		return mariaDb;
	}

	private static DatabaseServer startPostgres() {
		Path initdb = OptionalPackage.POSTGRESQL.executable("initdb");
		Path server = OptionalPackage.POSTGRESQL.executable("postgres");
		Place place = Place.create("postgres");
		int port = FreePorts.next();
		Path data = place.directory.resolve("data");
		place.run(List.of(initdb.toString(), "-D", data.toString(), "-U", "test", "-A", "trust", "-E", "UTF8",
				"--no-sync", "--no-instructions"));
		DatabaseServer started = new DatabaseServer("jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port), "test");
		place.start(started, List.of(server.toString(), "-D", data.toString(), "-p", Integer.toString(port), "-c",
				"listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"));
		return started;
	}

	private static DatabaseServer startMariaDb() {
		Path install = OptionalPackage.MARIADB.executable("mariadb-install-db");
		Path server = OptionalPackage.MARIADB.executable("mariadbd");
		Place place = Place.create("mysql");
		int port = FreePorts.next();
		String data = "--datadir=" + place.directory.resolve("data");
		place.run(List.of(install.toString(), "--no-defaults", data, "--auth-root-authentication-method=normal"));
		DatabaseServer started = new DatabaseServer(
				"jdbc:mariadb://127.0.0.1:%d/test?createDatabaseIfNotExist=true".formatted(port), "root");
		place.start(started,
				List.of(server.toString(), "--no-defaults", data, "--port=" + port, "--bind-address=127.0.0.1",
						"--socket=" + place.directory.resolve("socket"), "--skip-grant-tables",
						"--innodb-flush-log-at-trx-commit=0"));
		return started;
	}

	/**
	 * The directory of a server, and the user as whom it runs: neither server wants to
	 * run as root.
	 *
	 * @param prefix the command that changes the user, if that is necessary
	 */
	private record Place(Path directory, List<String> prefix) {

		static Place create(String user) {
			try {
				Path directory = Files.createTempDirectory("lock-db");
				if (!"root".equals(System.getProperty("user.name"))) {
					return new Place(directory, List.of());
				}
				Files.setOwner(directory,
						directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user));
				return new Place(directory,
						List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--"));
			}
			catch (IOException ex) {
				throw new UncheckedIOException("There is no directory for a server of user " + user, ex);
			}
		}

		private List<String> command(List<String> command) {
			List<String> all = new ArrayList<>(this.prefix);
			all.addAll(command);
			return all;
		}

		void run(List<String> command) {
			Path log = log();
			try {
				Process process = new ProcessBuilder(command(command)).directory(this.directory.toFile())
					.redirectErrorStream(true)
					.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
					.start();
				if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
					process.destroyForcibly();
					throw new IllegalStateException(command.get(0) + " failed: " + Files.readString(log));
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while running " + command.get(0), ex);
			}
		}

		/** The driver is on the class path of the tests. */
		void start(DatabaseServer server, List<String> command) {
			GuardedProcess process = GuardedProcess.start(this.directory, log(), command(command));
			Waiting.until(command.get(0) + " answers: " + process.outputTail(), START, () -> {
				try (Connection connection = DriverManager.getConnection(server.url, server.user, "")) {
					return connection.isValid(1);
				}
				catch (SQLException ex) {
					return false;
				}
			});
		}

		private Path log() {
			return this.directory.resolve("log");
		}

	}

}
