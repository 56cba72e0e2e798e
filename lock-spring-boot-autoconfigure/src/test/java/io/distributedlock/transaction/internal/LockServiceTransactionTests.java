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

package io.distributedlock.transaction.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

import io.distributedlock.HeldLock;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.autoconfigure.LockTransactionAutoConfiguration;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the lock service in transactions, as Spring Boot configures both.
 */
class LockServiceTransactionTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofMinutes(1));

	private static final List<String> BOTH = List.of("work", "other");

	private static final Runnable NOTHING = () -> {
	};

	/** How far the clock of the lock service is ahead. */
	private final AtomicLong ahead = new AtomicLong();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private DefaultLockService elsewhere;

	private DefaultLockService locks;

	private TransactionTemplate transaction;

	private TransactionTemplate newTransaction;

	@BeforeEach
	void start() {
		TestPropertyValues.of("distributed-lock.provider=in-memory").applyTo(this.context);
		this.context.register(Application.class);
		this.context.registerBean(Ticker.class, () -> () -> System.nanoTime() + this.ahead.get());
		this.context.refresh();
		this.locks = this.context.getBean(DefaultLockService.class);
		this.elsewhere = new DefaultLockService(this.context.getBean(InMemoryLockStore.class).connect(),
				EngineSettings.of("elsewhere"), List.of());
		this.transaction = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		this.newTransaction = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		return template;
	}

	@AfterEach
	void stop() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(LockContext.all()).isEmpty();
		assertThat(this.locks.held()).isEmpty();
		this.elsewhere.close();
		this.context.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockIsReleasedAfterTheTransactionInWhichItWasTaken(Way way) {
		this.transaction.executeWithoutResult((status) -> {
			way.work(this.locks, OPTIONS, NOTHING);
			assertThat(isFree()).isFalse();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					assertThat(isFree()).isFalse();
				}

			});
		});
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void nonExclusiveLockIsReleasedAfterTheTransaction(Way way) {
		for (LockOptions options : List.of(OPTIONS.withPermits(3), OPTIONS.withShared())) {
			this.transaction.executeWithoutResult((status) -> {
				way.work(this.locks, options, NOTHING);
				way.work(this.locks, options, NOTHING);
				assertThat(isFree()).isFalse();
			});
			assertThat(isFree()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void lockIsReleasedAtOnceWithoutATransaction(Way way) {
		way.work(this.locks, OPTIONS, () -> assertThat(isFree()).isFalse());
		assertThat(isFree()).isTrue();
		transaction(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> {
			way.work(this.locks, OPTIONS, NOTHING);
			assertThat(isFree()).isTrue();
		});
	}

	@ParameterizedTest
	@EnumSource
	void lossBetweenTheWorkAndTheCommitRollsBack(Way way) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				way.work(this.locks, OPTIONS, NOTHING);
				endTheLease();
			}));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A loss during the work rolls back, although the handle was closed")
	void lossDuringTheWorkRollsBack(Way way) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.transaction
			.executeWithoutResult((status) -> way.work(this.locks, OPTIONS, this::endTheLease)));
	}

	@ParameterizedTest
	@EnumSource
	void laterWorkInTheTransactionEntersTheLock(Way first) {
		this.transaction.executeWithoutResult((status) -> {
			first.work(this.locks, OPTIONS, NOTHING);
			for (Way second : Way.values()) {
				second.work(this.locks, OPTIONS, NOTHING);
			}
			this.newTransaction.executeWithoutResult((inner) -> Way.EXECUTE_ASYNC.work(this.locks, OPTIONS, NOTHING));
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void minimumHoldIsKeptAfterTheCommitOnly(Way way) {
		LockOptions options = OPTIONS.withMinHold(Duration.ofSeconds(30));
		this.transaction.executeWithoutResult((status) -> {
			way.work(this.locks, options, NOTHING);
			status.setRollbackOnly();
		});
		assertThat(isFree()).isTrue();
		this.transaction.executeWithoutResult((status) -> way.work(this.locks, options, NOTHING));
		assertThat(isFree()).isFalse();
	}

	@Test
	void failedWorkKeepsTheLockUntilTheTransactionHasCompleted() {
		LockOptions options = OPTIONS.withMinHold(Duration.ofSeconds(30));
		this.transaction.executeWithoutResult((status) -> {
			assertThatIllegalStateException().isThrownBy(() -> this.locks.executeWithoutResult("work", options, () -> {
				throw new IllegalStateException("test");
			}));
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void handleClosedInALaterTransactionIsReleasedAfterTheTransaction() {
		LockHandle handle = this.locks.acquire("work", OPTIONS);
		this.transaction.executeWithoutResult((status) -> {
			handle.close();
			handle.close();
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
		LockHandle several = this.locks.acquireAll(BOTH, OPTIONS);
		this.transaction.executeWithoutResult((status) -> {
			several.release();
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void handleThatIsClosedAfterTheTransactionKeepsTheLockUntilThen() {
		LockHandle handle = this.transaction.execute((status) -> this.locks.acquire("work", OPTIONS));
		assertThat(isFree()).isFalse();
		handle.close();
		assertThat(isFree()).isTrue();
	}

	@Test
	void handleThatAnotherThreadClosesKeepsTheLockUntilTheTransactionHasCompleted() {
		this.transaction.executeWithoutResult((status) -> {
			LockHandle handle = this.locks.acquire("work", OPTIONS).detach();
			CompletableFuture.runAsync(handle::close).join();
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void asynchronousHandleIsReleasedWithinAnUnrelatedTransaction() {
		LockHandle handle = this.locks.acquireAsync("work", OPTIONS).join();
		this.transaction.executeWithoutResult((status) -> handle.releaseAsync().join());
		assertThat(isFree()).isTrue();
	}

	@Test
	void innerTransactionReleasesItsOwnLocksOnly() {
		this.transaction.executeWithoutResult((status) -> {
			LockHandle outer = this.locks.acquire("work", OPTIONS);
			this.newTransaction.executeWithoutResult((inner) -> {
				this.locks.executeWithoutResult("inner", OPTIONS, NOTHING);
				outer.close();
				assertThat(this.elsewhere.isLocked("inner")).isTrue();
			});
			assertThat(this.elsewhere.isLocked("inner")).isFalse();
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void workThatOutlivesTheTransactionKeepsItsLock() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.transaction
			.execute((status) -> this.locks.executeAsync("work", OPTIONS, (handle) -> work));
		assertThat(isFree()).isFalse();
		work.complete("done");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10));
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockThatIsGrantedAfterTheTransactionIsReleasedWithItsHandle() {
		LockHandle before = this.elsewhere.acquire("work", OPTIONS);
		CompletableFuture<LockHandle> acquisition = this.transaction
			.execute((status) -> this.locks.acquireAsync("work", OPTIONS.withWaitTime(Duration.ofSeconds(30))));
		before.close();
		acquisition.join().close();
		assertThat(isFree()).isTrue();
	}

	@Test
	@DisplayName("Many handles on one lock are kept by one, which has it renewed if one of them did")
	void oneHandleKeepsALockThatIsTakenManyTimes() {
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 1000; i++) {
				this.locks.executeWithoutResult("work", OPTIONS, NOTHING);
			}
			assertThat(AmbientTransaction.find(null).kept(List.of("work"))).hasSize(1);
			this.locks.executeWithoutResult("work", OPTIONS.withAutoRenew(), NOTHING);
			assertThat(this.locks.held()).singleElement().matches(HeldLock::autoRenew);
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void acquisitionThatFailsLeavesNothingToTheTransaction() {
		LockHandle busy = this.elsewhere.acquire("zebra", OPTIONS);
		this.transaction.executeWithoutResult((status) -> {
			assertThat(this.locks.acquireAllAsync(List.of("work", "zebra"), OPTIONS)).failsWithin(10, TimeUnit.SECONDS);
			await().until(this::isFree);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquireAll(List.of("work", "zebra"), OPTIONS));
			assertThat(isFree()).isTrue();
		});
		busy.close();
	}

	@Test
	void transactionBegunInWorkUnderALostLockRollsBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.locks.executeWithoutResult("work", OPTIONS, () -> {
				endTheLease();
				this.transaction.executeWithoutResult((status) -> {
				});
			}));
	}

	private void endTheLease() {
		this.ahead.addAndGet(OPTIONS.lease().toNanos());
	}

	private boolean isFree() {
		return !this.elsewhere.isLocked("work");
	}

	enum Way {

		EXECUTE((locks, options, work) -> locks.executeWithoutResult("work", options, work)),

		EXECUTE_ALL((locks, options, work) -> locks.executeAllWithoutResult(BOTH, options, (handle) -> work.run())),

		ACQUIRE((locks, options, work) -> {
			try (LockHandle handle = locks.acquire("work", options)) {
				work.run();
			}
		}),

		TRY_ACQUIRE((locks, options, work) -> {
			try (LockHandle handle = locks.tryAcquire("work", options).orElseThrow()) {
				work.run();
			}
		}),

		LOCK_VIEW((locks, options, work) -> {
			Lock lock = locks.asLock("work", options);
			lock.lock();
			try {
				work.run();
			}
			finally {
				lock.unlock();
			}
		}),

		ACQUIRE_ASYNC((locks, options, work) -> {
			LockHandle handle = locks.acquireAsync("work", options).join();
			work.run();
			handle.releaseAsync().join();
		}),

		ACQUIRE_ALL_ASYNC((locks, options, work) -> {
			LockHandle handle = locks.acquireAllAsync(BOTH, options).join();
			work.run();
			handle.releaseAsync().join();
		}),

		EXECUTE_ASYNC((locks, options, work) -> locks.executeAsync("work", options, (handle) -> {
			work.run();
			return CompletableFuture.completedFuture("done");
		}).join());

		private final LockedWork lockedWork;

		Way(LockedWork lockedWork) {
			this.lockedWork = lockedWork;
		}

		void work(LockService locks, LockOptions options, Runnable work) {
			this.lockedWork.run(locks, options, work);
		}

	}

	private interface LockedWork {

		void run(LockService locks, LockOptions options, Runnable work);

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class,
			LockTransactionAutoConfiguration.class })
	static class Application {

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:locks"));
		}

	}

}
