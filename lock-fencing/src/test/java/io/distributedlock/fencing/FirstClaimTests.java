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
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the first claims of an application, by code whose transactions have taken
 * their connections from a small pool before the table of the fences is there.
 */
@Timeout(60)
class FirstClaimTests {

	private final HikariDataSource pool = new HikariDataSource();

	private final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(this.pool));

	FirstClaimTests() {
		this.pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
	}

	@AfterEach
	void close() {
		this.pool.close();
	}

	@Test
	void firstClaimsInAnExhaustedPoolCreateTheTableWithoutWaitingForTheTimeoutOfThePool() {
		setPool(3, Duration.ofSeconds(40));
		JdbcFences fences = fences(FirstClaimTests::createTable);
		List<@Nullable Throwable> first = claimInThreads(fences, 3);
		assertThat(first).filteredOn((failure) -> failure == null).isNotEmpty();
		assertThat(first).filteredOn((failure) -> failure != null)
			.allSatisfy((failure) -> assertThat(failure).isInstanceOf(CannotAcquireLockException.class)
				.hasMessageContaining("another transaction is creating its table")
				.hasMessageEndingWith("Try again."));
		assertThat(claimInThreads(fences, 3)).containsOnlyNulls();
	}

	@Test
	void claimTakesNoSecondConnectionIfTheTableIsThere() {
		setPool(1, Duration.ofSeconds(40));
		createTable(this.pool);
		claim(fences((database) -> {
			throw new AssertionError("The table is there, and need not be created");
		}));
		assertThat(
				new JdbcTemplate(this.pool).queryForList("select fence from " + JdbcFences.DEFAULT_TABLE, Long.class))
			.containsExactly(5L);
	}

	@Test
	void failedCreationIsRepeatedByTheNextClaim() {
		setPool(1, Duration.ofMillis(250));
		JdbcFences fences = fences(FirstClaimTests::createTable);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(InvalidDataAccessResourceUsageException.class).isThrownBy(() -> claim(fences))
				.withMessageContaining("its table is missing and could not be created")
				.withMessageContaining("create table if not exists distributed_lock_fence")
				.havingRootCause()
				.withMessageContaining("Connection is not available");
		}
		setPool(2, Duration.ofSeconds(40));
		claim(fences);
	}

	@Test
	void tableIsPreparedAgainIfItsDatabaseWasAway() {
		DataSource comingBack = new AbstractDataSource() {

			private boolean away = true;

			@Override
			public Connection getConnection() throws SQLException {
				if (this.away) {
					throw new SQLException("The database is away");
				}
				return FirstClaimTests.this.pool.getConnection();
			}

			@Override
			public Connection getConnection(String user, String password) throws SQLException {
				this.away = false;
				return getConnection();
			}

		};
		JdbcFences fences = fences(FirstClaimTests::createTable);
		assertThat(fences.prepare(comingBack)).as("not certain").isEmpty();
		assertThatExceptionOfType(SQLException.class).isThrownBy(comingBack::getConnection);
		assertThat(comingBack).satisfies((database) -> database.getConnection("user", "password").close());
		assertThat(fences.prepare(comingBack)).isEmpty();
		claim(fences((database) -> {
			throw new AssertionError("The table was not created by the second attempt");
		}));
	}

	private void setPool(int connections, Duration timeout) {
		this.pool.setMaximumPoolSize(connections);
		this.pool.setConnectionTimeout(timeout.toMillis());
	}

	private static JdbcFences fences(Consumer<DataSource> creator) {
		return new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of(), creator);
	}

	/**
	 * Create the table with a connection of its own, not with that of the transaction.
	 */
	private static void createTable(DataSource database) {
		try (Connection connection = database.getConnection()) {
			new ResourceDatabasePopulator(new ClassPathResource("schema-h2.sql", JdbcFences.class))
				.populate(connection);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void claim(JdbcFences fences) {
		this.transaction.executeWithoutResult((status) -> fences.claim(FencedTransactionTests.handle("a", 5)));
	}

	/**
	 * Let each thread take a connection before any of them claims.
	 * @return the failure of each claim, or {@code null}
	 */
	private List<@Nullable Throwable> claimInThreads(JdbcFences fences, int threads) {
		CyclicBarrier connected = new CyclicBarrier(threads);
		Executor executor = (work) -> new Thread(work).start();
		return IntStream.range(0, threads)
			.mapToObj((index) -> CompletableFuture.runAsync(() -> this.transaction.executeWithoutResult((status) -> {
				await(connected);
				fences.claim(FencedTransactionTests.handle("lock-" + index, 5));
			}), executor))
			.toList()
			.stream()
			.<@Nullable Throwable>map(FirstClaimTests::failure)
			.toList();
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException | BrokenBarrierException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static @Nullable Throwable failure(CompletableFuture<Void> claim) {
		try {
			claim.get(30, TimeUnit.SECONDS);
			return null;
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		catch (InterruptedException | TimeoutException ex) {
			return ex;
		}
	}

}
