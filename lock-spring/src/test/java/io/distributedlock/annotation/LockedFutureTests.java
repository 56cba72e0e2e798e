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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.scheduling.annotation.Async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for methods that return a future, at the moments at which something else happens
 * as well.
 */
class LockedFutureTests {

	private final LockFixture fixture = new LockFixture();

	private final RecordingLockService locks = this.fixture.locks;

	private Work work;

	@BeforeEach
	void start() {
		ContextRegistry.getInstance().registerThreadLocalAccessor(new Tenant());
		this.work = this.fixture.start(Work.class);
	}

	@AfterEach
	void stop() {
		ContextRegistry.getInstance().removeThreadLocalAccessor(Tenant.KEY);
		Tenant.CURRENT.remove();
		this.fixture.close();
	}

	@Test
	void lockGrantedAfterTheCancellationIsGivenBackWithoutMinimumHold() {
		LockHandle handle = this.locks.acquire("work", this.locks.defaults);
		this.locks.pending = new TooLate();
		CompletableFuture<String> result = this.work.future(new CompletableFuture<>());
		result.cancel(true);
		assertThat(this.locks.takeLog()).containsExactly("acquire work");
		this.locks.pending.complete(handle);
		assertThat(this.locks.log).containsExactly("waive work", "release work");
	}

	@Test
	@DisplayName("A lock that is granted to an interrupted thread is given back without minimum hold")
	void lockOfAnInterruptedThreadIsGivenBackAtOnce() {
		LockHandle handle = this.locks.acquire("work", this.locks.defaults);
		this.locks.pending = new TooLate();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> this.work.async(new CompletableFuture<>()));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.locks.takeLog()).containsExactly("acquire work");
		this.locks.pending.complete(handle);
		assertThat(this.locks.log).containsExactly("waive work", "release work");
	}

	@Test
	void futureCompletedByTheCallerLeavesTheWorkItsLock() {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<String> result = this.work.future(body);
		result.complete("given");
		assertThat(body).isNotDone();
		assertThat(result).isCompletedWithValue("given");
		assertThat(this.locks.log).containsExactly("acquire work");
		body.complete("done");
		assertThat(this.locks.log).containsExactly("acquire work", "release work");
	}

	@Test
	void failureAfterACancellationEndsTheMinimumHold() {
		CompletableFuture<String> body = new CompletableFuture<>();
		this.work.future(body).cancel(true);
		body.completeExceptionally(new IllegalStateException("test"));
		assertThat(this.locks.log).containsExactly("acquire work", "waive work", "release work");
	}

	/**
	 * A task says that it is done as soon as it is cancelled, and runs on.
	 */
	@Test
	void taskOfAnExecutorIsNotCancelledByTheCaller() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		FutureTask<String> task = new FutureTask<>(() -> {
			begun.countDown();
			end.await();
			return "done";
		});
		Future<String> result = this.work.opaque(task);
		new Thread(task).start();
		begun.await();
		result.cancel(true);
		assertThat(task).isNotDone();
		assertThat(this.locks.log).containsExactly("acquire work");
		end.countDown();
		await().until(() -> this.locks.log.contains("release work"));
	}

	@Test
	void cancellationEndsTheWaitForTheNextLockOfTheSameMethod() {
		CompletableFuture<LockHandle> second = new CompletableFuture<>();
		this.locks.beforeAcquire = () -> this.locks.pending = second;
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<String> result = this.work.both(() -> body);
		assertThat(this.locks.log).containsExactly("acquire first");
		result.cancel(true);
		assertThat(second).isCancelled();
		assertThat(this.locks.log).containsExactly("acquire first", "waive first", "release first");
	}

	@Test
	void lossOfTheOuterLockCancelsTheWorkUnderTheInnerOne() {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<String> result = this.work.both(() -> body);
		this.locks.handles.get(0).lose();
		assertThat(result).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		await().until(body::isCancelled);
		await().until(() -> this.locks.log.contains("release second"));
	}

	@Test
	void finishedWorkReleasesTheLockOnceBeforeTheResultIsDelivered() {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<Void> told = this.work.future(body)
			.thenAccept((value) -> assertThat(this.locks.log).containsExactly("acquire work", "release work"));
		body.complete("done");
		assertThat(told).isCompleted();
	}

	@Test
	void lossIsNotToldInTheThreadOfTheCallbacks() throws Exception {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<Thread> told = this.work.interrupted(body).handle((value, failure) -> Thread.currentThread());
		this.locks.handles.get(0).lose();
		assertThat(told.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
		await().until(body::isCancelled);
	}

	@Test
	void workBegunDuringACancellationKeepsTheLock() {
		LockHandle handle = this.locks.acquire("work", this.locks.defaults);
		this.locks.pending = new CompletableFuture<>();
		CompletableFuture<String> begun = new CompletableFuture<>();
		AtomicReference<CompletableFuture<String>> result = new AtomicReference<>();
		result.set(this.work.supplied(() -> {
			result.get().cancel(true);
			return begun;
		}));
		this.locks.pending.complete(handle);
		assertThat(begun).isNotDone();
		assertThat(this.locks.log).containsExactly("acquire work");
		begun.complete("done");
		assertThat(this.locks.log).endsWith("release work");
	}

	@Test
	void classLoaderOfTheCallerIsTakenAlongToTheThreadThatGrants() throws Exception {
		LockHandle handle = this.locks.acquire("work", this.locks.defaults);
		this.locks.pending = new CompletableFuture<>();
		ClassLoader own = Thread.currentThread().getContextClassLoader();
		ClassLoader special = new ClassLoader(own) {
		};
		CompletableFuture<ClassLoader> result;
		Thread.currentThread().setContextClassLoader(special);
		try {
			result = this.work.classLoader();
		}
		finally {
			Thread.currentThread().setContextClassLoader(own);
		}
		this.locks.pending.complete(handle);
		assertThat(result.get(10, TimeUnit.SECONDS)).isSameAs(special);
		assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(own);
	}

	@Test
	void threadLocalsOfTheCallerAreTakenAlongToTheThreadThatGrants() throws Exception {
		LockHandle handle = this.locks.acquire("work", this.locks.defaults);
		this.locks.pending = new CompletableFuture<>();
		CompletableFuture<String> result = Tenant.call("shop", this.work::tenant);
		Tenant.CURRENT.set("of another call");
		this.locks.pending.complete(handle);
		assertThat(result).isCompletedWithValue("shop");
		assertThat(Tenant.CURRENT.get()).isEqualTo("of another call");
	}

	@Test
	void threadLocalsOfTheCallerAreTakenAlongToTheFallback() {
		this.locks.pending = new CompletableFuture<>();
		CompletableFuture<String> result = Tenant.call("shop", this.work::tenantOrFallback);
		this.locks.pending.completeExceptionally(new LockNotAcquiredException("work", Duration.ZERO, null));
		assertThat(result).isCompletedWithValue("fallback of shop");
	}

	@Test
	void threadLocalsOfTheCallerAreTakenAlongToTheSecondLockOfTheSameMethod() {
		LockHandle handle = this.locks.acquire("first", this.locks.defaults);
		CompletableFuture<LockHandle> first = new CompletableFuture<>();
		this.locks.pending = first;
		CompletableFuture<String> result = Tenant.call("shop",
				() -> this.work.both(() -> CompletableFuture.completedFuture(Tenant.CURRENT.get())));
		this.locks.pending = null;
		first.complete(handle);
		assertThat(result).isCompletedWithValue("shop");
	}

	@Test
	void lockIsGivenBackIfTheThreadLocalsOfTheCallerCannotBeRestored() {
		LockHandle handle = this.locks.acquire("work", this.locks.defaults);
		this.locks.pending = new CompletableFuture<>();
		CompletableFuture<String> result = Tenant.call(Tenant.NOT_RESTORED, this.work::tenant);
		this.locks.pending.complete(handle);
		assertThat(result).isCompletedExceptionally();
		assertThat(this.locks.log).endsWith("waive work", "release work");
	}

	@Test
	void waitEndsIfTheThreadLocalsOfTheCallerCannotBeRead() {
		this.locks.pending = new CompletableFuture<>();
		CompletableFuture<String> result = Tenant.call(Tenant.NOT_READ, this.work::tenant);
		assertThat(result).isCompletedExceptionally();
		assertThat(this.locks.pending).isCancelled();
	}

	@Test
	void blockingFuturesDoNotOccupyTheCommonPool() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		List<FutureTask<String>> tasks = new ArrayList<>();
		try {
			for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
				FutureTask<String> task = new FutureTask<>(() -> "done");
				tasks.add(task);
				this.work.opaque(task);
			}
			ForkJoinPool.commonPool().execute(done::countDown);
			assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			tasks.forEach(Runnable::run);
		}
	}

	/**
	 * A future that has been completed already when somebody tries to cancel it.
	 */
	private static final class TooLate extends CompletableFuture<LockHandle> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return false;
		}

	}

	/**
	 * A thread-local of the application, as Micrometer's context propagation knows it.
	 */
	private static final class Tenant implements ThreadLocalAccessor<String> {

		static final String KEY = "test.tenant";

		static final String NOT_READ = "not read";

		static final String NOT_RESTORED = "not restored";

		static final ThreadLocal<String> CURRENT = new ThreadLocal<>();

		static <T> T call(String tenant, Supplier<T> call) {
			CURRENT.set(tenant);
			try {
				return call.get();
			}
			finally {
				CURRENT.remove();
			}
		}

		@Override
		public Object key() {
			return KEY;
		}

		@Override
		public String getValue() {
			String tenant = CURRENT.get();
			if (NOT_READ.equals(tenant)) {
				throw new IllegalStateException(tenant);
			}
			return tenant;
		}

		@Override
		public void setValue(String tenant) {
			if (tenant.equals(NOT_RESTORED)) {
				throw new IllegalStateException(tenant);
			}
			CURRENT.set(tenant);
		}

		@Override
		public void setValue() {
			CURRENT.remove();
		}

	}

	static class Work {

		@DistributedLock(name = "work", minHold = 10)
		public CompletableFuture<String> future(CompletableFuture<String> body) {
			return body;
		}

		@Async
		@DistributedLock(name = "work", minHold = 10)
		public CompletableFuture<String> async(CompletableFuture<String> body) {
			return body;
		}

		@DistributedLock(name = "work", onLost = LossReaction.INTERRUPT)
		public CompletableFuture<String> interrupted(CompletableFuture<String> body) {
			return body;
		}

		@DistributedLock("work")
		public CompletableFuture<String> supplied(Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(name = "first", onLost = LossReaction.INTERRUPT)
		@DistributedLock(name = "second", onLost = LossReaction.INTERRUPT)
		public CompletableFuture<String> both(Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock("work")
		public CompletableFuture<ClassLoader> classLoader() {
			return CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader());
		}

		@DistributedLock("work")
		public CompletableFuture<String> tenant() {
			return CompletableFuture.completedFuture(Tenant.CURRENT.get());
		}

		@DistributedLock(name = "work", fallbackMethod = "fallback")
		public CompletableFuture<String> tenantOrFallback() {
			return tenant();
		}

		CompletableFuture<String> fallback() {
			return CompletableFuture.completedFuture("fallback of " + Tenant.CURRENT.get());
		}

		@DistributedLock("work")
		public Future<String> opaque(FutureTask<String> task) {
			return task;
		}

	}

}
