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

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import javax.sql.DataSource;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for transactions of JPA, which claim with the connection of the entity manager.
 */
class FencedJpaTransactionTests {

	private final DataSource dataSource = TestDatabase.H2.create();

	private final CountingDataSource counting = new CountingDataSource(this.dataSource);

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private LocalContainerEntityManagerFactoryBean factory;

	private EntityManager entities;

	private TransactionTemplate transaction;

	private TransactionTemplate newTransaction;

	@BeforeEach
	void start() {
		this.factory = factory(Map.of("hibernate.hbm2ddl.auto", "create"), this.counting);
		EntityManagerFactory made = this.factory.getObject();
		this.entities = SharedEntityManagerCreator.createSharedEntityManager(made);
		this.transaction = new TransactionTemplate(transactionManager(made));
		this.newTransaction = new TransactionTemplate(this.transaction.getTransactionManager());
		this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	private LocalContainerEntityManagerFactoryBean factory(Map<String, String> properties, DataSource dataSource) {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setDataSource(dataSource);
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		factory.setPackagesToScan(getClass().getPackageName());
		factory.setJpaPropertyMap(properties);
		factory.afterPropertiesSet();
		return factory;
	}

	private static JpaTransactionManager transactionManager(EntityManagerFactory factory) {
		JpaTransactionManager manager = new JpaTransactionManager(factory);
		manager.afterPropertiesSet();
		return FencedTransactionTests.fenced(manager, new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of()));
	}

	@AfterEach
	void stop() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(this.counting.open()).isZero();
		this.factory.destroy();
	}

	@Test
	void theFenceIsClaimedInTheTransactionOfTheEntityManager() {
		inTransaction(5, (status) -> {
			this.entities.persist(new Item(1));
			this.entities.flush();
			status.setRollbackOnly();
		});
		assertThat(fences()).isEmpty();
		inTransaction(5, (status) -> this.entities.persist(new Item(1)));
		assertThat(fences()).containsExactly(5L);
		int before = this.counting.statements();
		inTransaction(6, (status) -> this.entities.persist(new Item(2)));
		// The claim, of which H2 is asked for its time limit before, and the insert
		assertThat(this.counting.statements()).isEqualTo(before + 3);
	}

	@Test
	void anEarlierHolderIsRefused() {
		inTransaction(6, FencedTransactionTests.NOTHING);
		FencedTransactionTests.under("a", 5, () -> assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.entities.persist(new Item(1)))));
		this.transaction.executeWithoutResult((status) -> {
			FencedTransactionTests.under("a", 5, () -> assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> this.newTransaction.executeWithoutResult(FencedTransactionTests.NOTHING)));
			this.entities.persist(new Item(3));
		});
		assertThat(this.entities.find(Item.class, 1)).isNull();
		assertThat(this.entities.find(Item.class, 3)).isNotNull();
	}

	@Test
	void requiresNewDoesNotWaitForTheOuterTransaction() {
		inTransaction(5, (status) -> {
			this.newTransaction.executeWithoutResult((covered) -> this.entities.persist(new Item(1)));
			FencedTransactionTests.under("a", 7, () -> assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(
						() -> this.newTransaction.executeWithoutResult((refused) -> this.entities.persist(new Item(2))))
				.withMessageContaining("its lease ended while a transaction with fencing token 5 was suspended"));
		});
		assertThat(fences()).containsExactly(5L);
		assertThat(this.entities.find(Item.class, 1)).isNotNull();
		assertThat(this.entities.find(Item.class, 2)).isNull();
	}

	@Test
	void requiresNewCommitStaysFencedAfterRollbackOfTheOuterTransaction() {
		inTransaction(5, (status) -> {
			this.newTransaction.executeWithoutResult((covered) -> this.entities.persist(new Item(1)));
			this.entities.persist(new Item(2));
			this.entities.flush();
			status.setRollbackOnly();
		});
		assertThat(fences()).containsExactly(5L);
		assertThat(this.entities.find(Item.class, 1)).isNotNull();
		assertThat(this.entities.find(Item.class, 2)).isNull();
	}

	@Test
	void aTransactionManagerWithoutADataSourceBeginsNothingUnderAFencedLock() {
		String url = ((DriverManagerDataSource) this.dataSource).getUrl();
		LocalContainerEntityManagerFactoryBean ownConnections = factory(Map.of("jakarta.persistence.jdbc.url", url),
				null);
		TransactionTemplate unknown = new TransactionTemplate(transactionManager(ownConnections.getObject()));
		FencedTransactionTests.under("a", 5,
				() -> assertThatIllegalStateException()
					.isThrownBy(() -> unknown.executeWithoutResult(FencedTransactionTests::fail))
					.withMessage("The fence of lock 'a' cannot be claimed: the transaction is one of a "
							+ "JpaTransactionManager without a data source. Set the data source of the entity manager "
							+ "factory, or of the transaction manager."));
		unknown.executeWithoutResult(FencedTransactionTests.NOTHING);
		ownConnections.destroy();
	}

	private void inTransaction(long token, Consumer<TransactionStatus> work) {
		FencedTransactionTests.under("a", token, () -> this.transaction.executeWithoutResult(work));
	}

	private List<Long> fences() {
		return this.jdbc.queryForList("select fence from distributed_lock_fence", Long.class);
	}

	@Entity
	static class Item {

		@Id
		private int id;

		Item() {
		}

		Item(int id) {
			this.id = id;
		}

		int id() {
			return this.id;
		}

	}

}
