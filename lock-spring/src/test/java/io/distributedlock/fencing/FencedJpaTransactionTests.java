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

import javax.sql.DataSource;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
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

	@BeforeEach
	void start() {
		this.factory = new LocalContainerEntityManagerFactoryBean();
		this.factory.setDataSource(this.counting);
		this.factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		this.factory.setPackagesToScan(getClass().getPackageName());
		this.factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
		this.factory.afterPropertiesSet();
		EntityManagerFactory made = this.factory.getObject();
		this.entities = SharedEntityManagerCreator.createSharedEntityManager(made);
		this.transaction = new TransactionTemplate(transactionManager(made));
	}

	private static JpaTransactionManager transactionManager(EntityManagerFactory factory) {
		StaticListableBeanFactory beans = new StaticListableBeanFactory();
		beans.addBean("fences", new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of()));
		JpaTransactionManager manager = new JpaTransactionManager(factory);
		manager.afterPropertiesSet();
		return (JpaTransactionManager) new FencedTransactionPostProcessor(beans.getBeanProvider(JdbcFences.class))
			.postProcessAfterInitialization(manager, "transactionManager");
	}

	@AfterEach
	void stop() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(this.counting.open()).isZero();
		this.factory.destroy();
	}

	@Test
	void theFenceIsClaimedInTheTransactionOfTheEntityManager() {
		FencedTransactionTests.under("a", 5, () -> this.transaction.executeWithoutResult((status) -> {
			this.entities.persist(new Item(1));
			this.entities.flush();
			status.setRollbackOnly();
		}));
		assertThat(this.jdbc.queryForList("select fence from distributed_lock_fence")).isEmpty();
		FencedTransactionTests.under("a", 5,
				() -> this.transaction.executeWithoutResult((status) -> this.entities.persist(new Item(1))));
		assertThat(this.jdbc.queryForObject("select fence from distributed_lock_fence", Long.class)).isEqualTo(5);
		int before = this.counting.statements();
		FencedTransactionTests.under("a", 6,
				() -> this.transaction.executeWithoutResult((status) -> this.entities.persist(new Item(2))));
		// The claim, of which H2 is asked for its time limit before, and the insert
		assertThat(this.counting.statements()).isEqualTo(before + 3);
	}

	@Test
	void anEarlierHolderIsRefused() {
		FencedTransactionTests.under("a", 6, () -> this.transaction.executeWithoutResult((status) -> {
		}));
		FencedTransactionTests.under("a", 5, () -> assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.entities.persist(new Item(1)))));
		TransactionTemplate inner = new TransactionTemplate(this.transaction.getTransactionManager());
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			FencedTransactionTests.under("a", 5, () -> assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> inner.executeWithoutResult((refused) -> {
				})));
			this.entities.persist(new Item(3));
		});
		assertThat(this.entities.find(Item.class, 1)).isNull();
		assertThat(this.entities.find(Item.class, 3)).isNotNull();
	}

	@Test
	void aNewTransactionDoesNotWaitForTheOneAroundIt() {
		TransactionTemplate inner = new TransactionTemplate(this.transaction.getTransactionManager());
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		FencedTransactionTests.under("a", 5, () -> this.transaction.executeWithoutResult((status) -> {
			inner.executeWithoutResult((covered) -> this.entities.persist(new Item(1)));
			FencedTransactionTests.under("a", 7, () -> assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> inner.executeWithoutResult((refused) -> this.entities.persist(new Item(2))))
				.withMessageContaining("its lease ended while a transaction with fencing token 5 was suspended"));
		}));
		assertThat(this.jdbc.queryForObject("select fence from distributed_lock_fence", Long.class)).isEqualTo(5);
		assertThat(this.entities.find(Item.class, 1)).isNotNull();
		assertThat(this.entities.find(Item.class, 2)).isNull();
	}

	@Test
	void whatANewTransactionHasCommittedIsFencedAlsoIfTheOneAroundItIsRolledBack() {
		TransactionTemplate inner = new TransactionTemplate(this.transaction.getTransactionManager());
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		FencedTransactionTests.under("a", 5, () -> this.transaction.executeWithoutResult((status) -> {
			inner.executeWithoutResult((covered) -> this.entities.persist(new Item(1)));
			this.entities.persist(new Item(2));
			this.entities.flush();
			status.setRollbackOnly();
		}));
		assertThat(this.jdbc.queryForObject("select fence from distributed_lock_fence", Long.class)).isEqualTo(5);
		assertThat(this.entities.find(Item.class, 1)).isNotNull();
		assertThat(this.entities.find(Item.class, 2)).isNull();
	}

	@Test
	void aTransactionManagerWithoutADataSourceBeginsNothingUnderAFencedLock() {
		String url = ((DriverManagerDataSource) this.dataSource).getUrl();
		LocalContainerEntityManagerFactoryBean ownConnections = new LocalContainerEntityManagerFactoryBean();
		ownConnections.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		ownConnections.setPackagesToScan(getClass().getPackageName());
		ownConnections.setJpaPropertyMap(Map.of("jakarta.persistence.jdbc.url", url));
		ownConnections.afterPropertiesSet();
		TransactionTemplate unknown = new TransactionTemplate(transactionManager(ownConnections.getObject()));
		FencedTransactionTests.under("a", 5,
				() -> assertThatIllegalStateException().isThrownBy(() -> unknown.executeWithoutResult((status) -> {
					throw new AssertionError("It began");
				}))
					.withMessage("The fence of lock 'a' cannot be claimed: the transaction is one of a "
							+ "JpaTransactionManager without a data source. Set the data source of the entity manager "
							+ "factory, or of the transaction manager."));
		unknown.executeWithoutResult((status) -> {
		});
		ownConnections.destroy();
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
