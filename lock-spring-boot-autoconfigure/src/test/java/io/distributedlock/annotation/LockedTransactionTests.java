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

import javax.sql.DataSource;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.transaction.internal.LockedTransactionPostProcessor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for locks beside transactions, with a real database.
 */
class LockedTransactionTests {

	private final LockFixture fixture = new LockFixture();

	private Stock stock;

	private JdbcTemplate jdbc;

	private TransactionTemplate transaction;

	@BeforeEach
	void start() {
		this.fixture.context.register(DatabaseConfiguration.class);
		this.stock = this.fixture.start(Stock.class);
		this.jdbc = this.fixture.context.getBean(JdbcTemplate.class);
		this.jdbc.execute("create table stock (id int primary key, quantity int not null)");
		this.jdbc.execute("insert into stock values (1, 0)");
		this.transaction = new TransactionTemplate(this.fixture.context.getBean(PlatformTransactionManager.class));
	}

	@AfterEach
	void stop() {
		this.jdbc.execute("drop table stock");
		this.fixture.close();
	}

	@Test
	void lockCoversTheCommit() {
		this.stock.increment(null);
		assertThat(this.fixture.locks.takeLog()).containsExactly("acquire stock", "committed", "release stock");
		assertThat(quantity()).isEqualTo(1);
	}

	@Test
	void lockIsTakenBeforeTheTransactionBegins() {
		List<Boolean> active = new ArrayList<>();
		this.fixture.locks.beforeAcquire = () -> active
			.add(TransactionSynchronizationManager.isActualTransactionActive());
		this.stock.increment(null);
		assertThat(active).containsExactly(false);
		assertThat(this.fixture.context.getBean(DistributedLockAdvisor.class).getOrder())
			.isLessThan(this.fixture.context.getBean(BeanFactoryTransactionAttributeSourceAdvisor.class).getOrder());
	}

	@Test
	void lockTakenInATransactionIsReleasedAfterItsCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.increment(null);
			assertThat(this.fixture.locks.log).containsExactly("acquire stock", "enter stock", "leave stock");
		});
		assertThat(this.fixture.locks.log).endsWith("leave stock", "committed", "release stock");
	}

	@Test
	@DisplayName("A lock taken in a transaction is released after its rollback, without minimum hold")
	void rollbackReleasesTheLockWithoutMinimumHold() {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			this.stock.increment(null);
			throw new IllegalStateException("test");
		}));
		assertThat(this.fixture.locks.log).endsWith("leave stock", "waive stock", "release stock");
		assertThat(quantity()).isZero();
	}

	@Test
	void transactionBegunUnderALostLockRollsBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.incrementAndLose(null));
		assertThat(quantity()).isZero();
		assertThat(this.fixture.locks.log).contains("release stock");
	}

	@Test
	void newTransactionInsideALockedMethodRollsBackWhenTheLockIsLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.stock.loseAndCall(null, () -> this.stock.incrementInNewTransaction()));
		assertThat(quantity()).isZero();
	}

	@Test
	void transactionAroundALostLockRollsBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.stock.incrementAndLose(null)));
		assertThat(quantity()).isZero();
	}

	@Test
	void readOnlyTransactionIgnoresALoss() {
		this.transaction.setReadOnly(true);
		this.transaction.executeWithoutResult((status) -> this.stock.loseAndCall(null, () -> {
		}));
		this.stock.loseAndCall(null, () -> this.transaction.executeWithoutResult((status) -> quantity()));
		assertThat(this.fixture.locks.log).filteredOn("release stock"::equals).hasSize(2);
	}

	@Test
	void lossIsToldToTheCallerBeforeTheTransactionEndsIfWanted() {
		this.transaction.executeWithoutResult((status) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.loseAndThrow(null));
			status.setRollbackOnly();
		});
		assertThat(this.fixture.locks.log).contains("release stock");
	}

	@Test
	@DisplayName("A failure of the method ends the minimum hold, though the transaction commits")
	void failureEndsTheMinimumHoldThoughTheTransactionCommits() {
		this.transaction.executeWithoutResult(
				(status) -> assertThatIllegalStateException().isThrownBy(() -> this.stock.call(null, () -> {
					throw new IllegalStateException("test");
				})));
		assertThat(this.fixture.locks.log).endsWith("waive stock", "leave stock", "release stock");
	}

	@Test
	void transactionAfterALostLockIsNotConcerned() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.incrementAndLose(null));
		this.stock.incrementInNewTransaction();
		assertThat(quantity()).isEqualTo(1);
	}

	@Test
	void methodCommitsAfterReleasingTheLockItself() {
		this.stock.incrementAndRelease(null);
		assertThat(quantity()).isEqualTo(1);
	}

	private int quantity() {
		Integer quantity = this.jdbc.queryForObject("select quantity from stock where id = 1", Integer.class);
		return (quantity != null) ? quantity : -1;
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
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		private final RecordingLockService locks;

		Stock(JdbcTemplate jdbc, RecordingLockService locks) {
			this.jdbc = jdbc;
			this.locks = locks;
		}

		@DistributedLock("stock")
		@Transactional
		public void increment(@Nullable LockHandle handle) {
			update();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Stock.this.locks.log.add("committed");
				}

				@Override
				public int getOrder() {
					return 0;
				}

			});
		}

		@DistributedLock("stock")
		@Transactional
		public void incrementAndLose(@Nullable LockHandle handle) {
			update();
			((RecordingLockService.RecordingHandle) handle).lose();
		}

		@DistributedLock("stock")
		@Transactional
		public void incrementAndRelease(@Nullable LockHandle handle) {
			update();
			handle.close();
		}

		@DistributedLock("stock")
		public void call(@Nullable LockHandle handle, Runnable action) {
			action.run();
		}

		@DistributedLock(name = "stock", onLost = LossReaction.THROW)
		public void loseAndThrow(@Nullable LockHandle handle) {
			((RecordingLockService.RecordingHandle) handle).lose();
		}

		@DistributedLock("stock")
		public void loseAndCall(@Nullable LockHandle handle, Runnable action) {
			((RecordingLockService.RecordingHandle) handle).lose();
			action.run();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void incrementInNewTransaction() {
			update();
		}

		private void update() {
			this.jdbc.update("update stock set quantity = quantity + 1 where id = 1");
		}

	}

}
