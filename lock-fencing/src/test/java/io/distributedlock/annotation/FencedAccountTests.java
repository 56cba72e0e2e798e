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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.distributedlock.faults.RedisInstances;
import io.distributedlock.fencing.FencedTransactionPostProcessor;
import io.distributedlock.fencing.JdbcFences;
import io.distributedlock.fencing.StaleLockException;
import io.distributedlock.fencing.configuration.internal.LockFencingConfiguration;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Two instances of an application that both believe to hold the lock of an account, on a
 * real Redis and a real database.
 */
@ExtendWith(RedisExtension.class)
class FencedAccountTests {

	private static final int ROUNDS = 200;

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().generateUniqueName(true)
		.setType(EmbeddedDatabaseType.H2)
		.build();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private final RedisServer server;

	private final RedisInstances instances;

	private final LockFixture here;

	private final LockFixture there;

	FencedAccountTests(RedisServer server) {
		this.server = server;
		this.instances = new RedisInstances(server);
		this.here = new LockFixture(this.instances.start("here"));
		this.there = new LockFixture(this.instances.start("there"));
	}

	@BeforeEach
	void createTables() {
		this.jdbc.execute("create table account (id int primary key, balance int not null)");
		this.jdbc.execute("insert into account values (7, 0)");
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("schema-h2.sql", JdbcFences.class)), this.database);
	}

	@AfterEach
	void stop() throws Exception {
		this.here.close();
		this.there.close();
		this.instances.close();
		this.database.shutdown();
	}

	@Test
	void twoHoldersLoseUpdatesWithoutAFence() throws Exception {
		Accounts one = start(this.here);
		Accounts other = start(this.there);
		for (int round = 0; round < ROUNDS; round++) {
			one.increment(7, () -> {
				this.server.cli("DEL", "lock:account:7");
				other.increment(7, () -> {
				});
			});
		}
		assertThat(balance()).isEqualTo(ROUNDS);
	}

	@Test
	void twoHoldersLoseNoUpdateWithAFence() throws Exception {
		Accounts one = start(this.here);
		Accounts other = start(this.there);
		Semaphore begins = new Semaphore(0);
		transactions(this.there).addListener(new TransactionExecutionListener() {

			@Override
			public void beforeBegin(TransactionExecution transaction) {
				begins.release();
			}

		});
		for (int round = 0; round < ROUNDS; round++) {
			CompletableFuture<CompletableFuture<Void>> second = new CompletableFuture<>();
			one.incrementFenced(7, () -> {
				this.server.cli("DEL", "lock:account:7");
				second.complete(CompletableFuture.runAsync(() -> other.incrementFenced(7, () -> {
				}), (task) -> new Thread(task).start()));
				begins.acquireUninterruptibly();
				Thread.yield();
				assertThat(second.join()).isNotDone();
			});
			second.get().get(10, TimeUnit.SECONDS);
		}
		assertThat(balance()).isEqualTo(2 * ROUNDS);
	}

	@Test
	void holderPausedBeyondTheLeaseIsRefused() throws Exception {
		Accounts slow = start(this.here);
		Accounts quick = start(this.there);
		Semaphore paused = new Semaphore(0);
		Semaphore goOn = new Semaphore(0);
		transactions(this.here).addListener(new TransactionExecutionListener() {

			@Override
			public void beforeBegin(TransactionExecution transaction) {
				paused.release();
				goOn.acquireUninterruptibly();
			}

		});
		CompletableFuture<Void> late = CompletableFuture.runAsync(() -> slow.incrementFenced(7, () -> {
		}));
		paused.acquire();
		this.instances.endLease("account:7", java.time.Duration.ofSeconds(30));
		quick.incrementFenced(7, () -> {
		});
		goOn.release();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(StaleLockException.class);
		assertThat(balance()).isOne();
	}

	@Test
	void innerMethodDoesNotWaitForTheSameThreadAfterTheEndOfTheLease() {
		Accounts accounts = start(this.here);
		assertTimeoutPreemptively(java.time.Duration.ofSeconds(30),
				() -> assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> accounts.incrementFenced(7, () -> {
						this.instances.endLease("account:7", java.time.Duration.ofSeconds(30));
						accounts.incrementFencedAnew(7);
					}))
					.withMessageContaining("its lease ended while a transaction"));
		assertThat(balance()).isZero();
		accounts.incrementFenced(7, () -> accounts.incrementFencedAnew(7));
	}

	private Accounts start(LockFixture fixture) {
		AnnotationConfigApplicationContext context = fixture.context;
		context.registerBean(DataSource.class, () -> this.database,
				(definition) -> definition.setDestroyMethodName(""));
		context.register(TransactionConfiguration.class, LockFencingConfiguration.class);
		return fixture.start(Accounts.class);
	}

	private static JdbcTransactionManager transactions(LockFixture fixture) {
		return fixture.context.getBean(JdbcTransactionManager.class);
	}

	private int balance() {
		Integer balance = this.jdbc.queryForObject("select balance from account where id = 7", Integer.class);
		return (balance != null) ? balance : -1;
	}

	static class Accounts {

		private final JdbcTemplate jdbc;

		Accounts(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@Transactional
		@DistributedLock(name = "'account:' + #id", fenced = true)
		public void incrementFenced(int id, Runnable pause) {
			readAndWrite(id, pause);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "'account:' + #id", fenced = true)
		public void incrementFencedAnew(int id) {
		}

		@DistributedLock(name = "'account:' + #id")
		public void increment(int id, Runnable pause) {
			readAndWrite(id, pause);
		}

		private void readAndWrite(int id, Runnable pause) {
			Integer balance = this.jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
			pause.run();
			this.jdbc.update("update account set balance = ? where id = ?", balance + 1, id);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class TransactionConfiguration {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcFences fences() {
			return new JdbcFences(JdbcFences.DEFAULT_TABLE, java.util.List.of());
		}

		@Bean
		static FencedTransactionPostProcessor fencedTransactionPostProcessor(
				org.springframework.beans.factory.ObjectProvider<JdbcFences> fences) {
			return new FencedTransactionPostProcessor(fences);
		}

	}

}
