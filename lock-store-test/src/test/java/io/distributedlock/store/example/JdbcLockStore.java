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

package io.distributedlock.store.example;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLSyntaxErrorException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;

/**
 * An example: locks in a database, without a queue and without pushed grants. Each
 * command is one transaction, which locks the row of its name. The time is that of the
 * database. The data source must roll back what is not committed when a connection is
 * closed, as pools do.
 */
final class JdbcLockStore implements LockStore {

	/** The first table keeps the last fencing token, also of names that are free. */
	static final List<String> SCHEMA = List.of(
			"create table if not exists lock_name (name varchar(4096) primary key, fence bigint not null)",
			"create table if not exists lock_holder (name varchar(4096), token varchar(500), "
					+ "ends_at timestamp with time zone, holder_limit int, fence bigint, fence_block int, "
					+ "primary key (name, token))");

	private static final int TIMEOUT_SECONDS = 5;

	private final DataSource dataSource;

	/** One thread per lane, so that the commands for a name keep their order. */
	private final List<ExecutorService> lanes = Stream
		.generate(() -> Executors.newSingleThreadExecutor(JdbcLockStore::daemon))
		.limit(4)
		.toList();

	JdbcLockStore(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		return submit(request.name(), (row) -> {
			List<Holder> holders = row.holders();
			for (Holder holder : holders) {
				if (holder.token().equals(request.token().text())) {
					if (request.lease().compareTo(holder.remaining()) > 0) {
						row.extendTo(holder, request.lease());
					}
					return new AcquireOutcome.Granted(holder.fence(), holder.fenceBlock());
				}
			}
			int limit = holders.stream().mapToInt(Holder::limit).min().orElse(AcquireRequest.NO_LIMIT);
			if (holders.size() >= Math.min(limit, request.limit())) {
				Holder next = holders.get(0);
				return new AcquireOutcome.Busy(next.token(), next.remaining(), holders.size(), limit, false, 0);
			}
			long fence = row.reserve(request.fenceBlock());
			row.add(request, fence);
			return new AcquireOutcome.Granted(fence, request.fenceBlock());
		});
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		return extensions.stream().map(this::extend).toList();
	}

	private CompletableFuture<ExtendOutcome> extend(LeaseExtension extension) {
		return submit(extension.name(), (row) -> {
			List<Holder> holders = row.holders();
			for (Holder holder : holders) {
				if (holder.token().equals(extension.token().text())) {
					boolean longer = extension.lease().compareTo(holder.remaining()) > 0;
					if (longer || extension.mode() == LeaseExtension.Mode.EXACTLY) {
						row.extendTo(holder, extension.lease());
					}
					return ExtendOutcome.EXTENDED;
				}
			}
			return holders.isEmpty() ? ExtendOutcome.ABSENT : ExtendOutcome.OTHER;
		});
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		return submit(name, (row) -> {
			List<Holder> holders = row.holders();
			if (holders.stream().anyMatch((holder) -> holder.token().equals(token.text()))) {
				row.remove(token);
				return ReleaseOutcome.RELEASED;
			}
			return holders.isEmpty() ? ReleaseOutcome.ABSENT : ReleaseOutcome.OTHER;
		});
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return submit(name, (row) -> {
			List<Holder> holders = row.holders();
			return holders.stream()
				.findFirst()
				.map((holder) -> new StoredLock(holder.token(), holder.remaining(), holders.size(), holder.limit()));
		});
	}

	/** Nothing is pushed: without a subscription, waiters ask again. */
	@Override
	public void listen(String instance, GrantListener listener) {
	}

	@Override
	public String description() {
		return "example in a database";
	}

	@Override
	public void close() {
		this.lanes.forEach(ExecutorService::shutdown);
	}

	private <T> CompletableFuture<T> submit(String name, Command<T> command) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		try {
			this.lanes.get(Math.floorMod(name.hashCode(), this.lanes.size())).execute(() -> {
				// A command that has timed out is not sent later
				if (!answer.isDone()) {
					execute(name, command, answer);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			answer.completeExceptionally(new LockUnavailableException(name, "The lock store is closed.", ex));
		}
		CompletableFuture.delayedExecutor(TIMEOUT_SECONDS, TimeUnit.SECONDS, Runnable::run)
			.execute(() -> answer.completeExceptionally(new LockUnavailableException(name,
					"The database did not answer within " + TIMEOUT_SECONDS + " s.", null)));
		return answer;
	}

	private <T> void execute(String name, Command<T> command, CompletableFuture<T> answer) {
		try (Connection connection = this.dataSource.getConnection()) {
			connection.setAutoCommit(false);
			T outcome = command.execute(lock(connection, name));
			connection.commit();
			answer.complete(outcome);
		}
		catch (SQLSyntaxErrorException ex) {
			answer.completeExceptionally(new LockConfigurationException(name,
					"The tables of the locks are missing or different. Create those of the schema.", ex));
		}
		catch (SQLException | RuntimeException ex) {
			answer.completeExceptionally(
					new LockUnavailableException(name, "The database failed: " + ex.getMessage(), ex));
		}
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "jdbc-lock-store");
		thread.setDaemon(true);
		return thread;
	}

	/** Wait for others that use the same name, and remove what has ended. */
	private static Row lock(Connection connection, String name) throws SQLException {
		while (true) {
			try (PreparedStatement select = prepare(connection,
					"select fence, current_timestamp from lock_name where name = ? for update", name);
					ResultSet found = select.executeQuery()) {
				if (found.next()) {
					Row row = new Row(connection, name, found.getLong(1), found.getObject(2, OffsetDateTime.class));
					row.update("delete from lock_holder where name = ? and ends_at <= ?", name, row.now());
					return row;
				}
			}
			try (PreparedStatement insert = prepare(connection, "insert into lock_name values (?, 0)", name)) {
				insert.executeUpdate();
			}
			catch (SQLIntegrityConstraintViolationException ex) {
				// Another instance has inserted the row
				connection.rollback();
			}
		}
	}

	private static PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(sql);
		statement.setQueryTimeout(TIMEOUT_SECONDS);
		for (int i = 0; i < values.length; i++) {
			statement.setObject(i + 1, values[i]);
		}
		return statement;
	}

	private interface Command<T> {

		T execute(Row row) throws SQLException;

	}

	private record Holder(String token, int limit, long fence, int fenceBlock, Duration remaining) {
	}

	/**
	 * The row of a name, locked until the end of the transaction.
	 */
	private record Row(Connection connection, String name, long fence, OffsetDateTime now) {

		/** The first one is the one whose lease ends first. */
		List<Holder> holders() throws SQLException {
			List<Holder> holders = new ArrayList<>();
			try (PreparedStatement select = prepare(this.connection,
					"select token, holder_limit, fence, fence_block, ends_at from lock_holder where name = ? order by ends_at",
					this.name); ResultSet found = select.executeQuery()) {
				while (found.next()) {
					holders.add(new Holder(found.getString(1), found.getInt(2), found.getLong(3), found.getInt(4),
							Duration.between(this.now, found.getObject(5, OffsetDateTime.class))));
				}
			}
			return holders;
		}

		long reserve(int block) throws SQLException {
			update("update lock_name set fence = fence + ? where name = ?", block, this.name);
			return this.fence + 1;
		}

		void add(AcquireRequest request, long fence) throws SQLException {
			update("insert into lock_holder values (?, ?, ?, ?, ?, ?)", this.name, request.token().text(),
					this.now.plus(request.lease()), request.limit(), fence, request.fenceBlock());
		}

		void extendTo(Holder holder, Duration lease) throws SQLException {
			update("update lock_holder set ends_at = ? where name = ? and token = ?", this.now.plus(lease), this.name,
					holder.token());
		}

		void remove(LockToken token) throws SQLException {
			update("delete from lock_holder where name = ? and token = ?", this.name, token.text());
		}

		private void update(String sql, Object... values) throws SQLException {
			try (PreparedStatement statement = prepare(this.connection, sql, values)) {
				statement.executeUpdate();
			}
		}

	}

}
