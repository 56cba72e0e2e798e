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
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.distributedlock.testsupport.EnabledIfInstalled;
import io.distributedlock.testsupport.OptionalPackage;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the rows of fences that nobody has claimed for a while.
 */
class FenceSweepTests {

	private static final Instant NOW = Instant.parse("2026-07-01T00:00:00Z");

	private static final Duration RETENTION = Duration.ofDays(7);

	private static final String INSERT = "insert into distributed_lock_fence (name, fence, claimed_at) values (?, ?, ?)";

	private final AtomicLong nanos = new AtomicLong();

	@Test
	void oldRowsAreDeletedPageByPage() {
		oldRowsAreDeletedPageByPage(TestDatabase.H2);
	}

	@Test
	@EnabledIfInstalled(value = OptionalPackage.POSTGRESQL, tests = "the sweep of old fences on PostgreSQL")
	void oldRowsAreDeletedPageByPageOnPostgres() {
		oldRowsAreDeletedPageByPage(TestDatabase.POSTGRESQL);
	}

	@Test
	@EnabledIfInstalled(value = OptionalPackage.MARIADB, tests = "the sweep of old fences on MariaDB")
	void oldRowsAreDeletedPageByPageOnMariaDb() {
		oldRowsAreDeletedPageByPage(TestDatabase.MARIADB);
	}

	private void oldRowsAreDeletedPageByPage(TestDatabase database) {
		CountingDataSource dataSource = new CountingDataSource(database.create());
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		long old = NOW.minus(RETENTION).toEpochMilli() - 1;
		jdbc.batchUpdate(INSERT,
				java.util.stream.IntStream.range(0, 1200)
					.mapToObj((number) -> new Object[] { "lock:" + number, 1, (number % 100 == 0) ? old + 1 : old })
					.toList());
		new FenceSweep(RETENTION, InstantSource.fixed(NOW), this.nanos::get).sweep(dataSource,
				JdbcFences.Settings.DEFAULT_TABLE);
		assertThat(names(jdbc)).hasSize(12).allMatch((name) -> name.matches("lock:\\d*0?0"));
		assertThat(dataSource.open()).isZero();
	}

	@Test
	void aDatabaseThatCannotBeUsedDoesNotKeepOthersFromBeingLookedThrough() {
		DataSource good = TestDatabase.H2.create();
		// Looked through in the order of these numbers
		Map<Object, Object> targets = new LinkedHashMap<>();
		targets.put(0, new DriverManagerDataSource("jdbc:h2:mem:away;IFEXISTS=TRUE"));
		targets.put(1, good);
		targets.put(2, new AbstractDataSource() {

			@Override
			public Connection getConnection() {
				throw new IllegalStateException("Expected by the test");
			}

			@Override
			public Connection getConnection(String username, String password) {
				return getConnection();
			}

		});
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return 1;
			}

		};
		routing.setTargetDataSources(targets);
		routing.afterPropertiesSet();
		JdbcTemplate jdbc = new JdbcTemplate(good);
		jdbc.update(INSERT, "old", 1, 0);
		FenceSweep sweep = new FenceSweep(RETENTION, InstantSource.fixed(NOW), this.nanos::get);
		this.nanos.addAndGet(Duration.ofHours(1).toNanos());
		sweep.claimed(routing, JdbcFences.Settings.DEFAULT_TABLE);
		await().until(() -> names(jdbc).isEmpty());
		sweep.close();
	}

	@Test
	void aClaimStartsTheSweepAtMostOnceAnHour() {
		CountingDataSource dataSource = new CountingDataSource(TestDatabase.H2.create());
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		JdbcFences fences = new JdbcFences(new JdbcFences.Settings("distributed_lock_fence", RETENTION), List.of(),
				InstantSource.fixed(NOW), this.nanos::get);
		TransactionTemplate transaction = new TransactionTemplate(
				FencedTransactionTests.transactionManager(dataSource, fences));
		jdbc.update(INSERT, "old", 1, 0);
		this.nanos.addAndGet(Duration.ofHours(1).toNanos());
		claim(transaction, 1);
		await().until(() -> names(jdbc).equals(List.of("a")));
		jdbc.update(INSERT, "old", 1, 0);
		this.nanos.addAndGet(Duration.ofMinutes(59).toNanos());
		claim(transaction, 2);
		assertThat(names(jdbc)).containsExactly("a", "old");
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		claim(transaction, 3);
		await().until(() -> names(jdbc).equals(List.of("a")));
		fences.close();
	}

	@Test
	void closingWaitsForTheStatementThatRuns() throws Exception {
		DataSource database = TestDatabase.H2.create();
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		AtomicReference<Boolean> interrupted = new AtomicReference<>();
		DataSource slow = new DelegatingDataSource(database) {

			@Override
			public Connection getConnection() throws SQLException {
				if (!Thread.currentThread().getName().equals("distributed-lock-fence-sweep")) {
					return super.getConnection();
				}
				asked.countDown();
				boolean woken = false;
				while (answer.getCount() > 0) {
					try {
						answer.await();
					}
					catch (InterruptedException ex) {
						woken = true;
					}
				}
				interrupted.set(woken);
				return super.getConnection();
			}

		};
		new JdbcTemplate(database).update(INSERT, "old", 1, 0);
		JdbcFences fences = new JdbcFences(new JdbcFences.Settings("distributed_lock_fence", RETENTION), List.of(),
				InstantSource.fixed(NOW), this.nanos::get);
		this.nanos.addAndGet(Duration.ofHours(1).toNanos());
		claim(new TransactionTemplate(FencedTransactionTests.transactionManager(slow, fences)), 1);
		asked.await();
		Thread closing = new Thread(fences::close);
		closing.start();
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
		answer.countDown();
		closing.join();
		assertThat(interrupted).hasValue(false);
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.doesNotContain("distributed-lock-fence-sweep");
		// Not begun any more
		assertThat(names(new JdbcTemplate(database))).containsExactly("a", "old");
	}

	private static void claim(TransactionTemplate transaction, long token) {
		FencedTransactionTests.under(new TestHandle("a", token), () -> transaction.executeWithoutResult((status) -> {
		}));
	}

	private static List<String> names(JdbcTemplate jdbc) {
		return jdbc.queryForList("select name from distributed_lock_fence order by name", String.class);
	}

}
