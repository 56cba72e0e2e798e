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
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import io.distributedlock.fencing.internal.FencedLocks;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ConcurrentReferenceHashMap.ReferenceType;

/**
 * The fences of locks, in a table of each database. Claims them with the connection of
 * the transaction.
 *
 * @since 0.1.0
 */
public final class JdbcFences implements Fences {

	/** The default table: {@value}. */
	public static final String DEFAULT_TABLE = "distributed_lock_fence";

	private static final Log logger = LogFactory.getLog(JdbcFences.class);

	private static final Pattern TABLE = Pattern
		.compile("[\\p{L}_][\\p{L}\\p{N}_$]*(\\.[\\p{L}_][\\p{L}\\p{N}_$]*){0,2}");

	/** How long a transaction waits for another one that creates the table. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final String table;

	private final FencedDataSources dataSources;

	private final Map<DataSource, FenceTable> tables = new ConcurrentReferenceHashMap<>(4, ReferenceType.WEAK);

	private final Map<DataSource, Boolean> prepared = new ConcurrentReferenceHashMap<>(4, ReferenceType.WEAK);

	private final Lock preparing = new ReentrantLock();

	private final Consumer<? super DataSource> creator;

	/**
	 * Create the fences.
	 * @param table the name of the table, optionally qualified with its schema
	 * @param dataSources the data sources whose transactions claim fences; all data
	 * sources if empty
	 */
	public JdbcFences(String table, Collection<? extends DataSource> dataSources) {
		this(table, dataSources, (dataSource) -> {
		});
	}

	/**
	 * Create the fences.
	 * @param table the name of the table, optionally qualified with its schema
	 * @param dataSources the data sources whose transactions claim fences; all data
	 * sources if empty
	 * @param creator creates the table in the database of a data source, where it is
	 * wanted and missing; called before the first claim in that database, with a data
	 * source that never returns the connection of a transaction. If it throws and the
	 * table is still missing, its exception is part of the report
	 */
	public JdbcFences(String table, Collection<? extends DataSource> dataSources,
			Consumer<? super DataSource> creator) {
		ModuleVersion.check(JdbcFences.class, "lock-fencing");
		Assert.isTrue(TABLE.matcher(table).matches(),
				() -> "The table of the fences is '%s', but must be a name of letters, digits and '_', with that of its schema before a dot if need be."
					.formatted(table));
		this.table = table;
		this.dataSources = new FencedDataSources(dataSources);
		this.creator = creator;
	}

	@Override
	public void claim(LockHandle handle) {
		Assert.state(handle.state() != LockState.RELEASED, () -> "Lock '" + Printable.of(handle.name())
				+ "' was released before its fence is claimed. Claim it while the lock is held.");
		Assert.state(TransactionSynchronizationManager.isActualTransactionActive(), () -> cannotClaim(handle,
				"no transaction is active in this thread. Begin one, for example with TransactionTemplate."));
		Assert.state(!TransactionSynchronizationManager.isCurrentTransactionReadOnly(),
				() -> cannotClaim(handle, "the transaction is read-only. Fence only transactions that write."));
		List<DataSource> active = active();
		Assert.state(!active.isEmpty(), () -> cannotClaim(handle,
				"the active transaction is not one of a fenced JDBC data source. Use the transaction manager of one."));
		List<Fence> fences = Fence.of(List.of(handle));
		// The same order in all instances, so that their transactions do not block each
		// other
		active.stream()
			.sorted(Comparator.comparing(JdbcFences::url))
			.forEach((dataSource) -> claim(dataSource, fences));
		FencedLocks.claimed(handle);
	}

	@Override
	public boolean isInTransaction() {
		return TransactionSynchronizationManager.isActualTransactionActive() && !active().isEmpty();
	}

	private static String cannotClaim(LockHandle handle, String reason) {
		return cannotClaim(handle.name(), reason);
	}

	private static String cannotClaim(String lockName, String reason) {
		return "The fence of lock '" + Printable.of(lockName) + "' cannot be claimed: " + reason;
	}

	/**
	 * Return the data sources that take part in the transaction of the current thread
	 * with a connection that commits with it.
	 */
	private List<DataSource> active() {
		return TransactionSynchronizationManager.getResourceMap()
			.entrySet()
			.stream()
			.filter((entry) -> entry.getKey() instanceof DataSource dataSource && isFenced(dataSource)
					&& entry.getValue() instanceof ConnectionHolder holder && holder.isSynchronizedWithTransaction()
					&& ask(dataSource, (connection) -> !connection.getAutoCommit()))
			.map((entry) -> (DataSource) entry.getKey())
			.toList();
	}

	private static String url(DataSource dataSource) {
		return ask(dataSource, (connection) -> String.valueOf(connection.getMetaData().getURL()));
	}

	private static <T> T ask(DataSource dataSource, ConnectionCallback<T> question) {
		Connection connection = DataSourceUtils.getConnection(dataSource);
		try {
			return question.doInConnection(connection);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The connection of the transaction cannot be used: " + ex.getMessage(), ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, dataSource);
		}
	}

	private void claim(DataSource dataSource, List<Fence> fences) {
		FenceTable table = this.tables.computeIfAbsent(dataSource, (key) -> new FenceTable(key, this.table));
		if (!isPrepared(dataSource)) {
			prepareToClaim(dataSource, table, fences.get(0).lockName());
		}
		TransactionClaims claims = TransactionClaims.current();
		fences.forEach((fence) -> claims.claim(dataSource, table, fence));
	}

	/**
	 * Claim the fences of locks as the first statements of a transaction.
	 * @param transactional the data source of the transaction that has just begun
	 */
	void claimAtBegin(DataSource transactional, List<LockHandle> handles) {
		DataSource dataSource = unwrap(transactional);
		Assert.state(TransactionSynchronizationManager.isSynchronizationActive(), () -> cannotClaim(handles.get(0),
				"the transaction manager does not synchronize its transactions. Set its transactionSynchronization to "
						+ "SYNCHRONIZATION_ALWAYS, which is the default."));
		Assert.state(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder,
				() -> cannotClaim(handles.get(0),
						"the transaction manager does not share the JDBC connection of its transaction. "
								+ "Use a JpaDialect that does, as HibernateJpaDialect."));
		claim(dataSource, Fence.of(handles));
		handles.forEach(FencedLocks::claimed);
	}

	/**
	 * As the transaction managers of Spring do.
	 */
	private static DataSource unwrap(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? proxy.getTargetDataSource() : dataSource;
	}

	/**
	 * Let a transaction that cannot claim begin only if it is meant to be without a
	 * fence: if the fenced data sources are named, and another transaction has claimed
	 * the fences of the locks.
	 */
	void passOver(FencedTransactionPostProcessor.Obstacle obstacle, List<LockHandle> handles) {
		handles.stream()
			.filter((handle) -> !this.dataSources.areNamed() || !FencedLocks.isClaimed(handle))
			.findFirst()
			.ifPresent((handle) -> {
				throw new IllegalStateException(cannotClaim(handle,
						"the transaction is one of " + obstacle.manager() + ". " + obstacle.action()));
			});
	}

	/**
	 * Prepare the table in which the transactions of a data source claim, and check that
	 * they can, unless that is known. Does nothing within a transaction, whose claim
	 * prepares the table itself.
	 * @param dataSource the data source
	 * @return why they cannot claim, if that is certain, and what to do
	 */
	public Optional<String> prepare(DataSource dataSource) {
		return unusable(dataSource).map((table) -> table.problem() + ". " + table.action());
	}

	/** {@link #prepare}. */
	Optional<FenceTable.Unusable> unusable(DataSource dataSource) {
		if (TransactionSynchronizationManager.isActualTransactionActive() || isPrepared(dataSource)) {
			return Optional.empty();
		}
		this.preparing.lock();
		try {
			if (isPrepared(dataSource)) {
				return Optional.empty();
			}
			List<FenceTable.Finding> findings = FencedDataSources.databasesOf(dataSource)
				.map(this::prepareDatabase)
				.toList();
			if (findings.stream().allMatch(FenceTable.Usable.class::isInstance)) {
				this.prepared.put(dataSource, true);
			}
			return findings.stream()
				.filter(FenceTable.Unusable.class::isInstance)
				.map(FenceTable.Unusable.class::cast)
				.findFirst();
		}
		finally {
			this.preparing.unlock();
		}
	}

	private FenceTable.Finding prepareDatabase(DataSource database) {
		RuntimeException failure = null;
		try {
			if (!create(database)) {
				return new FenceTable.Usable();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The table of the fences was not created", ex);
			failure = ex;
		}
		return new FenceTable(database, this.table).check(database, failure);
	}

	/**
	 * Create the table where it is wanted.
	 * @return {@code false} if only the data source knows the database
	 */
	private boolean create(DataSource database) {
		if (FencedDataSources.routesByItself(database)) {
			logger.warn("A data source of type " + database.getClass().getName()
					+ " looks up its databases by itself, so the table of the fences is neither created nor "
					+ "checked there. Create it with a script of 'io/distributedlock/fencing/' in the jar.");
			return false;
		}
		this.creator.accept(database);
		return true;
	}

	private boolean isPrepared(DataSource dataSource) {
		return this.prepared.containsKey(dataSource);
	}

	/**
	 * Prepare the table within a transaction. Its own connection tells whether the table
	 * is there. Only the creation needs a second connection. The pool may have to wait
	 * for the end of a transaction, so others do not wait long for the creation.
	 */
	private void prepareToClaim(DataSource dataSource, FenceTable table, String lockName) {
		boolean usable = ask(dataSource, table::isUsable);
		if (usable && !FencedDataSources.routes(dataSource)) {
			this.prepared.put(dataSource, true);
			return;
		}
		if (!tryPreparing()) {
			Assert.state(!Thread.currentThread().isInterrupted(),
					() -> cannotClaim(lockName, "the thread was interrupted while the table was created."));
			throw new CannotAcquireLockException(cannotClaim(lockName,
					"another transaction is creating its table, perhaps with a connection that this one has to give "
							+ "back before. This one is rolled back. Try again."));
		}
		try {
			if (!isPrepared(dataSource)) {
				FencedDataSources.databasesOf(dataSource).forEach(this::create);
				this.prepared.put(dataSource, true);
			}
		}
		catch (RuntimeException ex) {
			if (!usable) {
				throw new InvalidDataAccessResourceUsageException(cannotClaim(lockName,
						"its table is missing and could not be created. " + ask(dataSource, table::howToCreate)), ex);
			}
			logger.debug("The table of the fences was not created in all databases", ex);
		}
		finally {
			this.preparing.unlock();
		}
	}

	private boolean tryPreparing() {
		try {
			return this.preparing.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	boolean isFenced(DataSource dataSource) {
		return this.dataSources.contains(dataSource);
	}

}
