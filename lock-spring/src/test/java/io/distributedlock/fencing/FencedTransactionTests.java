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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.fencing.internal.FencedLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for transactions that claim the fence of their lock when they begin, on each
 * database. Each has a class of its own, so that each is counted.
 */
abstract class FencedTransactionTests {

	private static final String TABLE = JdbcFences.DEFAULT_TABLE;

	private final TestDatabase database;

	private CountingDataSource dataSource;

	private JdbcTemplate jdbc;

	private JdbcFences fences;

	private TransactionTemplate transaction;

	private TransactionTemplate newTransaction;

	FencedTransactionTests(TestDatabase database) {
		this.database = database;
	}

	@BeforeEach
	void start() {
		this.dataSource = new CountingDataSource(this.database.create());
		this.jdbc = new JdbcTemplate(this.dataSource);
		this.fences = new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of());
		this.transaction = new TransactionTemplate(transactionManager(this.dataSource, this.fences));
		this.newTransaction = new TransactionTemplate(this.transaction.getTransactionManager());
		this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	static JdbcTransactionManager transactionManager(DataSource dataSource, JdbcFences fences) {
		StaticListableBeanFactory beans = new StaticListableBeanFactory();
		beans.addBean("fences", fences);
		return (JdbcTransactionManager) new FencedTransactionPostProcessor(beans.getBeanProvider(JdbcFences.class))
			.postProcessAfterInitialization(new JdbcTransactionManager(dataSource), "transactionManager");
	}

	@AfterEach
	void nothingIsLeft() {
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(this.dataSource.open()).isZero();
	}

	/**
	 * How many statements it takes to claim a fence whose row is there.
	 */
	int statementsOfClaim() {
		return 1;
	}

	@Test
	void theFenceIsClaimedOnceAtTheBegin() {
		under(new TestHandle("a", 5), () -> this.transaction.executeWithoutResult((status) -> {
		}));
		assertThat(fence("a")).isEqualTo(5);
		int expected = this.dataSource.statements() + statementsOfClaim();
		under(new TestHandle("a", 6), () -> this.transaction
			.executeWithoutResult((status) -> assertThat(this.dataSource.statements()).isEqualTo(expected)));
		assertThat(this.dataSource.statements()).isEqualTo(expected);
		this.transaction.executeWithoutResult((status) -> {
		});
		assertThat(this.dataSource.statements()).isEqualTo(expected);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void anEarlierHolderIsRefusedAtTheBegin() {
		under(new TestHandle("a", 6), this::commit);
		under(new TestHandle("a", 5), () -> assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				throw new AssertionError("It began");
			}))
			.satisfies((stale) -> {
				assertThat(stale.getLockName()).isEqualTo("a");
				assertThat(stale.getFencingToken()).isEqualTo(5);
				assertThat(stale.getFence()).isEqualTo(6);
			})
			.withMessage("Lock 'a' is stale: its fencing token is 5, and a later holder has claimed fence 6 in table "
					+ "'distributed_lock_fence'. The transaction is rolled back. If there was no later holder, because "
					+ "the fencing tokens start again below those of the past, delete the row with the name 'a'."));
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aNewTransactionThatIsRefusedLeavesTheOneAroundItAsItWas() {
		under(new TestHandle("a", 6), this::commit);
		this.transaction.executeWithoutResult((status) -> {
			Object connection = TransactionSynchronizationManager.getResource(this.dataSource);
			under(new TestHandle("a", 5), () -> assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> this.newTransaction.executeWithoutResult((inner) -> {
				})));
			assertThat(TransactionSynchronizationManager.getResource(this.dataSource)).isSameAs(connection);
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isTrue();
			this.jdbc.update("insert into " + TABLE + " (name, fence, claimed_at) values ('outer', 1, 0)");
		});
		assertThat(fence("outer")).isOne();
	}

	@Test
	void aNewTransactionInsideOneThatHasClaimedDoesNotWaitForIt() {
		TestHandle handle = new TestHandle("a", 5);
		under(handle, () -> this.transaction.executeWithoutResult((status) -> {
			int before = this.dataSource.statements();
			this.newTransaction.executeWithoutResult((inner) -> {
			});
			// The claim of the suspended transaction is repeated at the begin and before
			// the commit, each of which takes one or two statements
			assertThat(this.dataSource.statements()).isBetween(before + 2, before + 4);
			under(new TestHandle("b", 7), () -> this.newTransaction.executeWithoutResult((inner) -> {
			}));
		}));
		assertThat(fence("a")).isEqualTo(5);
		assertThat(fence("b")).isEqualTo(7);
		under(handle, this::commit);
	}

	@Test
	void aNewTransactionAfterTheCommitOfTheOneAroundItIsNotCoveredByIt() {
		under(new TestHandle("a", 5), () -> this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(afterCommit(() -> {
					inAnotherThread(() -> under(new TestHandle("a", 6), this::commit));
					assertThatExceptionOfType(StaleLockException.class).isThrownBy(this::commitNew);
				}))));
		under(new TestHandle("a", 7), () -> this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(afterCommit(this::commitNew))));
		assertThat(fence("a")).isEqualTo(7);
	}

	@Test
	void aNewTransactionInsideOneThatHasEndedInTheDatabaseIsNotCoveredByIt() {
		List<Throwable> inside = new ArrayList<>();
		under(new TestHandle("a", 5),
				() -> assertThatRuntimeException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
					end(connection());
					// Nobody has claimed meanwhile
					inside.add(catchThrowable(this::commitNew));
					inAnotherThread(() -> under(new TestHandle("a", 6), this::commit));
					inside.add(catchThrowable(this::commitNew));
				})));
		assertThat(inside.get(0)).isNull();
		assertThat(inside.get(1)).isInstanceOf(StaleLockException.class);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aNewTransactionDoesNotCommitIfTheOneThatHasCoveredItHasEndedInTheDatabase() {
		List<Throwable> inside = new ArrayList<>();
		under(new TestHandle("a", 5),
				() -> assertThatRuntimeException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
					Connection connection = connection();
					inside.add(catchThrowable(() -> this.newTransaction.executeWithoutResult((inner) -> {
						this.jdbc.update("insert into " + TABLE + " (name, fence, claimed_at) values ('b', 1, 0)");
						end(connection);
					})));
				})));
		assertThat(inside.get(0)).isInstanceOf(CannotAcquireLockException.class)
			.hasMessage(
					"The fence of lock 'a' is not claimed any more: the transaction around this one, whose claim it "
							+ "relies on, has ended in the database. This one is rolled back.");
		assertThat(count()).isZero();
	}

	@Test
	void aNewTransactionInsideOneWithAFailedStatementIsFenced() {
		under(new TestHandle("a", 5), () -> this.transaction.executeWithoutResult((status) -> {
			// After which PostgreSQL keeps no lock, and refuses everything but a rollback
			assertThatExceptionOfType(BadSqlGrammarException.class)
				.isThrownBy(() -> this.jdbc.update("update no_such_table set x = 1"));
			commitNew();
			status.setRollbackOnly();
		}));
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void whatANewTransactionHasCommittedIsFencedAlsoIfTheOneAroundItIsRolledBack() {
		under(new TestHandle("a", 6), () -> this.transaction.executeWithoutResult((status) -> {
			commitNew();
			status.setRollbackOnly();
		}));
		assertThat(fence("a")).isEqualTo(6);
		// Also if it cannot be rolled back in an orderly way
		under(new TestHandle("b", 6),
				() -> assertThatRuntimeException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
					commitNew();
					end(connection());
				})));
		assertThat(fence("b")).isEqualTo(6);
	}

	@Test
	void whatANewTransactionHasCommittedIsFencedAlsoIfASavepointBeforeItIsRolledBackTo() {
		this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			under(new TestHandle("a", 6), () -> {
				this.fences.claim(FencedLocks.current().get(0));
				commitNew();
			});
			status.rollbackToSavepoint(savepoint);
		});
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aNewTransactionDoesNotWaitForAClaimThatWasUndoneWithASavepoint() {
		under(new TestHandle("a", 5), this::commit);
		this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			this.fences.claim(new TestHandle("a", 6));
			status.rollbackToSavepoint(savepoint);
			under(new TestHandle("a", 6), this::commitNew);
		});
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aNewTransactionUnderALockThatWasAcquiredAnewDoesNotWaitForTheOneAroundIt() {
		assertTimeoutPreemptively(Duration.ofSeconds(30),
				() -> under(new TestHandle("a", 5), () -> this.transaction.executeWithoutResult((status) -> {
					under(new TestHandle("a", 7), () -> assertThatExceptionOfType(StaleLockException.class)
						.isThrownBy(() -> this.newTransaction.executeWithoutResult((inner) -> {
							throw new AssertionError("It began");
						}))
						.satisfies((stale) -> {
							assertThat(stale.getFencingToken()).isEqualTo(5);
							assertThat(stale.getFence()).isEqualTo(7);
						})
						.withMessage("Lock 'a' is stale: its lease ended while a transaction with fencing token 5 was "
								+ "suspended, and a transaction inside of that one, which has acquired the lock anew with "
								+ "token 7, would wait for it forever. The inner transaction is rolled back. Let the "
								+ "exception roll back the outer one as well, and use a longer lease, or 'autoRenew'."));
					under(new TestHandle("a", 4), () -> assertThatExceptionOfType(StaleLockException.class)
						.isThrownBy(() -> this.newTransaction.executeWithoutResult((inner) -> {
						}))
						.withMessageStartingWith("Lock 'a' is stale: its fencing token is 4, and a later holder has "
								+ "claimed fence 5 in table 'distributed_lock_fence'."));
				})));
		assertThat(fence("a")).isEqualTo(5);
		under(new TestHandle("a", 7), this::commit);
		assertThat(fence("a")).isEqualTo(7);
	}

	@Test
	void aTransactionThatReadsOnlyClaimsNothing() {
		this.transaction.setReadOnly(true);
		under(new TestHandle("a", 5), this::commit);
		assertThat(count()).isZero();
	}

	@Test
	void oldRowsCanBeDeletedWhileOneOfThemIsClaimed() {
		this.jdbc.update("insert into " + TABLE + " (name, fence, claimed_at) values ('a', 1, 1), ('b', 1, 1)");
		CompletableFuture<Integer> deleted = under(new TestHandle("a", 5), () -> this.transaction.execute((status) -> {
			CompletableFuture<Integer> deletion = CompletableFuture
				.supplyAsync(() -> this.jdbc.update("delete from " + TABLE + " where claimed_at < ?",
						Instant.now().minus(7, ChronoUnit.DAYS).toEpochMilli()));
			await().during(200, TimeUnit.MILLISECONDS).until(() -> !deletion.isDone());
			return deletion;
		}));
		assertThat(deleted).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(1);
		assertThat(fence("a")).isEqualTo(5);
		assertThat(count()).isOne();
	}

	@Test
	void aRollbackUndoesTheClaim() {
		under(new TestHandle("a", 6),
				() -> this.transaction.executeWithoutResult((status) -> status.setRollbackOnly()));
		under(new TestHandle("a", 5), this::commit);
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void severalLocksAreClaimedInTheOrderOfTheirNames() {
		LockHandle both = new TestHandle(List.of(new TestHandle("c", 9), new TestHandle("a", 8)));
		under(both, () -> under(new TestHandle("b", 7), this::commit));
		assertThat(this.dataSource.claimed()).containsSubsequence("a", "b", "c");
		assertThat(List.of(fence("a"), fence("b"), fence("c"))).containsExactly(8L, 7L, 9L);
	}

	@Test
	void theNextHolderWaitsForTheCommitOfTheOneBefore() throws Exception {
		under(new TestHandle("a", 1), this::commit);
		CountDownLatch asked = new CountDownLatch(1);
		CompletableFuture<Void> next = new CompletableFuture<>();
		under(new TestHandle("a", 5), () -> this.transaction.executeWithoutResult((status) -> {
			new Thread(() -> under(new TestHandle("a", 6), () -> {
				asked.countDown();
				try {
					commit();
					next.complete(null);
				}
				catch (Throwable ex) {
					next.completeExceptionally(ex);
				}
			})).start();
			await().until(() -> asked.getCount() == 0);
			await().during(200, TimeUnit.MILLISECONDS).until(() -> !next.isDone());
		}));
		next.get(10, TimeUnit.SECONDS);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aHolderThatWaitedForALaterOneIsRefused() {
		under(new TestHandle("a", 1), this::commit);
		CompletableFuture<Void> late = new CompletableFuture<>();
		CountDownLatch asked = new CountDownLatch(1);
		under(new TestHandle("a", 6), () -> this.transaction.executeWithoutResult((status) -> {
			new Thread(() -> under(new TestHandle("a", 5), () -> {
				asked.countDown();
				try {
					commit();
					late.complete(null);
				}
				catch (Throwable ex) {
					late.completeExceptionally(ex);
				}
			})).start();
			await().until(() -> asked.getCount() == 0);
			await().during(200, TimeUnit.MILLISECONDS).until(() -> !late.isDone());
		}));
		assertThat(late).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(StaleLockException.class);
	}

	@Test
	void aClaimWaitsNoLongerThanTheLockIsHeld() {
		under(new TestHandle("a", 1), this::commit);
		LockHandle ending = new TestHandle("a", 6).remaining(Duration.ofMillis(10));
		under(new TestHandle("a", 5), () -> this.transaction
			.executeWithoutResult((status) -> inAnotherThread(() -> under(ending, () -> assertThatExceptionOfType(
					QueryTimeoutException.class)
				.isThrownBy(this::commit)
				.withMessageStartingWith("The fence of lock 'a' could not be claimed within 1 s, which is as long as "
						+ "the lock is held, or the transaction may take. Another transaction keeps the row 'a' of "
						+ "table 'distributed_lock_fence' locked.")))));
		// Nothing of that stays with the connection
		under(new TestHandle("a", 6), this::commit);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void twoFirstClaimsAtOnceDoNotFail() throws Exception {
		for (int round = 0; round < 20; round++) {
			String name = "new-" + round;
			CountDownLatch go = new CountDownLatch(1);
			List<CompletableFuture<Void>> claims = java.util.stream.Stream.of(name + "a", name + "b", name)
				.map((each) -> CompletableFuture.runAsync(() -> {
					try {
						go.await();
					}
					catch (InterruptedException ex) {
						throw new IllegalStateException(ex);
					}
					under(new TestHandle(each, 1), this::commit);
				}, (task) -> new Thread(task).start()))
				.toList();
			CompletableFuture<Void> same = CompletableFuture.runAsync(() -> {
				go.countDown();
				under(new TestHandle(name, 1), this::commit);
			}, (task) -> new Thread(task).start());
			same.get(10, TimeUnit.SECONDS);
			for (CompletableFuture<Void> claim : claims) {
				claim.get(10, TimeUnit.SECONDS);
			}
		}
		assertThat(count()).isEqualTo(60);
	}

	@Test
	void aFenceCanBeClaimedByHand() {
		TestHandle handle = new TestHandle("a", 5);
		assertThatIllegalStateException().isThrownBy(() -> this.fences.claim(handle))
			.withMessage(
					"The fence of lock 'a' cannot be claimed: no transaction is active in this thread. Begin one, for example with TransactionTemplate.");
		this.transaction.executeWithoutResult((status) -> {
			this.fences.claim(handle);
			int before = this.dataSource.statements();
			this.fences.claim(handle);
			assertThat(this.dataSource.statements()).isEqualTo(before);
		});
		assertThat(fence("a")).isEqualTo(5);
		this.transaction.setReadOnly(true);
		assertThatIllegalStateException()
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.fences.claim(handle)))
			.withMessageContaining("read-only");
	}

	@Test
	void aTransactionManagerWithoutSynchronizationBeginsNothingUnderAFencedLock() {
		JdbcTransactionManager manager = transactionManager(this.dataSource, this.fences);
		manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
		under(new TestHandle("a", 5), () -> assertThatIllegalStateException()
			.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
			}))
			.withMessage("The fence of lock 'a' cannot be claimed: the transaction manager does not synchronize its "
					+ "transactions. Set its transactionSynchronization to SYNCHRONIZATION_ALWAYS, which is the default."));
	}

	@Test
	void aClaimThatFailsLeavesTheConnectionAsItWas() throws Exception {
		SingleConnectionDataSource single = new SingleConnectionDataSource(this.dataSource.getConnection(), true);
		TransactionTemplate missing = new TransactionTemplate(
				transactionManager(single, new JdbcFences("no_such_table", List.of())));
		missing.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
		int before = single.getConnection().getTransactionIsolation();
		under(new TestHandle("a", 5), () -> assertThatExceptionOfType(BadSqlGrammarException.class)
			.isThrownBy(() -> missing.executeWithoutResult((status) -> {
				throw new AssertionError("It began");
			})));
		assertThat(single.getConnection().getAutoCommit()).isTrue();
		assertThat(single.getConnection().getTransactionIsolation()).isEqualTo(before);
		under(new TestHandle("a", 5), () -> new TransactionTemplate(transactionManager(single, this.fences))
			.executeWithoutResult((status) -> {
			}));
		assertThat(fence("a")).isEqualTo(5);
		single.destroy();
	}

	@Test
	void aRefusedTransactionCannotCommit() {
		under(new TestHandle("a", 6), this::commit);
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.jdbc.update("insert into " + TABLE + " (name, fence, claimed_at) values ('b', 1, 0)");
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> this.fences.claim(new TestHandle("a", 5)));
			}));
		assertThat(count()).isOne();
	}

	@Test
	void aClaimThatIsUndoneWithItsSavepointIsMadeAgain() {
		TestHandle handle = new TestHandle("a", 5);
		this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			this.fences.claim(handle);
			status.rollbackToSavepoint(savepoint);
			this.fences.claim(handle);
		});
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void namesOfAnyKindHaveRowsOfTheirOwn() {
		List<String> names = List.of("a", "A", "a ", " a", "ä", "\u0000", "x".repeat(200), "x".repeat(201),
				"y".repeat(4000), Fence.rowNameOf("ä"), "lock 7");
		names.forEach((name) -> under(new TestHandle(name, 5), this::commit));
		assertThat(count()).isEqualTo(names.size());
		names.forEach((name) -> under(new TestHandle(name, 6), this::commit));
		assertThat(count()).isEqualTo(names.size());
		assertThat(fence("lock 7")).isEqualTo(6);
	}

	private void commit() {
		this.transaction.executeWithoutResult((status) -> {
		});
	}

	private void commitNew() {
		this.newTransaction.executeWithoutResult((status) -> {
		});
	}

	private Connection connection() {
		return ((ConnectionHolder) TransactionSynchronizationManager.getResource(this.dataSource)).getConnection();
	}

	/** As a server does with one that is idle for too long: the client is not told. */
	private static void end(Connection connection) {
		try {
			connection.unwrap(Connection.class).close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static TransactionSynchronization afterCommit(Runnable work) {
		return new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				work.run();
			}

		};
	}

	private static void inAnotherThread(Runnable work) {
		CompletableFuture.runAsync(work, (task) -> new Thread(task).start()).orTimeout(20, TimeUnit.SECONDS).join();
	}

	private long fence(String name) {
		Long fence = this.jdbc.queryForObject("select fence from " + TABLE + " where name = ?", Long.class, name);
		return (fence != null) ? fence : -1;
	}

	private int count() {
		Integer count = this.jdbc.queryForObject("select count(*) from " + TABLE, Integer.class);
		return (count != null) ? count : -1;
	}

	static void beginsWithinATransactionOf(DataSource one, DataSource other) {
		JdbcFences fences = new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of());
		TransactionTemplate inOne = new TransactionTemplate(transactionManager(one, fences));
		TransactionTemplate inOther = new TransactionTemplate(transactionManager(other, fences));
		AtomicBoolean began = new AtomicBoolean();
		under(new TestHandle("a", 5),
				() -> inOne.executeWithoutResult((status) -> inOther.executeWithoutResult((inner) -> began.set(true))));
		assertThat(began).isTrue();
	}

	static void under(LockHandle handle, Runnable work) {
		under(handle, () -> {
			work.run();
			return true;
		});
	}

	static <T> T under(LockHandle handle, Supplier<T> work) {
		FencedLocks.mark(handle);
		LockContext.Scope scope = LockContext.enter(handle);
		try {
			return work.get();
		}
		finally {
			scope.close();
		}
	}

}
