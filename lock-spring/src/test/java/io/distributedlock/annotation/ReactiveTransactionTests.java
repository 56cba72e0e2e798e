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

package io.distributedlock.annotation;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.reactive.ReactiveLockContext;
import io.distributedlock.reactive.ReactiveLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for locks beside reactive transactions.
 */
class ReactiveTransactionTests {

	private final LockFixture fixture = new LockFixture();

	private final RecordingTransactionManager transactionManager = new RecordingTransactionManager(
			this.fixture.locks.log);

	private final TransactionalOperator transaction = TransactionalOperator.create(this.transactionManager);

	private Work work;

	@BeforeEach
	void start() {
		this.fixture.context.register(TransactionConfiguration.class);
		this.fixture.bean("transactionManager", ReactiveTransactionManager.class, () -> this.transactionManager);
		this.work = this.fixture.start(Work.class);
	}

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@Test
	void lockTakenInATransactionIsReleasedAfterItsCommit() {
		assertThat(this.work.mono(null).as(this.transaction::transactional).block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work",
				"commit", "release work");
	}

	@Test
	void lockOfManyResultsTakenInATransactionIsReleasedAfterItsCommit() {
		assertThat(this.work.flux().as(this.transaction::transactional).collectList().block()).containsExactly(1, 2);
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work",
				"commit", "release work");
	}

	@Test
	@DisplayName("A lock taken in a transaction is released after its rollback, without minimum hold")
	void rollbackReleasesTheLockWithoutMinimumHold() {
		assertThatIllegalStateException().isThrownBy(() -> this.work.mono(null)
			.then(Mono.error(new IllegalStateException("test")))
			.as(this.transaction::transactional)
			.block());
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work",
				"rollback", "waive work", "release work");
	}

	@Test
	void locksOfReactiveLocksAreReleasedAfterTheCommit() {
		ReactiveLocks locks = new ReactiveLocks(this.fixture.locks);
		LockOptions options = this.fixture.locks.defaults();
		Mono<String> executing = locks.execute("work", options, (handle) -> Mono.just("done"));
		Mono<String> many = locks.executeMany("work", options, (handle) -> Flux.just("done")).single();
		Mono<String> acquiring = Mono.usingWhen(locks.acquire("work", options), (handle) -> Mono.just("done"),
				(handle) -> Mono.fromFuture(handle.releaseAsync()));
		assertThat(executing.then(many).then(acquiring).as(this.transaction::transactional).block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work",
				"enter work", "leave work", "enter work", "leave work", "commit", "release work");
	}

	@Test
	void lossAfterTheWorkOfReactiveLocksRollsBack() {
		Mono<String> losing = new ReactiveLocks(this.fixture.locks)
			.execute("work", this.fixture.locks.defaults(), Mono::just)
			.doOnNext((handle) -> ((RecordingLockService.RecordingHandle) handle).lose())
			.thenReturn("done");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> losing.as(this.transaction::transactional).block());
		assertThat(this.fixture.locks.log).contains("rollback", "release work").doesNotContain("commit");
	}

	@Test
	void transactionAroundALostLockRollsBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.work.losing(null).as(this.transaction::transactional).block());
		assertThat(this.fixture.locks.log).contains("rollback", "release work").doesNotContain("commit");
	}

	@Test
	void lockAroundATransactionIsReleasedAfterItsCommit() {
		assertThat(this.work.around(Mono.just("done").as(this.transaction::transactional)).block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("acquire work", "begin", "commit", "release work");
	}

	@Test
	void everySubscriptionHasItsLockAndItsTransaction() {
		Mono<String> mono = this.work.transactional();
		assertThat(mono.block()).isEqualTo("done");
		assertThat(mono.block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("acquire work", "begin", "commit", "release work",
				"acquire work", "begin", "commit", "release work");
	}

	@Test
	void lossDoesNotAffectAReadOnlyTransaction() {
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setReadOnly(true);
		TransactionalOperator reading = TransactionalOperator.create(this.transactionManager, definition);
		assertThat(this.work.losing(null).as(reading::transactional).block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).contains("commit", "release work");
	}

	@Test
	void transactionWithinLeavesTheLockToTheOuterSubscription() {
		assertThat(this.work
			.around(Mono.defer(() -> this.work.mono(null))
				.as(this.transaction::transactional)
				.doOnNext((value) -> this.fixture.locks.log.add("still locked")))
			.block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("acquire work", "begin", "enter work", "enter work",
				"leave work", "commit", "leave work", "still locked", "release work");
	}

	@Test
	@DisplayName("A failure of the work ends the minimum hold, though the transaction commits")
	void failureEndsTheMinimumHoldThoughTheTransactionCommits() {
		assertThat(this.work.around(Mono.error(new IllegalStateException("test")))
			.onErrorReturn("done")
			.as(this.transaction::transactional)
			.block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "waive work",
				"leave work", "commit", "release work");
	}

	@Test
	void secondCallInTheSameTransactionTakesPartInTheLockOfTheFirst() {
		assertThat(this.work.mono(null)
			.then(Mono.defer(() -> this.work.inContext()))
			.as(this.transaction::transactional)
			.block()).isEqualTo("work");
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work",
				"enter work", "leave work", "commit", "release work");
	}

	@Test
	void callInANewTransactionTakesPartInTheLockOfTheSuspendedOne() {
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		TransactionalOperator anew = TransactionalOperator.create(this.transactionManager, definition);
		assertThat(this.work.mono(null)
			.then(Mono.defer(() -> this.work.mono(null)).as(anew::transactional))
			.then(Mono.defer(() -> this.work.mono(null)))
			.as(this.transaction::transactional)
			.block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work", "begin",
				"enter work", "enter work", "leave work", "commit", "leave work", "enter work", "leave work", "commit",
				"release work");
	}

	@Test
	void oneSynchronizationServesAllLocksOfATransaction() {
		assertThat(Flux.range(0, 100)
			.concatMap(this.work::item)
			.then(TransactionSynchronizationManager.forCurrentTransaction()
				.map((manager) -> manager.getSynchronizations().size()))
			.as(this.transaction::transactional)
			.block()).isOne();
		assertThat(this.fixture.locks.log).filteredOn((entry) -> entry.startsWith("release ")).hasSize(100);
	}

	@Test
	@DisplayName("The lock of a method with a transaction of its own is released when that has completed")
	void lockIsReleasedWhenTheOwnTransactionHasCompleted() {
		assertThat(this.work.independent().as(this.transaction::transactional).block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "begin", "commit", "release work",
				"commit");
	}

	@Test
	void locksAreReleasedAfterAllOtherSynchronizations() {
		assertThat(this.work.mono(null)
			.then(TransactionSynchronizationManager.forCurrentTransaction().doOnNext(this::logCompletion))
			.thenReturn("done")
			.as(this.transaction::transactional)
			.block()).isEqualTo("done");
		assertThat(this.fixture.locks.log).endsWith("leave work", "commit", "listener", "release work");
	}

	private void logCompletion(TransactionSynchronizationManager manager) {
		manager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public Mono<Void> afterCompletion(int status) {
				return Mono.fromRunnable(() -> ReactiveTransactionTests.this.fixture.locks.log.add("listener"));
			}

		});
	}

	@Test
	void callAfterTheTransactionAcquiresAnew() {
		this.work.mono(null).as(this.transaction::transactional).block();
		this.work.mono(null).as(this.transaction::transactional).block();
		assertThat(this.fixture.locks.log).containsExactly("begin", "acquire work", "enter work", "leave work",
				"commit", "release work", "begin", "acquire work", "enter work", "leave work", "commit",
				"release work");
	}

	@Test
	void lockGrantedAfterTheEndOfTheTransactionIsGivenBack() {
		LockHandle handle = this.fixture.locks.acquire("work", this.fixture.locks.defaults());
		this.fixture.locks.pending = new CompletableFuture<>();
		CompletableFuture<String> late = Mono
			.deferContextual((context) -> Mono.just(this.work.mono(null).contextWrite(context).toFuture()))
			.as(this.transaction::transactional)
			.block();
		assertThat(late).isNotDone();
		this.fixture.locks.pending.complete(handle);
		assertThat(late).isCompletedExceptionally();
		assertThat(this.fixture.locks.log).containsExactly("acquire work", "begin", "commit", "waive work",
				"release work");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class TransactionConfiguration {

	}

	static class Work {

		@DistributedLock("work")
		@Transactional
		public Mono<String> transactional() {
			return Mono.just("done");
		}

		@DistributedLock("work")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public Mono<String> independent() {
			return Mono.just("done");
		}

		@DistributedLock("'item:' + #id")
		public Mono<Integer> item(int id) {
			return Mono.just(id);
		}

		@DistributedLock("work")
		public Mono<String> mono(@Nullable LockHandle handle) {
			return Mono.just("done");
		}

		@DistributedLock("work")
		public Mono<String> inContext() {
			return Mono
				.deferContextual((context) -> Mono.just(ReactiveLockContext.current(context).orElseThrow().name()));
		}

		@DistributedLock("work")
		public Flux<Integer> flux() {
			return Flux.just(1, 2);
		}

		@DistributedLock("work")
		public Mono<String> losing(@Nullable LockHandle handle) {
			return Mono.fromSupplier(() -> {
				((RecordingLockService.RecordingHandle) handle).lose();
				return "done";
			});
		}

		@DistributedLock("work")
		public Mono<String> around(Mono<String> inner) {
			return inner;
		}

	}

	private static final class RecordingTransactionManager extends AbstractReactiveTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient List<String> log;

		RecordingTransactionManager(List<String> log) {
			this.log = log;
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.fromRunnable(() -> this.log.add("begin"));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.log.add("commit"));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.log.add("rollback"));
		}

	}

}
