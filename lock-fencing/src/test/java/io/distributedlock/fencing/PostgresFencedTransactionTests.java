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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.distributedlock.testsupport.DatabaseServer;
import io.distributedlock.testsupport.EnabledIfInstalled;
import io.distributedlock.testsupport.OptionalPackage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for fenced transactions on PostgreSQL.
 */
@EnabledIfInstalled(value = OptionalPackage.POSTGRESQL, tests = "fenced transactions on PostgreSQL")
class PostgresFencedTransactionTests extends FencedTransactionTests {

	PostgresFencedTransactionTests() {
		super(TestDatabase.POSTGRESQL);
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1, localhost", "/postgres, /postgres?ApplicationName=other",
			"/postgres, /postgres?currentSchema=pg_temp%2Cpublic" })
	void transactionOfATwinPoolDoesNotWaitForTheOuterTransaction(String text, String replacement) {
		DataSource one = TestDatabase.POSTGRESQL.create();
		DataSource twin = new DriverManagerDataSource(DatabaseServer.postgres().url().replace(text, replacement),
				DatabaseServer.postgres().user(), "");
		beginsWithinATransactionOf(one, twin);
		assertThat(new JdbcTemplate(one).queryForList("select count(*) from pg_locks where locktype = 'advisory'",
				Long.class))
			.containsExactly(0L);
	}

	@Test
	void eachSchemaHasSeparateFences() {
		JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.create());
		List.of("tenant1", "tenant2")
			.forEach((each) -> jdbc
				.execute("drop schema if exists " + each + " cascade; create schema " + each + "; create table " + each
						+ ".distributed_lock_fence (like public.distributed_lock_fence including all)"));
		AtomicReference<String> schema = new AtomicReference<>("tenant1");
		DataSource perTenant = new DelegatingDataSource(Objects.requireNonNull(jdbc.getDataSource())) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setSchema(schema.get());
				return connection;
			}

		};
		TransactionTemplate transaction = new TransactionTemplate(
				transactionManager(perTenant, new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of())));
		transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		under("a", 5, () -> transaction.executeWithoutResult((status) -> {
			schema.set("tenant2");
			transaction.executeWithoutResult(NOTHING);
		}));
		assertThat(jdbc.queryForList(
				"select fence from tenant1.distributed_lock_fence union all select fence from tenant2.distributed_lock_fence",
				Long.class))
			.containsExactly(5L, 5L);
	}

}
