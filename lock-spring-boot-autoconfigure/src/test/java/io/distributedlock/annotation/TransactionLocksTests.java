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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.SettableTicker;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the locks that a transaction keeps, on the engine itself.
 */
class TransactionLocksTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private final Ticker system = Ticker.system();

	private final SettableTicker ahead = new SettableTicker();

	/** Goes by itself, and can be moved ahead. */
	private final Ticker ticker = () -> this.system.nanos() + this.ahead.nanos();

	private final InMemoryLockStore store = new InMemoryLockStore(this.ticker::nanos);

	private final DefaultLockService here = new DefaultLockService(this.store, EngineSettings.of("here"), List.of(),
			this.ticker, null, AmbientTransaction.keeper());

	private final DefaultLockService there = new DefaultLockService(this.store.connect(), EngineSettings.of("there"),
			List.of());

	private final LockFixture fixture = new LockFixture(this.here);

	private Work work;

	private TransactionTemplate transaction;

	private TransactionTemplate newTransaction;

	@BeforeEach
	void start() {
		this.fixture.context.register(LockedTransactionTests.DatabaseConfiguration.class);
		this.fixture.context.register(Independent.class, Declared.class);
		this.work = this.fixture.start(Work.class);
		PlatformTransactionManager manager = this.fixture.context.getBean(PlatformTransactionManager.class);
		this.transaction = new TransactionTemplate(manager);
		this.newTransaction = new TransactionTemplate(manager);
		this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	@AfterEach
	void stop() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(this.here.held()).isEmpty();
		this.fixture.close();
		this.here.close();
		this.there.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockIsKeptUntilTheTransactionHasCompleted(Kind kind) {
		this.transaction.executeWithoutResult((status) -> {
			assertThat(kind.call(this.work, CompletableFuture.completedFuture("done")))
				.succeedsWithin(Duration.ofSeconds(10));
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockOfWorkThatOutlivesTheTransactionIsKeptUntilTheWorkIsDone() {
		CompletableFuture<String> body = new CompletableFuture<>();
		this.transaction.executeWithoutResult((status) -> {
			this.work.future(body);
			await().until(() -> body.getNumberOfDependents() > 0);
		});
		assertThat(isFree()).isFalse();
		body.complete("done");
		await().until(this::isFree);
	}

	@Test
	@DisplayName("A lock that is granted after the transaction has completed is released when the work is done")
	void lockGrantedAfterTheTransactionIsReleasedWithTheWork() {
		LockHandle elsewhere = this.there.acquire("work", LONG);
		CompletableFuture<String> result = this.transaction
			.execute((status) -> this.work.future(CompletableFuture.completedFuture("done")));
		elsewhere.close();
		assertThat(result).succeedsWithin(Duration.ofSeconds(10));
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "BLOCKING, BLOCKING", "BLOCKING, FUTURE", "FUTURE, BLOCKING", "FUTURE, FUTURE" })
	void laterCallsEnterTheLockThatTheTransactionKeeps(Kind first, Kind second) {
		CompletableFuture<String> done = CompletableFuture.completedFuture("done");
		this.transaction.executeWithoutResult((status) -> {
			first.call(this.work, done).join();
			assertThat(second.call(this.work, done)).succeedsWithin(Duration.ofSeconds(10));
			this.newTransaction.executeWithoutResult((inner) -> {
				assertThat(second.call(this.work, done)).succeedsWithin(Duration.ofSeconds(10));
				assertThat(second.call(this.work, done)).succeedsWithin(Duration.ofSeconds(10));
			});
			assertThat(second.call(this.work, done)).succeedsWithin(Duration.ofSeconds(10));
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void minimumHoldIsNotKeptAfterARollback(Kind kind) {
		CompletableFuture<String> done = CompletableFuture.completedFuture("done");
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			kind.callWithMinHold(this.work, done).join();
			throw new IllegalStateException("test");
		}));
		assertThat(isFree()).isTrue();
		this.transaction.executeWithoutResult((status) -> kind.callWithMinHold(this.work, done).join());
		assertThat(isFree()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void lossBeforeTheCommitRollsBack(Kind kind) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				kind.call(this.work, CompletableFuture.completedFuture("done")).join();
				endLease();
				await().until(this::isFree);
			}));
	}

	@Test
	void oneSynchronizationServesAllLocksOfATransaction() {
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 100; i++) {
				this.work.item(i);
			}
			assertThat(this.here.held()).hasSize(100);
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "requiresNew", "notSupported", "future", "declaredByTheClass" })
	@DisplayName("The lock of a method that does not take part in the transaction is released when the method is done")
	void lockOfAMethodOutsideTheTransactionIsReleasedWithTheMethod(String method) {
		this.transaction.executeWithoutResult((status) -> {
			Independent bean = this.fixture.context.getBean(Independent.class);
			switch (method) {
				case "requiresNew" -> bean.requiresNew();
				case "notSupported" -> bean.notSupported();
				case "future" -> bean.future().join();
				default -> this.fixture.context.getBean(Declared.class).call();
			}
			assertThat(this.here.held()).isEmpty();
		});
	}

	/**
	 * As if the transaction was configured to be outside of the lock.
	 */
	@Test
	void newTransactionBegunBeforeTheLockKeepsTheLock() {
		this.newTransaction.setName(Independent.class.getName() + ".requiresNew");
		this.newTransaction.executeWithoutResult((status) -> {
			this.fixture.context.getBean(Independent.class).requiresNew();
			assertThat(this.here.held()).hasSize(1);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void listenersAfterTheCommitRunUnderTheLock(boolean lockInside) {
		if (lockInside) {
			this.transaction.executeWithoutResult((status) -> this.work.publishing());
		}
		else {
			this.work.publishing();
		}
		assertThat(this.work.seen()).containsExactly("locked");
	}

	@Test
	void lossIsDealtWithByClosingTheHandle() {
		assertThat(this.work.losing(this::endLease, true, this.newTransaction)).isEqualTo("recorded");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.work.losing(this::endLease, false, this.newTransaction));
	}

	private void endLease() {
		this.ahead.advance(LockOptions.defaults().lease());
		this.here.catchUp();
	}

	private boolean isFree() {
		return !this.there.isLocked("work");
	}

	enum Kind {

		BLOCKING, FUTURE;

		CompletableFuture<String> call(Work work, CompletableFuture<String> body) {
			return (this == FUTURE) ? work.future(body) : CompletableFuture.completedFuture(work.blocking(body));
		}

		CompletableFuture<String> callWithMinHold(Work work, CompletableFuture<String> body) {
			return (this == FUTURE) ? work.futureWithMinHold(body)
					: CompletableFuture.completedFuture(work.blockingWithMinHold(body));
		}

	}

	static class Work {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private final ApplicationEventPublisher events;

		private final LockService locks;

		Work(ApplicationEventPublisher events, LockService locks) {
			this.events = events;
			this.locks = locks;
		}

		public List<String> seen() {
			return this.seen;
		}

		@DistributedLock(name = "work", waitTime = 60)
		public String blocking(CompletableFuture<String> body) {
			return body.join();
		}

		@DistributedLock(name = "work", waitTime = 60)
		public CompletableFuture<String> future(CompletableFuture<String> body) {
			return body.thenApply((value) -> value);
		}

		@DistributedLock(name = "work", timeout = 30, minHold = 20)
		public String blockingWithMinHold(CompletableFuture<String> body) {
			return body.join();
		}

		@DistributedLock(name = "work", timeout = 30, minHold = 20)
		public CompletableFuture<String> futureWithMinHold(CompletableFuture<String> body) {
			return body;
		}

		@DistributedLock("'item:' + #id")
		public void item(int id) {
		}

		@DistributedLock("work")
		@Transactional
		public void publishing() {
			this.events.publishEvent("published");
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
		public void published(String event) {
			this.seen.add(this.locks.isLocked("work") ? "locked" : "free");
		}

		@DistributedLock("work")
		public @Nullable String losing(Runnable endLease, boolean closing, TransactionTemplate recording) {
			LockHandle handle = LockContext.current().orElseThrow();
			endLease.run();
			await().until(() -> handle.state() == LockState.LOST);
			if (closing) {
				handle.close();
			}
			return recording.execute((status) -> "recorded");
		}

	}

	static class Independent {

		@DistributedLock("independent")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void requiresNew() {
		}

		@DistributedLock("independent")
		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		public void notSupported() {
		}

		@DistributedLock("independent")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("done");
		}

	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	static class Declared {

		@DistributedLock("independent")
		public void call() {
		}

	}

}
