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

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for transactions of several data sources, some of which are named, and of those
 * that are wrapped.
 */
class FencedDataSourcesTests {

	private static final UnaryOperator<DataSource> SAME = (dataSource) -> dataSource;

	private static final ThreadLocal<String> KEY = new ThreadLocal<>();

	private final DataSource one = TestDatabase.H2.create();

	private final DataSource other = TestDatabase.H2.create();

	@BeforeEach
	void routeToTheFirst() {
		KEY.set("one");
	}

	@AfterEach
	void nothingIsLeft() {
		KEY.remove();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
	}

	static Stream<Arguments> wrappers() {
		Named<UnaryOperator<DataSource>> same = Named.of("itself", SAME);
		List<Named<UnaryOperator<DataSource>>> wrappers = List.of(Named.of("lazy", LazyConnectionDataSourceProxy::new),
				Named.of("transaction-aware", TransactionAwareDataSourceProxy::new),
				Named.of("wrapped twice",
						(dataSource) -> new DelegatingDataSource(new LazyConnectionDataSourceProxy(dataSource))),
				Named.of("routing", (dataSource) -> routing(Map.of("one", dataSource))));
		return wrappers.stream()
			.flatMap((wrapper) -> Stream.of(Arguments.of(same, wrapper), Arguments.of(wrapper, same),
					Arguments.of(wrapper, wrapper)));
	}

	@ParameterizedTest
	@MethodSource("wrappers")
	void aWrappedDataSourceIsTheSame(UnaryOperator<DataSource> named, UnaryOperator<DataSource> used) {
		FencedTransactionTests.under("a", 5, () -> transaction(used.apply(this.one), named.apply(this.one))
			.executeWithoutResult(FencedTransactionTests.NOTHING));
		assertThat(fences(this.one)).containsExactly(5L);
	}

	@Test
	void transactionOfAnUnnamedDataSourceDoesNotBeginBeforeTheFenceIsClaimed() {
		LockHandle handle = FencedTransactionTests.handle("a", 5);
		TransactionTemplate unnamed = transaction(this.other, this.one);
		FencedTransactionTests.under(handle, () -> assertThatIllegalStateException()
			.isThrownBy(() -> unnamed.executeWithoutResult(FencedTransactionTests::fail))
			.withMessage("The fence of lock 'a' cannot be claimed: the transaction is one of a "
					+ "JdbcTransactionManager whose data source is not fenced "
					+ "('distributed-lock.fencing.data-sources' with Spring Boot). "
					+ "Add the data source to the fenced ones, with Spring Boot by its name, or leave the property out."));
		FencedTransactionTests
			.under(handle, () -> transaction(this.one, this.one).executeWithoutResult((status) -> unnamed
				.executeWithoutResult((inner) -> new JdbcTemplate(this.other).execute("create table audit (id int)"))));
		assertThat(fences(this.one)).containsExactly(5L);
		assertThat(fences(this.other)).isEmpty();
	}

	@Test
	void aRoutingDataSourceIsFencedIfAllItsTargetsAre() {
		DataSource routing = routing(Map.of("one", this.one, "other", this.other));
		FencedTransactionTests.under("a", 5, () -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> transaction(routing, this.one).executeWithoutResult(FencedTransactionTests.NOTHING))
				.withMessageContaining("is not fenced ('distributed-lock.fencing.data-sources' with Spring Boot)");
			transaction(routing, this.one, this.other).executeWithoutResult(FencedTransactionTests.NOTHING);
		});
		assertThat(fences(this.one)).containsExactly(5L);
	}

	@Test
	void requiresNewInAnotherDatabaseOfARoutingDataSourceClaimsThere() {
		DataSource routing = routing(Map.of("one", this.one, "other", this.other));
		TransactionTemplate transaction = transaction(routing);
		transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		FencedTransactionTests.under("a", 5, () -> transaction.executeWithoutResult((status) -> {
			KEY.set("other");
			transaction.executeWithoutResult(FencedTransactionTests.NOTHING);
		}));
		assertThat(fences(this.one)).containsExactly(5L);
		assertThat(fences(this.other)).containsExactly(5L);
	}

	@Test
	void transactionOfATwinDataSourceDoesNotWaitForTheOuterTransaction() {
		DataSource twin = new DriverManagerDataSource(url(this.one));
		FencedTransactionTests.under("a", 5, () -> transaction(this.one)
			.executeWithoutResult((status) -> transaction(twin).executeWithoutResult(FencedTransactionTests.NOTHING)));
		assertThat(fences(this.one)).containsExactly(5L);
	}

	@Test
	void transactionBlockedByTheOuterTransactionTimesOut() {
		JdbcTemplate jdbc = new JdbcTemplate(this.one);
		jdbc.execute("create schema app");
		DataSource twin = new DriverManagerDataSource(url(this.one) + ";SCHEMA=APP");
		JdbcFences fences = new JdbcFences("public.distributed_lock_fence", List.of());
		TransactionTemplate inOne = new TransactionTemplate(
				FencedTransactionTests.transactionManager(this.one, fences));
		TransactionTemplate inTwin = new TransactionTemplate(FencedTransactionTests.transactionManager(twin, fences));
		FencedTransactionTests.under("a", 5, () -> inOne
			.executeWithoutResult((status) -> assertThatExceptionOfType(QueryTimeoutException.class)
				.isThrownBy(() -> inTwin.executeWithoutResult(FencedTransactionTests.NOTHING))
				.withMessage("The fence of lock 'a' is locked by another transaction, perhaps by one of this thread "
						+ "that is suspended: if both are of one database, they would wait for each other. This one is "
						+ "rolled back. Use one data source for both, with one schema.")));
	}

	@ParameterizedTest
	@MethodSource("pools")
	void requiresNewCommitIsFencedInAnyKindOfDataSource(UnaryOperator<DataSource> wrapper) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url(this.one));
		// One for each of the two transactions, and none for anything else
		pool.setMaximumPoolSize(2);
		try (pool) {
			TransactionTemplate outer = transaction(wrapper.apply(pool));
			TransactionTemplate inner = new TransactionTemplate(outer.getTransactionManager());
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			for (boolean rollback : new boolean[] { true, false }) {
				FencedTransactionTests.under("a", 5, () -> outer.executeWithoutResult((status) -> {
					inner.executeWithoutResult(FencedTransactionTests.NOTHING);
					if (rollback) {
						status.setRollbackOnly();
					}
				}));
				assertThat(fences(this.one)).containsExactly(5L);
			}
			assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
		}
	}

	static Stream<Named<UnaryOperator<DataSource>>> pools() {
		return Stream.of(Named.of("pool", SAME), Named.of("lazy", LazyConnectionDataSourceProxy::new),
				Named.of("transaction-aware", TransactionAwareDataSourceProxy::new),
				Named.of("without auto-commit", (dataSource) -> {
					((HikariDataSource) dataSource).setAutoCommit(false);
					return dataSource;
				}), Named.of("routing", (dataSource) -> routing(Map.of("one", dataSource))));
	}

	@Test
	void theDatabasesOfSeveralDataSourcesAreClaimedInTheSameOrder() {
		List<String> order = (url(this.one).compareTo(url(this.other)) < 0) ? List.of("one", "other")
				: List.of("other", "one");
		for (int round = 0; round < 10; round++) {
			List<String> claimed = new CopyOnWriteArrayList<>();
			DataSource first = noted(this.one, "one", claimed);
			DataSource second = noted(this.other, "other", claimed);
			JdbcFences fences = new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of());
			TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(first));
			TransactionTemplate inner = new TransactionTemplate(new JdbcTransactionManager(second));
			outer.executeWithoutResult((status) -> inner.executeWithoutResult((both) -> {
				claimed.clear();
				fences.claim(FencedTransactionTests.handle("a", 5));
			}));
			assertThat(claimed.stream().distinct()).containsExactlyElementsOf(order);
		}
	}

	private static DataSource noted(DataSource target, String name, List<String> prepared) {
		return new DelegatingDataSource(target) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
							if (method.getName().equals("prepareStatement")) {
								prepared.add(name);
							}
							return method.invoke(connection, arguments);
						});
			}

		};
	}

	private static TransactionTemplate transaction(DataSource used, DataSource... named) {
		return new TransactionTemplate(FencedTransactionTests.transactionManager(used,
				new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of(named))));
	}

	private static String url(DataSource dataSource) {
		return ((DriverManagerDataSource) dataSource).getUrl();
	}

	private static List<Long> fences(DataSource dataSource) {
		return new JdbcTemplate(dataSource).queryForList("select fence from distributed_lock_fence", Long.class);
	}

	private static DataSource routing(Map<Object, Object> targets) {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return KEY.get();
			}

		};
		routing.setTargetDataSources(targets);
		routing.afterPropertiesSet();
		return routing;
	}

}
