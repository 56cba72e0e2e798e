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

package io.distributedlock.example;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Transactions under a lock, in an application without Spring Boot.
 */
class TransactionsWithoutSpringBootTests {

	@Test
	void transactionRollsBackIfItsLockIsLostBeforeTheCommit() {
		try (var context = new AnnotationConfigApplicationContext(Application.class)) {
			Payments payments = context.getBean(Payments.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> payments.pay(true, null));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> payments.payWithPermits(true, null));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> payments.payShared(true, null));
			assertThat(payments.count()).isZero();
		}
	}

	@Test
	void transactionCommitsUnderALockThatIsHeld() {
		try (var context = new AnnotationConfigApplicationContext(Application.class)) {
			Payments payments = context.getBean(Payments.class);
			payments.pay(false, null);
			payments.payWithPermits(false, null);
			payments.payShared(false, null);
			assertThat(payments.count()).isEqualTo(3);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(DistributedLockConfiguration.class)
	@EnableTransactionManagement
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Application {

		@Bean
		InMemoryLockStore store() {
			return new InMemoryLockStore();
		}

		@Bean
		DefaultLockService locks(InMemoryLockStore store) {
			return new DefaultLockService(store, EngineSettings.of("shop-1"), List.of());
		}

		@Bean
		DataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		Payments payments(DataSource dataSource) {
			return new Payments(new JdbcTemplate(dataSource));
		}

	}

	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table payment (id int)");
		}

		@Transactional
		@DistributedLock(name = "payment", timeoutString = "300ms")
		public void pay(boolean late, LockHandle lock) {
			insert(late, lock);
		}

		@Transactional
		@DistributedLock(name = "payment-with-permits", timeoutString = "300ms", permits = 2)
		public void payWithPermits(boolean late, LockHandle lock) {
			insert(late, lock);
		}

		@Transactional
		@DistributedLock(name = "payment-shared", timeoutString = "300ms", mode = LockMode.SHARED)
		public void payShared(boolean late, LockHandle lock) {
			insert(late, lock);
		}

		private void insert(boolean late, LockHandle lock) {
			this.jdbc.update("insert into payment values (1)");
			if (late) {
				await().atMost(Duration.ofSeconds(10)).until(() -> !lock.isHeld());
			}
		}

		int count() {
			Integer count = this.jdbc.queryForObject("select count(*) from payment", Integer.class);
			return (count != null) ? count : -1;
		}

	}

}
