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
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.internal.DaemonThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Deletes the rows that were not claimed for a while: about once an hour if this instance
 * has claimed any, in a thread that ends afterwards. Works page by page, so that its
 * transactions are short and lock little.
 */
final class FenceSweep {

	private static final Log logger = LogFactory.getLog(FenceSweep.class);

	private static final Duration INTERVAL = Duration.ofHours(1);

	/**
	 * The longest time for a statement: one that waits for a row keeps others locked, and
	 * delays the stop of the application.
	 */
	private static final Duration STATEMENT = Duration.ofSeconds(5);

	private static final int PAGE = 500;

	private final Duration retention;

	private final InstantSource clock;

	private final LongSupplier nanos;

	private final AtomicLong due;

	/** The data sources with claims since the last sweep, with their tables. */
	private final Map<DataSource, String> claimed = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable Thread> running = new AtomicReference<>();

	private volatile boolean closed;

	FenceSweep(Duration retention, InstantSource clock, LongSupplier nanos) {
		this.retention = retention;
		this.clock = clock;
		this.nanos = nanos;
		// Not all instances at the same time
		this.due = new AtomicLong(nanos.getAsLong() + ThreadLocalRandom.current().nextLong(INTERVAL.toNanos()));
	}

	/**
	 * Note that a fence is claimed. Does not use the connection of its transaction.
	 */
	void claimed(DataSource dataSource, String table) {
		this.claimed.putIfAbsent(dataSource, table);
		long last = this.due.get();
		long now = this.nanos.getAsLong();
		if (now - last >= 0 && !this.closed && this.due.compareAndSet(last, now + INTERVAL.toNanos())) {
			Thread thread = new DaemonThread(this::run, "distributed-lock-fence-sweep");
			if (this.running.compareAndSet(null, thread)) {
				thread.start();
			}
		}
	}

	private void run() {
		try {
			for (Map.Entry<DataSource, String> entry : this.claimed.entrySet()) {
				this.claimed.remove(entry.getKey());
				FencedDataSources.databasesOf(entry.getKey())
					.forEach((dataSource) -> trySweep(dataSource, entry.getValue()));
			}
		}
		finally {
			this.running.set(null);
		}
	}

	/**
	 * An unavailable database must not keep the others from being swept.
	 */
	private void trySweep(DataSource dataSource, String table) {
		try {
			sweep(dataSource, table);
		}
		catch (RuntimeException ex) {
			if (!this.closed) {
				logger.warn("Old fences could not be deleted. The next try is in an hour.", ex);
			}
		}
	}

	/**
	 * Delete the old rows of a table. Each page leaves fewer of them, so this ends.
	 */
	void sweep(DataSource dataSource, String table) {
		TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.setQueryTimeout((int) STATEMENT.toSeconds());
		long before = this.clock.millis() - this.retention.toMillis();
		boolean more = true;
		while (more && !this.closed) {
			more = Boolean.TRUE.equals(transaction.execute((status) -> deletePage(jdbc, table, before)));
		}
	}

	/**
	 * Delete the oldest rows, which an index finds, in the order in which transactions
	 * claim them.
	 * @return whether there may be more. If another instance has deleted all rows of the
	 * page, that instance continues
	 */
	private boolean deletePage(JdbcTemplate jdbc, String table, long before) {
		FenceDialect dialect = Objects.requireNonNull(jdbc
			.execute((Connection connection) -> FenceDialect.of(connection.getMetaData().getDatabaseProductName())));
		List<Row> rows = jdbc
			.query("select name, fence from " + table + " where claimed_at < ? order by claimed_at"
					+ dialect.page(PAGE), (row, number) -> new Row(row.getString(1), row.getLong(2)), before)
			.stream()
			.sorted(Comparator.comparing(Row::name))
			.toList();
		if (rows.isEmpty() || this.closed) {
			return false;
		}
		int[][] deleted = jdbc.batchUpdate("delete from " + table + " where name = ? and fence = ? and claimed_at < ?",
				rows, PAGE, (PreparedStatement statement, Row row) -> {
					statement.setString(1, row.name());
					statement.setLong(2, row.fence());
					statement.setLong(3, before);
				});
		return rows.size() == PAGE && Stream.of(deleted).flatMapToInt(IntStream::of).anyMatch((count) -> count != 0);
	}

	/**
	 * Let the thread end before its next statement, and wait for the current one. It is
	 * not interrupted, because H2, for example, would close the database.
	 */
	void close() {
		this.closed = true;
		Thread thread = this.running.get();
		if (thread == null) {
			return;
		}
		try {
			thread.join(STATEMENT.toMillis());
			if (thread.isAlive()) {
				logger.warn("A statement that deletes old fences still runs.");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A row that is old.
	 *
	 * @param fence the token that claimed it
	 */
	private record Row(String name, long fence) {
	}

}
