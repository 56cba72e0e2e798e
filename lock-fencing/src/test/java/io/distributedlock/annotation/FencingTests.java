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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.distributedlock.LockContext;
import io.distributedlock.faults.RedisInstances;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The example of docs/fencing.md: a table that refuses holders whose lease has ended, on
 * a real Redis and a real database.
 */
@ExtendWith(RedisExtension.class)
class FencingTests {

	private final DataSource dataSource = new DriverManagerDataSource("jdbc:h2:mem:fencing;DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final RedisInstances instances;

	private final LockFixture here;

	private final LockFixture there;

	FencingTests(RedisServer server) {
		this.instances = new RedisInstances(server);
		this.here = new LockFixture(this.instances.start("here"));
		this.there = new LockFixture(this.instances.start("there"));
	}

	@BeforeEach
	void createTable() {
		this.jdbc.execute("create table account (id int primary key, balance int not null, fence bigint not null)");
		this.jdbc.execute("insert into account values (7, 100, 0)");
	}

	@AfterEach
	void stop() throws Exception {
		this.here.close();
		this.there.close();
		this.instances.close();
		this.jdbc.execute("drop table account");
	}

	@Test
	void fencingTokenReachesTheRepository() {
		AccountService service = start(this.here);
		service.deposit(7, 10, null);
		long first = fence();
		service.deposit(7, 10, null);
		assertThat(first).isPositive();
		assertThat(fence()).isGreaterThan(first);
		assertThat(balance()).isEqualTo(120);
	}

	@Test
	void holderPausedBeyondTheLeaseIsRefused() {
		AccountService slow = start(this.here);
		AccountService quick = start(this.there);
		CountDownLatch paused = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		CompletableFuture<Void> late = CompletableFuture.runAsync(() -> slow.deposit(7, 10, () -> {
			paused.countDown();
			goOn.await();
		}));
		await().until(() -> paused.getCount() == 0);
		this.instances.endLease("account:7", Duration.ofSeconds(30));
		quick.deposit(7, 50, null);
		long fence = fence();
		goOn.countDown();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(OptimisticLockingFailureException.class);
		assertThat(balance()).isEqualTo(150);
		assertThat(fence()).isEqualTo(fence);
	}

	private AccountService start(LockFixture fixture) {
		fixture.context.registerBean(AccountRepository.class, () -> new AccountRepository(this.jdbc));
		return fixture.start(AccountService.class);
	}

	private int balance() {
		Integer balance = this.jdbc.queryForObject("select balance from account where id = 7", Integer.class);
		return (balance != null) ? balance : -1;
	}

	private long fence() {
		Long fence = this.jdbc.queryForObject("select fence from account where id = 7", Long.class);
		return (fence != null) ? fence : -1;
	}

	interface Pause {

		void await() throws InterruptedException;

	}

	static class AccountService {

		private final AccountRepository accounts;

		AccountService(AccountRepository accounts) {
			this.accounts = accounts;
		}

		@DistributedLock(name = "'account:' + #id", timeout = 30)
		public void deposit(int id, int amount, @Nullable Pause pause) {
			int balance = this.accounts.balance(id);
			if (pause != null) {
				try {
					pause.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
			this.accounts.save(id, balance + amount);
		}

	}

	static class AccountRepository {

		private final JdbcTemplate jdbc;

		AccountRepository(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		int balance(int id) {
			Integer balance = this.jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
			return (balance != null) ? balance : 0;
		}

		void save(int id, int balance) {
			long token = LockContext.current().orElseThrow().fencingToken();
			int rows = this.jdbc.update("update account set balance = ?, fence = ? where id = ? and fence <= ?",
					balance, token, id, token);
			if (rows == 0) {
				throw new OptimisticLockingFailureException(
						"Account " + id + " was changed by a later holder of its lock than " + token);
			}
		}

	}

}
