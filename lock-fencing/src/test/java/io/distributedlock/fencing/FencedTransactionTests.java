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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import io.distributedlock.fencing.internal.FencedLocks;
import io.distributedlock.kinds.Shows;
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
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for transactions that claim the fence of their lock when they begin, on each
 * database. Each has a class of its own, so that each is counted.
 */
abstract class FencedTransactionTests {

	private static final String TABLE = JdbcFences.DEFAULT_TABLE;

	private static final Duration SOON = Duration.ofSeconds(10);

	static final Consumer<TransactionStatus> NOTHING = (status) -> {
	};

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
		this.fences = new JdbcFences(TABLE, List.of());
		this.transaction = new TransactionTemplate(transactionManager(this.dataSource, this.fences));
		this.newTransaction = new TransactionTemplate(this.transaction.getTransactionManager());
		this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	static JdbcTransactionManager transactionManager(DataSource dataSource, JdbcFences fences) {
		return fenced(new JdbcTransactionManager(dataSource), fences);
	}

	static <T extends PlatformTransactionManager> T fenced(T manager, JdbcFences fences) {
		StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("fences", fences));
		new FencedTransactionPostProcessor(beans.getBeanProvider(JdbcFences.class))
			.postProcessAfterInitialization(manager, "transactionManager");
		return manager;
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
		commit("a", 5);
		assertThat(fence("a")).isEqualTo(5);
		int expected = this.dataSource.statements() + statementsOfClaim();
		inTransaction("a", 6, (status) -> assertThat(this.dataSource.statements()).isEqualTo(expected));
		assertThat(this.dataSource.statements()).isEqualTo(expected);
		this.transaction.executeWithoutResult(NOTHING);
		assertThat(this.dataSource.statements()).isEqualTo(expected);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	@Shows("Holder paused, in a fenced transaction (exclusive lock)")
	void anEarlierHolderIsRefusedAtTheBegin() {
		commit("a", 6);
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> inTransaction("a", 5, FencedTransactionTests::fail))
			.satisfies((stale) -> {
				assertThat(stale.getLockName()).isEqualTo("a");
				assertThat(stale.getFencingToken()).isEqualTo(5);
				assertThat(stale.getFence()).isEqualTo(6);
			})
			.withMessage("Lock 'a' is stale: its fencing token is 5, and a later holder has claimed fence 6 in table "
					+ "'distributed_lock_fence'. The transaction is rolled back. If there was no later holder, because "
					+ "the fencing tokens start again below those of the past, delete the row with the name 'a'.");
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void refusedRequiresNewLeavesTheOuterTransactionUnchanged() {
		commit("a", 6);
		this.transaction.executeWithoutResult((status) -> {
			Object connection = TransactionSynchronizationManager.getResource(this.dataSource);
			under("a", 5, () -> assertThatExceptionOfType(StaleLockException.class).isThrownBy(this::commitNew));
			assertThat(TransactionSynchronizationManager.getResource(this.dataSource)).isSameAs(connection);
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isTrue();
			insert("outer");
		});
		assertThat(fence("outer")).isOne();
	}

	@Test
	void requiresNewDoesNotWaitForTheClaimOfTheOuterTransaction() {
		inTransaction("a", 5, (status) -> {
			int before = this.dataSource.statements();
			commitNew();
			// The claim of the suspended transaction is repeated at the begin and before
			// the commit, each of which takes one or two statements
			assertThat(this.dataSource.statements()).isBetween(before + 2, before + 4);
			under("b", 7, this::commitNew);
		});
		assertThat(fence("a")).isEqualTo(5);
		assertThat(fence("b")).isEqualTo(7);
		commit("a", 5);
	}

	@Test
	@Shows("Holder paused, in a fenced transaction (exclusive lock)")
	void requiresNewAfterTheOuterCommitIsNotCovered() {
		inTransaction("a", 5, (status) -> TransactionSynchronizationManager.registerSynchronization(afterCommit(() -> {
			inAnotherThread(() -> commit("a", 6)).join();
			assertThatExceptionOfType(StaleLockException.class).isThrownBy(this::commitNew);
		})));
		inTransaction("a", 7,
				(status) -> TransactionSynchronizationManager.registerSynchronization(afterCommit(this::commitNew)));
		assertThat(fence("a")).isEqualTo(7);
	}

	@Test
	void requiresNewUnderAReacquiredLockBeginsAfterTheOuterCommit() {
		inTransaction("a", 5, (status) -> TransactionSynchronizationManager
			.registerSynchronization(afterCommit(() -> under("a", 7, this::commitNew))));
		assertThat(fence("a")).isEqualTo(7);
	}

	@Test
	@Shows("Holder paused, in a fenced transaction (exclusive lock)")
	void requiresNewIsNotCoveredByAnOuterTransactionEndedInTheDatabase() {
		List<Throwable> inside = new ArrayList<>();
		assertThatRuntimeException().isThrownBy(() -> inTransaction("a", 5, (status) -> {
			end(connection());
			// Nobody has claimed meanwhile
			inside.add(catchThrowable(this::commitNew));
			inAnotherThread(() -> commit("a", 6)).join();
			inside.add(catchThrowable(this::commitNew));
		}));
		assertThat(inside.get(0)).isNull();
		assertThat(inside.get(1)).isInstanceOf(StaleLockException.class);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void requiresNewDoesNotCommitIfTheOuterTransactionHasEndedInTheDatabase() {
		List<Throwable> inside = new ArrayList<>();
		assertThatRuntimeException().isThrownBy(() -> inTransaction("a", 5, (status) -> {
			Connection connection = connection();
			inside.add(catchThrowable(() -> this.newTransaction.executeWithoutResult((inner) -> {
				insert("b");
				end(connection);
			})));
		}));
		assertThat(inside.get(0)).isInstanceOf(CannotAcquireLockException.class)
			.hasMessage(
					"The fence of lock 'a' is not claimed any more: the transaction around this one, whose claim it "
							+ "relies on, has ended in the database. This one is rolled back.");
		assertThat(count()).isZero();
	}

	@Test
	@Shows("Holder paused, in a fenced transaction (exclusive lock)")
	void requiresNewDoesNotBeginIfTheOuterTransactionWasRolledBackAndALaterHolderHasClaimed() {
		assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> inTransaction("a", 5, (status) -> {
			rollBack(connection());
			inAnotherThread(() -> commit("a", 6)).join();
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> this.newTransaction.executeWithoutResult(FencedTransactionTests::fail));
		}));
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	@Shows("Holder paused, in a fenced transaction (exclusive lock)")
	void requiresNewDoesNotCommitIfTheOuterTransactionWasRolledBackAndALaterHolderHasClaimed() {
		inTransaction("a", 5, (status) -> {
			Connection outer = connection();
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> this.newTransaction.executeWithoutResult((inner) -> {
					insert("b");
					rollBack(outer);
					inAnotherThread(() -> commit("a", 6)).join();
				}));
			status.setRollbackOnly();
		});
		assertThat(fence("a")).isEqualTo(6);
		assertThat(count()).isOne();
	}

	@Test
	void requiresNewDoesNotCommitIfTheOuterTransactionWasCommittedByItsConnection() {
		inTransaction("a", 5, (status) -> {
			Connection outer = connection();
			assertThatExceptionOfType(CannotAcquireLockException.class)
				.isThrownBy(() -> this.newTransaction.executeWithoutResult((inner) -> {
					insert("b");
					setAutoCommit(outer, true);
				}));
			setAutoCommit(outer, false);
		});
		assertThat(fence("a")).isEqualTo(5);
		assertThat(count()).isOne();
	}

	@Test
	void aNewTransactionInsideOneWithAFailedStatementIsFenced() {
		inTransaction("a", 5, (status) -> {
			// After which PostgreSQL keeps no lock, and refuses everything but a rollback
			assertThatExceptionOfType(BadSqlGrammarException.class)
				.isThrownBy(() -> this.jdbc.update("update no_such_table set x = 1"));
			commitNew();
			status.setRollbackOnly();
		});
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void requiresNewCommitStaysFencedAfterRollbackOfTheOuterTransaction() {
		inTransaction("a", 6, (status) -> {
			commitNew();
			status.setRollbackOnly();
		});
		assertThat(fence("a")).isEqualTo(6);
		// Also if it cannot be rolled back in an orderly way
		assertThatRuntimeException().isThrownBy(() -> inTransaction("b", 6, (status) -> {
			commitNew();
			end(connection());
		}));
		assertThat(fence("b")).isEqualTo(6);
	}

	@Test
	void requiresNewCommitWithUnknownOutcomeStaysFencedAfterRollbackOfTheOuterTransaction() {
		TransactionTemplate inner = new TransactionTemplate(
				fenced(new LosingAnswers(this.dataSource, DatabaseOutcome.COMMITTED), this.fences));
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		inTransaction("a", 6, (status) -> {
			assertThatExceptionOfType(TransactionSystemException.class)
				.isThrownBy(() -> inner.executeWithoutResult((same) -> insert("b")));
			status.setRollbackOnly();
		});
		assertThat(count()).as("rows of the inner transaction, and the fence").isEqualTo(2);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void requiresNewCommitStaysFencedIfTheOutcomeOfTheOuterTransactionIsUnknown() {
		TransactionTemplate outer = new TransactionTemplate(
				fenced(new LosingAnswers(this.dataSource, DatabaseOutcome.ROLLED_BACK), this.fences));
		under("a", 6, () -> assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> outer.executeWithoutResult((status) -> commitNew())));
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void requiresNewCommitStaysFencedAfterRollbackToSavepoint() {
		this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			under("a", 6, () -> {
				this.fences.claim(FencedLocks.current().get(0));
				commitNew();
			});
			status.rollbackToSavepoint(savepoint);
		});
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void requiresNewCommitStaysFencedAfterRollbackToASecondSavepoint() {
		this.transaction.executeWithoutResult((status) -> {
			Object first = status.createSavepoint();
			this.fences.claim(handle("a", 6));
			status.rollbackToSavepoint(first);
			Object second = status.createSavepoint();
			this.fences.claim(handle("a", 6));
			under("a", 6, this::commitNew);
			status.rollbackToSavepoint(second);
		});
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aRestoredClaimIsCommittedBeforeTheCallbacksAfterTheRollback() {
		List<Long> seen = new ArrayList<>();
		inTransaction("a", 5, (status) -> {
			commitNew();
			TransactionSynchronizationManager.registerSynchronization(afterCompletion(() -> {
				inAnotherThread(() -> seen.add(fence("a"))).join();
				inAnotherThread(() -> commit("a", 6)).join();
			}));
			status.setRollbackOnly();
		});
		assertThat(seen).containsExactly(5L);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void aRestoredClaimThatIsRefusedLeavesNothingOpenForTheCallbacksAfterTheRollback() {
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		List<Long> seen = new ArrayList<>();
		inTransaction("a", 5, (status) -> {
			commitNew();
			TransactionSynchronizationManager.registerSynchronization(afterCompletion(() -> {
				inAnotherThread(() -> commit("a", 7)).join();
				// With the connection of the transaction, as it was before any snapshot
				seen.add(fence("a"));
			}));
			rollBack(connection());
			inAnotherThread(() -> commit("a", 6)).join();
			status.setRollbackOnly();
		});
		assertThat(seen).containsExactly(7L);
	}

	@Test
	void requiresNewCommitStaysFencedIfItHasRepeatedAClaimThatWasUndone() {
		this.transaction.executeWithoutResult((status) -> {
			Object first = status.createSavepoint();
			this.fences.claim(handle("a", 6));
			status.rollbackToSavepoint(first);
			Object second = status.createSavepoint();
			under("a", 6, this::commitNew);
			status.rollbackToSavepoint(second);
		});
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void requiresNewDoesNotWaitForAClaimUndoneWithASavepoint() {
		commit("a", 5);
		this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			this.fences.claim(handle("a", 6));
			status.rollbackToSavepoint(savepoint);
			under("a", 6, this::commitNew);
		});
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void requiresNewUnderAReacquiredLockDoesNotWaitForTheOuterTransaction() {
		assertTimeoutPreemptively(Duration.ofSeconds(30), () -> inTransaction("a", 5, (status) -> {
			under("a", 7,
					() -> assertThatExceptionOfType(StaleLockException.class)
						.isThrownBy(() -> this.newTransaction.executeWithoutResult(FencedTransactionTests::fail))
						.satisfies((stale) -> {
							assertThat(stale.getFencingToken()).isEqualTo(5);
							assertThat(stale.getFence()).isEqualTo(7);
						})
						.withMessage("Lock 'a' is stale: its lease ended while a transaction with fencing token 5 was "
								+ "suspended, and a transaction inside of that one, which has acquired the lock anew with "
								+ "token 7, would wait for it forever. The inner transaction is rolled back. Let the "
								+ "exception roll back the outer one as well, and use a longer lease, or 'autoRenew'."));
			under("a", 4,
					() -> assertThatExceptionOfType(StaleLockException.class).isThrownBy(this::commitNew)
						.withMessageStartingWith("Lock 'a' is stale: its fencing token is 4, and a later holder has "
								+ "claimed fence 5 in table 'distributed_lock_fence'."));
		}));
		assertThat(fence("a")).isEqualTo(5);
		commit("a", 7);
		assertThat(fence("a")).isEqualTo(7);
	}

	@Test
	void requiresNewUnderAReacquiredLockIsRefusedAfterRollbackToASavepointThatFollowsTheClaim() {
		this.transaction.executeWithoutResult((status) -> {
			this.fences.claim(handle("a", 5));
			status.rollbackToSavepoint(status.createSavepoint());
			under("a", 7, () -> assertThatExceptionOfType(StaleLockException.class).isThrownBy(this::commitNew));
		});
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void readOnlyTransactionClaimsNothing() {
		this.transaction.setReadOnly(true);
		commit("a", 5);
		assertThat(count()).isZero();
	}

	@Test
	void oldRowsCanBeDeletedWhileOneOfThemIsClaimed() {
		insert("a");
		insert("b");
		AtomicInteger deleted = new AtomicInteger();
		String statement = "delete from " + TABLE + " where claimed_at < ?";
		long before = Instant.now().minus(7, ChronoUnit.DAYS).toEpochMilli();
		CompletableFuture<Void> deletion = whileInTransaction("a", 5,
				() -> deleted.set(this.jdbc.update(statement, before)));
		assertThat(deletion).succeedsWithin(SOON);
		assertThat(deleted).hasValue(1);
		assertThat(fence("a")).isEqualTo(5);
		assertThat(count()).isOne();
	}

	@Test
	void aRollbackUndoesTheClaim() {
		inTransaction("a", 6, TransactionExecution::setRollbackOnly);
		commit("a", 5);
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void severalLocksAreClaimedInTheOrderOfTheirNames() {
		LockHandle both = handle("c, a", -1);
		List<LockHandle> parts = List.of(handle("c", 9), handle("a", 8));
		given(both.parts()).willReturn(parts);
		under(both, () -> commit("b", 7));
		assertThat(this.dataSource.claimed()).containsSubsequence("a", "b", "c");
		assertThat(List.of(fence("a"), fence("b"), fence("c"))).containsExactly(8L, 7L, 9L);
	}

	@Test
	void nextHolderWaitsForTheCommitOfThePreviousHolder() {
		commit("a", 1);
		assertThat(whileInTransaction("a", 5, () -> commit("a", 6))).succeedsWithin(SOON);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	@Shows("Holder paused, in a fenced transaction (exclusive lock)")
	void holderIsRefusedAfterWaitingForALaterHolder() {
		commit("a", 1);
		assertThat(whileInTransaction("a", 6, () -> commit("a", 5))).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(StaleLockException.class);
	}

	@Test
	void aClaimWaitsNoLongerThanTheLockIsHeld() {
		commit("a", 1);
		LockHandle ending = handle("a", 6);
		given(ending.remaining()).willReturn(Duration.ofMillis(10));
		inTransaction("a", 5,
				(status) -> inAnotherThread(() -> under(ending,
						() -> assertThatExceptionOfType(QueryTimeoutException.class)
							.isThrownBy(() -> this.transaction.executeWithoutResult(NOTHING))
							.withMessageStartingWith("The fence of lock 'a' could not be claimed within 1s, which is "
									+ "as long as the lock is held, or the transaction may take. Another transaction "
									+ "keeps the row 'a' of table 'distributed_lock_fence' locked.")))
					.join());
		// Nothing of that stays with the connection
		commit("a", 6);
		assertThat(fence("a")).isEqualTo(6);
	}

	@Test
	void twoFirstClaimsAtOnceDoNotFail() {
		for (int round = 0; round < 20; round++) {
			String name = "new-" + round;
			CyclicBarrier together = new CyclicBarrier(4);
			List<CompletableFuture<Void>> claims = Stream.of(name, name, name + "a", name + "b")
				.map((each) -> inAnotherThread(() -> {
					assertThatNoException().isThrownBy(together::await);
					commit(each, 1);
				}))
				.toList();
			claims.forEach(CompletableFuture::join);
		}
		assertThat(count()).isEqualTo(60);
	}

	@Test
	void aFenceCanBeClaimedByHand() {
		LockHandle handle = handle("a", 5);
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
	void theFencesOfTwoLocksAreClaimedOnceEach() {
		this.transaction.executeWithoutResult((status) -> {
			this.fences.claim(handle("a", 5));
			this.fences.claim(handle("b", 7));
			int before = this.dataSource.statements();
			this.fences.claim(handle("a", 5));
			this.fences.claim(handle("b", 7));
			assertThat(this.dataSource.statements()).isEqualTo(before);
		});
	}

	@Test
	void aTransactionManagerWithoutSynchronizationBeginsNothingUnderAFencedLock() {
		JdbcTransactionManager manager = transactionManager(this.dataSource, this.fences);
		manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
		under("a", 5, () -> assertThatIllegalStateException()
			.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult(FencedTransactionTests::fail))
			.withMessage("The fence of lock 'a' cannot be claimed: the transaction manager does not synchronize its "
					+ "transactions. Set its transactionSynchronization to SYNCHRONIZATION_ALWAYS, which is the default."));
	}

	@Test
	void failedClaimLeavesTheConnectionUnchanged() throws Exception {
		SingleConnectionDataSource single = new SingleConnectionDataSource(this.dataSource.getConnection(), true);
		TransactionTemplate missing = new TransactionTemplate(
				transactionManager(single, new JdbcFences("no_such_table", List.of())));
		missing.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
		int before = single.getConnection().getTransactionIsolation();
		under("a", 5, () -> assertThatExceptionOfType(BadSqlGrammarException.class)
			.isThrownBy(() -> missing.executeWithoutResult(FencedTransactionTests::fail)));
		assertThat(single.getConnection().getAutoCommit()).isTrue();
		assertThat(single.getConnection().getTransactionIsolation()).isEqualTo(before);
		under("a", 5,
				() -> new TransactionTemplate(transactionManager(single, this.fences)).executeWithoutResult(NOTHING));
		assertThat(fence("a")).isEqualTo(5);
		single.destroy();
	}

	@Test
	void aRefusedTransactionCannotCommit() {
		commit("a", 6);
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				insert("b");
				assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> this.fences.claim(handle("a", 5)));
			}));
		assertThat(count()).isOne();
	}

	@Test
	void claimUndoneWithItsSavepointIsRepeated() {
		LockHandle handle = handle("a", 5);
		this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			this.fences.claim(handle);
			status.rollbackToSavepoint(savepoint);
			this.fences.claim(handle);
		});
		assertThat(fence("a")).isEqualTo(5);
	}

	@Test
	void namesOfAnyKindHaveSeparateRows() {
		List<String> names = List.of("a", "A", "a ", " a", "ä", "\u0000", "x".repeat(200), "x".repeat(201),
				"y".repeat(4000), Fence.rowNameOf("ä"), "lock 7");
		for (int token : List.of(5, 6)) {
			names.forEach((name) -> commit(name, token));
			assertThat(count()).isEqualTo(names.size());
		}
		assertThat(fence("lock 7")).isEqualTo(6);
	}

	private void inTransaction(String name, long token, Consumer<TransactionStatus> work) {
		under(name, token, () -> this.transaction.executeWithoutResult(work));
	}

	private void commit(String name, long token) {
		inTransaction(name, token, NOTHING);
	}

	private void commitNew() {
		this.newTransaction.executeWithoutResult(NOTHING);
	}

	static void fail(TransactionStatus begun) {
		throw new AssertionError("It began");
	}

	/** Does what has to wait for the end of a transaction that claims a fence. */
	private CompletableFuture<Void> whileInTransaction(String name, long token, Runnable waiting) {
		List<CompletableFuture<Void>> result = new ArrayList<>();
		inTransaction(name, token, (status) -> {
			result.add(inAnotherThread(waiting));
			await().during(200, TimeUnit.MILLISECONDS).until(() -> !result.get(0).isDone());
		});
		return result.get(0);
	}

	static CompletableFuture<Void> inAnotherThread(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> new Thread(task).start()).orTimeout(20, TimeUnit.SECONDS);
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

	/** As a server does with the victim of a deadlock, whose connection stays usable. */
	private static void rollBack(Connection connection) {
		try {
			connection.rollback();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void setAutoCommit(Connection connection, boolean autoCommit) {
		try {
			connection.setAutoCommit(autoCommit);
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

	private static TransactionSynchronization afterCompletion(Runnable work) {
		return new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				work.run();
			}

		};
	}

	private void insert(String name) {
		this.jdbc.update("insert into " + TABLE + " (name, fence, claimed_at) values (?, 1, 0)", name);
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
		JdbcFences fences = new JdbcFences(TABLE, List.of());
		TransactionTemplate inOne = new TransactionTemplate(transactionManager(one, fences));
		TransactionTemplate inOther = new TransactionTemplate(transactionManager(other, fences));
		AtomicBoolean began = new AtomicBoolean();
		under("a", 5,
				() -> inOne.executeWithoutResult((status) -> inOther.executeWithoutResult((inner) -> began.set(true))));
		assertThat(began).isTrue();
	}

	/**
	 * A lock that is held for half a minute.
	 */
	static LockHandle handle(String name, long token) {
		LockHandle handle = mock();
		given(handle.name()).willReturn(name);
		given(handle.fencingToken()).willReturn(token);
		given(handle.parts()).willReturn(List.of(handle));
		given(handle.state()).willReturn(LockState.HELD);
		given(handle.remaining()).willReturn(Duration.ofSeconds(30));
		return handle;
	}

	static void under(String name, long token, Runnable work) {
		under(handle(name, token), work);
	}

	static void under(LockHandle handle, Runnable work) {
		FencedLocks.mark(handle);
		LockContext.Scope scope = LockContext.enter(handle);
		try {
			work.run();
		}
		finally {
			scope.close();
		}
	}

	private enum DatabaseOutcome {

		COMMITTED, ROLLED_BACK

	}

	/**
	 * Gets no answer to a commit, whatever the database has done.
	 */
	private static final class LosingAnswers extends JdbcTransactionManager {

		private static final long serialVersionUID = 1L;

		private final DatabaseOutcome outcome;

		LosingAnswers(DataSource dataSource, DatabaseOutcome outcome) {
			super(dataSource);
			this.outcome = outcome;
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			if (this.outcome == DatabaseOutcome.COMMITTED) {
				super.doCommit(status);
			}
			else {
				super.doRollback(status);
			}
			throw new TransactionSystemException("The answer to the commit is lost");
		}

	}

}
