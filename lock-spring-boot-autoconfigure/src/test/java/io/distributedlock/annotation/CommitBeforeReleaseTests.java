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

package io.distributedlock.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.distributedlock.faults.RedisInstances;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.transaction.internal.LockedTransactionPostProcessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances take turns, on a real Redis and a real database, each over connections of
 * its own: the next holder always sees what the previous one has committed.
 */
@ExtendWith(RedisExtension.class)
class CommitBeforeReleaseTests {

	private static final int ROUNDS = 200;

	private final DataSource dataSource = database();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final RedisInstances instances;

	private final List<LockFixture> fixtures = new ArrayList<>();

	private final List<Stock> stocks = new ArrayList<>();

	private final ExecutorService threads = Executors.newFixedThreadPool(2);

	CommitBeforeReleaseTests(RedisServer server) {
		this.instances = new RedisInstances(server);
	}

	@BeforeEach
	void start() {
		this.jdbc.execute("create table stock (id int primary key, quantity int not null)");
		this.jdbc.execute("create table journal (quantity int not null)");
		this.jdbc.execute("insert into stock values (1, 0)");
		for (String name : List.of("here", "there")) {
			LockFixture fixture = new LockFixture(this.instances.start(name));
			fixture.context.register(DatabaseConfiguration.class);
			this.fixtures.add(fixture);
			this.stocks.add(fixture.start(Stock.class));
		}
	}

	@AfterEach
	void stop() throws Exception {
		this.threads.shutdownNow();
		this.fixtures.forEach(LockFixture::close);
		this.instances.close();
		this.jdbc.execute("drop all objects");
	}

	@ParameterizedTest
	@EnumSource
	void nextHolderAlwaysSeesTheCommit(Shape shape) {
		List<CompletableFuture<Void>> turns = new ArrayList<>();
		for (Stock stock : this.stocks) {
			turns.add(CompletableFuture.runAsync(() -> {
				for (int round = 0; round < ROUNDS / 2; round++) {
					shape.run(stock, round);
				}
			}, this.threads));
		}
		assertThat(CompletableFuture.allOf(turns.toArray(CompletableFuture<?>[]::new))).succeedsWithin(60,
				TimeUnit.SECONDS);
		assertThat(count("select quantity from stock where id = 1")).isEqualTo(shape.committed());
		assertThat(count("select count(distinct quantity) from journal")).isEqualTo(shape.journalled());
	}

	private int count(String query) {
		Integer count = this.jdbc.queryForObject(query, Integer.class);
		return (count != null) ? count : -1;
	}

	private static DataSource database() {
		return new DriverManagerDataSource("jdbc:h2:mem:commit;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
	}

	enum Shape {

		TRANSACTION_UNDER_THE_LOCK {

			@Override
			void run(Stock stock, int round) {
				stock.increment();
			}

			@Override
			int journalled() {
				return 0;
			}

		},

		LOCK_IN_A_TRANSACTION_THAT_COMMITS_OR_ROLLS_BACK {

			@Override
			void run(Stock stock, int round) {
				stock.inTransaction((status) -> {
					stock.increment();
					if (round % 4 == 3) {
						status.setRollbackOnly();
					}
				});
			}

			@Override
			int committed() {
				return ROUNDS * 3 / 4;
			}

			@Override
			int journalled() {
				return 0;
			}

		},

		LOCK_IN_A_TRANSACTION_WITH_A_NEW_ONE_INSIDE {

			@Override
			void run(Stock stock, int round) {
				stock.inTransaction((status) -> stock.incrementWithJournal());
			}

		};

		abstract void run(Stock stock, int round);

		int committed() {
			return ROUNDS;
		}

		int journalled() {
			return ROUNDS;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class DatabaseConfiguration {

		@Bean
		static LockedTransactionPostProcessor lockedTransactionPostProcessor() {
			return new LockedTransactionPostProcessor();
		}

		@Bean
		DataSource dataSource() {
			return database();
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		private final TransactionTemplate newTransaction;

		Stock(DataSource dataSource, PlatformTransactionManager transactionManager) {
			this.jdbc = new JdbcTemplate(dataSource);
			this.transaction = new TransactionTemplate(transactionManager);
			this.newTransaction = new TransactionTemplate(transactionManager);
			this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		}

		public void inTransaction(Consumer<TransactionStatus> action) {
			this.transaction.executeWithoutResult(action);
		}

		@DistributedLock(name = "stock", waitTime = 30)
		@Transactional
		public void increment() {
			write(read());
		}

		/**
		 * Keeps what was read, in a transaction that commits while the lock is held.
		 */
		@DistributedLock(name = "stock", waitTime = 30)
		@Transactional
		public void incrementWithJournal() {
			int quantity = read();
			this.newTransaction
				.executeWithoutResult((status) -> this.jdbc.update("insert into journal values (?)", quantity));
			write(quantity);
		}

		/**
		 * Reads, and writes later: loses updates unless it is alone.
		 */
		private int read() {
			Integer quantity = this.jdbc.queryForObject("select quantity from stock where id = 1", Integer.class);
			Thread.yield();
			return (quantity != null) ? quantity : -1;
		}

		private void write(int quantity) {
			this.jdbc.update("update stock set quantity = ? where id = 1", quantity + 1);
		}

	}

}
